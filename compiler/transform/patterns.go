package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// rewriteCalls rewrites what p matches in f until nothing changes, as TVM's rewrite_call does: after each sweep it removes names, computes
// equal values once, and removes what is not used any more. A rewriter that returns nil says why by declined.
func rewriteCalls(c *pass.Context, rule string, f *relax.Function, p dpl.Pattern, rewrite func(s *site) relax.Expr) (*relax.Function, error) {
	infer := op.NewBlockBuilder(c.Step().Input).Context()
	return untilStable(c, c.Step().Input, f, 0, sweepCalls(p, func(e relax.Expr, found dpl.Matches, b dpl.Bindings) relax.Expr {
		to := rewrite(&site{c: c, rule: rule, expr: e, found: found, bindings: b, ctx: infer})
		if to != nil {
			c.Rewrite(rule, e, to)
		}
		return to
	}))
}

// maxRewriteSweeps bounds the sweeps of rewriters that are not known: one may make what it matches, again and again.
const maxRewriteSweeps = 200

// RewriteCalls rewrites what p matches in a function of m until nothing changes: TVM's rewrite_call. After each sweep it removes names, computes
// equal values once, and removes what is not used any more. It is an error if the function still changes after 200 sweeps.
func RewriteCalls(c *pass.Context, m *ir.Module, f *relax.Function, p dpl.Pattern, rewrite dpl.Rewriter) (*relax.Function, error) {
	return untilStable(c, m, f, maxRewriteSweeps, sweepCalls(p, rewrite))
}

// RewriteBindings rewrites what the patterns of a context match in a function of m until nothing changes, as RewriteCalls does: TVM's rewrite_bindings.
func RewriteBindings(c *pass.Context, m *ir.Module, f *relax.Function, patterns *dpl.Context, rewrite dpl.BindingsRewriter) (*relax.Function, error) {
	return untilStable(c, m, f, maxRewriteSweeps, func(mu *relax.ExprMutator, pure func(relax.Expr) bool, f *relax.Function, work *budget.Budget) (*relax.Function, error) {
		return dpl.RewriteBindings(mu, pure, patterns, rewrite, f, work)
	})
}

// rewriteSweep rewrites a function once.
type rewriteSweep func(mu *relax.ExprMutator, pure func(relax.Expr) bool, f *relax.Function, work *budget.Budget) (*relax.Function, error)

func sweepCalls(p dpl.Pattern, rewrite dpl.Rewriter) rewriteSweep {
	return func(mu *relax.ExprMutator, pure func(relax.Expr) bool, f *relax.Function, work *budget.Budget) (*relax.Function, error) {
		return dpl.RewriteCalls(mu, pure, p, rewrite, f, work)
	}
}

// untilStable sweeps over f until a sweep changes nothing, or nothing but names. A limit of 0 is none.
func untilStable(c *pass.Context, m *ir.Module, f *relax.Function, limit int, sweep rewriteSweep) (*relax.Function, error) {
	work := budget.New(c.Context(), 0)
	for n := 1; ; n++ {
		if err := c.Err(); err != nil {
			return nil, err
		}
		out, err := sweep(op.NewExprMutator(m), func(e relax.Expr) bool { return isPure(m, e) }, f, work)
		if err != nil || out == f {
			return out, err
		}
		if out, err = simplified(c, m, out); err != nil {
			return nil, err
		}
		if ir.StructuralEqual(out, f, ir.EqualOpts{}) {
			return f, nil
		}
		if n == limit {
			return nil, fmt.Errorf("the function still changes after %d sweeps: what the rewriter makes matches the pattern again", limit)
		}
		f = out
	}
}

// simplified removes from f what rewriting left behind.
func simplified(c *pass.Context, m *ir.Module, f *relax.Function) (*relax.Function, error) {
	for {
		out, err := canonicalizeBindings(c, m, f)
		if err != nil {
			return nil, err
		}
		e := &exprCSE{c: c, m: m, seen: map[uint64][]relax.Binding{}, same: map[*relax.Var][]ir.OriginID{}}
		if out, err = e.function(out); err != nil {
			return nil, err
		}
		if out, err = removeUnused(c, m, out); err != nil || out == f {
			return out, err
		}
		f = out
	}
}

// site is where a pattern matches.
type site struct {
	c        *pass.Context
	rule     string
	expr     relax.Expr
	found    dpl.Matches
	bindings dpl.Bindings
	ctx      *relax.InferContext
}

// declined says why the rule does not apply here, and returns nil.
func (s *site) declined(why string) relax.Expr {
	s.c.Declined(s.rule, s.expr, why)
	return nil
}

// call returns the call that a pattern matched.
func (s *site) call(p dpl.Pattern) *relax.Call { return s.bindings.Value(s.found[p]).(*relax.Call) }

// tensor returns what is known of the tensor that a pattern matched, nil if it is none or of unknown rank.
func (s *site) tensor(p dpl.Pattern) *relax.TensorStructInfo { return s.tensorOf(s.found[p]) }

func (s *site) tensorOf(e relax.Expr) *relax.TensorStructInfo {
	t, ok := s.ctx.SInfoOf(e).(*relax.TensorStructInfo)
	if !ok || t.NDim < 0 {
		return nil
	}
	return t
}

// plainMatmul tells whether the element type of a matmul is that of its operands, so that parts of a product can be computed in another
// order.
func (s *site) plainMatmul(p dpl.Pattern) bool {
	call := s.call(p)
	out, a, b := s.tensorOf(call), s.tensorOf(call.Args[0]), s.tensorOf(call.Args[1])
	return out != nil && a != nil && b != nil && out.DType == a.DType && a.DType == b.DType
}
