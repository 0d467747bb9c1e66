package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// firstBlock returns the first block in s, nil if there is none.
func firstBlock(s tir.Stmt) *tir.Block {
	var found *tir.Block
	ir.Walk(s, func(n ir.Node) bool {
		if b, ok := n.(*tir.Block); ok && found == nil {
			found = b
		}
		_, expr := n.(tir.Expr)
		return found == nil && !expr
	})
	return found
}
