package starpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// mutator returns the relax.ExprMutator that a mutator walks the graph level by: handlers are
// its hooks.
func (k *walk) mutator() *relax.ExprMutator {
	if k.m == nil {
		k.m = op.NewExprMutator(k.mod)
		k.m.Expr, k.m.VarDef, k.m.Prim = k.relaxExpr, k.rm.Var, k.rm.Prim
		k.m.Binding = func(b relax.Binding) { k.binding(b) }
		k.m.Block = func(b *relax.BindingBlock) { k.block(b) }
	}
	return k.m
}

// relaxRoot walks an expression of the graph level that nothing is around.
func (k *walk) relaxRoot(e relax.Expr) ir.Node {
	if !k.w.mutates {
		return k.relaxExpr(e)
	}
	out, err := k.mutator().Visit(e)
	k.try(err)
	return out
}

// relaxExpr walks an expression of the graph level. What a mutator's handler makes of it is
// brought into A-normal form: calls in calls are bound, and a sequence is emitted into the
// current one.
func (k *walk) relaxExpr(e relax.Expr) relax.Expr {
	image := k.dispatch(e, func() ir.Node { return k.defaultRelax(e) })
	if !k.w.mutates {
		return e
	}
	out := must[relax.Expr](k, e, image, "a graph-level expression")
	m := k.mutator()
	if out == e || !m.InFunction() {
		return out
	}
	switch out.(type) {
	case *relax.SeqExpr:
		if _, ok := e.(*relax.SeqExpr); ok { // a body or branch stays a sequence
			return out
		}
	case *relax.Function, *relax.If:
		return out
	}
	n, err := m.Builder().Normalize(out)
	k.try(err)
	return n
}

func (k *walk) defaultRelax(e relax.Expr) relax.Expr {
	if !k.w.mutates {
		return k.rm.MapExpr(e)
	}
	out := k.mutator().VisitExpr(e)
	k.try(k.m.Err())
	return out
}

// block walks a block; a mutator emits what comes of it.
func (k *walk) block(b *relax.BindingBlock) *relax.BindingBlock {
	image := k.dispatch(b, func() ir.Node { return k.defaultBlock(b) })
	if k.w.mutates && image != nil {
		k.inSequence("a block")
		out := must[*relax.BindingBlock](k, b, image, "a block")
		k.m.InBlock(out, func() {
			for _, x := range out.Bindings {
				k.m.Reemit(x)
			}
		})
		k.try(k.m.Err())
	}
	return b
}

// defaultBlock walks the bindings of a block.
func (k *walk) defaultBlock(b *relax.BindingBlock) ir.Node {
	if !k.w.mutates {
		return k.rm.MapBlock(b)
	}
	k.inSequence("a block")
	k.m.VisitBlock(b)
	k.try(k.m.Err())
	return nil
}

func (k *walk) inSequence(what string) {
	if !k.mutator().InFunction() {
		k.fail("mutator: %s is walked as a part of its function: give the mutator the function", what)
	}
}

// binding walks a binding; a mutator emits what comes of it.
func (k *walk) binding(b relax.Binding) relax.Binding {
	image := k.dispatch(b, func() ir.Node { return k.defaultBinding(b) })
	if k.w.mutates && image != nil {
		k.inSequence("a binding")
		k.m.Reemit(must[relax.Binding](k, b, image, "a binding"))
		k.try(k.m.Err())
	}
	return b
}

// defaultBinding walks the value, then the variable.
func (k *walk) defaultBinding(b relax.Binding) ir.Node {
	if !k.w.mutates {
		k.relaxExpr(b.BoundValue())
		if k.rm.Var != nil {
			k.rm.Var(b.Bound())
		}
		return nil
	}
	k.inSequence("a binding")
	k.m.VisitBinding(b)
	k.try(k.m.Err())
	return nil
}

// varDef walks the definition of a variable, for a handler of VarDef.
func (k *walk) varDef(v *relax.Var) *relax.Var {
	name := "VarDef"
	if v.Dataflow {
		name = "DataflowVarDef"
	}
	h := k.w.handler(levelRelax, name)
	if h == nil {
		return v
	}
	return must[*relax.Var](k, v, k.handle(h, v), "a relax.Var")
}
