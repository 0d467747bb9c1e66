package transform

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestExtentsHaveNames: what a function calls the extents of its arguments, and what follows from them.
func TestExtentsHaveNames(t *testing.T) {
	n, m := tir.NewSizeVar("n", dtype.Int64T), tir.NewVar("m", dtype.Int64T)
	times := func(e tir.Expr, k int64) tir.Expr { return tir.Mul(e, tir.Int(k)) }
	x := &extents{}
	x.add([]tir.Expr{n, tir.Int(4), times(n, 2), times(n, 2), tir.Add(n, n), times(m, 3)})
	if len(x.known) != 2 || x.known[0].v.Name != "d0" || x.known[1].v.Name != "d1" || x.known[0].v.DType() != dtype.Int64T {
		t.Fatalf("the extents are %v, want one for n * 2 and one for m * 3", x.known)
	}
	d0, d1 := x.known[0].v, x.known[1].v
	own := x.variable(n)
	if own == n || own.Name != "n" || own.DType() != dtype.Int64T || !own.Size || x.variable(n) != own {
		t.Errorf("the function's n is %v", own)
	}
	if own := x.variable(m); own == m || own.Size {
		t.Errorf("the function's m is %v", own)
	}
	for _, c := range []struct{ e, want tir.Expr }{
		{tir.Int(4), tir.Int(4)},
		{n, own},
		{times(n, 2), d0},
		{tir.Add(n, n), d0},
		{times(m, 3), d1},
		{tir.Add(times(n, 2), tir.Int(1)), tir.Add(d0, tir.Int(1))},
		{tir.Add(times(n, 2), times(m, 3)), tir.Add(d0, d1)},
		{times(n, 5), times(own, 5)},
		{tir.Add(times(n, 5), times(m, 3)), tir.Add(times(own, 5), d1)},
	} {
		if got := x.expr(c.e); !ir.StructuralEqual(got, c.want, ir.EqualOpts{}) {
			t.Errorf("%s is %s, want %s", relax.FormatPrim(c.e), relax.FormatPrim(got), relax.FormatPrim(c.want))
		}
	}
	if v := x.find(tir.CastTo(dtype.Float32T, n)); v != nil {
		t.Errorf("a number that is not an integer is %s", v.Name)
	}
	if v := (&extents{}).find(n); v != nil {
		t.Errorf("without arguments n is %s", v.Name)
	}
	// The struct info of an argument.
	for _, s := range []relax.StructInfo{relax.Object(), relax.TensorOfRank(dtype.Float32T, 2)} {
		if got := x.info(s); got != s {
			t.Errorf("%s became %s", relax.FormatSInfo(s), relax.FormatSInfo(got))
		}
	}
	s := x.info(relax.TensorOf(dtype.Float16T, n, times(m, 7), tir.Int(2))).(*relax.TensorStructInfo)
	dims, _ := s.Dims()
	if len(dims) != 3 || dims[0] != tir.Expr(own) || dims[1] != tir.Expr(x.known[2].v) || !tir.IsConst(dims[2], 2) || s.DType != dtype.Float16T {
		t.Errorf("an argument becomes %s", relax.FormatSInfo(s))
	}
}
