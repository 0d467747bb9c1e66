package export

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/store"
)

// What the parts of a report may have, in bytes, and all of it together: GitHub takes 65,536 characters for an issue. Differences get
// what the other parts leave.
const (
	MaxMarkdown = 60_000 - 1

	maxReportCommand  = 4_000
	maxReportNotes    = 8_000
	maxReportMessages = 4_000
	maxReportTable    = 16_000
	maxReportResult   = 6_000
	maxReportCheck    = 6_000
	// maxReportName is what a name has in a table or a heading, maxReportText what a sentence has.
	maxReportName = 100
	maxReportText = 1_000
)

// Markdown returns one run of a bundle as a report for an issue, of at most MaxMarkdown bytes: the table of passes, differences, and
// the outputs. What there is no room for is left out, and the report says so.
func Markdown(ctx context.Context, b *Bundle, r *Run, rep Report) ([]byte, error) {
	o := newOutline(b, r)
	head := &markdown{left: MaxMarkdown}
	head.line("# %s", short(b.Session.Title, 4*maxReportName))
	head.line("Run of %s: **%s**. Exported by irscope %s.", r.Created.UTC().Format(time.RFC3339), plain(string(o.Finish.Status)), short(rep.Program, maxReportName))
	if rep.Link != "" {
		head.line("All of it: <%s>", rep.Link)
	}
	var items []string
	for _, f := range facts(o) {
		items = append(items, fmt.Sprintf("- %s: %s\n", f.Name, short(f.Value, maxReportName)))
	}
	head.put(strings.Join(items, "") + "\n")
	if o.Finish.Error != nil {
		head.line("**Error** (%s): %s", plain(string(o.Finish.Error.Kind)), short(o.Finish.Error.Message, maxReportText))
	}
	switch n := len(rep.Command); {
	case n > maxReportCommand:
		head.line("(The command line has %d characters and is not shown; the archive has all.)", n)
	case n > 0:
		head.put(fence("sh", rep.Command+"\n"))
	}
	head.section("## Notes", maxReportNotes, "notes", len(o.Notes), func(i int) string { return noteText(o.Notes[i]) })
	head.section("## Messages", maxReportMessages, "messages", len(o.Diagnostics), func(i int) string {
		d := o.Diagnostics[i]
		return fmt.Sprintf("- %s: %s\n", plain(string(d.Severity)), short(d.Message+" "+d.Help, maxReportText))
	})
	head.section("## Passes\n\n| step | pass | status | + | - | renamed | moved | time |\n|---|---|---|---:|---:|---:|---:|---:|", maxReportTable, "steps", len(o.Steps), func(i int) string { return tableRow(o.Steps[i]) })
	tail := &markdown{left: maxReportResult}
	tail.result(o)
	checks := &markdown{left: maxReportCheck}
	checks.checked(rep.Check)
	m := &changes{markdown: markdown{left: head.left - tail.buf.Len() - checks.buf.Len()}, differ: differ{bundle: b}}
	if err := m.write(ctx, o); err != nil {
		return nil, err
	}
	return []byte(head.buf.String() + m.buf.String() + tail.buf.String() + checks.buf.String()), nil
}

// markdown writes a report, or a part of it, as long as there is room.
type markdown struct {
	buf  strings.Builder
	left int // bytes
}

// put writes a block if there is room for all of it.
func (m *markdown) put(block string) bool {
	if len(block) > m.left {
		return false
	}
	m.buf.WriteString(block)
	m.left -= len(block)
	return true
}

// line writes a paragraph.
func (m *markdown) line(format string, args ...any) bool {
	return m.put(fmt.Sprintf(format+"\n\n", args...))
}

// section writes a list of n items under a heading, within a number of bytes, and says how many it leaves out.
func (m *markdown) section(heading string, room int, what string, n int, item func(i int) string) {
	if n == 0 {
		return
	}
	part := markdown{left: min(room, m.left) - 100} // for the last line
	first, last, _ := strings.Cut(heading, "\n\n")
	part.line("%s", first)
	if last != "" {
		part.put(last + "\n")
	}
	i := 0
	for i < n && part.put(item(i)) {
		i++
	}
	part.left += 100
	part.put("\n")
	if i < n {
		part.line("(%d more %s are left out; the archive has all.)", n-i, what)
	}
	m.put(part.buf.String())
}

// noteText returns a note as a quotation.
func noteText(n store.Note) string {
	var b strings.Builder
	if where := place(n); where != "" {
		b.WriteString("> **" + short(where, 3*maxReportName) + "**\n>\n")
	}
	for line := range strings.Lines(n.Text) {
		b.WriteString("> " + plain(line) + "\n")
	}
	b.WriteString("\n")
	return b.String()
}

// fence returns a block of code. Its fence is longer than any run of its characters inside.
func fence(language, text string) string {
	longest, run := 0, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	bar := strings.Repeat("`", max(3, longest+1))
	return bar + language + "\n" + clean(text) + bar + "\n\n"
}

