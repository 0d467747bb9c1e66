package wasm_test

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime/tensor"
)

// wrong reports whether f has a meaning, reading nothing that nobody wrote, with which generated code disagrees.
func wrong(t *testing.T, f *tir.PrimFunc, args []any) bool {
	want := cloneArgs(args)
	if err := interp.Run(context.Background(), f, want, nil); err != nil {
		return false
	}
	zeroed := cloneArgs(args)
	if err := interp.Run(context.Background(), f, zeroed, &interp.Options{Zeroed: true}); err != nil {
		return false
	}
	for i := range want {
		if w, ok := want[i].(*tensor.Tensor); ok && differ(zeroed[i].(*tensor.Tensor), w, 0) >= 0 {
			return false
		}
	}
	m := pack(t, f)
	for _, ts := range targets {
		_, mod, d := load(t, m, mustTarget(ts))
		got := cloneArgs(args)
		if err := runWasm(t, mod, d, got); err != nil {
			return true
		}
		for i := range want {
			if w, ok := want[i].(*tensor.Tensor); ok && differ(got[i].(*tensor.Tensor), w, 0) >= 0 {
				return true
			}
		}
	}
	return false
}
