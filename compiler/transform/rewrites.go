package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// newMutator returns a mutator for functions of m, whose rewrites are reported under the name of a
// rule.
func newMutator(c *pass.Context, m *ir.Module, rule string) *relax.ExprMutator {
	mu := op.NewExprMutator(m)
	if c.Observed() {
		mu.Rewrote = func(b relax.Binding, list []relax.Binding) { c.RewriteAll(rule, []ir.Node{b}, nodesOf(list)) }
	}
	return mu
}

// rewrote reports that the rule called name put list in the place of b, and returns list.
// Where list is b alone nothing happened.
func rewrote(c *pass.Context, name string, b relax.Binding, list []relax.Binding) []relax.Binding {
	if c.Observed() && (len(list) != 1 || list[0] != b) {
		c.RewriteAll(name, []ir.Node{b}, nodesOf(list))
	}
	return list
}

// nodesOf returns bindings as nodes.
func nodesOf(list []relax.Binding) []ir.Node {
	out := make([]ir.Node, len(list))
	for i, b := range list {
		out[i] = b
	}
	return out
}

// rewritten reports that the rule called name put after in the place of before, and returns after.
func rewritten[N ir.Node](c *pass.Context, name string, before, after N) N {
	c.Rewrite(name, before, after)
	return after
}
