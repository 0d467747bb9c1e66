package script

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// declareFree prints, before the text from at on, what declares the variables and buffers
// that it uses without defining them.
func (p *printer) declareFree(at int) {
	mid, done := len(p.buf), map[ir.Node]bool{}
	// Declarations may use further variables, which are appended while this runs.
	for i := 0; i < len(p.names.order); i++ {
		p.declareOne(p.names.order[i].obj, done)
	}
	p.moveFront(at, mid)
}

// declareOne declares n after all that its declaration uses.
func (p *printer) declareOne(n ir.Node, done map[ir.Node]bool) {
	if done[n] {
		return
	}
	done[n] = true
	before := func(e ir.Node) {
		ir.Walk(e, func(x ir.Node) bool {
			switch x.(type) {
			case *tir.Var, *tir.Buffer, *relax.Var:
				p.declareOne(x, done)
			}
			return true
		})
	}
	switch n := n.(type) {
	case *tir.Var:
		p.declare(n)
	case *tir.Buffer:
		n.EachExpr(func(e tir.Expr) {
			if e != tir.Expr(n.Data) {
				before(e)
			}
		})
		p.bufferLine("Buffer", n, false)
	case *relax.Var:
		if n.SInfo != nil {
			before(n.SInfo)
		}
		p.begin(n)
		p.def(n)
		if n.SInfo != nil {
			p.str(": ")
			p.sinfo(n.SInfo)
		}
		p.end()
	default:
		panic(fmt.Sprintf("script: %T cannot be declared", n))
	}
}
