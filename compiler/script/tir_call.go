package script

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func (p *printer) tirCall(c *tir.Call) {
	op, ok := c.Op.(*ir.Op)
	if !ok {
		p.str(p.cls + "." + identifier(c.Op.CalleeName()))
		p.exprList(c.Args, "(", ")")
		return
	}
	form := LookupCall(op.Name)
	name, place, known := form.Name, form.Place, writable(c, op)
	if !known {
		name, place = "call_intrin", DTypeFirst
	}
	p.t(name + "(")
	sep := ""
	if place == DTypeFirst {
		p.quote(callType(c))
		sep = ", "
	}
	if !known {
		p.str(sep)
		p.quote(op.Name)
	}
	for _, a := range c.Args {
		p.str(sep)
		p.expr(a, 0)
		sep = ", "
	}
	if place == DTypeLast {
		p.str(sep)
		p.quote(c.Type.String())
	}
	p.str(")")
}

// callType returns the name of the type of a call: masks of scalable vectors have that of LLVM's masks,
// as in TVM, which the parser reads as bool.
func callType(c *tir.Call) string {
	if d := c.Type; d.Scalable && d.IsBool() {
		return "uint1xvscalex" + strconv.Itoa(int(d.Lanes))
	}
	return c.Type.String()
}
