package ir

import (
	"fmt"
	"strings"
)

// Format writes d as compilers do: place and message, the line, carets below the
// range, and the help.
func (d Diagnostic) Format() string {
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
		if line, ok := lineOf(s.Source.Text, int(s.Line)); ok {
			num := fmt.Sprintf("%5d | ", s.Line)
			b.WriteString(num + line + "\n")
			col, width := int(s.Col), int(s.EndCol-s.Col)
			if s.EndLine > s.Line || col+width > len(line)+1 {
				width = len(line) + 1 - col
			}
			b.WriteString(strings.Repeat(" ", len(num)-2) + "| ")
			for i := 0; i < col-1 && i < len(line); i++ {
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
