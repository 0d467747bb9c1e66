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
	p.intDType = dtype.Int64T // the type of extents on the graph level
	p.begin(f)
	p.str("@R.function")
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
			p.str(p.define(v, v.Name))
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
	leave := p.frame()
	write(false)
	if len(p.buf)-start+4*p.indent > lineLimit && len(f.Params) > 1 {
		leave()
		p.buf = p.buf[:start]
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
				p.begin(v)
				p.str(p.name(v) + " = T." + v.DType().String() + "(")
				if v.Size {
					p.str("is_size_var=True")
				}
				p.str(")")
				p.end()
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
		p.str("R.func_attr(")
		p.attrs(attrs)
		p.str(")")
		p.end()
	}
	p.seq(f.Body, func(e relax.Expr) {
		p.begin(e)
		p.str("return ")
		p.rexpr(e)
		p.endWithConstants()
	})
	p.indent--
}
