package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// inferType is the pass that most passes of Relay require.
const inferType = "relay.InferType"

// site is a value that a rule may rewrite.
type site struct {
	c     *pass.Context
	rule  string
	value relax.Expr
	bound dpl.Bindings
	ctx   *relax.InferContext
}

// declined says why the rule does not apply here, and returns nil.
func (s *site) declined(why string) relax.Expr {
	s.c.Declined(s.rule, s.value, why)
	return nil
}

// call returns the call of one of the named operators that e is or stands for, nil if it is none.
func (s *site) call(e relax.Expr, names ...string) *relax.Call {
	c, ok := s.bound.Value(e).(*relax.Call)
	if !ok {
		return nil
	}
	for _, n := range names {
		if isCall(c, n) {
			return c
		}
	}
	return nil
}

func isCall(e relax.Expr, name string) bool { _, ok := op.Is(e, name); return ok }

// tensor returns what is known of a tensor, nil if e is none or its rank is not known.
func (s *site) tensor(e relax.Expr) *relax.TensorStructInfo {
	t, ok := s.ctx.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok || t.NDim < 0 {
		return nil
	}
	return t
}

// rewriting returns a pass body that does rewriteOnce for each function.
func rewriting(name string, rule func(s *site) relax.Expr) pass.RunFunc {
	return pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		return rewriteOnce(c, name, f, rule)
	})
}

// rewriteOnce visits each value of a function once, operands first, and puts what rule returns in its place; nil keeps it. Values of
// dataflow blocks that nothing uses after it are removed.
func rewriteOnce(c *pass.Context, name string, f *relax.Function, rule func(s *site) relax.Expr) (*relax.Function, error) {
	mu := op.NewExprMutator(c.Step().Input)
	pure := func(e relax.Expr) bool { return isPure(e, mu.Builder().Context()) }
	out, err := dpl.RewriteCalls(mu, pure, dpl.Wildcard(), func(e relax.Expr, _ dpl.Matches, b dpl.Bindings) relax.Expr {
		switch e.(type) {
		case *relax.Call, *relax.TupleGetItem:
		default:
			return nil
		}
		to := rule(&site{c, name, e, b, mu.Builder().Context()})
		if to != nil {
			c.Rewrite(name, e, to)
		}
		return to
	}, f, c.Budget())
	if err != nil || out == f {
		return out, err
	}
	return dropUnused(out, pure), nil
}

// isPure reports whether a value does nothing but compute; that of branches and functions is the question of those inside.
func isPure(e relax.Expr, ctx *relax.InferContext) bool {
	c, ok := e.(*relax.Call)
	return !ok || relax.CallIsPure(c, op.Table(), ctx)
}

// isNode reports whether a value can be a node of the graph: it is pure, and no scope of its own.
func isNode(e relax.Expr, ctx *relax.InferContext) bool {
	switch e.(type) {
	case *relax.If, *relax.Function:
		return false
	}
	return isPure(e, ctx)
}

// effectless reports whether a value can be left out: it is pure, and so is all that its branches do.
func effectless(e relax.Expr, ctx *relax.InferContext) bool {
	branches, ok := e.(*relax.If)
	if !ok {
		return isPure(e, ctx)
	}
	pure := true
	for _, s := range []*relax.SeqExpr{branches.Then, branches.Else} {
		relax.EachBinding(s, func(_ *relax.BindingBlock, b relax.Binding) {
			_, casts := b.(*relax.MatchCast)
			pure = pure && !casts && isPure(b.BoundValue(), ctx)
		})
	}
	return pure
}

// dropUnused removes the bindings of dataflow blocks whose values nothing uses, and names for others. It goes backwards, so that one visit is enough.
func dropUnused(f *relax.Function, pure func(relax.Expr) bool) *relax.Function {
	if names := aliases(f); len(names) > 0 {
		f = relax.Bind(f, relax.Subst{Vars: names}).(*relax.Function)
	}
	d := &dropper{used: map[*relax.Var]bool{}, pure: pure}
	return f.WithBody(d.seq(f.Body))
}

// aliases are the variables of dataflow blocks that are bound to others, which a graph has not.
func aliases(f *relax.Function) map[*relax.Var]relax.Expr {
	names := map[*relax.Var]relax.Expr{}
	relax.EachBinding(f.Body, func(b *relax.BindingBlock, bind relax.Binding) {
		vb, ok := bind.(*relax.VarBinding)
		if !ok || !vb.Var.Dataflow {
			return
		}
		if v, ok := vb.Value.(*relax.Var); ok {
			if first, ok := names[v]; ok {
				names[vb.Var] = first
			} else {
				names[vb.Var] = v
			}
		}
	})
	return names
}

type dropper struct {
	used map[*relax.Var]bool
	pure func(relax.Expr) bool
	lets bool // whether bindings outside of dataflow blocks are dropped too
	// dropped, where not nil, hears of each binding that is dropped.
	dropped func(relax.Binding)
}

func (d *dropper) seq(s *relax.SeqExpr) *relax.SeqExpr {
	d.uses(s.Body)
	blocks := make([]*relax.BindingBlock, 0, len(s.Blocks))
	for _, block := range slices.Backward(s.Blocks) {
		if b := d.block(block); len(b.Bindings) > 0 {
			blocks = append(blocks, b)
		}
	}
	slices.Reverse(blocks)
	merged, own := blocks[:0], false
	for _, b := range blocks {
		if n := len(merged); n > 0 && !b.Dataflow && !merged[n-1].Dataflow { // what was between is gone
			if last := merged[n-1]; !own {
				merged[n-1], own = &relax.BindingBlock{Base: last.Base, Bindings: slices.Clone(last.Bindings)}, true
			}
			merged[n-1].Bindings = append(merged[n-1].Bindings, b.Bindings...)
			continue
		}
		merged, own = append(merged, b), false
	}
	return s.WithBlocks(merged)
}

func (d *dropper) block(b *relax.BindingBlock) *relax.BindingBlock {
	var kept []relax.Binding
	for _, bind := range slices.Backward(b.Bindings) {
		vb, ok := bind.(*relax.VarBinding)
		if ok && (b.Dataflow || d.lets) && !d.used[vb.Var] && d.pure(vb.Value) {
			if d.dropped != nil {
				d.dropped(bind)
			}
			continue
		}
		if ok {
			if to := d.value(vb.Value); to != vb.Value {
				bind = vb.WithValue(to)
			}
		} else {
			d.uses(bind.BoundValue())
		}
		if info := bind.Bound().SInfo; info != nil {
			d.uses(info)
		}
		kept = append(kept, bind)
	}
	slices.Reverse(kept)
	return b.WithBindings(kept)
}

// value notes what a value uses, and drops what is unused inside of it.
func (d *dropper) value(e relax.Expr) relax.Expr {
	switch e := e.(type) {
	case *relax.Function:
		return e.WithBody(d.seq(e.Body))
	case *relax.If:
		d.uses(e.Cond)
		return e.WithThen(d.seq(e.Then)).WithElse(d.seq(e.Else))
	}
	d.uses(e)
	return e
}

func (d *dropper) uses(n ir.Node) {
	ir.Walk(n, func(n ir.Node) bool {
		v, ok := n.(*relax.Var)
		if ok {
			d.used[v] = true
		}
		return !ok // its struct info, which may be that of a long tuple, names none
	})
}
