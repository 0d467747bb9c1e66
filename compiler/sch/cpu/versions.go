package cpu

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// either is the function that does what large does where needs hold, and otherwise what small
// does. Both are versions of one function, and share its parameters.
func either(needs []tir.Expr, large, small *tir.PrimFunc) *tir.PrimFunc {
	a, ok := large.Body.(*tir.BlockRealize)
	b, same := renamed(small.Body).(*tir.BlockRealize)
	if !ok || !same || len(a.Block.IterVars) > 0 {
		return small
	}
	an := arith.NewAnalyzer()
	var cond tir.Expr = tir.Bool(true)
	var seen []tir.Expr
	for _, n := range needs {
		n = an.Simplify(n)
		if !slices.ContainsFunc(seen, func(e tir.Expr) bool { return arith.Equal(e, n) }) {
			seen = append(seen, n)
			cond = tir.And(cond, n)
		}
	}
	root := *a.Block
	root.AllocBuffers = slices.Concat(a.Block.AllocBuffers, b.Block.AllocBuffers)
	root.Body = &tir.IfThenElse{Base: root.Base, Cond: cond, Then: a.Block.Body, Else: b.Block.Body}
	return large.WithBody(a.WithBlock(&root))
}

// renamed copies a body with all that it defines, and marks the names of its blocks, which are
// those of the other version.
func renamed(s tir.Stmt) tir.Stmt {
	return tir.RewriteStmt(tir.NewCopier().Stmt(s), func(s tir.Stmt) tir.Stmt {
		b, ok := s.(*tir.Block)
		if !ok || len(b.IterVars) == 0 {
			return s
		}
		out := *b
		out.Name += "_small"
		return &out
	}, nil)
}
