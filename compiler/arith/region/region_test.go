package region

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func buf(name string, dims ...int64) *tir.Buffer {
	var shape []tir.Expr
	for _, d := range dims {
		shape = append(shape, tir.Int(d))
	}
	return tir.NewBuffer(name, dtype.Float32T, shape, "")
}

func want(t *testing.T, what string, got *tir.BufferRegion, b *tir.Buffer, ranges ...tir.Expr) {
	t.Helper()
	if got.Buffer != b {
		t.Fatalf("%s: region of %s, want %s", what, got.Buffer.Name, b.Name)
	}
	for k, r := range got.Region {
		for j, e := range []tir.Expr{r.Min, r.Extent} {
			if w := ranges[2*k+j]; !ir.StructuralEqual(e, w, ir.EqualOpts{}) {
				t.Errorf("%s: dimension %d entry %d is %#v, want %#v", what, k, j, e, w)
			}
		}
	}
}

func TestRegionsOfABlock(t *testing.T) {
	A, B, C, I := buf("A", 64, 64), buf("B", 64), buf("C", 64, 64), tir.NewBuffer("I", dtype.Int64T, []tir.Expr{tir.Int(64)}, "")
	v, u := tir.NewVar("v", dtype.Int64T), tir.NewVar("u", dtype.Int64T)
	j := tir.NewVar("j", dtype.Int64T)
	sum := tir.Add(tir.Add(tir.Load(A, v, tir.Add(tir.Mul(u, tir.Int(2)), j)), tir.Load(B, v)), tir.Load(B, tir.Add(v, tir.Int(3))))
	gathered := tir.Load(A, tir.Load(I, v), u)
	b := &tir.Block{
		Name: "b", IterVars: []*tir.IterVar{{Var: v}, {Var: u}},
		Body: &tir.For{LoopVar: j, Min: tir.Int(1), Extent: tir.Int(4), Body: tir.Store(C, sum, v, tir.Add(u, j))},
	}
	reads, writes, _ := OfBlock(b, nil)
	one := tir.Int(1)
	want(t, "loop inside", reads[0], A, v, one, tir.Add(tir.Mul(u, tir.Int(2)), one), tir.Int(4))
	want(t, "two accesses", reads[1], B, v, tir.Int(4))
	want(t, "write", writes[0], C, v, one, tir.Add(u, one), tir.Int(4))

	b.Body = tir.Store(C, gathered, v, u)
	reads, _, _ = OfBlock(b, nil)
	want(t, "index from a buffer", reads[0], A, tir.Load(I, v), one, u, one)
	want(t, "the buffer of indices", reads[1], I, v, one)
}

func TestRegionsAcrossNestedBlocks(t *testing.T) {
	A, C := buf("A", 64), buf("C", 64)
	i, v, o := tir.NewVar("i", dtype.Int64T), tir.NewVar("v", dtype.Int64T), tir.NewVar("o", dtype.Int64T)
	inner := &tir.Block{
		Name: "inner", IterVars: []*tir.IterVar{{Var: v, Dom: &tir.Range{Min: tir.Int(0), Extent: tir.Int(64)}}},
		Body: tir.Store(C, tir.Load(A, v), v),
	}
	inner.Reads, inner.Writes, _ = OfBlock(inner, nil)
	outer := &tir.Block{Name: "outer", IterVars: []*tir.IterVar{{Var: o}}, Body: &tir.For{
		LoopVar: i, Min: tir.Int(0), Extent: tir.Int(8),
		Body: &tir.BlockRealize{Values: []tir.Expr{tir.Add(tir.Mul(o, tir.Int(8)), i)}, Predicate: tir.Bool(true), Block: inner},
	}}
	reads, writes, _ := OfBlock(outer, nil)
	start := tir.Mul(o, tir.Int(8))
	want(t, "read", reads[0], A, start, tir.Int(8))
	want(t, "write", writes[0], C, start, tir.Int(8))
}

func TestReductionDoesNotReadWhatItWrites(t *testing.T) {
	A, C := buf("A", 64), buf("C", 64)
	v := tir.NewVar("v", dtype.Int64T)
	update := tir.Store(C, tir.Add(tir.Load(C, v), tir.Load(A, v)), v)
	b := &tir.Block{Name: "b", IterVars: []*tir.IterVar{{Var: v}}, Init: tir.Store(C, tir.FloatConst(dtype.Float32T, 0), v), Body: update}
	if reads, _, _ := OfBlock(b, nil); len(reads) != 1 || reads[0].Buffer != A {
		t.Fatalf("got %v", reads)
	}
	b.Init = nil
	if reads, _, _ := OfBlock(b, nil); len(reads) != 2 {
		t.Fatalf("without init the old value is read: %v", reads)
	}
}

