package lower_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func ints(name string, n int64) *tir.Buffer {
	return tir.NewBuffer(name, dtype.Int32T, []tir.Expr{tir.Int32(n)}, "")
}

func scan(s tir.Stmt) *lower.Effects {
	return lower.Scan(s, lower.ScanOptions{Step: func() {}, Callee: func(*tir.Call) bool { return false }})
}

// TestSlots keeps allocations in variables only where all indices are constants within them.
func TestSlots(t *testing.T) {
	b := ints("T", 4)
	i := tir.NewVar("i", dtype.Int32T)
	vector := func(at int64) tir.Stmt {
		return tir.Store(b, tir.Const(dtype.Int32T.WithLanes(2), 1), &tir.Ramp{Start: tir.Int32(at), Stride: tir.Int32(1), Lanes: 2})
	}
	escape := &tir.Evaluate{Value: &tir.Call{Type: dtype.HandleT, Op: tir.OpAddressOf, Args: []tir.Expr{tir.Load(b, tir.Int32(0))}}}
	for _, c := range []struct {
		name     string
		body     tir.Stmt
		count, k int64
	}{
		{"constants", tir.Store(b, tir.Int32(1), tir.Int32(3)), 4, 1},
		{"vectors", tir.Seq(vector(0), vector(2)), 2, 2},
		{"a vector across registers", vector(1), 0, 0},
		{"out of it", tir.Store(b, tir.Int32(1), tir.Int32(4)), 0, 0},
		{"a variable index", &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(4), Body: tir.Store(b, i, i)}, 0, 0},
		{"its address", escape, 0, 0},
	} {
		s := &tir.Allocate{Var: b.Data, Type: b.DType, Extents: b.Shape, Condition: tir.Bool(true), Body: c.body}
		count, k := scan(s).Slots(s, 8, func(n int64) int64 { return n })
		if count != c.count || k != c.k {
			t.Errorf("%s: %d variables of %d, want %d of %d", c.name, count, k, c.count, c.k)
		}
		if count, _ := scan(s).Slots(s, c.count-1, func(n int64) int64 { return n }); count != 0 {
			t.Errorf("%s: %d variables where fewer are allowed", c.name, count)
		}
	}
}

// TestAccumulators finds what a loop sums up in memory, and not what it may not keep.
func TestAccumulators(t *testing.T) {
	a, b := ints("A", 8), ints("B", 8)
	i := tir.NewVar("i", dtype.Int32T)
	j := tir.NewVar("j", dtype.Int32T)
	p := tir.NewVar("p", dtype.HandleT)
	sum := func(at tir.Expr) tir.Stmt {
		return tir.Store(a, tir.NewBinary(tir.OpAdd, tir.Load(a, at), tir.Load(b, i)), at)
	}
	call := &tir.Evaluate{Value: &tir.Call{Type: dtype.Int32T, Op: ir.NewGlobalVar("f")}}
	for _, c := range []struct {
		name    string
		body    tir.Stmt
		alias   bool
		nested  bool
		pointer bool
		want    int
	}{
		{name: "a sum", body: sum(tir.Int32(2)), want: 1},
		{name: "at an outer variable", body: sum(j), want: 1, nested: true},
		{name: "at the loop's variable", body: sum(i)},
		{name: "where pointers may overlap", body: sum(tir.Int32(2)), alias: true},
		{name: "in a conditional", body: &tir.IfThenElse{Cond: tir.NewBinary(tir.OpLT, i, tir.Int32(3)), Then: sum(tir.Int32(2))}},
		{name: "at two places", body: tir.Seq(sum(tir.Int32(2)), sum(tir.Int32(3)))},
		{name: "beside a call", body: tir.Seq(sum(tir.Int32(2)), call)},
		{name: "read only", body: tir.Store(b, tir.Load(a, tir.Int32(2)), i)},
		{name: "of which another pointer was made", body: sum(tir.Int32(2)), pointer: true},
	} {
		loop := &tir.For{LoopVar: i, Min: tir.Int32(0), Extent: tir.Int32(8), Body: c.body}
		root := tir.Stmt(loop)
		if c.nested {
			root = &tir.For{LoopVar: j, Min: tir.Int32(0), Extent: tir.Int32(8), Body: loop}
		}
		if c.pointer {
			root = &tir.LetStmt{Var: p, Value: a.Data, Body: loop}
		}
		g, _ := newBuilder(32, 0)
		g.NoAlias, g.Effects = !c.alias, scan(root)
		if got := g.Accumulators(g.Effects.Loops[loop], func(*tir.Var) bool { return true }); len(got) != c.want {
			t.Errorf("%s: %d sums, want %d", c.name, len(got), c.want)
		}
		if got := g.Accumulators(g.Effects.Loops[loop], func(*tir.Var) bool { return false }); len(got) != 0 {
			t.Errorf("%s: what is allocated in the loop is kept around it", c.name)
		}
	}
}
