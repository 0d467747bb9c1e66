package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (p *printer) relaxFunc(name string, f *relax.Function) {
	defer func(d dtype.DType) { p.intDType = d }(p.intDType)
	p.intDType = dtype.Void
	p.begin(f)
	p.str("@")
	p.r("function")
	symbol := ir.GlobalSymbol(f)
	switch {
	case symbol == "" && !f.Pure:
		p.str("(private=True, pure=False)")
	case symbol == "":
		p.str("(private=True)")
	case !f.Pure:
		p.str("(pure=False)")
	}
	p.end()
	p.relaxDef(name, f)
	attrs := f.Attrs
	if symbol == functionName(name) {
		attrs = attrs.Without(ir.AttrGlobalSymbol)
	}
	p.findVoid(f)
	p.aliasNeeded = p.declaresAlias() && callsModule(f)
	p.relaxBody(f, attrs)
}

// relaxDef prints the signature, with symbolic variables as strings.
func (p *printer) relaxDef(name string, f *relax.Function) {
	p.signatureOf(name, len(f.Params), func(i int) ir.Node { return f.Params[i] }, func(i int) {
		v := f.Params[i]
		p.def(v)
		if v.SInfo != nil {
			p.str(": ")
			p.signature(v.SInfo)
		}
	}, func() {
		if f.Ret != nil {
			p.str(" -> ")
			p.signature(f.Ret)
		}
	})
}

// signature prints struct info in a signature: extents with symbolic variables are strings.
func (p *printer) signature(s relax.StructInfo) {
	p.inSignature = true
	p.sinfo(s)
	p.inSignature = false
}

func (p *printer) relaxBody(f *relax.Function, attrs *ir.Attrs) {
	p.indent++
	// Symbolic variables of the signature are declared before their first use.
	seen := map[*tir.Var]bool{}
	declare := func(s relax.StructInfo) {
		if s == nil {
			return
		}
		ir.Walk(s, func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok && !seen[v] {
				seen[v] = true
				p.declare(v)
			}
			return true
		})
	}
	for _, v := range f.Params {
		declare(v.SInfo)
	}
	declare(f.Ret)
	p.attrsLine(p.relaxp, "func_attr(", attrs)
	if p.aliasNeeded {
		p.aliasNeeded = false
		p.rawLine(p.cls + " = " + p.class)
	}
	p.seq(f.Body, func(e relax.Expr) {
		p.begin(e)
		p.str("return ")
		p.rexpr(e)
		p.endWithConstants()
	})
	p.indent--
}

// callsModule reports whether f refers to functions of the module.
func callsModule(f ir.Function) bool {
	return contains(f, func(n ir.Node) bool {
		if c, ok := n.(*tir.Call); ok {
			n, _ = c.Op.(*ir.GlobalVar)
		}
		v, ok := n.(*ir.GlobalVar)
		return ok && v != nil
	})
}
