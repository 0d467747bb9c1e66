package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// A dataflow block cannot contain branches, and what it binds is not visible outside. A model that may need branches is therefore imported without
// blocks, which are cut when all is known.

// hasControl reports whether a model has nodes with bodies, or that become loops, those in functions included.
func hasControl(m *onnxpb.Model) bool {
	with := func(n onnxpb.Node) bool {
		return n.OpType == "LinearAttention" || slices.ContainsFunc(n.Attributes, func(a onnxpb.Attribute) bool { return a.G != nil })
	}
	return slices.ContainsFunc(m.Graph.Nodes, with) || slices.ContainsFunc(m.Functions, func(f onnxpb.Function) bool { return slices.ContainsFunc(f.Nodes, with) })
}

// cutAll cuts dataflow blocks in all functions.
func (g *graph) cutAll() {
	m := g.bb.Module()
	for gv, f := range m.Funcs() {
		if f, ok := f.(*relax.Function); ok {
			g.bb.UpdateFunc(gv.Name, g.cut(f, m.Lookup))
		}
	}
}

// cutter makes dataflow blocks of the runs of a function's pure bindings that have no branches.
type cutter struct {
	fn    func(name string) ir.Function
	block map[*relax.Var]*relax.BindingBlock // that binds it
	seen  map[*relax.Var]bool                // by another block
}

// cut returns f with dataflow blocks. It marks the variables, which nobody else has seen yet.
func (g *graph) cut(f *relax.Function, lookup func(name string) ir.Function) *relax.Function {
	c := &cutter{fn: lookup, block: map[*relax.Var]*relax.BindingBlock{}, seen: map[*relax.Var]bool{}}
	body := c.sequence(f.Body)
	for v, blk := range c.block {
		v.Dataflow = blk.Dataflow && !c.seen[v]
	}
	return f.WithBody(body)
}

func (c *cutter) sequence(s *relax.SeqExpr) *relax.SeqExpr {
	out := &relax.SeqExpr{Base: s.Base, Body: s.Body}
	for _, old := range s.Blocks {
		var blk *relax.BindingBlock
		for _, b := range old.Bindings {
			branches, isIf := b.BoundValue().(*relax.If)
			dataflow := !isIf && c.pure(b.BoundValue())
			if blk == nil || blk.Dataflow != dataflow {
				blk = &relax.BindingBlock{Dataflow: dataflow}
				out.Blocks = append(out.Blocks, blk)
			}
			if isIf {
				c.use(branches.Cond, nil)
				cut := *branches
				cut.Then, cut.Else = c.sequence(branches.Then), c.sequence(branches.Else)
				b = b.(*relax.VarBinding).WithValue(&cut)
			} else {
				c.use(b.BoundValue(), blk)
			}
			c.block[b.Bound()] = blk
			blk.Bindings = append(blk.Bindings, b)
		}
	}
	c.use(s.Body, nil)
	return out
}

// use notes the variables that an expression in a block reads.
func (c *cutter) use(e relax.Expr, in *relax.BindingBlock) {
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*relax.Var); ok && c.block[v] != in {
			c.seen[v] = true
		}
		_, info := n.(relax.StructInfo)
		return !info
	})
}

func (c *cutter) pure(e relax.Expr) bool {
	call, ok := e.(*relax.Call)
	if !ok {
		return true
	}
	switch callee := call.Op.(type) {
	case *ir.Op:
		o := op.OfRef(callee)
		return o != nil && !o.Impure
	case *ir.GlobalVar:
		f, ok := c.fn(callee.Name).(*relax.Function)
		return ok && f.Pure
	}
	return false
}
