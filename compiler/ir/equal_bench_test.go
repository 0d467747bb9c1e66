package ir_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestSharingStaysLinear compares and hashes graphs that stand for 2^60 places. It does not end
// if either looks at a shared node once for each of them.
func TestSharingStaysLinear(t *testing.T) {
	x := tir.NewVar("x", dtype.Int64T)
	a, b := sharedChain(60, x), sharedChain(60, tir.NewVar("y", dtype.Int64T))
	if !ir.StructuralEqual(a, b, mapped) || ir.StructuralHash(a) != ir.StructuralHash(b) {
		t.Error("the graphs differ")
	}
	// Two chains stand for each node of the other side.
	var left, right tir.Expr = x, x
	for range 60 {
		left, right = tir.NewBinary(tir.OpAdd, left, right), tir.NewBinary(tir.OpAdd, left, right)
	}
	if !ir.StructuralEqual(a, left, mapped) || !ir.StructuralEqual(left, a, mapped) || ir.StructuralHash(a) != ir.StructuralHash(left) {
		t.Error("graphs that are shared differently differ")
	}
	// Under a variable of another name, what both sides share is looked at once.
	i, j := tir.NewVar("i", dtype.Int64T), tir.NewVar("j", dtype.Int64T)
	if !ir.StructuralEqual(&tir.Let{Var: i, Value: x, Body: left}, &tir.Let{Var: j, Value: x, Body: left}, plain) {
		t.Error("a shared graph differs from itself under another name")
	}
	// Statements that define variables, in two places each.
	loops := func(v *tir.Var) tir.Stmt {
		var s tir.Stmt = &tir.Evaluate{Value: v}
		for range 60 {
			s = &tir.LetStmt{Var: v, Value: tir.Int(1), Body: &tir.SeqStmt{Seq: []tir.Stmt{s, s}}}
		}
		return s
	}
	if !ir.StructuralEqual(loops(i), loops(j), plain) {
		t.Error("shared definitions differ")
	}
}

// wide builds a function of n bindings: about seven nodes each.
func wide(n int) *relax.Function {
	info := relax.TensorOf(dtype.Float32T, tir.NewVar("n", dtype.Int64T))
	p := &relax.Var{Name: "x", SInfo: info}
	blk := &relax.BindingBlock{Dataflow: true}
	last := p
	for range n {
		v := &relax.Var{Name: "v", SInfo: info, Dataflow: true}
		call := &relax.Call{Op: ir.NewOp("relax.add"), Args: []relax.Expr{last, p, &relax.PrimValue{Value: tir.Int(1)}}, SInfo: info}
		blk.Bindings = append(blk.Bindings, &relax.VarBinding{Var: v, Value: call})
		last = v
	}
	return &relax.Function{Params: []*relax.Var{p}, Ret: info, Body: &relax.SeqExpr{Blocks: []*relax.BindingBlock{blk}, Body: last}}
}

func benchmarkEqual(b *testing.B, x, y ir.Node, nodes int) {
	b.ReportAllocs()
	for b.Loop() {
		if !ir.StructuralEqual(x, y, plain) {
			b.Fatal("differ")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*nodes), "ns/node")
}

func benchmarkHash(b *testing.B, x ir.Node, nodes int) {
	b.ReportAllocs()
	for b.Loop() {
		ir.StructuralHash(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*nodes), "ns/node")
}

func BenchmarkEqual(b *testing.B) {
	x, y := loop("a"), loop("b")
	b.Run("small", func(b *testing.B) { benchmarkEqual(b, x, y, countNodes(x)) })
	f, g := wide(14000), wide(14000)
	b.Run("wide", func(b *testing.B) { benchmarkEqual(b, f, g, countNodes(f)) })
	changed := *f
	changed.Attrs = ir.NewAttrs("k", 1)
	same := changed
	b.Run("shared", func(b *testing.B) { benchmarkEqual(b, &changed, &same, countNodes(f)) })
	v := tir.NewVar("v", dtype.Int64T)
	b.Run("dag", func(b *testing.B) { benchmarkEqual(b, sharedChain(60, v), sharedChain(60, v), 61) })
}

func BenchmarkHash(b *testing.B) {
	x := loop("a")
	b.Run("small", func(b *testing.B) { benchmarkHash(b, x, countNodes(x)) })
	f := wide(14000)
	b.Run("wide", func(b *testing.B) { benchmarkHash(b, f, countNodes(f)) })
	b.Run("dag", func(b *testing.B) {
		benchmarkHash(b, sharedChain(60, f.Params[0].SInfo.(*relax.TensorStructInfo).Shape.(*relax.ShapeExpr).Values[0]), 61)
	})
}

func countNodes(n ir.Node) int {
	count := 0
	ir.Walk(n, func(ir.Node) bool { count++; return true })
	return count
}
