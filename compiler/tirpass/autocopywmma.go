package tirpass

import (
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The intrinsics that copy between memory and fragments of matrices.
var (
	opLoadMatrix  = tir.LookupBuiltin("tir.tvm_load_matrix_sync").Op
	opStoreMatrix = tir.LookupBuiltin("tir.tvm_store_matrix_sync").Op
)

// tileNest splits the two innermost loops of s into tiles of n by n.
func tileNest(s tir.Stmt, n int64) (tir.Stmt, error) {
	loops, body, err := nestOf(s, false)
	if err != nil {
		return nil, err
	}
	if len(loops) < 2 {
		return nil, fmt.Errorf("it has %d loops: expected two over the rows and columns of a fragment", len(loops))
	}
	row, col := loops[len(loops)-2], loops[len(loops)-1]
	sub := map[*tir.Var]tir.Expr{}
	var outer, inner [2]*tir.For
	for i, f := range []*tir.For{row, col} {
		extent, _ := tir.AsInt(f.Extent)
		if extent%n != 0 {
			return nil, fmt.Errorf("loop %s has the extent %d: expected a multiple of %d, the size of a fragment", f.LoopVar.Name, extent, n)
		}
		d := f.LoopVar.DType()
		loop := func(suffix string, extent int64) *tir.For {
			return &tir.For{Base: f.Base, LoopVar: &tir.Var{Name: f.LoopVar.Name + suffix, Type: f.LoopVar.Type}, Min: tir.Const(d, 0), Extent: tir.Const(d, extent), Kind: tir.Serial}
		}
		outer[i], inner[i] = loop("_0", extent/n), loop("_1", n)
		sub[f.LoopVar] = tir.Add(tir.Mul(outer[i].LoopVar, tir.Const(d, n)), inner[i].LoopVar)
	}
	out := tir.SubstStmt(body, sub)
	for _, f := range []*tir.For{inner[1], inner[0], outer[1], outer[0]} {
		out = f.WithBody(out)
	}
	for i := len(loops) - 3; i >= 0; i-- {
		out = loops[i].WithBody(out)
	}
	return out, nil
}

// tileCopy is a copy of one tile, by the two innermost loops of a nest.
type tileCopy struct {
	above    []*tir.For
	from, to *tir.BufferRegion
	st       *tir.BufferStore
}

// tileOf reads the copy of a tile off the two innermost loops of s, which have to go over the last two dimensions of both buffers.
func tileOf(s tir.Stmt) (*tileCopy, error) {
	loops, body, err := nestOf(s, false)
	if err != nil {
		return nil, err
	}
	st, err := storeOf(body)
	if err != nil {
		return nil, err
	}
	ld, ok := st.Value.(*tir.BufferLoad)
	if !ok {
		return nil, errors.New("it stores more than an element that it loads: an instruction for fragments only copies")
	}
	n := len(loops) - 2
	row, col := loops[n], loops[n+1]
	a := arith.NewAnalyzer()
	a.BindRanges(rangesOf(loops))
	dom := map[*tir.Var]arith.IntSet{}
	zero := map[*tir.Var]tir.Expr{}
	for _, f := range loops[n:] {
		dom[f.LoopVar] = arith.FromMinExtent(f.Min, f.Extent)
		zero[f.LoopVar] = f.Min
	}
	region := func(b *tir.Buffer, indices []tir.Expr) (*tir.BufferRegion, error) {
		k := len(indices) - 2
		if k < 0 {
			return nil, fmt.Errorf("%s has %d dimensions: expected rows and columns", b.Name, len(indices))
		}
		out := &tir.BufferRegion{Buffer: b}
		for i, e := range indices {
			want := tir.Const(e.DType(), 0)
			switch i {
			case k:
				want = tir.CastTo(e.DType(), row.LoopVar)
			case k + 1:
				want = tir.CastTo(e.DType(), col.LoopVar)
			}
			if !a.CanProveEqual(tir.Sub(e, tir.SubstExpr(e, zero)), want) {
				return nil, fmt.Errorf("index %d of %s does not follow its loops: expected %s to go over the rows and %s over the columns", i, b.Name, row.LoopVar.Name, col.LoopVar.Name)
			}
			out.Region = append(out.Region, arith.EvalSet(e, dom).CoverRange(&tir.Range{Min: tir.Const(e.DType(), 0), Extent: b.Shape[i]}))
		}
		return out, nil
	}
	t := &tileCopy{above: loops[:n], st: st}
	if t.from, err = region(ld.Buffer, ld.Indices); err != nil {
		return nil, err
	}
	t.to, err = region(st.Buffer, st.Indices)
	return t, err
}

// view returns a buffer of n by n elements for a part of b; strided if its rows lie apart.
func view(name string, b *tir.Buffer, n int64, strided bool) *tir.Buffer {
	out := tir.NewBuffer(name, b.DType, []tir.Expr{tir.Int32(n), tir.Int32(n)}, b.Scope())
	out.ElemOffset, out.OffsetFactor = tir.NewVar(name+"_elem_offset", dtype.Int32T), int(n)
	if strided {
		out.Strides = []tir.Expr{tir.NewVar("s1", dtype.Int32T), tir.NewVar("s0", dtype.Int32T)}
	}
	return out
}

// block returns the loops of t over a block that runs body on views of the tile.
func (t *tileCopy) block(name string, src, tgt *tir.Buffer, body tir.Stmt) tir.Stmt {
	b := &tir.Block{
		Base: t.st.Base, Name: name, Body: body, Reads: []*tir.BufferRegion{t.from}, Writes: []*tir.BufferRegion{t.to},
		MatchBuffers: []*tir.MatchBufferRegion{{Buffer: src, Source: t.from}, {Buffer: tgt, Source: t.to}},
	}
	out := tir.Stmt(&tir.BlockRealize{Base: t.st.Base, Predicate: tir.Bool(true), Block: b})
	for i := len(t.above) - 1; i >= 0; i-- {
		out = t.above[i].WithBody(out)
	}
	return out
}

// syncMatrix calls op, which copies between the fragment frag and the matrix at mem; mask is 1 to read the matrix and 2 to write it.
func syncMatrix(op *ir.Op, base ir.Base, frag, mem *tir.Buffer, mask int64, layout string) tir.Stmt {
	number := tir.Add(tir.FloorDiv(frag.ElemOffset, tir.Int32(256)), tir.FloorDiv(tir.FloorMod(frag.ElemOffset, tir.Int32(256)), tir.Int32(16)))
	stride := mem.Strides[0]
	ptr := &tir.Call{Base: base, Type: dtype.HandleT, Op: tir.OpAccessPtr, Args: []tir.Expr{
		&tir.Call{Base: base, Type: mem.DType, Op: tir.OpTypeAnnot}, mem.Data, mem.ElemOffset, tir.Mul(stride, tir.Int32(16)), tir.Int32(mask),
	}}
	size := tir.Int32(16)
	return &tir.Evaluate{Base: base, Value: &tir.Call{Base: base, Type: dtype.HandleT, Op: op, Args: []tir.Expr{
		frag.Data, size, size, size, number, ptr, stride, &tir.StringImm{Base: base, Value: layout},
	}}}
}

// wmmaLoads copies tiles of shared memory to fragments by instructions.
func wmmaLoads(cp *autoCopy, s tir.Stmt) (tir.Stmt, error) {
	tiled, err := tileNest(s, 16)
	if err != nil {
		return nil, err
	}
	t, err := tileOf(tiled)
	if err != nil {
		return nil, err
	}
	for _, b := range []*tir.Buffer{t.from.Buffer, t.to.Buffer} {
		if b.DType != dtype.Float16T {
			return nil, fmt.Errorf("%s holds %s: fragments are loaded as float16 here", b.Name, b.DType)
		}
	}
	cp.padding[cp.read.Buffer] = 8
	layout := "col_major"
	if t.to.Buffer.Scope() == "wmma.matrix_a" {
		layout = "row_major"
	}
	src, tgt := view("src", t.from.Buffer, 16, true), view("tgt", t.to.Buffer, 16, false)
	return t.block("wmma_load", src, tgt, syncMatrix(opLoadMatrix, t.st.Base, tgt, src, 1, layout)), nil
}

// wmmaStores copies fragments to tiles of shared memory by instructions.
func wmmaStores(cp *autoCopy, s tir.Stmt) (tir.Stmt, error) {
	tiled, err := tileNest(s, 16)
	if err != nil {
		return nil, err
	}
	cp.padding[cp.write.Buffer] = 8
	return wmmaStore(tiled)
}

// wmmaStore copies the tile of the two innermost loops of s by an instruction.
func wmmaStore(s tir.Stmt) (tir.Stmt, error) {
	t, err := tileOf(s)
	if err != nil {
		return nil, err
	}
	if t.from.Buffer.DType != t.to.Buffer.DType {
		return nil, fmt.Errorf("%s holds %s and %s %s: fragments are stored as they are", t.from.Buffer.Name, t.from.Buffer.DType, t.to.Buffer.Name, t.to.Buffer.DType)
	}
	src, tgt := view("src", t.from.Buffer, 16, false), view("tgt", t.to.Buffer, 16, true)
	return t.block("wmma_store", src, tgt, syncMatrix(opStoreMatrix, t.st.Base, src, tgt, 2, "row_major")), nil
}

// mmaStore has each thread of a warp write the two elements of an 8 by 8 tile that it holds, as PTX lays out matrix C of mma.m16n8k8.
func mmaStore(s tir.Stmt) (tir.Stmt, error) {
	t, err := tileOf(s)
	if err != nil {
		return nil, err
	}
	src, tgt := view("src", t.from.Buffer, 8, false), view("tgt", t.to.Buffer, 8, true)
	tx, vec := tir.NewVar("tx", dtype.Int32T), tir.NewVar("vec", dtype.Int32T)
	row, col := tir.FloorDiv(tx, tir.Int32(4)), tir.Add(tir.Mul(tir.FloorMod(tx, tir.Int32(4)), tir.Int32(2)), vec)
	base := t.st.Base
	loop := &tir.For{
		Base: base, LoopVar: vec, Min: tir.Int32(0), Extent: tir.Int32(2), Kind: tir.Vectorized,
		Body: &tir.BufferStore{Base: base, Buffer: tgt, Value: tir.Load(src, row, col), Indices: []tir.Expr{row, col}},
	}
	launch := &tir.AttrStmt{
		Base: base, Key: tir.KeyThreadExtent, Value: tir.Int32(32), Body: loop,
		Node: &tir.IterVar{Base: base, Dom: &tir.Range{Min: tir.Int32(0), Extent: tir.Int32(32)}, Var: tx, Kind: tir.ThreadIndex, ThreadTag: "threadIdx.x"},
	}
	return t.block("mma_store", src, tgt, launch), nil
}
