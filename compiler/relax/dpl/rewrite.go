package dpl

import (
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/relax"
)

// Rewriter says what takes the place of an expression that a pattern matches; nil or the expression itself keeps it.
type Rewriter func(e relax.Expr, m Matches, b Bindings) relax.Expr

// RewriteCalls rewrites the values of f that p matches, in one sweep, through the hooks of mu, which it sets. Variables are looked through within a
// dataflow block, or a run of bindings outside of one for which pure holds; not into what was rewritten in this sweep. Where a rewritten value
// can be rewritten again, the caller sweeps again. It spends from work as Match does.
func RewriteCalls(mu *relax.ExprMutator, pure func(relax.Expr) bool, p Pattern, rewrite Rewriter, f *relax.Function, work *budget.Budget) (*relax.Function, error) {
	bound := Bindings{}
	mu.Block = func(b *relax.BindingBlock) {
		bound = Bindings{}
		mu.VisitBlock(b)
		bound = Bindings{}
	}
	mu.Binding = func(b relax.Binding) {
		value := b.BoundValue()
		if _, branches := value.(*relax.If); branches || !pure(value) {
			outer := bound
			bound = Bindings{}
			mu.VisitBinding(b)
			clear(outer)
			bound = outer
			return
		}
		vb, ok := b.(*relax.VarBinding)
		if ok {
			if m, found := Match(p, value, bound, mu.Builder().Context(), work); found {
				if out := rewrite(value, m, bound); out != nil && out != value {
					if id := value.Meta().Origin; id != 0 { // what is emitted comes from it
						mu.Builder().SetOrigin(id)
					}
					mu.Reemit(&relax.VarBinding{Base: vb.Base, Var: vb.Var, Value: mu.VisitExpr(out)})
					return
				}
			}
		}
		bound[b.Bound()] = value
		mu.VisitBinding(b)
	}
	return mu.Function(f)
}
