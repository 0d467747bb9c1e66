package starpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// tirStmt walks a statement. Blocks stay blocks. What is memoized of expressions is for one
// statement: others stand in other scopes.
func (k *walk) tirStmt(s tir.Stmt) tir.Stmt {
	outer := k.memo
	k.memo = nil
	out := k.dispatch(s, func() ir.Node { return k.defaultStmt(s) })
	k.memo = outer
	if b, ok := s.(*tir.Block); ok {
		return must[*tir.Block](k, b, out, "a Block")
	}
	return must[tir.Stmt](k, s, out, "a statement")
}

// defaultStmt walks the children of a statement.
func (k *walk) defaultStmt(s tir.Stmt) ir.Node { return k.tm.MapStmt(s) }

// tirExpr walks an expression. A mutator maps an expression that stands in several places of
// one statement once; expressions that define variables are scopes of their own.
func (k *walk) tirExpr(e tir.Expr) tir.Expr {
	if out, ok := k.memo[e]; ok {
		return out
	}
	outer, scope := k.memo, false
	switch e.(type) {
	case *tir.Let, *tir.Reduce:
		k.memo, scope = nil, true
	}
	image := k.dispatch(e, func() ir.Node { return k.defaultExpr(e) })
	out := must[tir.Expr](k, e, image, "a loop-level expression")
	if scope {
		k.memo = outer
	}
	if k.w.mutates {
		if k.memo == nil {
			k.memo = map[tir.Expr]tir.Expr{}
		}
		k.memo[e] = out
	}
	return out
}

// defaultExpr walks the children of an expression.
func (k *walk) defaultExpr(e tir.Expr) ir.Node {
	out := k.tm.MapExpr(e)
	if b, ok := out.(*tir.Binary); ok && out != e { // the operands may have other types now
		x, err := arithmetic(b.Op, b.A, b.B, false)
		k.try(err)
		y := x.(*tir.Binary)
		y.Base = b.Base
		return y
	}
	return out
}

// primExpr walks a scalar expression of the graph level, for a handler of PrimExpr.
func (k *walk) primExpr(e tir.Expr) tir.Expr {
	return must[tir.Expr](k, e, k.handle(k.w.handlers["PrimExpr"], e), "a loop-level expression")
}
