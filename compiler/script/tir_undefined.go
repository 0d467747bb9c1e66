package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// undefined declares variables that a body uses, but nothing defines: scalars, then pointers,
// the first buffer over each of which shows in their place.
func (p *printer) undefined(free []*tir.Var) {
	for _, v := range free {
		if _, pointer := v.Type.(*ir.PointerType); !pointer && p.names.ofVar(v) == "" {
			p.declare(v)
		}
	}
	for _, v := range free {
		t, pointer := v.Type.(*ir.PointerType)
		switch views := p.undeclared[v]; {
		case !pointer || p.names.ofVar(v) != "":
		case len(views) > 0 && p.names.ofBuffer(views[0]) == "":
			p.bufferLine("Buffer", views[0], false)
			p.views(v)
		default:
			p.begin(v)
			p.def(v)
			p.str(" = ")
			p.t("handle(")
			p.quote(ir.TypeDType(t.Elem).String())
			if t.Scope != "" && t.Scope != "global" {
				p.thenQuoted(t.Scope)
			}
			p.str(")")
			p.end()
		}
	}
}
