package dpl

import (
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/relax"
)

// BindingsRewriter says what variables are bound to in the place of their values, given what the patterns of a context matched.
type BindingsRewriter func(m map[Pattern]*relax.Var, b Bindings) map[*relax.Var]relax.Expr

// RewriteBindings rewrites the values of f that the patterns of c match, in one sweep, through the hooks of mu, which it sets: in each dataflow block, and
// in each run of bindings outside of one for which pure holds. Of what is bound in a block, the rewriter is called until nothing matches or it
// returns nothing; what it rewrote does not match again. Bindings are reordered where new values need it. It spends from work as Match does.
func RewriteBindings(mu *relax.ExprMutator, pure func(relax.Expr) bool, c *Context, rewrite BindingsRewriter, f *relax.Function, work *budget.Budget) (*relax.Function, error) {
	emit := func(b *relax.BindingBlock, run []relax.Binding) {
		to := rewritten(mu, c, rewrite, run, work)
		if len(to) > 0 {
			run = inOrder(run, to)
		}
		for _, x := range run {
			e := to[x.Bound()]
			if e == nil {
				mu.VisitBindings(&relax.BindingBlock{Base: b.Base, Bindings: []relax.Binding{x}, Dataflow: b.Dataflow})
				continue
			}
			if id := x.BoundValue().Meta().Origin; id != 0 { // what is emitted comes from it
				mu.Builder().SetOrigin(id)
			}
			out := relax.Binding(&relax.VarBinding{Base: x.Meta(), Var: x.Bound(), Value: mu.VisitExpr(e)})
			if cast, ok := x.(*relax.MatchCast); ok {
				out = &relax.MatchCast{Base: cast.Base, Var: cast.Var, Value: mu.VisitExpr(e), SInfo: cast.SInfo}
			}
			mu.Reemit(out)
		}
	}
	mu.Block = func(b *relax.BindingBlock) {
		mu.InBlock(b, func() {
			var run []relax.Binding
			for _, x := range b.Bindings {
				_, branches := x.BoundValue().(*relax.If)
				_, local := x.BoundValue().(*relax.Function)
				if b.Dataflow || !branches && !local && pure(x.BoundValue()) {
					run = append(run, x)
					continue
				}
				emit(b, run)
				run = nil
				mu.VisitBindings(&relax.BindingBlock{Base: b.Base, Bindings: []relax.Binding{x}})
			}
			emit(b, run)
		})
	}
	return mu.Function(f)
}

// rewritten asks the rewriter until nothing more matches.
func rewritten(mu *relax.ExprMutator, c *Context, rewrite BindingsRewriter, run []relax.Binding, work *budget.Budget) map[*relax.Var]relax.Expr {
	out := map[*relax.Var]relax.Expr{}
	for len(run) > 0 {
		found := c.Match(run, mu.Builder().Context(), work)
		if found == nil {
			break
		}
		b := Bindings{}
		for _, x := range run {
			b[x.Bound()] = x.BoundValue()
		}
		var left []relax.Binding
		to := rewrite(found, b)
		for _, x := range run {
			if e := to[x.Bound()]; e == nil {
				left = append(left, x)
			} else {
				out[x.Bound()] = e
			}
		}
		if len(left) == len(run) {
			break
		}
		run = left
	}
	return out
}

// inOrder returns the bindings so that each stands behind those that its new value uses, and otherwise in order.
func inOrder(run []relax.Binding, to map[*relax.Var]relax.Expr) []relax.Binding {
	at := make(map[*relax.Var]relax.Binding, len(run))
	for _, b := range run {
		at[b.Bound()] = b
	}
	placed := map[relax.Binding]bool{}
	out := make([]relax.Binding, 0, len(run))
	var place func(b relax.Binding)
	place = func(b relax.Binding) {
		if placed[b] {
			return
		}
		placed[b] = true
		value := to[b.Bound()]
		if value == nil {
			value = b.BoundValue()
		}
		eachUsed(value, func(v *relax.Var) {
			if other := at[v]; other != nil {
				place(other)
			}
		})
		out = append(out, b)
	}
	for _, b := range run {
		place(b)
	}
	return out
}
