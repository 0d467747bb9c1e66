package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Most functions have nothing of what a pass is about. Looking for it takes a fraction of the time that a rewrite takes, which makes
// analyzers and tables and calls its hooks for each node.

// anyStmt is ir.Any of statements, which does not look into expressions.
func anyStmt(s tir.Stmt, is func(tir.Stmt) bool) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		x, ok := n.(tir.Stmt)
		found = found || ok && is(x)
		return ok && !found
	})
	return found
}

// hasBlock reports whether a block is in s.
func hasBlock(s tir.Stmt) bool {
	return anyStmt(s, func(s tir.Stmt) bool { _, block := s.(*tir.Block); return block })
}

// usesOp reports whether op is called in s.
func usesOp(s tir.Stmt, op *ir.Op) bool {
	return ir.Any(s, func(n ir.Node) bool {
		call, ok := n.(*tir.Call)
		return ok && call.Op == ir.Callee(op)
	})
}

// allocates reports whether a block in s allocates a buffer, or, with memory, a statement does.
func allocates(s tir.Stmt, memory bool) bool {
	return anyStmt(s, func(s tir.Stmt) bool {
		switch s := s.(type) {
		case *tir.Block:
			return len(s.AllocBuffers) > 0
		case *tir.Allocate:
			return memory
		}
		return false
	})
}

// decided reports whether a condition in s is known: the mutators of package arith drop the branch that cannot run.
func decided(n ir.Node) bool {
	branch, ok := n.(*tir.IfThenElse)
	if !ok {
		return false
	}
	cond := branch.Cond
	if c, ok := tir.IsCallTo(cond, tir.OpLikely); ok {
		cond = c.Args[0]
	}
	_, known := tir.AsInt(cond)
	return known
}
