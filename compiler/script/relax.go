package script

import (
	"strings"

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
	var flags []string
	if symbol == "" {
		flags = append(flags, "private=True")
	}
	if !f.Pure {
		flags = append(flags, "pure=False")
	}
	if len(flags) > 0 {
		p.str("(" + strings.Join(flags, ", ") + ")")
	}
	p.end()
	p.relaxDef(name, f)
	attrs := f.Attrs
	if symbol == identifier(name) {
		attrs = attrs.Without(ir.AttrGlobalSymbol)
	}
	p.findVoid(f)
	p.aliasNeeded = p.ownAlias() && p.cls != p.class && callsModule(f)
	p.relaxBody(f, attrs)
}

// relaxDef prints the signature, with symbolic variables as strings.
func (p *printer) relaxDef(name string, f *relax.Function) {
	p.begin(nil)
	start := len(p.buf)
	write := func(multi bool) {
		p.str("def " + identifier(name) + "(")
		for i, v := range f.Params {
			switch {
			case multi:
				p.end()
				p.indent++
				p.begin(v)
				p.indent--
			case i > 0:
				p.str(", ")
			}
			p.def(v)
			if v.SInfo != nil {
				p.str(": ")
				p.signature(v.SInfo)
			}
			if multi {
				p.str(",")
			}
		}
		if multi {
			p.end()
			p.begin(nil)
		}
		p.str(")")
		if f.Ret != nil {
			p.str(" -> ")
			p.signature(f.Ret)
		}
		p.str(":")
	}
	mark := p.enter()
	write(false)
	if len(p.buf)-start+p.column() > lineLimit && len(f.Params) > 1 {
		p.leave(mark)
		p.cut(start)
		write(true)
	}
	p.end()
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
	if attrs.Len() > 0 {
		p.begin(nil)
		p.r("func_attr(")
		p.attrs(attrs)
		p.str(")")
		p.end()
	}
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
	found := false
	ir.Walk(f, func(n ir.Node) bool {
		switch n := n.(type) {
		case *ir.GlobalVar:
			found = true
		case *tir.Call:
			_, global := n.Op.(*ir.GlobalVar)
			found = found || global
		}
		return !found
	})
	return found
}
