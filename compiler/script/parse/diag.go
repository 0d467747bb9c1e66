package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
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
	out.Source = s.source
	out.Line, out.Col, out.EndLine, out.EndCol = s.from.Range(at, end)
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
