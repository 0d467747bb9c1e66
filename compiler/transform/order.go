package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// Passes that build on others find nothing to do where those did not run, which looks like
// success. The functions here report what is missing and what to run.

// warnNotLegalized reports for each Relax function the operators that should have been
// kernels by now, and kernels whose pattern is not known.
func warnNotLegalized(c *pass.Context, m *ir.Module, name string) {
	annotated := hasPatterns(m)
	for gv, fn := range m.Funcs() {
		if f, ok := fn.(*relax.Function); ok {
			legalizable := legalizableIn(c, m, f)
			reportLeft(c, gv.Name, f, name+" sees kernels only", "run LegalizeOps before "+name, func(b relax.Binding) string {
				if n := opName(b.BoundValue()); n != "" && computes(n) && legalizable(b) {
					return n
				}
				return ""
			})
			reportLeft(c, gv.Name, f, name+" goes by their op_pattern", "run AnnotateTIROpPattern before "+name, func(b relax.Binding) string {
				call := callsOp(b.BoundValue(), opCallTIR)
				if annotated || call == nil {
					return ""
				}
				callee, ok := call.Args[0].(*ir.GlobalVar)
				if !ok {
					return ""
				}
				return "kernel " + callee.Name
			})
		}
	}
}

// hasPatterns reports whether AnnotateTIROpPattern has looked at the kernels of m. Those that
// fusion made since have no pattern.
func hasPatterns(m *ir.Module) bool {
	for _, fn := range m.Funcs() {
		if k, ok := fn.(*tir.PrimFunc); ok && k.Attrs.Has(attrOpPattern) {
			return true
		}
	}
	return false
}

// warnNotRewritten reports calls that should have been given memory by CallTIRRewrite.
func warnNotRewritten(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) {
	name := c.Step().Pass.Name
	legalizable := legalizableIn(c, c.Step().Input, f)
	reportLeft(c, gv.Name, f, name+" sees allocations only", "run LegalizeOps and CallTIRRewrite before "+name, func(b relax.Binding) string {
		switch n := opName(b.BoundValue()); {
		case n == opCallTIR || n == opCallDPS || n == opCallTIRInplace:
			return n
		case n != "" && computes(n) && n != opReshape && legalizable(b):
			return n
		}
		return ""
	})
}

// computes reports whether the operator makes a tensor by computing, so that it needs a
// kernel, and is no call, allocation or other service of the machine.
func computes(name string) bool {
	o := op.Lookup(name)
	return o != nil && !o.Impure && o.Pattern != op.Opaque
}

// reportLeft warns once of the bindings of f for which left returns what was left over.
func reportLeft(c *pass.Context, fn string, f *relax.Function, why, help string, left func(relax.Binding) string) {
	first, what, n := "", "", 0
	var at ir.Base
	relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if s := left(b); s != "" {
			if n++; n == 1 {
				first, what, at = b.Bound().Name, s, b.Meta()
			}
		}
	})
	if n == 0 {
		return
	}
	more := ""
	if n > 1 {
		more = fmt.Sprintf(" and %d more", n-1)
	}
	c.Report(ir.Diagnostic{
		Severity: ir.Warning, Func: fn, Span: at.Span, Origin: at.Origin, Help: help,
		Message: fmt.Sprintf("%s = %s%s was not considered: %s", first, what, more, why),
	})
}
