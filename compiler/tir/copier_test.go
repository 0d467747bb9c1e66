package tir

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/runtime/dtype"
)

func floats(name string, shape ...Expr) *Buffer { return NewBuffer(name, dtype.Float32T, shape, "") }

// nest is a loop around a block that copies a row of src to dst through a buffer and a view.
func nest(src, dst *Buffer) (loop *For, block *Block, tmp, view *Buffer) {
	i, v, off := NewVar("i", dtype.Int64T), NewVar("v", dtype.Int64T), NewVar("off", dtype.Int64T)
	tmp, view = floats("tmp", Add(v, Int(1))), floats("view", Int(1))
	view.ElemOffset = off
	point := &BufferRegion{Buffer: src, Region: []*Range{{Min: v, Extent: Int(1)}}}
	block = &Block{
		Name: "b", IterVars: []*IterVar{{Dom: &Range{Min: Int(0), Extent: Int(8)}, Var: v}},
		Reads: []*BufferRegion{point}, AllocBuffers: []*Buffer{tmp},
		MatchBuffers: []*MatchBufferRegion{{Buffer: view, Source: point}},
		Body:         Seq(Store(tmp, Load(view, Int(0)), v), Store(dst, Load(tmp, v), v)),
	}
	loop = &For{LoopVar: i, Min: Int(0), Extent: Int(8), Body: &BlockRealize{Values: []Expr{i}, Predicate: Bool(true), Block: block}}
	return loop, block, tmp, view
}

func TestCopierCopiesDefinitionsOnly(t *testing.T) {
	src, dst := floats("A", Int(8)), floats("B", Int(8))
	loop, block, tmp, view := nest(src, dst)
	out := NewCopier().Stmt(loop).(*For)
	b := out.Body.(*BlockRealize).Block
	if out.LoopVar == loop.LoopVar || b.IterVars[0].Var == block.IterVars[0].Var {
		t.Error("loop and iteration variables are shared with the copy")
	}
	if b.AllocBuffers[0] == tmp || b.AllocBuffers[0].Data == tmp.Data || b.MatchBuffers[0].Buffer == view {
		t.Error("buffers that the block defines are shared with the copy")
	}
	if b.MatchBuffers[0].Buffer.ElemOffset == view.ElemOffset {
		t.Error("the offset variable of a view is shared with the copy")
	}
	if b.Reads[0].Buffer != src {
		t.Error("a free buffer was copied")
	}
	uses := func(e Expr, v *Var) (found bool) {
		ir.Walk(e, func(n ir.Node) bool { found = found || n == ir.Node(v); return true })
		return found
	}
	if !uses(b.AllocBuffers[0].Shape[0], b.IterVars[0].Var) {
		t.Error("the shape of the copied buffer does not use the copied variable")
	}
	both := &PrimFunc{
		Params: []*Var{NewVar("a", dtype.HandleT), NewVar("b", dtype.HandleT)}, Buffers: []*Buffer{src, dst}, RetType: ir.VoidType(),
		Body: &BlockRealize{Predicate: Bool(true), Block: &Block{Name: "root", Body: Seq(loop, out)}},
	}
	if found := Verify("f", both); len(found) > 0 {
		t.Errorf("the statement and its copy do not stand side by side: %v", found)
	}
}

func TestCopierReplaces(t *testing.T) {
	src, dst, to := floats("A", Int(8)), floats("B", Int(8)), floats("C", Int(8))
	loop, _, _, _ := nest(src, dst)
	c := NewCopier()
	c.Replace(src, to)
	b := c.Stmt(loop).(*For).Body.(*BlockRealize).Block
	if b.Reads[0].Buffer != to || b.MatchBuffers[0].Source.Buffer != to {
		t.Error("the buffer was not replaced")
	}
}

func TestCopierKeepsWhatDefinesNothing(t *testing.T) {
	a := floats("A", Int(8))
	s := Store(a, FloatConst(dtype.Float32T, 1), Int(0))
	if NewCopier().Stmt(s) != Stmt(s) {
		t.Error("a statement without definitions was copied")
	}
}

func TestSubstReplacesBuffersAlike(t *testing.T) {
	n := NewVar("n", dtype.Int64T)
	a := floats("A", n)
	s := Seq(Store(a, FloatConst(dtype.Float32T, 1), Int(0)), Store(a, Load(a, Int(0)), Sub(n, Int(1))))
	out := SubstStmt(s, map[*Var]Expr{n: Int(8)}).(*SeqStmt)
	first, second := out.Seq[0].(*BufferStore), out.Seq[1].(*BufferStore)
	if first.Buffer == a || first.Buffer != second.Buffer || second.Value.(*BufferLoad).Buffer != first.Buffer {
		t.Error("uses of one buffer became uses of several")
	}
	if !IsConst(first.Buffer.Shape[0], 8) || first.Buffer.Data != a.Data {
		t.Errorf("shape %v", first.Buffer.Shape[0])
	}
	if SubstStmt(s, map[*Var]Expr{NewVar("other", dtype.Int64T): Int(1)}) != s {
		t.Error("a statement without the variable was copied")
	}
}

func TestRewriteVisitsSharedExpressionsOnce(t *testing.T) {
	e := Expr(NewVar("x", dtype.Int64T))
	for range 40 { // 2^40 paths
		e = NewBinary(OpAdd, e, e)
	}
	visits := 0
	out := RewriteExpr(e, func(e Expr) Expr { visits++; return e })
	if out != e || visits != 41 {
		t.Errorf("%d visits, same %v", visits, out == e)
	}
}

// TestCopyFuncDefinesFirst: the shape of a buffer may mention what that of a later one defines.
func TestCopyFuncDefinesFirst(t *testing.T) {
	n := NewVar("n", dtype.Int64T)
	a, b := floats("A", Add(n, Int(4))), floats("B", n)
	f := &PrimFunc{
		Params: []*Var{NewVar("a", dtype.HandleT), NewVar("b", dtype.HandleT)}, Buffers: []*Buffer{a, b}, RetType: ir.VoidType(),
		Body: Store(b, Load(a, Int(0)), Int(0)),
	}
	out := CopyFunc(f)
	if found := Verify("f", out); len(found) > 0 {
		t.Error(found)
	}
	if m := out.Buffers[1].Shape[0]; m == Expr(n) || !ir.StructuralEqual(out.Buffers[0].Shape[0], Add(m, Int(4)), ir.EqualOpts{}) {
		t.Errorf("the shapes are %v and %v", out.Buffers[0].Shape[0], m)
	}
}
