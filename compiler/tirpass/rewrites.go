package tirpass

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
)

// reportingStmt returns f, made to report what it changes under a name if anyone listens.
func reportingStmt(c *pass.Context, name string, f func(tir.Stmt) tir.Stmt) func(tir.Stmt) tir.Stmt {
	if !c.Observed() {
		return f
	}
	return func(s tir.Stmt) tir.Stmt {
		out := f(s)
		c.Rewrite(name, s, out)
		return out
	}
}

// reportingExpr does the same for a function of expressions.
func reportingExpr(c *pass.Context, name string, f func(tir.Expr) tir.Expr) func(tir.Expr) tir.Expr {
	if !c.Observed() {
		return f
	}
	return func(e tir.Expr) tir.Expr {
		out := f(e)
		c.Rewrite(name, e, out)
		return out
	}
}

// newMutator returns a mutator under a budget, which may be nil, that tells c of what it does itself.
func newMutator(c *pass.Context, b *budget.Budget) *arith.Mutator {
	m := arith.NewMutator(b)
	m.Rewrote = c.Rewrite
	return m
}
