package parse

import (
	"fmt"
	"sort"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
)

// maxDiagnostics bounds the errors that are reported for one text.
const maxDiagnostics = 100

// diagnostics collects the errors of one text and turns offsets into spans.
type diagnostics struct {
	source *ir.Source
	lines  []int32 // offset of the start of each line
	last   int     // line of the last look-up, where the next one is likely to be
	list   []ir.Diagnostic
	fn     string       // function that is being read
	broken map[int]bool // lines with an error of the lexer
	spans  slab[ir.Span]
}

func newDiagnostics(name, text string) *diagnostics {
	d := &diagnostics{source: &ir.Source{Name: name, Text: text}, lines: make([]int32, 1, len(text)/32+1)}
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		d.lines = append(d.lines, int32(i))
	}
	return d
}

// position returns line and column of an offset, both from 1.
func (d *diagnostics) position(at int32) (line, col int) {
	i := d.last
	if d.lines[i] > at || i+1 < len(d.lines) && d.lines[i+1] <= at {
		if i+2 < len(d.lines) && d.lines[i+1] <= at && d.lines[i+2] > at {
			i++
		} else {
			i = sort.Search(len(d.lines), func(k int) bool { return d.lines[k] > at }) - 1
		}
		d.last = i
	}
	return i + 1, int(at-d.lines[i]) + 1
}

// span returns the span of a range of offsets.
func (d *diagnostics) span(at, end int32) *ir.Span {
	line, col := d.position(at)
	endLine, endCol := line, col+int(end-at)
	if line < len(d.lines) && end > d.lines[line] {
		endLine, endCol = d.position(end)
		d.last = line - 1
	}
	s := d.spans.take()
	s.Source, s.Line, s.Col, s.EndLine, s.EndCol = d.source, line, col, endLine, endCol
	return s
}

// add reports an error at a range of offsets.
func (d *diagnostics) add(at, end int32, message, help string) {
	if len(d.list) >= maxDiagnostics {
		return
	}
	d.list = append(d.list, ir.Diagnostic{Severity: ir.Error, Func: d.fn, Span: d.span(at, end), Message: cut(message), Help: cut(help)})
}

// maxMessage is the length of a message, which may quote a text that is as long as the source.
const maxMessage = 1000

// cut leaves out the middle of a long message.
func cut(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage/2], "") + " ... " + strings.ToValidUTF8(s[len(s)-maxMessage/2:], "")
}

// addLex reports an error of the lexer. Those of the parser on the same line would only follow
// from it.
func (d *diagnostics) addLex(at, end int32, message, help string) {
	d.add(at, end, message, help)
	line, _ := d.position(at)
	if d.broken == nil {
		d.broken = map[int]bool{}
	}
	d.broken[line] = true
}

// full reports whether no more errors are taken: what follows is not looked at.
func (d *diagnostics) full() bool { return len(d.list) >= maxDiagnostics }

// failed reports whether an error was found.
func (d *diagnostics) failed() bool {
	for _, x := range d.list {
		if x.Severity == ir.Error {
			return true
		}
	}
	return false
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
