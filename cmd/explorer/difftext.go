package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/instruments/compact"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
	"github.com/irscope/irscope/web/highlight"
)

// newDiffWriter returns a writer of differences. With colours it writes past the filter for escape sequences, and is one itself.
func newDiffWriter(w io.Writer, when terminal.When, context int) *diffWriter {
	color := terminal.Colors(w, when)
	if color {
		w = terminal.Raw(w)
	}
	return &diffWriter{w: w, color: color, context: context, language: event.LangTVMScript}
}

// diffWriter writes differences in the unified format, which programs read. Behind the ranges of
// a hunk it says how many of its lines are renamed or moved only; where it may colour, these have
// colours of their own, and words are marked as on the page.
type diffWriter struct {
	w       io.Writer
	color   bool
	context int
	compact bool // the short form for reading
	// language is that of the texts.
	language string
}

// paint returns text in a style.
func (d *diffWriter) paint(style terminal.Style, text string) string {
	if !d.color {
		return text
	}
	return terminal.Paint(style, text)
}

// function writes the difference of the texts of one function.
func (d *diffWriter) function(labelA, labelB, name, before, after string) error {
	for _, s := range []*string{&labelA, &labelB, &name, &before, &after} {
		*s = terminal.Plain(*s)
	}
	if d.compact {
		views := compact.Views(before, after)
		before, after = views[0].String(), views[1].String()
	}
	diff := highlight.NewDiff(highlight.NewDocument(d.language, before), highlight.NewDocument(d.language, after))
	layout := diff.Layout(highlight.Unified, d.context)
	var b strings.Builder
	fmt.Fprintln(&b, d.paint(terminal.Bold, "--- "+labelA+": "+name))
	fmt.Fprintln(&b, d.paint(terminal.Bold, "+++ "+labelB+": "+name))
	xs, ys := linediff.Lines(before), linediff.Lines(after)
	for _, h := range layout.Hunks {
		var rows strings.Builder
		n, m := 0, 0
		marked := map[highlight.RowMark]int{}
		layout.Each(h, func(r highlight.Row) {
			marked[r.Mark]++
			switch r.Kind {
			case "del":
				n++
				d.row(&rows, styleOf(r.Mark, terminal.Red), "-", r, xs[r.Before-1])
			case "add":
				m++
				d.row(&rows, styleOf(r.Mark, terminal.Green), "+", r, ys[r.After-1])
			default:
				n, m = n+1, m+1
				rows.WriteString(" " + xs[r.Before-1] + "\n")
			}
		})
		fmt.Fprintln(&b, d.paint(terminal.Cyan, fmt.Sprintf("@@ -%s +%s @@", lineRange(h.Before, n), lineRange(h.After, m))+section(marked)))
		b.WriteString(rows.String())
	}
	if len(layout.Hunks) == 0 {
		fmt.Fprintln(&b, d.paint(terminal.Cyan, "@@ differs only in what the compact form leaves out @@"))
	}
	_, err := io.WriteString(d.w, b.String())
	return err
}

// section says how many lines of a hunk are renamed or moved.
func section(marked map[highlight.RowMark]int) string {
	out := ""
	for _, mark := range []highlight.RowMark{highlight.Renamed, highlight.Moved} {
		if n := marked[mark]; n > 0 {
			out += fmt.Sprintf(", %d %s", n, mark)
		}
	}
	if out == "" {
		return ""
	}
	return " lines: " + out[2:]
}

// styleOf returns the style of a changed line that may have a mark.
func styleOf(mark highlight.RowMark, style terminal.Style) terminal.Style {
	switch mark {
	case highlight.Renamed:
		return terminal.Blue
	case highlight.Moved:
		return terminal.Purple
	}
	return style
}

// row writes a changed line; what differs within it is marked where colours are used.
func (d *diffWriter) row(b *strings.Builder, style terminal.Style, sign string, r highlight.Row, line string) {
	if !d.color {
		b.WriteString(sign + line + "\n")
		return
	}
	text := line
	if !r.Cut {
		var words strings.Builder
		for _, s := range r.Text {
			if s.Mark {
				words.WriteString(string(terminal.Marked) + s.Text + string(terminal.Unmarked))
			} else {
				words.WriteString(s.Text)
			}
		}
		text = words.String()
	}
	b.WriteString(terminal.Paint(style, sign+text) + "\n")
}

// lineRange writes a range of lines as the unified format does: an empty one names the line
// before it.
func lineRange(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}
