package relaypass

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// binding leaves out what moved, and emits it at its multiplication.
func (b *backward) binding(x relax.Binding) {
	v := x.Bound()
	chain, folds := b.chains[v]
	switch {
	case b.moved[v]:
		return
	case !folds:
		b.mu.VisitBinding(x)
		return
	}
	call := x.BoundValue().(*relax.Call)
	i := b.factor[v]
	top := chain[len(chain)-1]
	axes := b.axesOf(top.Var)
	scale := b.squeezed(call.Args[1-i], call.Args[i], axes)
	if k, ok := scale.(*relax.Call); ok {
		k.Args[0] = b.now(k.Args[0])
		scale = b.mu.Emit(k, "scale")
	} else {
		scale = b.now(scale)
	}
	for _, y := range chain {
		bound := y.Var
		if y == top { // the product itself is what the chain gives now
			bound = v
		}
		out := &relax.VarBinding{Base: y.Base, Var: bound, Value: b.scaled(y.Value.(*relax.Call), scale, axes)}
		b.c.Rewrite(ruleBackward, y, out)
		b.mu.Reemit(out)
	}
	b.c.Rewrite(ruleBackward, x, nil)
}

// axesOf are the axes of the channels in a scaled value.
func (b *backward) axesOf(v *relax.Var) []int {
	c := b.values[v]
	for {
		next := b.first(c)
		if next == nil {
			break
		}
		c = b.values[next]
	}
	if b.call(c, "relay.nn.dense") != nil {
		return []int{1}
	}
	w := b.window(c)
	return w.channels(w.out)
}

// first is an operand of a moved call that moved with it, nil where it takes the scale itself.
func (b *backward) first(c *relax.Call) *relax.Var {
	for _, a := range c.Args {
		if v, ok := a.(*relax.Var); ok && b.moved[v] && b.call(c, "relay.nn.dense") == nil && b.window(c) == nil {
			return v
		}
	}
	return nil
}

func (b *backward) now(e relax.Expr) relax.Expr {
	if v, ok := e.(*relax.Var); ok {
		return b.mu.Lookup(v)
	}
	return e
}

// scaled is a call whose result is multiplied by a scale.
func (b *backward) scaled(c *relax.Call, scale relax.Expr, axes []int) relax.Expr {
	args := make([]relax.Expr, len(c.Args))
	for i, a := range c.Args {
		args[i] = b.now(a)
	}
	moves := func(e relax.Expr) bool { v, ok := e.(*relax.Var); return ok && b.moved[v] }
	switch {
	case b.call(c, "relax.nn.relu", "relax.nn.leakyrelu") != nil:
	case b.call(c, "relax.add", "relax.subtract") != nil:
		for i := range 2 {
			if !moves(c.Args[i]) {
				args[i] = op.Multiply(args[i], b.spread(scale, c.Args[1-i], axes))
			}
		}
	case b.call(c, "relay.nn.bias_add") != nil:
		args[1] = op.Multiply(args[1], scale)
	case b.call(c, "relay.nn.dense") != nil:
		args[1] = op.Multiply(args[1], op.ExpandDims(scale, 1))
	default:
		args[1] = b.scaledWeight(args[1], scale, b.window(c), 'O')
	}
	return &relax.Call{Base: c.Base, Op: c.Op, Args: args, Attrs: c.Attrs}
}