// TestRegionsOfWhatTheBlockMakes has indices that are loaded from buffers which the block
// allocates or writes: outside of it nobody can say what they are.
func TestRegionsOfWhatTheBlockMakes(t *testing.T) {
	A, C := buf("A", 64), buf("C", 64)
	zero, all := tir.Int(0), tir.Int(64)
	own, written := tir.NewBuffer("own", dtype.Int64T, []tir.Expr{tir.Int(1)}, ""), tir.NewBuffer("written", dtype.Int64T, []tir.Expr{tir.Int(1)}, "")
	for _, index := range []*tir.Buffer{own, written} {
		at := tir.Load(index, zero)
		b := &tir.Block{Name: "b", Body: tir.Seq(tir.Store(index, tir.Add(at, tir.Int(1)), zero), tir.Store(C, tir.Load(A, at), tir.Add(at, tir.Int(2))))}
		if index == own {
			b.AllocBuffers = []*tir.Buffer{own}
		}
		reads, writes, _ := OfBlock(b, nil)
		want(t, index.Name+": read", reads[len(reads)-1], A, zero, all)
		want(t, index.Name+": write", writes[len(writes)-1], C, zero, all)
	}
}

// TestRegionsOfViews counts an access to a view as one to its part of what it views, where the dimensions are the same ones.
func TestRegionsOfViews(t *testing.T) {
	A := buf("A", 64, 64, 64)
	v, j := tir.NewVar("v", dtype.Int64T), tir.NewVar("j", dtype.Int64T)
	whole := func(i tir.Expr) *tir.BufferRegion {
		return &tir.BufferRegion{Buffer: A, Region: []*tir.Range{{Min: i, Extent: tir.Int(1)}, {Min: tir.Int(8), Extent: tir.Int(16)}, {Min: tir.Int(0), Extent: tir.Int(64)}}}
	}
	plane, flat := buf("P", 16, 64), buf("F", 1024)
	b := &tir.Block{
		Name: "b", IterVars: []*tir.IterVar{{Var: v}}, MatchBuffers: []*tir.MatchBufferRegion{{Buffer: plane, Source: whole(v)}, {Buffer: flat, Source: whole(v)}},
		Body: &tir.For{LoopVar: j, Min: tir.Int(0), Extent: tir.Int(4), Body: tir.Store(plane, tir.Load(plane, tir.Int(3), v), tir.Int(2), j)},
	}
	reads, writes, _ := OfBlock(b, nil)
	one := tir.Int(1)
	want(t, "an element of a view", reads[0], A, v, one, tir.Int(11), one, v, one)
	want(t, "a part of a row of a view", writes[0], A, v, one, tir.Int(10), one, tir.Int(0), tir.Int(4))
	b.Body = tir.Store(flat, tir.FloatConst(dtype.Float32T, 0), j)
	_, writes, _ = OfBlock(b, nil)
	want(t, "a view of another shape", writes[0], A, v, one, tir.Int(8), tir.Int(16), tir.Int(0), tir.Int(64))
}

// TestProductOfPoints knows a product of what is constant in the block.
func TestProductOfPoints(t *testing.T) {
	A := buf("A", 1024)
	v, o := tir.NewVar("v", dtype.Int64T), tir.NewVar("o", dtype.Int64T)
	inner := &tir.Block{Name: "inner", IterVars: []*tir.IterVar{{Var: v}}, Body: tir.NoOp(), Reads: []*tir.BufferRegion{
		{Buffer: A, Region: []*tir.Range{{Min: tir.Mul(v, tir.Int(128)), Extent: tir.Int(128)}}},
	}}
	b := &tir.Block{Name: "outer", IterVars: []*tir.IterVar{{Var: o}}, Body: &tir.BlockRealize{Values: []tir.Expr{o}, Block: inner}}
	reads, _, _ := OfBlock(b, nil)
	want(t, "the part of a row of blocks", reads[0], A, tir.Mul(o, tir.Int(128)), tir.Int(128))
}
