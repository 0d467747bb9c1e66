package script

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func (p *printer) tirCall(c *tir.Call) {
	op, ok := c.Op.(*ir.Op)
	if !ok {
		p.str(p.cls)
		p.str(".")
		p.str(functionName(c.Op.CalleeName()))
		p.exprList(c.Args, "(", ")")
		return
	}
	intrinsic := p.intrinsic(op)
	name, place := intrinsic.form.Name, intrinsic.form.Place
	known := intrinsic.builtin && (place != DTypeNone || ResultType(op.Name, c.Args) == c.Type)
	if !known { // T.name(args) would not read back as c
		name, place = "call_intrin", DTypeFirst
	}
	p.t(name)
	p.str("(")
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

// intrinsic is what the printer knows of the calls of one.
type intrinsic struct {
	form    CallForm
	builtin bool
}

// intrinsic looks op up, once in the life of a Scratch: lowered kernels call the same few over and over.
func (p *printer) intrinsic(op *ir.Op) intrinsic {
	known, ok := p.intrinsics.Get(op)
	if !ok {
		known = intrinsic{LookupCall(op.Name), tir.LookupBuiltin(op.Name) != nil}
		p.intrinsics.Put(op, known)
	}
	return known
}

// callType returns the name of the type of a call: masks of scalable vectors have that of LLVM's masks,
// as in TVM, which the parser reads as bool.
func callType(c *tir.Call) string {
	if d := c.Type; d.Scalable && d.IsBool() {
		return "uint1xvscalex" + strconv.Itoa(int(d.Lanes))
	}
	return c.Type.String()
}
