package transform

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// bindingGroup is a set of bindings that become a function: if there are several, or if the function is to have attributes. Groups are a
// union-find forest; attrs and vars are those of a root.
type bindingGroup struct {
	up    *bindingGroup
	attrs *ir.Attrs
	vars  []*relax.Var
}

func (g *bindingGroup) root() *bindingGroup {
	for g.up != nil {
		if g.up.up != nil {
			g.up = g.up.up
		}
		g = g.up
	}
	return g
}

// merge makes one group of two.
func (g *bindingGroup) merge(other *bindingGroup) {
	to, from := g.root(), other.root()
	if to != from {
		from.up, to.vars, from.vars = to, append(to.vars, from.vars...), nil
	}
}

// grouper moves groups of bindings of dataflow blocks into functions of the module, which they call in their place.
type grouper struct {
	c      *pass.Context
	m      *ir.Module
	d      *distinct
	pass   string // names what origins come from
	rule   string // of rewrites and decisions
	groups map[*relax.Var]*bindingGroup
	// lift says that constants become parameters of the functions.
	lift bool
	// calls, if not nil, holds the names of the functions that were made.
	calls map[string]bool
	over  *overwrites // of the function
}

// function returns f with its groups moved.
func (g *grouper) function(f *relax.Function) (*relax.Function, error) {
	mu := op.NewExprMutator(g.m)
	g.over = overwritesOf(f)
	mu.Block = func(b *relax.BindingBlock) {
		units, grouped := g.units(b)
		if !b.Dataflow || !grouped {
			mu.VisitBlock(b)
			return
		}
		if g.dissolveCycles(units) {
			units, _ = g.units(b)
		}
		mu.InBlock(b, func() {
			for _, u := range inUnitOrder(units) {
				if u.group == nil {
					mu.VisitBindings(&relax.BindingBlock{Base: b.Base, Bindings: u.bindings, Dataflow: true})
				} else {
					g.emit(mu, u)
				}
			}
		})
	}
	return mu.Function(f)
}

// unit is a group of a block, or a binding that is in none.
type unit struct {
	group    *bindingGroup
	bindings []relax.Binding
	outputs  []*relax.Var // seen outside, in the order of the function's results
	uses     []*unit      // whose values it uses, in order

	index, low int // in the search for cycles
	onStack    bool
	placed     bool
}

func (u *unit) output(v *relax.Var) {
	if u.group != nil && !slices.Contains(u.outputs, v) {
		u.outputs = append(u.outputs, v)
	}
}

// units returns the units of a block in the order of their first bindings, and whether one is a group.
func (g *grouper) units(b *relax.BindingBlock) (list []*unit, grouped bool) {
	count := map[*bindingGroup]int{}
	for _, x := range b.Bindings {
		if n := g.groups[x.Bound()]; n != nil {
			count[n.root()]++
		}
	}
	byGroup := map[*bindingGroup]*unit{}
	of := make(map[*relax.Var]*unit, len(b.Bindings))
	for _, x := range b.Bindings {
		var u *unit
		if n := g.groups[x.Bound()]; n != nil && (count[n.root()] > 1 || n.root().attrs.Len() > 0) {
			grouped = true
			u = byGroup[n.root()]
			if u == nil {
				u = &unit{group: n.root()}
				byGroup[u.group] = u
			}
		} else {
			u = &unit{}
		}
		if u.bindings == nil {
			list = append(list, u)
		}
		u.bindings = append(u.bindings, x)
		of[x.Bound()] = u
		if !x.Bound().Dataflow {
			u.output(x.Bound())
		}
	}
	if !grouped {
		return list, false
	}
	for _, x := range b.Bindings {
		u := of[x.Bound()]
		usedVars(x.BoundValue(), func(v *relax.Var) {
			if from := of[v]; from != nil && from != u {
				from.output(v)
				u.uses = append(u.uses, from)
			}
		})
	}
	g.over.order(b, func(x, y relax.Binding) { // y writes over what x uses, or x over what y does
		if from, to := of[x.Bound()], of[y.Bound()]; from != to {
			to.uses = append(to.uses, from)
		}
	})
	return list, true
}

