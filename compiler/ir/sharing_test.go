package ir_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// lets is a chain of depth n in which each level defines two variables around two places of the
// level below, which reads them and free: 2^n places. With one, all levels define the same two. Of
// the first copies levels each place is a node of its own.
func lets(n, copies int, one bool, free, leaf tir.Expr) tir.Expr {
	v, w := int64Var("v"), int64Var("w")
	level := func(a, b tir.Expr) tir.Expr {
		if !one {
			v, w = int64Var("v"), int64Var("w")
		}
		return &tir.Let{Var: v, Value: free, Body: &tir.Let{Var: w, Value: plusOne(v), Body: &tir.Select{Cond: w, True: a, False: b}}}
	}
	e := leaf
	for range n - copies {
		e = level(e, e)
	}
	var tree func(int) tir.Expr
	tree = func(k int) tir.Expr {
		if k == 0 {
			return e
		}
		return level(tree(k-1), tree(k-1))
	}
	return tree(copies)
}

// TestSharedDefinitionsStayLinear does not end if a shared node that defines variables is looked
// at once for each place.
func TestSharedDefinitionsStayLinear(t *testing.T) {
	x, y := int64Var("x"), int64Var("y")
	within := func(v *tir.Var, e tir.Expr) ir.Node { return &tir.Let{Var: v, Value: tir.Int(1), Body: e} }
	for _, one := range []bool{false, true} {
		depth := 20_000
		if one {
			depth = 10_000
		}
		a, b, c := lets(depth, 0, one, x, x), lets(depth, 0, !one, y, y), lets(depth, 0, one, x, y)
		if !ir.StructuralEqual(a, b, mapped) || !ir.StructuralEqual(within(x, a), within(y, b), plain) {
			t.Error("chains of other variables differ")
		}
		h := ir.StructuralHash(within(x, a))
		if h != ir.StructuralHash(within(y, b)) || h == ir.StructuralHash(within(x, c)) {
			t.Error("the hash depends on names, or not on the leaf")
		}
		m := ir.FirstMismatch(within(x, a), within(x, c), plain)
		if want := "body." + strings.Repeat("body.body.true.", depth); m == nil || strings.TrimSuffix(want, ".") != m.Path {
			t.Errorf("the first difference is at %.80v", m)
		}
	}
}

// TestSharedDifferently compares chains of which one is a tree at the top, or has two chains with
// variables of their own where the other has one.
func TestSharedDifferently(t *testing.T) {
	x := int64Var("x")
	for _, one := range []bool{false, true} {
		a := lets(60, 0, false, x, x)
		for copies := range 8 {
			b := lets(60, copies, one, x, x)
			if !ir.StructuralEqual(a, b, plain) || !ir.StructuralEqual(b, a, plain) || ir.StructuralHash(a) != ir.StructuralHash(b) {
				t.Errorf("a chain differs from one whose first %d levels are a tree", copies)
			}
		}
	}
	twins := func(n int) tir.Expr {
		var left, right tir.Expr = x, x
		for range n {
			level := func() tir.Expr {
				v, w := int64Var("v"), int64Var("w")
				return &tir.Let{Var: v, Value: x, Body: &tir.Let{Var: w, Value: plusOne(v), Body: &tir.Select{Cond: w, True: left, False: right}}}
			}
			left, right = level(), level()
		}
		return left
	}
	const depth = 5000
	a, b, c := lets(depth, 0, false, x, x), twins(depth), twins(depth)
	if !ir.StructuralEqual(a, b, plain) || !ir.StructuralEqual(b, a, plain) || !ir.StructuralEqual(b, c, plain) {
		t.Error("a chain differs from two")
	}
	if ir.StructuralHash(a) != ir.StructuralHash(b) {
		t.Error("a chain has another hash than two")
	}
}

// TestSharedSequencesStayLinear does the same for sequences, buffers and threads.
func TestSharedSequencesStayLinear(t *testing.T) {
	const depth = 3000
	branches := func() ir.Node {
		n := int64Var("n")
		cond := &relax.Var{Name: "c", SInfo: relax.ShapeOf(n)}
		seq := &relax.SeqExpr{Body: cond}
		for range depth {
			v := &relax.Var{Name: "v", SInfo: relax.ShapeOf(n)}
			m := &relax.MatchCast{Var: &relax.Var{Name: "m", SInfo: relax.Object()}, Value: v, SInfo: relax.ShapeOf(int64Var("k"))}
			b := &relax.VarBinding{Var: v, Value: &relax.If{Cond: cond, Then: seq, Else: seq}}
			seq = &relax.SeqExpr{Blocks: []*relax.BindingBlock{{Bindings: []relax.Binding{b, m}}}, Body: v}
		}
		return &relax.Function{Params: []*relax.Var{cond}, Body: seq}
	}
	stmts := func() ir.Node {
		s := evaluate(tir.Int(1))
		for range depth {
			b := tir.NewBuffer("b", dtype.Int64T, []tir.Expr{tir.Int(4)}, "")
			s = &tir.AttrStmt{Node: &tir.IterVar{Var: int64Var("t")}, Value: tir.Int(1), Body: block(s, s)}
			s = &tir.Block{AllocBuffers: []*tir.Buffer{b}, Body: block(tir.Store(b, tir.Int(1), tir.Int(2)), s, s)}
		}
		return s
	}
	for name, f := range map[string]func() ir.Node{"branches": branches, "statements": stmts} {
		a, b := f(), f()
		if !ir.StructuralEqual(a, b, plain) || !ir.StructuralEqual(a, b, mapped) || ir.StructuralHash(a) != ir.StructuralHash(b) {
			t.Errorf("shared %s differ", name)
		}
	}
}
