package instruments

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

// changes compares the module that a pass was given with the one that it returned. It returns the differences of the functions, too, whose hunks are not
// made yet; none for a sequence.
func (r *Recorder) changes(m *ir.Module, s *pass.Step) (*event.PassFinished, []event.Diff, error) {
	if before, ok := r.inputs[s]; ok {
		delete(r.inputs, s)
		body, err := r.sequence(before, m, s)
		return body, nil, err
	}
	delta := r.snaps.Delta(s.Input, m)
	r.stale = delta
	body := &event.PassFinished{Name: s.Pass.Name, Changed: len(delta) > 0, Same: m.Len()}
	if len(delta) > 0 {
		body.Functions = make([]event.FunctionChange, 0, len(delta))
	}
	diffs, list := make([]linediff.Change, len(delta)), make([]event.Diff, len(delta))
	for i, d := range delta {
		c := event.FunctionChange{Name: d.Name, Change: changeOf(d)}
		before, after := "", ""
		if d.Before != nil {
			c.Kind, c.Before, c.LinesBefore, before = d.Before.Kind, d.Before.Hash, d.Before.Lines, d.Before.Text
		}
		if d.After != nil {
			c.Kind, c.After, c.LinesAfter, after = d.After.Kind, d.After.Hash, d.After.Lines, d.After.Text
			body.Same--
		}
		for _, x := range []*Snapshot{d.Before, d.After} {
			if err := r.store(x); err != nil {
				return nil, nil, err
			}
		}
		diff := &diffs[i]
		*diff, list[i] = linediff.Compare(before, after, event.MaxFunctionHunks), diff
		c.Added, c.Removed, c.Renamed, c.Moved, c.Truncated = diff.Added, diff.Removed, diff.Renamed, diff.Moved, diff.Truncated
		body.Functions = append(body.Functions, c)
	}
	return body, list, nil
}

// sequence lists what all passes of a sequence changed together. Their own events carry the
// diffs; that over the whole sequence is fetched when someone looks.
func (r *Recorder) sequence(before listing, m *ir.Module, s *pass.Step) (*event.PassFinished, error) {
	after, err := r.list(m)
	if err != nil {
		return nil, err
	}
	body := &event.PassFinished{Name: s.Pass.Name, Same: m.Len()}
	m.EachChange(before.mod, func(name string, _, now ir.Function) {
		o, was := before.find(name)
		f, is := after.find(name)
		if was && is && o.Text == f.Text {
			return
		}
		c := event.FunctionChange{
			Name: name, Kind: f.Kind, Change: event.FunctionChanged, Before: o.Text, After: f.Text,
			LinesBefore: o.Lines, LinesAfter: f.Lines, Truncated: true,
		}
		switch {
		case !was:
			c.Change = event.FunctionAdded
		case now == nil:
			c.Change, c.Kind = event.FunctionRemoved, o.Kind
		}
		if is {
			body.Same--
		}
		body.Functions = append(body.Functions, c)
	})
	body.Changed = len(body.Functions) > 0
	return body, nil
}

func changeOf(d FuncDelta) event.Change {
	switch {
	case d.Before == nil:
		return event.FunctionAdded
	case d.After == nil:
		return event.FunctionRemoved
	// Most changes show in the texts, which are at hand, whatever the names.
	case d.Before.Lines == d.After.Lines && sameButNames(d.Before.Text, d.After.Text) && ir.StructuralEqual(d.Before.fn, d.After.fn, ir.EqualOpts{MapFreeVars: true}):
		return event.FunctionRenamed
	}
	return event.FunctionChanged
}

// sameButNames reports whether two texts differ in identifiers and quoted strings at most.
// It may say yes of functions that differ, never no of those that only names tell apart.
func sameButNames(a, b string) bool {
	i, j := 0, 0
	for {
		var x, y byte
		i, x = nextMark(a, i)
		j, y = nextMark(b, j)
		if x != y {
			return false
		}
		if x == 0 {
			return true
		}
	}
}

// nextMark returns the byte at i and the position after it; 'v' for a whole identifier, '"'
// for a whole string, and 0 at the end.
func nextMark(s string, i int) (int, byte) {
	if i >= len(s) {
		return i, 0
	}
	c := s[i]
	switch {
	case c == '"':
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		return i + 1, c
	case letter(c):
		for i++; i < len(s) && (letter(s[i]) || s[i] >= '0' && s[i] <= '9'); i++ {
		}
		return i, 'v'
	}
	return i + 1, c
}

func letter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
