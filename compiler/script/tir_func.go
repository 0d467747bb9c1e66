package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// lineLimit is the width from which signatures are written with a parameter on each line.
const lineLimit = 110

func (p *printer) primFunc(name string, f *tir.PrimFunc) {
	defer func(d dtype.DType) { p.intDType = d }(p.intDType)
	if p.opts.IntDType.IsVoid() {
		if p.intDType = commonInt(f); p.intDType != dtype.Int32T {
			p.begin(nil)
			p.str("# int_dtype: " + p.intDType.String())
			p.end()
		}
	}
	p.prescan(f.Body)
	p.begin(f)
	p.str("@T.prim_func")
	symbol := ir.GlobalSymbol(f)
	if symbol == "" {
		p.str("(private=True)")
	}
	p.end()
	matched := p.params(name, f)
	p.indent++
	attrs := f.Attrs
	if symbol == identifier(name) {
		attrs = attrs.Without(ir.AttrGlobalSymbol)
	}
	if attrs.Len() > 0 {
		p.begin(nil)
		p.str("T.func_attr(")
		p.attrs(attrs)
		p.str(")")
		p.end()
	}
	p.freeVars(f)
	for _, i := range matched {
		b := f.Buffers[i]
		p.begin(b)
		p.str(p.define(b, b.Name) + " = ")
		p.matchBuffer(p.name(f.Params[i]), b)
		p.end()
	}
	for _, b := range f.Buffers {
		if b != nil {
			p.views(b.Data)
		}
	}
	for _, v := range f.Params {
		p.views(v)
	}
	p.rootBlock(f.Body)
	p.indent--
}

// params prints the signature and returns the parameters whose buffers need a line of their own.
func (p *printer) params(name string, f *tir.PrimFunc) []int {
	p.begin(nil)
	start := len(p.buf)
	write := func(multi bool) []int {
		var matched []int
		p.str("def " + identifier(name) + "(")
		for i, v := range f.Params {
			switch {
			case multi:
				p.end()
				p.indent++
				p.begin(nil)
				p.indent--
			case i > 0:
				p.str(", ")
			}
			var b *tir.Buffer
			if i < len(f.Buffers) {
				b = f.Buffers[i]
			}
			if b != nil && p.isSimple(b) {
				p.str(p.define(b, b.Name) + ": ")
				p.bufferDecl("T.Buffer", b, false)
			} else {
				if b != nil {
					matched = append(matched, i)
				}
				p.str(p.define(v, v.Name) + ": ")
				if pt, ok := v.Type.(*ir.PrimType); ok && pt.DType.IsHandle() {
					p.str("T.handle")
				} else {
					p.typ(v.Type)
				}
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
		if f.RetType != nil && !ir.TypeDType(f.RetType).IsVoid() {
			p.str(" -> ")
			p.typ(f.RetType)
		}
		p.str(":")
		return matched
	}
	leave := p.frame()
	matched := write(false)
	if len(p.buf)-start+4*p.indent > lineLimit && len(f.Params) > 1 {
		leave()
		p.buf = p.buf[:start]
		matched = write(true)
	}
	p.end()
	return matched
}

// unnamed reports whether e uses a variable that has not been defined yet.
func (p *printer) unnamed(e tir.Expr) bool {
	if _, ok := e.(*tir.IntImm); ok {
		return false
	}
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && p.names[v] == "" {
			found = true
		}
		return !found
	})
	return found
}

// declare writes a line that declares v, a variable that is defined by being used.
func (p *printer) declare(v *tir.Var) {
	p.begin(v)
	p.str(p.define(v, v.Name) + " = T." + v.DType().String() + "(")
	if v.Size {
		p.str("is_size_var=True")
	}
	p.str(")")
	p.end()
}

// freeVars declares the variables in the shapes of the parameters' buffers that no
// parameter defines.
func (p *printer) freeVars(f *tir.PrimFunc) {
	for _, b := range f.Buffers {
		if b == nil {
			continue
		}
		b.EachExpr(func(e tir.Expr) {
			if e == tir.Expr(b.Data) {
				return
			}
			ir.Walk(e, func(n ir.Node) bool {
				if v, ok := n.(*tir.Var); ok && p.names[v] == "" {
					p.begin(v)
					p.str(p.define(v, v.Name) + " = T." + v.DType().String() + "(")
					if v.Size {
						p.str("is_size_var=True")
					}
					p.str(")")
					p.end()
				}
				return true
			})
		})
	}
}

// commonInt returns the integer type that most constants of f have, of int32 and int64.
func commonInt(f *tir.PrimFunc) dtype.DType {
	n := 0
	count := func(x ir.Node) bool {
		if i, ok := x.(*tir.IntImm); ok {
			switch i.Type {
			case dtype.Int64T:
				n++
			case dtype.Int32T:
				n--
			}
		}
		return true
	}
	for _, b := range f.Buffers {
		if b != nil {
			for _, e := range b.Shape {
				ir.Walk(e, count)
			}
		}
	}
	if f.Body != nil {
		ir.Walk(f.Body, count)
	}
	if n > 0 {
		return dtype.Int64T
	}
	return dtype.Int32T
}

// rootBlock prints a function's body. The implicit root block shows as a comment.
func (p *printer) rootBlock(body tir.Stmt) {
	r, ok := body.(*tir.BlockRealize)
	if !ok || len(r.Block.IterVars) > 0 || !tir.IsTrue(r.Predicate) || r.Block.Init != nil ||
		len(r.Block.Reads)+len(r.Block.Writes)+len(r.Block.MatchBuffers) > 0 || r.Block.Annotations.Len() > 0 {
		p.body(body)
		return
	}
	p.begin(r)
	p.str("# with T.block(")
	p.quote(r.Block.Name)
	p.str("):")
	p.end()
	for _, b := range r.Block.AllocBuffers {
		p.allocBuffer(b)
	}
	p.body(r.Block.Body)
}
