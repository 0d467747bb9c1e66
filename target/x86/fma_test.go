//go:build linux && amd64

package x86_test

import (
	"context"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
)

// contracted is f with products and sums fused, as the pipeline of the target has them.
func contracted(t testing.TB, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	c, err := pass.NewContext(context.Background(), pass.WithTarget(avx2(t)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Run(tirpass.ContractFMA, ir.NewModule().With(ir.GlobalSymbol(f), f))
	if err != nil {
		t.Fatal(err)
	}
	return m.Lookup(ir.GlobalSymbol(f)).(*tir.PrimFunc)
}

// TestFusedSums compares sums and differences of products, of scalars and vectors in registers and in memory, with the interpreter, and looks for the instructions that they
// should be.
func TestFusedSums(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32T, dtype.Float64T} {
		for _, lanes := range []int{1, 4, 16} {
			const n = 64
			a, b, c, o := flat("A", d, n), flat("B", d, n), flat("C", d, n), flat("O", d, 5*n)
			i := i32var("i")
			at := func(off int64) tir.Expr {
				e := tir.Add(tir.Mul(i, tir.Int32(int64(lanes))), tir.Int32(off))
				if lanes > 1 {
					return ramp(e, 1, lanes)
				}
				return e
			}
			x, y, z := tir.Load(a, at(0)), tir.Load(b, at(0)), tir.Load(c, at(0))
			var spread tir.Expr = tir.Load(b, i)
			if lanes > 1 {
				spread = broadcast(spread, lanes)
			}
			f := primFunc("f", []any{a, b, c, o}, forLoop(i, tir.Int32(int64(n/lanes)),
				tir.Store(o, tir.Add(tir.Mul(x, y), z), at(0)),
				tir.Store(o, tir.Sub(z, tir.Mul(x, y)), at(n)),
				tir.Store(o, tir.Sub(tir.Mul(x, y), z), at(2*n)),
				tir.Store(o, tir.Sub(tir.Load(o, at(0)), tir.Mul(spread, y)), at(3*n)),
				tir.Store(o, tir.Sub(tir.Mul(x, spread), tir.Add(z, tir.Mul(x, tir.FloatConst(x.DType(), -1)))), at(4*n)),
			))
			f = contracted(t, f)
			check(t, f, random(d, 1, n), random(d, 2, n), random(d, 3, n), random(d, 4, 5*n))
			lib, _, err := build(pack(t, f), machines["avx512"])
			if err != nil {
				t.Fatal(err)
			}
			text := lib.Kernels[0].Text()
			for _, want := range []string{"vfmadd", "vfnmadd", "vfmsub"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %d lanes: no %s in\n%s", d, lanes, want, text)
				}
			}
			if strings.Contains(text, "vmul") {
				t.Errorf("%s, %d lanes: a sign is multiplied in\n%s", d, lanes, text)
			}
		}
	}
}
