//go:build linux && amd64

package x86_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/runtime/native"
	"github.com/irscope/irscope/runtime/native/asm"
	"github.com/irscope/irscope/target/codegen"
	"github.com/irscope/irscope/target/x86"
)

// TestLightModels generates code for all that the light models lower to: nothing is refused, and the verifier takes it for each machine.
func TestLightModels(t *testing.T) {
	for _, c := range onnxtest.Light(t) {
		t.Run(c.Name, func(t *testing.T) {
			m, err := onnx.Import(context.Background(), c.Model(t), onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := compiler.Passes(context.Background(), compiler.Request{Module: m})
			if err != nil {
				t.Fatal(err)
			}
			funcs := codegen.Funcs(res.Module)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for name, machine := range machines {
				start := threadTime()
				lib, err := x86.BuildFor(context.Background(), funcs, machine)
				if err != nil {
					t.Fatal(err)
				}
				took := (threadTime() - start) * 1e3
				for _, r := range lib.Refused {
					t.Errorf("%s: %s is refused: %s", name, r.Name, r.Reason)
				}
				obj, err := native.Decode(lib.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := asm.Verify(&obj.Blob, native.Box); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				t.Logf("%s: %d kernels, %d bytes, %.2f ms of the processor a kernel", name, len(lib.Kernels), len(lib.Bytes), took/float64(max(1, len(lib.Kernels))))
			}
		})
	}
}