// tableRow returns the row of a step in the table of passes.
func tableRow(s *step) string {
	status := s.Status
	if s.Note != "" {
		status += ": " + s.Note
	}
	if s.Error != nil {
		status += ": " + s.Error.Message
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %d | %s |\n", short(s.Path, maxReportName), short(s.Name, maxReportName), short(status, 2*maxReportName), s.Added, s.Removed, s.Renamed, s.Moved, duration(s.Total))
}

// changes writes the differences and notes of each step.
type changes struct {
	markdown
	differ
	omitted int // functions
}

// write gives each step that changed something an equal share of the room, and to later ones what earlier ones left.
func (m *changes) write(ctx context.Context, o *outline) error {
	var steps []*step
	for _, s := range o.Steps {
		if len(s.Notes) > 0 || m.shows(o, s) {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	m.line("## Changes")
	const last = 100 // of the line that says what is left out
	m.markdown.left -= last
	for i, s := range steps {
		if err := m.step(ctx, o, s, m.markdown.left/(len(steps)-i)); err != nil {
			return err
		}
	}
	m.markdown.left += last
	if m.omitted > 0 {
		m.line("(%d changed functions are left out; the archive has all.)", m.omitted)
	}
	return nil
}

// shows reports whether a step has differences of its own.
func (m *changes) shows(o *outline, s *step) bool {
	return s.Done != nil && len(s.Done.Functions) > 0 && !o.sequential(s)
}

// step writes a step within its share of the room.
func (m *changes) step(ctx context.Context, o *outline, s *step, share int) error {
	end := m.markdown.left - share
	m.line("### %s %s", short(s.Path, maxReportName), short(s.Name, maxReportName))
	for _, n := range s.Notes {
		if text := noteText(n); len(text) > m.markdown.left-end || !m.put(text) {
			m.line("(A note is left out; the archive has it.)")
		}
	}
	if !m.shows(o, s) {
		return nil
	}
	// The functions that changed most come first.
	for i, f := range s.Done.Functions {
		room := m.markdown.left - end - smallBlock
		if room < 0 {
			m.omitted += len(s.Done.Functions) - i
			return nil
		}
		block, err := m.block(ctx, f, room)
		if err != nil {
			return err
		}
		if !m.put(block) {
			m.omitted++
		}
	}
	return nil
}

// smallBlock is the room below which the difference of another function is not begun.
const smallBlock = 250

// block returns the difference of a function, of about so many bytes.
func (m *changes) block(ctx context.Context, f event.FunctionChange, room int) (string, error) {
	var rows strings.Builder
	m.differ.left = room
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
		return "", err
	}
	out := fmt.Sprintf("%s, %s, %s\n\n", short(f.Name, maxReportName), f.Change, plain(countText(f.Delta())))
	if rows.Len() > 0 {
		out += fence("diff", rows.String())
	}
	if cut != "" {
		out += "(" + cut + ")\n\n"
	}
	return out, nil
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
	m.section("## Result", m.left, "executions", len(o.Executions), func(i int) string {
		x := o.Executions[i].Body
		name := short(x.Function, maxReportName)
		if b := bindingsText(x.Bindings); b != "" {
			name += " with " + short(b, 2*maxReportName)
		}
		out := "### " + name + "\n\n"
		if x.Error != nil {
			out += "**Error**: " + short(x.Error.Message, maxReportText) + "\n\n"
		}
		const most = 5 // tensors of a kind
		list := func(kind string, tensors []event.Tensor) {
			for i, t := range tensors {
				if i == most {
					out += fmt.Sprintf("- %d more of kind %s\n", len(tensors)-i, kind)
					return
				}
				out += fmt.Sprintf("- %s %s: %s; %s\n", kind, short(t.Name, maxReportName), short(tensorText(t), 2*maxReportName), rangeText(t))
			}
		}
		list("input", x.Inputs)
		list("output", x.Outputs)
		return out + "\n"
	})
}

// short returns a text as plain does, cut so that it has at most so many bytes.
func short(s string, most int) string {
	out := plain(s)
	if len(out) <= most {
		return out
	}
	var b strings.Builder
	for _, r := range clean(s) {
		piece := plainRune(r)
		if b.Len()+len(piece)+len("…") > most {
			break
		}
		b.WriteString(piece)
	}
	return strings.TrimSpace(b.String()) + "…"
}

// plain returns a text as Markdown that shows it: on one line, and nothing in it is markup.
func plain(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		b.WriteString(plainRune(r))
	}
	return strings.TrimSpace(b.String())
}

// plainRune returns a character as plain writes it.
func plainRune(r rune) string {
	switch {
	case r == '\n' || r == '\t':
		return " "
	case r == '<':
		return "&lt;"
	case r == '&':
		return "&amp;"
	case strings.ContainsRune("\\`*_[]|>#~!:@", r):
		return "\\" + string(r)
	default:
		return string(r)
	}
}
