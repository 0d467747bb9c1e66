package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
)

// Custom makes the results of the kernel of a call, in place of the rule that LegalizeOps has for the operator, or
// for one that has none. They have the types and extents of the call's results.
type Custom func(k CustomKernel) ([]*te.Tensor, error)

// CustomKernel is a kernel in the making.
type CustomKernel struct{ k *kernel }

// Call is the call that the kernel is for.
func (c CustomKernel) Call() *relax.Call { return c.k.call }

// Tensor returns e, an argument of the call or another value in scope, as a parameter of the kernel. Parameters come in
// the order in which they are asked for.
func (c CustomKernel) Tensor(e relax.Expr) *te.Tensor { return c.k.param(e, 0) }

// CustomLegalizeOps is LegalizeOps with a map from names of operators ("relax.add") to what makes their kernels, TVM's
// customize_legalize_map. Options are those of LegalizeOps. A kernel that an entry gets wrong is found
// by the check of the module behind the pass.
func CustomLegalizeOps(custom map[string]Custom) *pass.Pass {
	p := *LegalizeOps
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return legalizeModule(c, m, custom) }
	return &p
}

// ruleOf returns the rule of an operator, nil if it has none.
func (l *legalizer) ruleOf(name string) rule {
	if f := l.custom[name]; f != nil {
		return func(k *kernel) ([]*te.Tensor, error) { return f(CustomKernel{k}) }
	}
	return legalizeRule(name)
}