// dissolveCycles takes apart the groups that depend on themselves, by way of what is not in them: they cannot be computed at once. It finds
// the strongly connected components (Tarjan: Depth-first search and linear graph algorithms).
func (g *grouper) dissolveCycles(units []*unit) (any bool) {
	next := 0
	var stack []*unit
	var visit func(u *unit)
	visit = func(u *unit) {
		next++
		u.index, u.low, u.onStack = next, next, true
		stack = append(stack, u)
		for _, v := range u.uses {
			if v.index == 0 {
				visit(v)
				u.low = min(u.low, v.low)
			} else if v.onStack {
				u.low = min(u.low, v.index)
			}
		}
		if u.low != u.index {
			return
		}
		at := len(stack) - 1
		for stack[at] != u {
			at--
		}
		part := stack[at:]
		stack = stack[:at]
		for _, v := range part {
			v.onStack = false
			if len(part) > 1 && v.group != nil {
				any = true
				g.c.Declined(g.rule, v.bindings[len(v.bindings)-1], "a value that it needs is computed outside of it from values that it computes")
				for _, b := range v.bindings {
					delete(g.groups, b.Bound())
				}
			}
		}
	}
	for _, u := range units {
		if u.index == 0 {
			visit(u)
		}
	}
	return any
}

// inUnitOrder returns units so that each stands behind those that it uses, and otherwise in order.
func inUnitOrder(units []*unit) []*unit {
	out := make([]*unit, 0, len(units))
	var place func(u *unit)
	place = func(u *unit) {
		if u.placed {
			return
		}
		u.placed = true
		for _, v := range u.uses {
			place(v)
		}
		out = append(out, u)
	}
	for _, u := range units {
		place(u)
	}
	return out
}

// emit puts the call of a group's function in the place of its bindings. Without a result there is nothing to call it for.
func (g *grouper) emit(mu *relax.ExprMutator, u *unit) {
	if len(u.outputs) == 0 {
		g.c.RewriteAll("remove unused binding", nodesOf(u.bindings), nil)
		return
	}
	ids := make([]ir.OriginID, len(u.bindings))
	for i, b := range u.bindings {
		ids[i] = b.Meta().Origin
	}
	base := ir.Base{Span: u.bindings[0].Meta().Span, Origin: g.m.Origins().Merge(g.pass, ids...)}
	gf := newGroupFunction(u, g.lift)
	fn, name := gf.build(base)
	gv := g.d.add(name, fn)
	if g.calls != nil {
		g.calls[gv.Name] = true
	}
	call := &relax.Call{Base: base, Op: gv}
	for _, a := range gf.args {
		a = mu.VisitExpr(a)
		if field, ok := a.(*relax.TupleGetItem); ok {
			a = mu.Emit(field, "")
		}
		call.Args = append(call.Args, a)
	}
	var list []relax.Binding
	if len(u.outputs) == 1 {
		call.SInfo = u.outputs[0].SInfo
		list = append(list, &relax.VarBinding{Base: base, Var: u.outputs[0], Value: call})
	} else {
		info := &relax.TupleStructInfo{}
		for _, v := range u.outputs {
			info.Fields = append(info.Fields, v.SInfo)
		}
		call.SInfo = info
		all := &relax.Var{Base: base, Name: mu.FreshName("lv"), SInfo: info, Dataflow: true}
		list = append(list, &relax.VarBinding{Base: base, Var: all, Value: call})
		for _, b := range u.bindings {
			if i := slices.Index(u.outputs, b.Bound()); i >= 0 {
				field := &relax.TupleGetItem{Base: base, Tuple: all, Index: i, SInfo: b.Bound().SInfo}
				list = append(list, &relax.VarBinding{Base: base, Var: b.Bound(), Value: field})
			}
		}
	}
	for _, b := range list {
		mu.EmitNormalized(b)
	}
	g.c.RewriteAll(g.rule, nodesOf(u.bindings), nodesOf(list))
}
