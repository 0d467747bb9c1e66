package arith_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// known rewrites comparisons that hold to true, and returns how many it met.
func known(m *arith.Mutator) *int {
	met := new(int)
	m.Expr = func(e tir.Expr) tir.Expr {
		if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpLT {
			*met++
			if m.An.CanProve(e) {
				return tir.Bool(true)
			}
		}
		return m.VisitExpr(e)
	}
	return met
}

// TestMutatorScopes: each statement is told what holds in it, and what is around it is not.
func TestMutatorScopes(t *testing.T) {
	i, n, thread := tir.NewVar("i", dtype.Int64T), tir.NewVar("n", dtype.Int64T), tir.NewVar("tx", dtype.Int64T)
	buf := tir.NewBuffer("A", dtype.Int64T, []tir.Expr{tir.Int(64)}, "")
	num := func(v int64) tir.Expr { return tir.Int(v) }
	// holds stores whether i < 8 where it stands.
	holds := func(e tir.Expr) tir.Stmt { return tir.Store(buf, tir.CastTo(dtype.Int64T, tir.LT(e, num(8))), num(0)) }
	read := tir.Load(buf, num(1))
	iter := func(v *tir.Var, extent int64) *tir.IterVar {
		return &tir.IterVar{Var: v, Dom: &tir.Range{Min: num(0), Extent: num(extent)}}
	}
	for name, c := range map[string]struct {
		s      tir.Stmt
		proved bool
	}{
		"nothing known":        {holds(i), false},
		"loop":                 {&tir.For{LoopVar: i, Min: num(0), Extent: num(8), Body: holds(i)}, true},
		"longer loop":          {&tir.For{LoopVar: i, Min: num(0), Extent: num(9), Body: holds(i)}, false},
		"loop of memory":       {&tir.For{LoopVar: i, Min: num(0), Extent: tir.Min(read, num(8)), Body: holds(i)}, true},
		"let":                  {&tir.LetStmt{Var: i, Value: num(7), Body: holds(i)}, true},
		"let of memory":        {&tir.LetStmt{Var: i, Value: tir.Min(read, num(7)), Body: holds(i)}, false},
		"let in an expression": {tir.Store(buf, &tir.Let{Var: i, Value: num(7), Body: tir.CastTo(dtype.Int64T, tir.LT(i, num(8)))}, num(0)), true},
		"assertion":            {&tir.AssertStmt{Cond: tir.LE(i, num(5)), Message: &tir.StringImm{Value: "i"}, Body: holds(i)}, true},
		"then":                 {&tir.IfThenElse{Cond: tir.LE(i, num(5)), Then: holds(i)}, true},
		"likely":               {&tir.IfThenElse{Cond: &tir.Call{Type: dtype.BoolT, Op: tir.OpLikely, Args: []tir.Expr{tir.LE(i, num(5))}}, Then: holds(i)}, true},
		"else":                 {&tir.IfThenElse{Cond: tir.GE(i, num(8)), Then: tir.Store(buf, num(1), num(0)), Else: holds(i)}, true},
		"behind a branch":      {tir.Seq(&tir.IfThenElse{Cond: tir.LE(i, num(5)), Then: tir.Store(buf, num(1), num(0))}, holds(i)), false},
		"condition of memory":  {&tir.IfThenElse{Cond: tir.LE(read, num(5)), Then: holds(read)}, false},
		"part that lasts":      {&tir.IfThenElse{Cond: tir.And(tir.LE(read, num(5)), tir.LE(i, num(5))), Then: holds(i)}, true},
		"thread":               {&tir.AttrStmt{Node: iter(thread, 8), Key: tir.KeyThreadExtent, Value: num(8), Body: holds(thread)}, true},
		"other attribute":      {&tir.AttrStmt{Node: iter(thread, 8), Key: "other", Value: num(8), Body: holds(thread)}, false},
		"block": {&tir.BlockRealize{Values: []tir.Expr{n}, Predicate: tir.Bool(true), Block: &tir.Block{
			Name: "b", IterVars: []*tir.IterVar{iter(i, 8)}, Body: holds(i),
		}}, true},
	} {
		m := arith.NewMutator(nil)
		met := known(m)
		out := m.MutateStmt(c.s)
		left := 0
		ir.Walk(out, func(x ir.Node) bool {
			if b, ok := x.(*tir.Binary); ok && b.Op == tir.OpLT {
				left++
			}
			return true
		})
		if *met == 0 || (left == 0) != c.proved || (out == c.s) == c.proved {
			t.Errorf("%s: of %d comparisons %d are left, changed %v; expected proved %v", name, *met, left, out != c.s, c.proved)
		}
	}
}

func TestMutatorStatements(t *testing.T) {
	i := tir.NewVar("i", dtype.Int64T)
	buf := tir.NewBuffer("A", dtype.Int64T, []tir.Expr{tir.Int(64)}, "")
	one, two := tir.Store(buf, tir.Int(1), i), tir.Store(buf, tir.Int(2), i)
	loop := &tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(8), Body: tir.Seq(one, two)}
	m := arith.NewMutator(nil)
	if out := m.MutateStmt(loop); out != tir.Stmt(loop) {
		t.Error("a mutator without hooks changed the loop")
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		if s == one {
			return tir.NoOp()
		}
		return m.VisitStmt(s)
	}
	if out := m.MutateStmt(loop).(*tir.For); out.Body != two || loop.Body == two {
		t.Errorf("the body became %T, expected what is left of it", out.Body)
	}
	for cond, want := range map[tir.Expr]tir.Stmt{tir.Bool(true): one, tir.Bool(false): two} {
		if out := arith.NewMutator(nil).MutateStmt(&tir.IfThenElse{Cond: cond, Then: one, Else: two}); out != want {
			t.Errorf("a branch on %v became %T", cond, out)
		}
	}
	if out := arith.NewMutator(nil).MutateStmt(&tir.IfThenElse{Cond: tir.Bool(false), Then: one}); !tir.IsNoOp(out) {
		t.Errorf("a branch that never runs became %T", out)
	}
	other := tir.NewBuffer("B", dtype.Int64T, []tir.Expr{tir.Int(64)}, "")
	m = arith.NewMutator(nil)
	m.Buffer = func(*tir.Buffer) *tir.Buffer { return other }
	if out := m.MutateStmt(one).(*tir.BufferStore); out.Buffer != other {
		t.Error("the buffer stayed")
	}
}
