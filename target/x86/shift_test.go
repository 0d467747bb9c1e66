//go:build linux && amd64

package x86_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestShiftsByConstants shifts vectors of all integers by constants: the same one in all lanes, with those at the ends, and another one in each lane.
func TestShiftsByConstants(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Int8T, dtype.UInt8T, dtype.Int16T, dtype.UInt16T, dtype.Int32T, dtype.UInt32T, dtype.Int64T, dtype.UInt64T} {
		for _, lanes := range []int{2, 4, 8, 16, 24} {
			n := int64(lanes)
			x := flat("X", d, n)
			at := ramp(tir.Int32(0), 1, lanes)
			of := d.WithLanes(lanes)
			counts := []tir.Expr{}
			for _, k := range []int64{0, 1, 7, int64(d.Bits)/2 + 1, int64(d.Bits) - 1} {
				counts = append(counts, tir.Const(of, k))
			}
			counts = append(counts, tir.CastTo(of, ramp(tir.Int32(0), 0, lanes)), tir.NewCall(tir.OpBitwiseAnd, tir.CastTo(of, ramp(tir.Int32(0), 1, lanes)), tir.Const(of, 7)))
			var body []tir.Stmt
			z := flat("Z", d, 2*n*int64(len(counts)))
			for i, k := range counts {
				for j, o := range []func() tir.Expr{
					func() tir.Expr { return tir.NewCall(tir.OpShiftLeft, tir.Load(x, at), k) },
					func() tir.Expr { return tir.NewCall(tir.OpShiftRight, tir.Load(x, at), k) },
				} {
					body = append(body, tir.Store(z, o(), ramp(tir.Int32(n*int64(2*i+j)), 1, lanes)))
				}
			}
			t.Run(fmt.Sprintf("%sx%d", d, lanes), func(t *testing.T) {
				check(t, primFunc("f", []any{x, z}, body...), numbers(d, 1, n), numbers(d, 2, 2*n*int64(len(counts))))
			})
		}
	}
}

// TestShiftsTakeNoConstants: the same count in all lanes is part of the instruction.
func TestShiftsTakeNoConstants(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Int32T, dtype.UInt32T, dtype.UInt64T} {
		x, at := flat("X", d, 32), ramp(tir.Int32(0), 1, 32)
		k := tir.Const(d.WithLanes(32), 5)
		f := primFunc("f", []any{x}, tir.Store(x, tir.NewCall(tir.OpShiftLeft, tir.NewCall(tir.OpShiftRight, tir.Load(x, at), k), k), at))
		for name, m := range machines {
			lib, _, err := build(packed(t, f), m)
			if err != nil {
				t.Fatal(err)
			}
			if text := lib.Kernels[0].Text(); strings.Contains(text, "[rip+") || !strings.Contains(text, "\tvpsll") {
				t.Errorf("%s, %s:\n%s", d, name, text)
			}
		}
	}
}
