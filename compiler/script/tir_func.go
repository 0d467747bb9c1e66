package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// lineLimit is the width from which signatures are written with a parameter on each line.
const lineLimit = 110

// primFunc prints a function. Few functions use what nothing declares, so that what is
// undeclared is looked for only where such a use is met; the function is then printed again.
func (p *printer) primFunc(name string, f *tir.PrimFunc) {
	var free []*tir.Var
	scanned := f.Attrs.Has(ir.AttrCallingConv) // such a function reads shapes through undeclared views
	if scanned {
		free = p.prescan(f.Body, signatureVars(f)...)
	}
	mark, at, line, lines := p.enter(), len(p.buf), p.line, len(p.lines)
	p.undefinedUse = false
	p.primFuncText(name, f, free)
	if p.undefinedUse && !scanned {
		p.leave(mark)
		p.cut(at)
		p.line, p.lines = line, p.lines[:lines]
		p.primFuncText(name, f, p.prescan(f.Body, signatureVars(f)...))
	}
	p.undeclared = nil
}

func (p *printer) primFuncText(name string, f *tir.PrimFunc, free []*tir.Var) {
	p.decorator(f)
	p.parts.head, p.parts.headLine = len(p.buf), p.line
	matched := p.params(name, f)
	p.parts.attrs, p.parts.attrsLine = len(p.buf), p.line
	p.indent++
	p.funcAttrs(name, f)
	p.parts.body, p.parts.bodyLine = len(p.buf), p.line
	p.freeVars(f)
	for _, i := range matched {
		b := f.Buffers[i]
		p.begin(b)
		p.matchBuffer(b, func() { p.use(f.Params[i]) })
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
	p.undefined(free)
	if p.declaresAlias() && callsModule(f) {
		p.rawLine(p.cls + " = " + p.class)
	}
	p.rootBlock(f.Body)
	p.indent--
}

// decorator writes what stands above the signature.
func (p *printer) decorator(f *tir.PrimFunc) {
	p.noteType("int_dtype", p.intDType, dtype.Int32T)
	p.noteType("float_dtype", p.opts.FloatDType, dtype.Void)
	p.noteType("buffer_dtype", p.bufferDType, dtype.Float32T)
	p.begin(f)
	p.str("@")
	p.t("prim_func")
	if ir.GlobalSymbol(f) == "" {
		p.str("(private=True)")
	}
	p.end()
}

// funcAttrs writes the attributes of a function, without a symbol that is its name.
func (p *printer) funcAttrs(name string, f *tir.PrimFunc) {
	attrs := f.Attrs
	if ir.GlobalSymbol(f) == functionName(name) {
		attrs = attrs.Without(ir.AttrGlobalSymbol)
	}
	p.attrsLine(p.tirp, "func_attr(", attrs)
}

// noteType writes a comment on the type of what is printed without one.
func (p *printer) noteType(name string, d, usual dtype.DType) {
	if d != usual {
		p.rawLine("# " + name + ": " + d.String())
	}
}

// params prints the signature and returns the parameters whose buffers need a line of their own.
func (p *printer) params(name string, f *tir.PrimFunc) (matched []int) {
	data := p.data // of the buffers so far: only a match can share it
	p.signatureOf(name, len(f.Params), nil, func(i int) {
		if i == 0 { // it may be the second attempt
			clear(data)
			matched = nil
		}
		v := f.Params[i]
		var b *tir.Buffer
		if i < len(f.Buffers) {
			b = f.Buffers[i]
		}
		shared := b != nil && data[b.Data]
		if b != nil {
			data[b.Data] = true
		}
		if b != nil && p.sugar && !shared && p.isSimple(b) {
			p.def(b)
			p.str(": ")
			p.bufferDecl("Buffer", b, false)
			return
		}
		if b != nil {
			matched = append(matched, i)
		}
		p.def(v)
		p.str(": ")
		if pt, ok := v.Type.(*ir.PrimType); ok && pt.DType.IsHandle() {
			p.t("handle")
		} else {
			p.typ(v.Type)
		}
	}, func() {
		if f.RetType != nil && !ir.TypeDType(f.RetType).IsVoid() {
			p.str(" -> ")
			p.typ(f.RetType)
		}
	})
	return matched
}

// signatureOf prints "def name(parameters) -> result:", with a line for each of n parameters where
// one line would be too long; shown, if not nil, returns the node that a parameter's line shows.
func (p *printer) signatureOf(name string, n int, shown func(i int) ir.Node, param func(i int), result func()) {
	p.begin(nil)
	start, mark := len(p.buf), p.enter()
	tooLong := func() bool { return len(p.buf)-start+p.column() > lineLimit && n > 1 && !p.opts.TVM }
	write := func(multi bool) {
		p.str("def " + functionName(name) + "(")
		for i := range n {
			if multi {
				p.end()
				p.indent++
				if shown == nil {
					p.begin(nil)
				} else {
					p.begin(shown(i))
				}
				p.indent--
			} else if i > 0 {
				p.str(", ")
			}
			if param(i); multi {
				p.str(",")
			} else if tooLong() {
				return
			}
		}
		if multi {
			p.end()
			p.begin(nil)
		}
		p.str(")")
		result()
		p.str(":")
	}
	write(false)
	if tooLong() {
		p.leave(mark)
		p.cut(start)
		write(true)
	}
	p.end()
}

// unnamed reports whether e uses a variable that has not been defined yet.
func (p *printer) unnamed(e tir.Expr) bool {
	if _, ok := e.(*tir.IntImm); ok {
		return false
	}
	return contains(e, func(n ir.Node) bool {
		v, ok := n.(*tir.Var)
		return ok && p.names.ofVar(v) == ""
	})
}

// contains reports whether f holds for a node at or below n.
func contains(n ir.Node, f func(ir.Node) bool) bool {
	found := false
	ir.Walk(n, func(x ir.Node) bool {
		found = found || f(x)
		return !found
	})
	return found
}

// declare writes a line that declares v, a variable that is defined by being used.
func (p *printer) declare(v *tir.Var) {
	p.begin(v)
	p.def(v)
	p.str(" = ")
	if _, pointer := v.Type.(*ir.PointerType); pointer {
		p.typ(v.Type)
		p.end()
		return
	}
	p.t(v.DType().String() + "(")
	if v.Size {
		p.str("is_size_var=True")
	}
	p.str(")")
	p.end()
}

// freeVars declares the variables in the shapes of the parameters' buffers that no parameter defines.
func (p *printer) freeVars(f *tir.PrimFunc) {
	for _, b := range f.Buffers {
		if b != nil && !plainLayout(b) {
			walkParts(b, func(n ir.Node) bool {
				if v, ok := n.(*tir.Var); ok && v != b.Data && p.names.ofVar(v) == "" {
					p.declare(v)
				}
				return true
			})
		}
	}
}

// plainLayout reports whether b is of constant extents, without strides and offset: then there is no variable in it.
func plainLayout(b *tir.Buffer) bool {
	for _, e := range b.Shape {
		if _, ok := e.(*tir.IntImm); !ok {
			return false
		}
	}
	return len(b.Strides) == 0 && b.ElemOffset == nil
}

// rootBlock prints a function's body. A root block that every reader puts there where none is
// written shows as a comment.
func (p *printer) rootBlock(body tir.Stmt) {
	r, ok := body.(*tir.BlockRealize)
	if !ok || !p.sugar || len(r.Block.IterVars) > 0 || !tir.IsTrue(r.Predicate) || r.Block.Init != nil ||
		len(r.Block.Reads)+len(r.Block.Writes)+len(r.Block.MatchBuffers) > 0 || r.Block.Annotations.Len() > 0 || !impliedRoot(r.Block) {
		p.body(body)
		return
	}
	p.open(r)
	defer p.shut()
	p.open(r.Block)
	defer p.shut()
	p.begin(r)
	p.str("# with ")
	p.t("block(")
	p.quote(r.Block.Name)
	p.str("):")
	p.end()
	for _, b := range r.Block.AllocBuffers {
		p.bufferLine("alloc_buffer", b, false)
	}
	p.body(r.Block.Body)
}

// rootName is the name of a root block that is not written.
const rootName = "root"

// impliedRoot reports whether a function with the body of b and without b reads as one with b
// around it: b allocates buffers, or it holds blocks that need one around them.
func impliedRoot(b *tir.Block) bool {
	if b.Name != rootName || len(b.AllocBuffers) > 0 {
		return b.Name == rootName
	}
	if r, ok := b.Body.(*tir.BlockRealize); ok {
		return len(r.Block.IterVars) > 0
	}
	return contains(b.Body, func(n ir.Node) bool {
		_, ok := n.(*tir.BlockRealize)
		return ok
	})
}
