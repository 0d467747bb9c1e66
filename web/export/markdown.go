package export

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
)

// maxReportDiff is the size of all diffs of a Markdown report.
const maxReportDiff = 256 << 10

// Markdown returns one run of a bundle as a report in Markdown: the table of passes, the
// differences up to a limit, and the outputs.
func Markdown(ctx context.Context, b *Bundle, r *Run, rep Report) ([]byte, error) {
	o := newOutline(b, r)
	m := &markdown{differ: differ{bundle: b, left: maxReportDiff}}
	m.line("# %s", plain(b.Session.Title))
	m.line("Run of %s: **%s**. Exported by irscope %s.", r.Created.UTC().Format(time.RFC3339), plain(string(o.Finish.Status)), plain(rep.Program))
	for _, f := range facts(o) {
		m.item("%s: %s", f.Name, plain(f.Value))
	}
	m.buf.WriteString("\n")
	if o.Finish.Error != nil {
		m.line("**Error** (%s): %s", plain(string(o.Finish.Error.Kind)), plain(o.Finish.Error.Message))
	}
	if rep.Command != "" {
		m.fence("sh", rep.Command+"\n")
	}
	if len(o.Notes) > 0 {
		m.line("## Notes")
	}
	for _, n := range o.Notes {
		m.note(n.Text, place(n))
	}
	if len(o.Diagnostics) > 0 {
		m.line("## Messages")
		for _, d := range o.Diagnostics {
			m.item("%s: %s", plain(string(d.Severity)), plain(d.Message+" "+d.Help))
		}
		m.buf.WriteString("\n")
	}
	m.passes(o)
	if err := m.changes(ctx, o); err != nil {
		return nil, err
	}
	m.result(o)
	return []byte(m.buf.String()), nil
}

// markdown writes a report.
type markdown struct {
	differ
	buf strings.Builder
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.buf, format+"\n\n", args...) }
func (m *markdown) item(format string, args ...any) { fmt.Fprintf(&m.buf, "- "+format+"\n", args...) }

// note writes a note as a quotation.
func (m *markdown) note(text, where string) {
	if where != "" {
		m.buf.WriteString("> **" + plain(where) + "**\n>\n")
	}
	for line := range strings.Lines(text) {
		m.buf.WriteString("> " + plain(line) + "\n")
	}
	m.buf.WriteString("\n")
}

// fence writes a block of code. Its fence is longer than any run of its characters inside.
func (m *markdown) fence(language, text string) {
	longest, run := 0, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	bar := strings.Repeat("`", max(3, longest+1))
	m.buf.WriteString(bar + language + "\n" + clean(text) + bar + "\n\n")
}

// passes writes the table of passes.
func (m *markdown) passes(o *outline) {
	m.line("## Passes")
	m.buf.WriteString("| step | pass | status | + | - | renamed | moved | time |\n|---|---|---|---:|---:|---:|---:|---:|\n")
	for _, s := range o.Steps {
		status := s.Status
		if s.Note != "" {
			status += ": " + s.Note
		}
		if s.Error != nil {
			status += ": " + s.Error.Message
		}
		fmt.Fprintf(&m.buf, "| %s | %s | %s | %d | %d | %d | %d | %s |\n", plain(s.Path), plain(s.Name), plain(status), s.Added, s.Removed, s.Renamed, s.Moved, duration(s.Total))
	}
	m.buf.WriteString("\n")
}

// changes writes the differences and notes of each step.
func (m *markdown) changes(ctx context.Context, o *outline) error {
	m.line("## Changes")
	for _, s := range o.Steps {
		inner := s.Done != nil && len(s.Done.Functions) > 0 && !o.sequential(s)
		if !inner && len(s.Notes) == 0 {
			continue
		}
		m.line("### %s %s", plain(s.Path), plain(s.Name))
		for _, n := range s.Notes {
			m.note(n.Text, place(n))
		}
		if !inner {
			continue
		}
		for i, f := range s.Done.Functions {
			if i == maxFunctions {
				m.line("%d more functions changed.", len(s.Done.Functions)-i)
				break
			}
			m.line("%s, %s, %s", plain(f.Name), f.Change, plain(countText(f.Delta())))
			var rows strings.Builder
			cut, err := m.function(ctx, f, func(before, after int) {
				fmt.Fprintf(&rows, "@@ -%d +%d @@\n", before, after)
			}, func(r highlight.Row) int {
				start := rows.Len()
				rows.WriteString(reportSign(r))
				short, more := shorten(r.Text)
				for _, span := range short {
					rows.WriteString(strings.ToValidUTF8(span.Text, "\ufffd"))
				}
				if more || r.Cut {
					rows.WriteString(" …")
				}
				rows.WriteString("\n")
				return rows.Len() - start
			})
			if err != nil {
				return err
			}
			if rows.Len() > 0 {
				m.fence("diff", rows.String())
			}
			if cut != "" {
				m.line("(%s)", cut)
			}
		}
	}
	return nil
}

// reportSign begins a row of a report. A renamed line stands in place of one side as in place of the other, so
// one sign does for both; a moved line goes from "<" to ">".
func reportSign(r highlight.Row) string {
	switch {
	case r.Mark == highlight.Renamed:
		return "~"
	case r.Mark == highlight.Moved && r.Kind == "del":
		return "<"
	case r.Mark == highlight.Moved:
		return ">"
	case r.Kind == "add":
		return "+"
	case r.Kind == "del":
		return "-"
	}
	return " "
}

// countText says how many lines of a function differ, in words that Markdown leaves alone.
func countText(d event.Delta) string {
	out := fmt.Sprintf("+%d -%d", d.Added, d.Removed)
	if d.OnlyNames() {
		return fmt.Sprintf("names only, %d lines", d.Renamed)
	}
	if d.Renamed > 0 {
		out += fmt.Sprintf(", %d renamed", d.Renamed)
	}
	if d.Moved > 0 {
		out += fmt.Sprintf(", %d moved", d.Moved)
	}
	return out
}

// result writes the executions.
func (m *markdown) result(o *outline) {
	if len(o.Executions) == 0 {
		return
	}
	m.line("## Result")
	for _, e := range o.Executions {
		x := e.Body
		name := plain(x.Function)
		if b := bindingsText(x.Bindings); b != "" {
			name += " with " + plain(b)
		}
		m.line("### %s", name)
		if x.Error != nil {
			m.line("**Error**: %s", plain(x.Error.Message))
		}
		for _, t := range x.Inputs {
			m.item("input %s: %s; %s", plain(t.Name), plain(tensorText(t)), rangeText(t))
		}
		for _, t := range x.Outputs {
			m.item("output %s: %s; %s", plain(t.Name), plain(tensorText(t)), rangeText(t))
		}
		m.buf.WriteString("\n")
	}
}

// plain returns a text as Markdown that shows it: on one line, and nothing in it is markup.
func plain(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]|>#~!:@", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}
