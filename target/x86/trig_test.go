//go:build linux && amd64

package x86_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target/x86"
)

// TestTrig runs sin, cos and tan of all magnitudes as the pipeline of the target has them, with products and sums fused: they are the interpreter's to the bit.
func TestTrig(t *testing.T) {
	n := 1 << 12
	if testing.Short() {
		n = 1 << 9
	}
	for _, c := range libmtest.Cases() {
		if !slices.Contains([]string{"sin", "cos", "tan"}, c.Name) {
			continue
		}
		x := libmtest.Samples(c, n)[0]
		size := int64(len(x)) / 16 * 16
		for _, lanes := range []int{1, 4, 8, 16} {
			f := libmtest.Function(c, dtype.Float32T, size, lanes)
			lowered, err := tirpass.LowerMath.Run(mathContext(t), ir.NewModule().With(ir.GlobalSymbol(f), f))
			if err != nil {
				t.Fatal(err)
			}
			funcs := packed(t, f, tirpass.LowerMath, tirpass.ContractFMA)
			for _, p := range funcs {
				if why := x86.Refuses(p.Prim); why != "" {
					t.Fatalf("%s: %s", c.Name, why)
				}
			}
			t.Run(c.Name, func(t *testing.T) {
				checkLowered(t, lowered.Lookup(ir.GlobalSymbol(f)).(*tir.PrimFunc), funcs, tensor.MustOf([]int64{size}, x[:size]), tensor.MustNew(dtype.Float32T, size))
			})
		}
	}
}

// TestDoubles runs definitions in float64 as the pipeline of the target has them: they are the interpreter's to the bit, and nothing is left to the host.
func TestDoubles(t *testing.T) {
	for _, c := range libmtest.Cases() {
		if !c.Func.Double || c.Args > 1 {
			continue
		}
		var x []float64
		for i, v := range libmtest.Samples(c, 1<<9)[0] {
			x = append(x, float64(v)*(1+0x1p-40*float64(i%7)))
			if i%5 == 0 { // all magnitudes
				x = append(x, math.Ldexp(float64(v), 128*(i%15-7)))
			}
		}
		size := int64(len(x)) / 16 * 16
		for _, lanes := range []int{1, 2, 4, 8} {
			f := libmtest.Function(c, dtype.Float64T, size, lanes)
			lowered := ir.NewModule().With(ir.GlobalSymbol(f), f)
			for _, p := range []*pass.Pass{tirpass.LowerMath, tirpass.ContractFMA} {
				var err error
				if lowered, err = p.Run(mathContext(t), lowered); err != nil {
					t.Fatal(err)
				}
			}
			funcs := packed(t, f, tirpass.LowerMath, tirpass.ContractFMA)
			for _, p := range funcs {
				if why := x86.Refuses(p.Prim); why != "" {
					t.Fatalf("%s: %s", c.Name, why)
				}
			}
			t.Run(c.Name, func(t *testing.T) {
				checkLowered(t, lowered.Lookup(ir.GlobalSymbol(f)).(*tir.PrimFunc), funcs, tensor.MustOf([]int64{size}, x[:size]), tensor.MustNew(dtype.Float64T, size))
			})
		}
	}
}

// mathContext is a context for the target.
func mathContext(t testing.TB) *pass.Context {
	t.Helper()
	c, err := pass.NewContext(context.Background(), pass.WithTarget(avx2(t)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
