package templates

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// codeRows renders rows of code as the script does, which puts its own in their place: what the page opens on is seen before a script
// has run, and without one. It is written by hand because every blank counts there and templ's formatter moves blanks between elements.
func codeRows(c CodeBlock) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		b.WriteString(`<div class="code-view plain-code" tabindex="0" role="group" aria-label="Code">`)
		for _, row := range c.Rows {
			row.write(&b, c.Diff, c.Digits)
		}
		b.WriteString("</div>")
		if _, err := io.WriteString(w, b.String()); err != nil {
			return fmt.Errorf("write code: %w", err)
		}
		return nil
	})
}

// signs are those of kinds and marks of rows; a mark goes first.
var signs = map[string]string{"add": "+", "del": "−", "renamed": "~", "moved": "↕", "indented": "⇥"}

// write writes a row: its numbers with a sign behind them, its text, and the type of what it binds.
func (row CodeRow) write(b *strings.Builder, two bool, digits int) {
	fmt.Fprintf(b, `<div class="plain-row is-%s`, templ.EscapeString(row.Kind))
	if row.Mark != "" {
		fmt.Fprintf(b, " marked is-%s", templ.EscapeString(row.Mark))
	}
	b.WriteString(`">`)
	if row.Kind == "fold" {
		b.WriteString(`<span class="fold-cell"><span class="fold">⋯ `)
		writeSpans(b, row.Spans)
		b.WriteString("</span></span></div>")
		return
	}
	number := func(n int, sign string) {
		text := ""
		if n > 0 {
			text = strconv.Itoa(n)
		}
		fmt.Fprintf(b, `<span class="ln">%*s %s</span>`, digits, text, sign)
	}
	if two {
		number(row.Before, " ")
	}
	sign := signs[row.Kind]
	if row.Mark != "" {
		sign = signs[row.Mark]
	}
	if sign == "" {
		sign = " "
	}
	number(row.After, sign)
	class := "tx"
	if len(row.Type) > 0 {
		class = "tx typed"
	}
	fmt.Fprintf(b, `<span class="%s">`, class)
	writeSpans(b, row.Spans)
	b.WriteString("</span>")
	if len(row.Type) > 0 {
		b.WriteString(`<span class="ty">`)
		writeSpans(b, row.Type)
		b.WriteString("</span>")
	}
	b.WriteString("</div>")
}

// writeSpans writes pieces of text, escaped.
func writeSpans(b *strings.Builder, spans []Span) {
	for _, s := range spans {
		text := templ.EscapeString(s.Text)
		if s.Class != "" {
			text = fmt.Sprintf(`<span class="%s">%s</span>`, templ.EscapeString(s.Class), text)
		}
		if s.Differs {
			text = "<mark>" + text + "</mark>"
		}
		b.WriteString(text)
	}
}
