package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// parts are the places of the parts of the text of a PrimFunc that was printed alone, in bytes and in lines: its signature begins at
// head, its attributes at attrs, and what is behind them at body.
type parts struct {
	head, attrs, body             int
	headLine, attrsLine, bodyLine int
}

// Annotated prints f, a function with the code of g and other attributes, given the text of g that Function printed with the same
// name and options. Most of it is copied. It returns nil where more than the attributes would be printed otherwise.
func Annotated(name string, f *tir.PrimFunc, text *Text, g *tir.PrimFunc, o Options) *Text {
	at := text.parts
	if at.body == 0 || !f.SameCode(g) || f.Attrs.Has(ir.AttrCallingConv) != g.Attrs.Has(ir.AttrCallingConv) {
		return nil
	}
	p := newPrinter(o.kept(), f)
	if p.track != nil || p.meta != nil || o.PrintLineNumbers || p.declaresAlias() {
		return nil
	}
	p.decorator(f)
	p.parts.head, p.parts.headLine = len(p.buf), p.line
	p.str(text.Source[at.head:at.attrs])
	p.parts.attrs, p.parts.attrsLine = len(p.buf), p.line+at.attrsLine-at.headLine
	p.lines = append(p.lines, text.Lines[at.headLine:at.attrsLine]...)
	p.line = p.parts.attrsLine
	p.indent++
	p.funcAttrs(name, f)
	if p.undefinedUse || len(p.names.order) > 0 { // they name what the code defines
		if o.Scratch != nil {
			o.Scratch.put(p)
		}
		return nil
	}
	for len(p.lines) < p.line {
		p.lines = append(p.lines, nil)
	}
	p.parts.body, p.parts.bodyLine = len(p.buf), p.line
	p.str(text.Source[at.body:])
	p.lines = append(p.lines, text.Lines[at.bodyLine:]...)
	p.line = len(p.lines)
	return p.text()
}
