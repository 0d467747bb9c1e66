package parse

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
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

// Format writes a diagnostic as compilers do: place and message, the line, carets below the
// range, and the help.
func Format(d ir.Diagnostic) string {
	var b strings.Builder
	if d.Span != nil {
		fmt.Fprintf(&b, "%s: ", d.Span)
	}
	fmt.Fprintf(&b, "%s: ", d.Severity)
	if d.Func != "" {
		fmt.Fprintf(&b, "%s: ", d.Func)
	}
	b.WriteString(d.Message)
	b.WriteByte('\n')
	if s := d.Span; s != nil && s.Source != nil {
		if line, ok := lineOf(s.Source.Text, s.Line); ok {
			num := fmt.Sprintf("%5d | ", s.Line)
			b.WriteString(num + line + "\n")
			width := s.EndCol - s.Col
			if s.EndLine > s.Line || s.Col+width > len(line)+1 {
				width = len(line) + 1 - s.Col
			}
			b.WriteString(strings.Repeat(" ", len(num)-2) + "| ")
			for i := 0; i < s.Col-1 && i < len(line); i++ {
				if line[i] == '\t' {
					b.WriteByte('\t')
				} else {
					b.WriteByte(' ')
				}
			}
			b.WriteString(strings.Repeat("^", max(width, 1)) + "\n")
		}
	}
	if d.Help != "" {
		b.WriteString("      = help: " + d.Help + "\n")
	}
	return b.String()
}

func lineOf(text string, line int) (string, bool) {
	for ; line > 1; line-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return "", false
		}
		text = text[i+1:]
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r"), true
}
