package onnx

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// prim is a kernel that a node brings along where no operator computes what it does: rows are independent of each other. The first extents of the first operand
// and of all results are the rows; all others are constants.
type prim struct {
	name    string
	in, out []*tir.Buffer
	rows    tir.Expr
	// groups is how many parts a row has that are independent, too: the second extent of the results. It is nil for one.
	groups tir.Expr
	// body are the statements for a row and a part of it.
	body func(p *prim, row, group tir.Expr) tir.Stmt
}

// prim adds a kernel to the module, calls it with operands, and returns what it computes, a tuple if that is several tensors.
func (n *node) prim(p *prim, operands []relax.Expr, names []string, results []*relax.TensorStructInfo, resultNames []string) relax.Expr {
	base := ir.Base{Origin: n.origin}
	fn := &tir.PrimFunc{Base: base, RetType: ir.VoidType(), Attrs: ir.NewAttrs("tir.noalias", true)}
	param := func(name string, t *relax.TensorStructInfo, first bool) *tir.Buffer {
		dims, _ := t.Dims()
		own := append([]tir.Expr{}, dims...)
		if first {
			if p.rows == nil {
				if p.rows = dims[0]; relax.VarsOf(p.rows) != nil {
					p.rows = tir.NewVar("rows", dtype.Int64T) // what the tensors have
				}
			}
			own[0] = p.rows
		}
		b := tir.NewBuffer(name, t.DType, own, "")
		fn.Params = append(fn.Params, &tir.Var{Base: base, Name: "var_" + name, Type: &ir.PrimType{DType: dtype.HandleT}})
		fn.Buffers = append(fn.Buffers, b)
		return b
	}
	blk := &tir.Block{Base: base, Name: p.name}
	for i, e := range operands {
		b := param(names[i], relax.SInfoOf(e).(*relax.TensorStructInfo), i == 0)
		p.in = append(p.in, b)
		blk.Reads = append(blk.Reads, region(b))
	}
	loops, points := []*tir.Var{tir.NewVar("i", dtype.Int64T)}, []tir.Expr{tir.NewVar("vi", dtype.Int64T)}
	extents := []tir.Expr{p.rows}
	if p.groups != nil {
		loops, points, extents = append(loops, tir.NewVar("j", dtype.Int64T)), append(points, tir.NewVar("vj", dtype.Int64T)), append(extents, p.groups)
	}
	var infos []relax.StructInfo
	for i, t := range results {
		b := param(resultNames[i], t, true)
		p.out = append(p.out, b)
		blk.Writes = append(blk.Writes, region(b, points...))
		infos = append(infos, t)
	}
	var values []tir.Expr
	for i, loop := range loops {
		values = append(values, loop)
		blk.IterVars = append(blk.IterVars, &tir.IterVar{Dom: &tir.Range{Min: tir.Int(0), Extent: extents[i]}, Var: points[i].(*tir.Var)})
	}
	blk.Body = p.body(p, points[0], points[len(points)-1])
	var body tir.Stmt = &tir.BlockRealize{Base: base, Values: values, Predicate: tir.Bool(true), Block: blk}
	for i, loop := range loops { // rows are the inner loop, so that what a group reads stays in the cache
		body = &tir.For{Base: base, LoopVar: loop, Min: tir.Int(0), Extent: extents[i], Body: body}
	}
	fn.Body = &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: &tir.Block{Base: base, Name: "root", Body: body}}
	name := n.g.functionNames.fresh(n.base + "_" + p.name)
	gv := n.g.bb.UpdateFunc(name, fn)
	n.g.built = append(n.g.built, builtFunc{name, fn})
	if len(infos) > 1 {
		infos = []relax.StructInfo{&relax.TupleStructInfo{Fields: infos}}
	}
	call := &relax.Call{Base: base, Op: ir.NewOp("relax.call_tir"), Args: args(gv, tuple(operands)), SInfoArgs: infos}
	return n.bind(call, n.base+"_"+p.name, false)
}

// region is the part of a buffer at indices of its first axes, and all of the others.
func region(b *tir.Buffer, at ...tir.Expr) *tir.BufferRegion {
	r := &tir.BufferRegion{Buffer: b}
	for i, e := range b.Shape {
		if i < len(at) {
			r.Region = append(r.Region, &tir.Range{Min: at[i], Extent: tir.Int(1)})
			continue
		}
		r.Region = append(r.Region, &tir.Range{Min: tir.Int(0), Extent: e})
	}
	return r
}

// serial is a loop over a number of turns.
func serial(name string, turns tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	i := tir.NewVar(name, turns.DType())
	return &tir.For{LoopVar: i, Min: tir.Const(turns.DType(), 0), Extent: turns, Body: body(i)}
}
