package schedule

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// walkExprs calls f for each expression below n, each shared one once.
func walkExprs(n ir.Node, f func(tir.Expr)) {
	seen := map[tir.Expr]bool{}
	ir.Walk(n, func(x ir.Node) bool {
		e, ok := x.(tir.Expr)
		if !ok {
			return true
		}
		if seen[e] {
			return false
		}
		seen[e] = true
		f(e)
		return true
	})
}
