package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/irscope/irscope/cmd/explorer/terminal"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// The columns of the table of passes.
const (
	columnPass = iota
	columnStatus
	columnLines
	columnFunctions
	columnTime
)

// Usual widths: what a step did to the lines of a module, and a time.
const (
	linesWidth = 14
	timeWidth  = 7
	nameWidth  = 32 // at least; names of steps that are not planned come later
)

// passRows writes the table of passes while they run: what each changed and how long it took. A sequence has its row behind those
// of its passes, as folders have in du(1), because it ends behind them.
type passRows struct {
	w     io.Writer
	when  terminal.When
	run   *event.Run
	table *terminal.Table
	done  int // of run.Ends

	onlyChanged bool // the passes that changed nothing are left out
}

func newPassRows(w io.Writer, when terminal.When, onlyChanged bool) *passRows {
	return &passRows{w: w, when: when, run: event.NewRun(), onlyChanged: onlyChanged}
}

// fold takes an event without writing anything.
func (p *passRows) fold(e event.Event) error {
	p.run.Apply(e.Brief())
	return nil
}

// add writes the rows that an event completes.
func (p *passRows) add(e event.Event) error {
	p.run.Apply(e.Brief())
	for ; p.done < len(p.run.Ends); p.done++ {
		s := p.run.Ends[p.done]
		if p.onlyChanged && s.Status == event.StepSame {
			continue
		}
		if p.table == nil {
			if err := p.begin(); err != nil {
				return err
			}
		}
		if err := p.table.Row(passRow(s)...); err != nil {
			return err
		}
	}
	return nil
}

// begin writes the head of the table.
func (p *passRows) begin() error {
	name := nameWidth
	for _, s := range p.run.All() {
		name = max(name, 2*s.Depth+utf8.RuneCountInString(s.Name))
	}
	width, _ := terminal.Width(p.w)
	p.table = terminal.NewTable(p.w, p.when, width, []terminal.Column{
		columnPass:      {Head: "PASS", Width: name},
		columnStatus:    {Width: len("x changed")},
		columnLines:     {Head: "LINES", Width: linesWidth, Right: true},
		columnFunctions: {Head: "FUNCTIONS", Right: true},
		columnTime:      {Head: "TIME", Width: timeWidth, Right: true, Style: terminal.Dim},
	}, columnLines, columnFunctions)
	return p.table.Head()
}

// passRow is a row of the table.
func passRow(s *event.Step) []terminal.Cell {
	took := ""
	if s.Measured.Total > 0 {
		took = short(time.Duration(s.Measured.Total))
	}
	name := strings.Repeat("  ", s.Depth) + s.Name
	switch s.Status {
	case event.StepSame:
		return []terminal.Cell{{Text: name, Style: terminal.Dim}, {Text: "○ same", Style: terminal.Dim}, {}, {}, {Text: took}}
	case event.StepChanged:
		return []terminal.Cell{
			{Text: name},
			{Text: "● changed", Style: terminal.Blue},
			{Text: s.Finished.Delta().String(), Paint: paintDelta},
			{Text: strconv.Itoa(len(s.Finished.Functions))},
			{Text: took},
		}
	case event.StepUnknown:
		return []terminal.Cell{{Text: name, Style: terminal.Dim}, {Text: "? unknown", Style: terminal.Dim}, {Text: s.Finished.Delta().String(), Paint: paintDelta}}
	case event.StepSkipped:
		return []terminal.Cell{{Text: name, Style: terminal.Dim}, {Text: "– " + s.Text, Style: terminal.Dim}}
	default:
		return []terminal.Cell{{Text: name, Style: terminal.Red}, {Text: "✕ failed", Style: terminal.Red}}
	}
}

// paintDelta colors numbers of lines as differences are: +3 -2 ~1 ↕4.
func paintDelta(text string) string {
	parts := strings.Split(text, " ")
	for i, p := range parts {
		switch {
		case strings.HasPrefix(p, "+"):
			parts[i] = terminal.Paint(terminal.Green, p)
		case strings.HasPrefix(p, "-"):
			parts[i] = terminal.Paint(terminal.Red, p)
		case strings.HasPrefix(p, "~"):
			parts[i] = terminal.Paint(terminal.Blue, p)
		default:
			parts[i] = terminal.Paint(terminal.Purple, p)
		}
	}
	return strings.Join(parts, " ")
}

// printTimes writes the time of each pass as a tree: with the passes inside of it and without, and its share of all time.
func printTimes(w io.Writer, when terminal.When, roots []*instruments.Profile) error {
	if len(roots) == 0 {
		return nil
	}
	var all time.Duration
	name := 0
	var walk func(list []*instruments.Profile, depth int, visit func(p *instruments.Profile, depth int) error) error
	walk = func(list []*instruments.Profile, depth int, visit func(p *instruments.Profile, depth int) error) error {
		for _, p := range list {
			if err := visit(p, depth); err != nil {
				return err
			}
			if err := walk(p.Children, depth+1, visit); err != nil {
				return err
			}
		}
		return nil
	}
	_ = walk(roots, 0, func(p *instruments.Profile, depth int) error { // it returns no error
		all += p.Self
		name = max(name, 2*depth+utf8.RuneCountInString(p.Name))
		return nil
	})
	width, _ := terminal.Width(w)
	t := terminal.NewTable(w, when, width, []terminal.Column{
		{Head: "PASS", Width: name},
		{Head: "TOTAL", Width: timeWidth, Right: true},
		{Head: "SELF", Width: timeWidth, Right: true},
		{Head: "OF ALL", Right: true, Style: terminal.Dim},
	}, 3)
	if err := t.Head(); err != nil {
		return err
	}
	return walk(roots, 0, func(p *instruments.Profile, depth int) error {
		share := ""
		if all > 0 {
			share = fmt.Sprintf("%.1f%%", 100*float64(p.Self)/float64(all))
		}
		row := []terminal.Cell{{Text: strings.Repeat("  ", depth) + p.Name}, {Text: short(p.Total)}, {Text: short(p.Self)}, {Text: share}}
		if p.Failed {
			row[0].Style = terminal.Red
		}
		return t.Row(row...)
	})
}

// short writes a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3gms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.3gµs", float64(d)/1e3)
}

// say writes a line, in a paragraph where w is a terminal that is narrower.
func say(w io.Writer, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if width, known := terminal.Width(w); known && utf8.RuneCountInString(line) > width {
		line = terminal.Wrap(line, "    ", width)
	}
	fmt.Fprintln(w, line)
}
