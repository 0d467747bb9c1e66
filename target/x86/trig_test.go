//go:build linux && amd64

package x86_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/libm/libmtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native"
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

// TestPowersOfTwo runs the definitions that a target with an instruction for products with powers of two has, and this alone, whose exponents are of all kinds: they are the interpreter's to the bit.
func TestPowersOfTwo(t *testing.T) {
	m := machines["avx512"]
	if !native.Host().Has(m.Features) {
		t.Skip("the machine has no AVX-512")
	}
	tgt := targetOf(t, targets["avx512"])
	c, err := pass.NewContext(context.Background(), pass.WithTarget(tgt))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range libmtest.Cases() {
		for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T} {
			if !slices.Contains([]string{"exp", "exp2", "exp10", "sigmoid", "tanh", "erf", "ldexp"}, k.Name) || d == dtype.Float64T && !k.Func.Double {
				continue
			}
			x := libmtest.Samples(k, 1<<9)
			size := len(x[0]) / 16 * 16
			var args []any
			for i, list := range x {
				a := tensor.MustNew(d, int64(size))
				for j := range size {
					v := float64(list[j])
					if i == 1 && j%11 == 0 {
						v = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 3000, -3000, 2.75, -2.75, 0x1p-140, -0x1p-140}[j/11%9]
					}
					a.SetFloat(j, v)
				}
				args = append(args, a)
			}
			args = append(args, tensor.MustNew(d, int64(size)))
			for _, lanes := range []int{1, 4, 8, 16} {
				f := libmtest.Function(k, d, int64(size), lanes)
				lowered, err := tirpass.LowerMath.Run(c, ir.NewModule().With(ir.GlobalSymbol(f), f))
				if err != nil {
					t.Fatal(err)
				}
				want := cloneArgs(args)
				if err := interp.Run(context.Background(), lowered.Lookup(ir.GlobalSymbol(f)).(*tir.PrimFunc), want, nil); err != nil {
					t.Fatal(err)
				}
				lib, obj, err := build(packedFor(t, tgt, f, tirpass.LowerMath), m)
				if err != nil {
					t.Fatalf("%s: %v", k.Name, err)
				}
				if text := lib.Kernels[0].Text(); !strings.Contains(text, "vscalef") {
					t.Errorf("%s of %s has no instruction for powers of two:\n%s", k.Name, d, text)
				}
				got, err := execute(obj, newHost(t), args)
				if err != nil {
					t.Fatal(err)
				}
				if s := different(got, want, false); s != "" {
					t.Errorf("%s of %s, %d lanes: %s", k.Name, d, lanes, s)
				}
			}
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
