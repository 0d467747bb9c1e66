package parse

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// spans makes the spans of one text.
type spans struct {
	from   *syntax.Source
	source *ir.Source
	made   syntax.Slab[ir.Span]
}

func newSpans(s *syntax.Source) *spans {
	return &spans{from: s, source: &ir.Source{Name: s.Name, Text: s.Text}}
}

// span returns the span of a range of offsets.
func (s *spans) span(at, end int32) *ir.Span {
	out := s.made.Take()
	line, col, endLine, endCol := s.from.Range(at, end)
	*out = ir.Span{Source: s.source, Line: int32(line), Col: int32(col), EndLine: int32(endLine), EndCol: int32(endCol)}
	return out
}

// diagnostics returns errors as diagnostics.
func (s *spans) diagnostics(list []syntax.Error) []ir.Diagnostic {
	var out []ir.Diagnostic
	for _, e := range list {
		out = append(out, ir.Diagnostic{Severity: ir.Error, Func: e.In, Span: s.span(e.At, e.End), Message: e.Message, Help: e.Help})
	}
	return out
}

// setSpan gives a node that has just been made its span and origin; one that has a span keeps both.
func setSpan(n ir.Node, base ir.Base) {
	var p *ir.Base
	switch x := n.(type) {
	case *tir.Binary:
		p = &x.Base
	case *tir.IntImm:
		p = &x.Base
	case *tir.FloatImm:
		p = &x.Base
	case *tir.Cast:
		p = &x.Base
	case *tir.Call:
		p = &x.Base
	case *tir.Broadcast:
		p = &x.Base
	case *tir.Not:
		p = &x.Base
	case *tir.Select:
		p = &x.Base
	case *tir.Var:
		p = &x.Base
	case *tir.Buffer:
		p = &x.Base
	case *relax.Call:
		p = &x.Base
	}
	if p != nil && p.Span == nil {
		*p = base
	}
}

// opLine is the operator of an origin that is a line of the text, opInput that of a parameter.
const (
	opLine  = "line"
	opInput = "input"
)

// roots are the origins of a module: its parameters, and the lines that say something else.
type roots struct {
	table *ir.Origins
	lines []ir.OriginID // by number, as far as they were asked for
	// params are those of signatures, which are read more than once, by offset.
	params map[int32]ir.OriginID
}

// line returns the base of a node at a span: its origin is the line that the node begins in.
func (b *builder) line(s *ir.Span) ir.Base {
	if !b.opts.Roots || b.mod == nil {
		return ir.Base{Span: s}
	}
	r := &b.mod.roots
	if r.lines == nil {
		r.lines = make([]ir.OriginID, b.d.Lines()+1)
	}
	if r.lines[s.Line] == 0 {
		r.lines[s.Line] = r.table.Add(ir.Origin{Pass: "import", Name: fmt.Sprintf("line %d", s.Line), Op: opLine, Span: s})
	}
	return ir.Base{Span: s, Origin: r.lines[s.Line]}
}

// input returns the base of a parameter: it is an origin for itself.
func (b *builder) input(p *syntax.Param) ir.Base {
	base := ir.Base{Span: b.spans.span(p.At, p.End)}
	if !b.opts.Roots {
		return base
	}
	r := &b.mod.roots
	if r.params == nil {
		r.params = map[int32]ir.OriginID{}
	}
	if r.params[p.At] == 0 {
		r.params[p.At] = r.table.Add(ir.Origin{Pass: "import", Name: p.Name, Op: opInput, Span: base.Span})
	}
	base.Origin = r.params[p.At]
	return base
}

// gather says that a PrimFunc came from all lines of it, as a kernel comes from all
// operators that it computes.
func (b *builder) gather(f *tir.PrimFunc) {
	if !b.opts.Roots {
		return
	}
	seen := map[ir.OriginID]bool{f.Origin: true}
	all := []ir.OriginID{f.Origin}
	ir.Walk(f.Body, func(n ir.Node) bool {
		if _, is := n.(tir.Stmt); !is {
			return false
		}
		if id := n.Meta().Origin; id != 0 && !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
		return true
	})
	if len(all) > 1 {
		f.Origin = b.mod.roots.table.Add(ir.Origin{Pass: "import", Parents: all, Span: f.Span})
	}
}
