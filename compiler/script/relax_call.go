package script

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
)

// sinfoKeyword says which operators name their struct info argument otherwise than sinfo_args.
var sinfoKeyword = map[string]string{
	"relax.call_tir": "out_sinfo", "relax.call_tir_inplace": "out_sinfo", "relax.call_dps_packed": "out_sinfo",
	"relax.call_tir_with_grad": "out_sinfo", "relax.call_py_func": "out_sinfo", "relax.dist.call_tir_local_view": "out_sinfo",
}

func (p *printer) rcall(c *relax.Call) {
	op, isOp := c.Op.(*ir.Op)
	name := ""
	if isOp {
		name = op.Name
	}
	args, format := formatted(name, c.Args)
	sep := ""
	switch {
	case isOp && name == "relax.call_tir" && isDistributed(c):
		p.r("dist.call_tir(")
	case isOp:
		p.rexpr(op)
		p.str("(")
	default:
		if ext, ok := c.Op.(*relax.ExternFunc); ok {
			p.r("call_packed(")
			p.externFunc(ext)
			sep = ", "
		} else {
			p.rexpr(c.Op)
			p.str("(")
		}
	}
	for i, a := range args {
		p.str(sep)
		sep = ", "
		if ext, ok := a.(*relax.ExternFunc); ok && i == 0 && isOp {
			p.externFunc(ext)
			continue
		}
		if s, ok := a.(*relax.ShapeExpr); ok && i == 2 && takesTIRVars(name) {
			p.str("tir_vars=")
			p.rexpr(s)
			continue
		}
		if t, ok := a.(*relax.Tuple); ok && i == 1 && strings.HasPrefix(name, "relax.call_") && len(t.Fields) == 0 {
			p.str("()")
			continue
		}
		p.rexpr(a)
	}
	if format != nil {
		p.str(sep + "format=")
		p.rexpr(format)
		sep = ", "
	}
	if len(c.SInfoArgs) > 0 {
		kw := sinfoKeyword[name]
		if kw != "" {
			p.str(sep)
			p.str(kw)
			p.str("=")
			p.sinfoOrList(c.SInfoArgs)
		} else {
			p.str(sep + "sinfo_args=(")
			list(p, c.SInfoArgs, p.sinfo)
			if len(c.SInfoArgs) == 1 {
				p.str(",")
			}
			p.str(")")
		}
		sep = ", "
	}
	for i := range c.Attrs.Len() {
		k, v := c.Attrs.At(i)
		p.str(sep)
		p.str(k)
		p.str("=")
		p.attrValue(v)
		sep = ", "
	}
	p.str(")")
}

// formatted takes the format out of the arguments of an operator that has one. A reader would
// take it for a value where no keyword says what it is.
func formatted(op string, args []relax.Expr) (values []relax.Expr, format relax.Expr) {
	at := -1
	switch op {
	case "relax.print":
		at = 0
	case "relax.assert_op":
		at = 1
	}
	if at < 0 || at >= len(args) {
		return args, nil
	}
	return slices.Concat(args[:at], args[at+1:]), args[at]
}

// externFunc prints an external function that is called: its name, if that says all.
func (p *printer) externFunc(f *relax.ExternFunc) {
	if f.SInfo == nil {
		p.quote(f.Symbol)
		return
	}
	p.rexpr(f)
}

// attrValue prints the value of a call's attribute: Python's literals, not T's.
func (p *printer) attrValue(v ir.Value) {
	switch x := v.(type) {
	case bool:
		p.str(pyBool(x))
	case []ir.Value:
		p.str("[")
		list(p, x, p.attrValue)
		p.str("]")
	default:
		p.value(v)
	}
}

// sinfoOrList prints one struct info as it is and several as a list; a tuple of outputs is
// a list as well.
func (p *printer) sinfoOrList(infos []relax.StructInfo) {
	if len(infos) == 1 {
		// A list of one stands for its element.
		t, ok := infos[0].(*relax.TupleStructInfo)
		if !ok || len(t.Fields) == 1 {
			p.sinfo(infos[0])
			return
		}
		infos = t.Fields
	}
	p.str("[")
	list(p, infos, p.sinfo)
	p.str("]")
}

// takesTIRVars tells whether an operator calls a kernel, with scalars behind the tensors.
func takesTIRVars(name string) bool {
	return strings.HasPrefix(name, "relax.call_tir") || name == "relax.dist.call_tir_local_view"
}
