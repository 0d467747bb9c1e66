package interp

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// threads checks the body of a loop over the threads of a group. The interpreter runs them
// one after the other, so that memory which they share holds what earlier threads wrote and
// not yet what later ones will: what one loop both writes and reads would need barriers.
func (c *compiler) threads(tag string, body tir.Stmt) {
	if !strings.HasPrefix(tag, "threadIdx") {
		return
	}
	written, read := map[*tir.Var]*tir.Buffer{}, map[*tir.Var]bool{}
	ir.Walk(body, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.BufferStore:
			if strings.HasPrefix(n.Buffer.Scope(), "shared") && written[n.Buffer.Data] == nil {
				written[n.Buffer.Data] = n.Buffer
			}
		case *tir.BufferLoad:
			read[n.Buffer.Data] = true
		}
		return true
	})
	for data, b := range written {
		if read[data] {
			c.fail("the threads of %s write and read buffer %s of scope %s: the interpreter runs threads one after the other and has no barriers between them",
				tag, b.Name, b.Scope())
		}
	}
}
