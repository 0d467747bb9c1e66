package compare

import (
	"znkr.io/diff"

	"github.com/irscope/irscope/instruments/event"
)

// key is what steps of two runs must share to stand for each other.
type key struct {
	name  string
	depth int
}

// align pairs the steps of two runs in order: the most that have the same name at the same depth. A row without a counterpart has
// -1 on the other side.
func align(a, b []*event.Step) [][2]int {
	var rows [][2]int
	x, y := 0, 0
	for _, e := range diff.Edits(keys(a), keys(b)) {
		switch e.Op {
		case diff.Match:
			rows = append(rows, [2]int{x, y})
			x, y = x+1, y+1
		case diff.Delete:
			rows = append(rows, [2]int{x, -1})
			x++
		case diff.Insert:
			rows = append(rows, [2]int{-1, y})
			y++
		}
	}
	return rows
}

func keys(steps []*event.Step) []key {
	out := make([]key, len(steps))
	for i, s := range steps {
		out[i] = key{s.Name, s.Depth}
	}
	return out
}

// side is one of the runs: its steps in the order of the tree, and the texts that each step gave functions.
type side struct {
	run     *event.Run
	steps   []*event.Step
	changes map[*event.Step][]event.TextChange
	metrics map[*event.Step]*event.Metrics // after the steps that measured
	// last is the number of the last step inside of a step, or its own.
	last []int
	// open are the sequences that are entered and not left; left are the own changes of those that were left behind the last row.
	open []int
	left []event.TextChange
}

func newSide(r *event.Run) *side {
	d := &side{run: r, steps: r.All(), changes: map[*event.Step][]event.TextChange{}, metrics: map[*event.Step]*event.Metrics{}}
	for _, c := range r.Changes {
		d.changes[c.Step] = append(d.changes[c.Step], c)
	}
	for _, l := range r.Lanes {
		d.metrics[l.Step] = l.Metrics
	}
	number := map[string]int{}
	d.last = make([]int, len(d.steps))
	for i, s := range d.steps {
		number[s.Path] = i
	}
	for i := len(d.steps) - 1; i >= 0; i-- {
		d.last[i] = max(d.last[i], i)
		if p, ok := number[d.steps[i].Parent]; ok && p < i {
			d.last[p] = max(d.last[p], d.last[i])
		}
	}
	return d
}

// until returns what changes when step i has ended, which the steps before it have not done: its own changes, and before them what
// sequences that ended in between report of themselves. The row of a sequence stands before its steps, and changes nothing yet.
func (d *side) until(i int) []event.TextChange {
	out := d.left
	d.left = nil
	if d.last[i] > i {
		d.open = append(d.open, i)
		return out
	}
	out = append(out, d.changes[d.steps[i]]...)
	for n := len(d.open) - 1; n >= 0 && d.last[d.open[n]] <= i; n-- {
		d.left = append(d.left, d.changes[d.steps[d.open[n]]]...)
		d.open = d.open[:n]
	}
	return out
}

// step describes step i.
func (d *side) step(i int) *Step {
	s := d.steps[i]
	out := &Step{Path: s.Path, Name: s.Name, Depth: s.Depth, Sequence: len(s.Children) > 0, Status: s.Status, Text: s.Text, Total: s.Measured.Total}
	if s.Finished != nil {
		out.Added, out.Removed = s.Finished.Added, s.Finished.Removed
	}
	if !out.Sequence {
		out.Metrics = d.metrics[s]
	}
	return out
}

// imported describes the module as it was read.
func imported(r *event.Run) *Step {
	if r.Started == nil {
		return nil
	}
	return &Step{Path: r.Import.Path, Name: r.Import.Name, Status: r.Import.Status, Total: r.ImportTime, Metrics: r.Started.Metrics}
}

// generated describes the code.
func generated(r *event.Run) *Step {
	if r.Code == nil {
		return nil
	}
	return &Step{Path: r.Generated.Path, Name: r.Generated.Name, Status: r.Generated.Status, Total: r.CodegenTime}
}
