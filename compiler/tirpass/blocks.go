package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// hasBlock reports whether a block is in s.
func hasBlock(s tir.Stmt) bool {
	found := false
	ir.Walk(s, func(n ir.Node) bool {
		_, block := n.(*tir.Block)
		found = found || block
		return !found
	})
	return found
}
