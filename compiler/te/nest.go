package te

import (
	"fmt"
	"maps"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// nest is a loop nest under construction.
type nest struct {
	*builder
	op     *operation
	an     *arith.Analyzer
	sub    map[*tir.Var]tir.Expr // axes to iteration variables
	names  ir.Names
	loops  []*tir.Var
	iters  []*tir.IterVar
	values []tir.Expr
}

// nest begins the nest of op, without loops.
func (b *builder) nest(op *operation) *nest {
	n := &nest{builder: b, op: op, an: arith.Bounded(b.budget), sub: map[*tir.Var]tir.Expr{}}
	maps.Copy(n.sub, b.sub)
	return n
}

// block returns the block of the nest, without a body.
func (n *nest) block() *tir.Block {
	return &tir.Block{Base: n.base, Name: n.labels.Fresh(n.op.name, "_"), IterVars: n.iters, Annotations: n.op.attrs}
}

// around returns the loops around blk, and notes in blk what it accesses.
func (n *nest) around(blk *tir.Block) tir.Stmt {
	blk.Reads, blk.Writes, _ = region.OfBlock(blk, nil)
	out := tir.Stmt(&tir.BlockRealize{Base: n.base, Values: n.values, Predicate: tir.Bool(true), Block: blk})
	for k := len(n.loops) - 1; k >= 0; k-- {
		dom := n.iters[k].Dom
		out = &tir.For{Base: n.base, LoopVar: n.loops[k], Min: dom.Min, Extent: dom.Extent, Body: out}
	}
	return out
}

// axis adds a loop and an iteration variable for a.
func (n *nest) axis(a *tir.IterVar) {
	name := n.names.Fresh(a.Var.Name, "_")
	d := a.Var.DType()
	loop, v := tir.NewVar(name, d), tir.NewVar("v_"+name, d)
	n.loops = append(n.loops, loop)
	n.iters = append(n.iters, &tir.IterVar{Dom: a.Dom, Var: v, Kind: a.Kind})
	n.values = append(n.values, loop)
	n.sub[a.Var] = v
	if n.tuned && !tir.IsConst(a.Dom.Extent, 1) { // 0 for v would hide that an access is at the block's own index
		n.an.BindRange(v, a.Dom)
	}
}

// lower replaces axes by iteration variables and tensors by buffers, and simplifies.
func (n *nest) lower(e tir.Expr, sub map[*tir.Var]tir.Expr) tir.Expr {
	return n.an.Simplify(n.replaced(e, sub))
}

// combined is the result of a combiner. TVM simplifies what is combined only.
func (n *nest) combined(e tir.Expr, sub map[*tir.Var]tir.Expr) tir.Expr {
	if n.tuned {
		return n.lower(e, sub)
	}
	return n.replaced(e, sub)
}

func (n *nest) replaced(e tir.Expr, sub map[*tir.Var]tir.Expr) tir.Expr {
	return replaced(e, sub, n.buffers)
}

// replaced replaces axes by what they are in sub, and tensors by their buffers.
func replaced(e tir.Expr, sub map[*tir.Var]tir.Expr, buffers map[*Tensor]*tir.Buffer) tir.Expr {
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Var:
			if x, ok := sub[e]; ok {
				return x
			}
		case *tir.ProducerLoad:
			t := e.Producer.(*Tensor)
			return tir.Load(buffers[t], e.Indices...)
		}
		return e
	})
}

// fill sets the body of blk, and its init if it is a reduction.
func (n *nest) fill(blk *tir.Block) error {
	at := make([]tir.Expr, len(n.op.axes))
	for k := range at {
		at[k] = n.iters[k].Var
	}
	store := func(k int, v tir.Expr) tir.Stmt {
		s := tir.Store(n.buffers[n.op.outputs[k]], v, at...)
		s.Base = n.base
		return s
	}
	r := n.op.reduce()
	if r == nil {
		var stores []tir.Stmt
		for k, e := range n.op.body {
			if _, mixed := e.(*tir.Reduce); mixed {
				return fmt.Errorf("%s: result %d is a reduction, the first is not", n.op.name, k)
			}
			stores = append(stores, store(k, n.lower(e, n.sub)))
		}
		blk.Body = tir.Seq(stores...)
		return nil
	}
	sub := map[*tir.Var]tir.Expr{}
	for v, x := range n.sub {
		sub[v] = x
	}
	for k := range r.Combiner.LHS {
		sub[r.Combiner.LHS[k]] = tir.Load(n.buffers[n.op.outputs[k]], at...)
		sub[r.Combiner.RHS[k]] = n.lower(r.Source[k], n.sub)
	}
	var inits, lets []tir.Stmt
	var values []tir.Expr
	for k, e := range n.op.body {
		if x, ok := e.(*tir.Reduce); !ok || x.Combiner != r.Combiner || x.ValueIndex != k {
			return fmt.Errorf("%s: result %d is not entry %d of the reduction that the first belongs to", n.op.name, k, k)
		}
		init := r.Combiner.Identity[k]
		if len(r.Init) > k {
			init = n.lower(r.Init[k], n.sub)
		}
		inits = append(inits, store(k, init))
		values = append(values, n.combined(r.Combiner.Result[k], sub))
	}
	blk.Init = tir.Seq(inits...)
	if len(values) == 1 {
		blk.Body = store(0, values[0])
		return nil
	}
	// All results are computed from the old values before one is stored.
	vars := make([]*tir.Var, len(values))
	for k, v := range values {
		vars[k] = tir.NewVar("v_"+n.buffers[n.op.outputs[k]].Name, v.DType())
		lets = append(lets, store(k, vars[k]))
	}
	blk.Body = tir.Seq(lets...)
	for k := len(vars) - 1; k >= 0; k-- {
		blk.Body = &tir.LetStmt{Base: n.base, Var: vars[k], Value: values[k], Body: blk.Body}
	}
	return nil
}
