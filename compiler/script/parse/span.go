package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// setSpan gives a node that has just been made its span and origin; one that has a span keeps both.
func setSpan(n ir.Node, base ir.Base) {
	var p *ir.Base
	switch x := n.(type) {
	case *tir.Binary:
		p = &x.Base
	case *tir.IntImm:
		p = &x.Base
	case *tir.FloatImm:
		p = &x.Base
	case *tir.Cast:
		p = &x.Base
	case *tir.Call:
		p = &x.Base
	case *tir.Broadcast:
		p = &x.Base
	case *tir.Not:
		p = &x.Base
	case *tir.Select:
		p = &x.Base
	case *tir.Var:
		p = &x.Base
	case *tir.Buffer:
		p = &x.Base
	case *relax.Call:
		p = &x.Base
	}
	if p != nil && p.Span == nil {
		*p = base
	}
}
