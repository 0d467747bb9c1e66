package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
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

// LegalizeOpsWith is LegalizeOps with a map from names of operators ("relax.add") to what their calls become, TVM's customize_legalize_map as it is:
// each entry is an FLegalize, which adds kernels with AddFunc. Options are those of LegalizeOps.
func LegalizeOpsWith(forms map[string]op.LegalizeFunc) *pass.Pass {
	p := *LegalizeOps
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return legalizeModule(c, m, nil, forms) }
	return &p
}

// CustomLegalizeOps is LegalizeOps with a map from names of operators ("relax.add") to what makes their kernels, of which te makes
// the kernels. Options are those of LegalizeOps. A kernel that an entry gets wrong is found
// by the check of the module behind the pass.
func CustomLegalizeOps(custom map[string]Custom) *pass.Pass {
	p := *LegalizeOps
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return legalizeModule(c, m, custom, nil) }
	return &p
}

// ruleOf returns the rule of an operator, nil if it has none.
func (l *legalizer) ruleOf(name string) rule {
	if f := l.custom[name]; f != nil {
		return func(k *kernel) ([]*te.Tensor, error) { return f(CustomKernel{k}) }
	}
	return legalizeRule(name)
}

// formOf returns what says what a call becomes: that of a map of the user's, that of the operator itself if a program defined it, or that of calls
// with too many tensors.
func (l *legalizer) formOf(e relax.Expr) op.LegalizeFunc {
	o := op.Of(e)
	if o == nil || l.pick != nil {
		return nil
	}
	if f := l.forms[o.Name]; f != nil {
		return f
	}
	if l.custom[o.Name] != nil {
		return nil
	}
	if o.Legalize != nil {
		return o.Legalize
	}
	return wideForm(e)
}

// maxForms bounds how often rules of users may make calls that rules of users are for.
const maxForms = 100

// userForm puts what f makes of a call in its place. Kernels that f adds go to the module as those of the pass do; operators that it emits are lowered
// in their turn.
func (l *legalizer) userForm(m *relax.ExprMutator, vb *relax.VarBinding, f op.LegalizeFunc) error {
	call, bb := vb.Value.(*relax.Call), m.Builder()
	if _, err := op.Table().InferCall(call, bb.Context()); err != nil {
		return err
	}
	if l.depth == maxForms {
		return fmt.Errorf("%s: its rule makes calls that rules are for, %d times within each other", opName(call), maxForms)
	}
	bb.KeepFuncs(func(name string, fn ir.Function) *ir.GlobalVar {
		if k, ok := fn.(*tir.PrimFunc); ok {
			return ir.NewGlobalVar(l.add(name, k))
		}
		return l.edit.Add(name, fn)
	})
	before, to, err := bb.Collect(func() (relax.Expr, error) { return f(bb, call) })
	bb.KeepFuncs(nil)
	if err != nil {
		return fmt.Errorf("%s: %w", opName(call), err)
	}
	if to == nil || to == relax.Expr(call) {
		l.ctx.Declined(ruleLegalize, vb, "the operator's own rule leaves it")
		m.VisitBinding(vb)
		return nil
	}
	l.depth++
	defer func() { l.depth-- }()
	for _, b := range before {
		l.bound[b.Bound()] = b.BoundValue()
		if err := l.binding(m, b); err != nil {
			return err
		}
	}
	if c, ok := to.(*relax.Call); ok && c.Origin == 0 {
		own := *c
		own.Base = call.Base
		to = &own
	}
	out := *vb
	out.Value = to
	if info := relax.SInfoOf(to); info != nil && !ir.StructuralEqual(info, vb.Var.SInfo, ir.EqualOpts{}) {
		l.retype(m, &out, info)
	}
	if op.Of(to) == nil {
		m.EmitNormalized(&out)
		return nil
	}
	return l.binding(m, &out)
}
