package onnx

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// What a loop collects, a row in each turn, stands at the start of a tensor that has room for more. A turn that finds no room makes a tensor of twice the
// rows and one, of which the new row is the one in the middle; any other writes its row where it belongs. So the time grows as the number of turns. What is
// written over is memory that a turn before has made, since a loop begins with no room at all, and nobody else holds.

// collect returns the tensors with the elements of a turn in them.
func (f *frame) collect(elements []*value) []relax.Expr {
	if len(elements) == 0 {
		return nil
	}
	g := f.recursion.g
	rows := make([]relax.Expr, len(elements))
	for k, v := range elements {
		x := f.tensor(v)
		rows[k] = f.reshape(x, append([]tir.Expr{tir.Int(1)}, f.extents(x, k)...))
	}
	room := f.tensor(&value{known: scalar(dtype.Int64T, f.count)})
	full := f.emit("relax.equal", args(f.number, room))
	branch := func(row func(k int) relax.Expr) func() (relax.Expr, error) {
		return func() (out relax.Expr, err error) {
			defer recoverBail(&err)
			defer g.scope()()
			var list []relax.Expr
			for k := range rows {
				list = append(list, row(k))
			}
			return tuple(list), nil
		}
	}
	v, err := g.bb.EmitIfAt(ir.Base{Origin: f.origin}, full, branch(func(k int) relax.Expr {
		return f.emit("relax.concat", args(tuple(args(f.got[k], rows[k], f.got[k]))), "axis", int64(0))
	}), branch(func(k int) relax.Expr {
		call := &relax.Call{
			Base: ir.Base{Origin: f.origin}, Op: ir.NewOp("relax.call_tir_inplace"), Args: args(f.writer(k), tuple(args(f.got[k], rows[k], f.number))),
			SInfoArgs: []relax.StructInfo{f.got[k].SInfo}, Attrs: ir.NewAttrs("inplace_indices", []ir.Value{int64(0)}),
		}
		return f.bind(call, f.base+"_row", false)
	}), g.names.fresh(f.base+"_rows"))
	f.check(err)
	list := make([]relax.Expr, len(rows))
	grown := g.symbols.extent(f.base + "_room")
	for k := range rows {
		dims, _ := f.scanned[k].Dims()
		x := f.bind(&relax.TupleGetItem{Base: ir.Base{Origin: f.origin}, Tuple: v, Index: k}, f.base+"_rows", false)
		list[k] = f.matchCast(x, append([]tir.Expr{grown}, dims...))
	}
	return list
}

// writer is the kernel that writes a row of result k at an index.
func (f *frame) writer(k int) *ir.GlobalVar {
	g := f.recursion.g
	dims, _ := f.scanned[k].Dims()
	d := f.scanned[k].DType
	int64s := func(name string) *tir.Var { return tir.NewVar(name, dtype.Int64T) }
	own := make([]tir.Expr, len(dims)) // those that are no constants are what the tensors have
	for i, e := range dims {
		if own[i] = e; relax.VarsOf(e) != nil {
			own[i] = int64s(fmt.Sprintf("n%d", i))
		}
	}
	base := ir.Base{Origin: f.origin}
	all := tir.NewBuffer("rows", d, append([]tir.Expr{int64s("room")}, own...), "")
	row := tir.NewBuffer("row", d, append([]tir.Expr{tir.Int(1)}, own...), "")
	at := tir.NewBuffer("at", dtype.Int64T, []tir.Expr{}, "")
	fn := &tir.PrimFunc{Base: base, RetType: ir.VoidType(), Attrs: ir.NewAttrs("tir.noalias", true)}
	for _, b := range []*tir.Buffer{all, row, at} {
		fn.Params = append(fn.Params, &tir.Var{Base: base, Name: "var_" + b.Name, Type: &ir.PrimType{DType: dtype.HandleT}})
		fn.Buffers = append(fn.Buffers, b)
	}
	blk := &tir.Block{Base: base, Name: "write"}
	var loops []*tir.Var
	var values, from []tir.Expr
	for i, e := range row.Shape {
		loop, v := int64s(fmt.Sprintf("i%d", i)), int64s(fmt.Sprintf("v%d", i))
		loops, values, from = append(loops, loop), append(values, loop), append(from, v)
		blk.IterVars = append(blk.IterVars, &tir.IterVar{Dom: &tir.Range{Min: tir.Int(0), Extent: e}, Var: v})
	}
	point := func(es []tir.Expr) (out []*tir.Range) {
		for _, e := range es {
			out = append(out, &tir.Range{Min: e, Extent: tir.Int(1)})
		}
		return out
	}
	to := append([]tir.Expr{tir.Add(tir.Load(at), from[0])}, from[1:]...)
	blk.Reads = []*tir.BufferRegion{{Buffer: at, Region: []*tir.Range{}}, {Buffer: row, Region: point(from)}}
	blk.Writes = []*tir.BufferRegion{{Buffer: all, Region: point(to)}}
	blk.Body = tir.Store(all, tir.Load(row, from...), to...)
	var body tir.Stmt = &tir.BlockRealize{Base: base, Values: values, Predicate: tir.Bool(true), Block: blk}
	for i := len(loops) - 1; i >= 0; i-- {
		body = &tir.For{Base: base, LoopVar: loops[i], Min: tir.Int(0), Extent: row.Shape[i], Body: body}
	}
	fn.Body = &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: &tir.Block{Base: base, Name: "root", Body: body}}
	name := g.functionNames.fresh(f.name + "_row")
	gv := g.bb.UpdateFunc(name, fn)
	g.built = append(g.built, builtFunc{name, fn})
	return gv
}
