package dumps

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

// change is a function before and after a pass; one of the two is nil where the pass made or removed it.
type change struct{ before, after *version }

func (c change) name() string {
	if c.after != nil {
		return c.after.name
	}
	return c.before.name
}

// changes are functions that differ.
type changes []change

// add adds a function if it differs.
func (l *changes) add(was, is *version) {
	if was == is || was != nil && is != nil && was.hash == is.hash && was.lang == is.lang {
		return
	}
	*l = append(*l, change{was, is})
}

// begin writes that a step begins.
func (t *timeline) begin(d *dump) (*step, error) {
	if err := t.enter(d.group); err != nil {
		return nil, err
	}
	s, err := t.place(d.name)
	if err != nil {
		return nil, err
	}
	s.on, s.took = d.on, d.took
	return s, t.emit(s.path, s.parent, &event.PassStarted{Name: s.name, Title: d.title, Kind: d.kind, Occurrence: t.occurrence(s.name)})
}

func (t *timeline) occurrence(name string) int {
	n := t.count[name]
	t.count[name]++
	return n
}

// skip writes that a pass did not run.
func (t *timeline) skip(d *dump) error {
	if err := t.enter(d.group); err != nil {
		return err
	}
	s, err := t.place(d.name)
	if err != nil {
		return err
	}
	return t.emit(s.path, s.parent, &event.PassSkipped{Name: s.name, Kind: d.kind, Occurrence: t.occurrence(s.name), Reason: event.ReasonInstrument, Text: d.reason})
}

// place gives the next step its path.
func (t *timeline) place(name string) (*step, error) {
	if t.steps++; t.steps > MaxSteps {
		return nil, &event.Error{Kind: event.KindLimit, Limit: "passes", Message: fmt.Sprintf("the dump has more than %d passes, the limit here; the timeline ends where they were reached", MaxSteps)}
	}
	s := &step{name: name}
	number := ""
	switch {
	case len(t.open) > 0:
		above := t.open[len(t.open)-1]
		above.children++
		s.parent, number = above.path, fmt.Sprintf("%s.%d", numberOf(above.path), above.children)
	case t.group != nil:
		t.group.children++
		s.parent, number = t.group.path, fmt.Sprintf("%s.%d", numberOf(t.group.path), t.group.children)
	default:
		t.top++
		number = fmt.Sprint(t.top)
	}
	s.path = number + "/" + name
	return s, nil
}

func numberOf(path string) string {
	number, _, _ := strings.Cut(path, "/")
	return number
}

// enter opens the sequence that a step belongs to, and closes the one before it.
func (t *timeline) enter(group string) error {
	if len(t.open) > 0 || t.group != nil && t.group.name == group || t.group == nil && group == "" {
		return nil
	}
	if err := t.leave(); err != nil || group == "" {
		return err
	}
	t.top++
	t.group = &step{name: group, path: fmt.Sprintf("%d/%s", t.top, group), given: map[string]*version{}}
	return t.emit(t.group.path, "", &event.PassStarted{Name: group, Kind: event.PassSequential, Occurrence: t.occurrence(group)})
}

// leave closes the sequence that is open: what its steps changed together.
func (t *timeline) leave() error {
	g := t.group
	if g == nil {
		return nil
	}
	t.group = nil
	var found changes
	for name, was := range g.given {
		found.add(was, t.module.now[name])
	}
	body := t.body(g.name, found, false)
	if g.vague && len(found) == 0 {
		body.Unknown = "It is not known what some of its passes did."
	}
	body.Arrange()
	return t.emit(g.path, g.parent, body)
}

// finish writes what a step did, and takes its texts over.
func (t *timeline) finish(s *step, found changes, unknown string) error {
	for _, c := range found {
		if g := t.group; g != nil {
			if _, ok := g.given[c.name()]; !ok {
				g.given[c.name()] = t.module.now[c.name()]
			}
		}
		if c.after != nil {
			t.module.put(c.after)
		} else if now := t.module.now[c.name()]; now != nil {
			t.module.drop(now)
		}
	}
	if err := t.module.full(); err != nil {
		return err
	}
	body := t.body(s.name, found, true)
	if unknown != "" {
		if t.group != nil {
			t.group.vague = true
		}
		body.Unknown, body.Changed = unknown, false
	}
	body.Arrange()
	t.took = s.took
	return t.emit(s.path, s.parent, body)
}

// body describes differences; the diffs of a sequence are those of its steps and are fetched when someone looks.
func (t *timeline) body(name string, found changes, diffs bool) *event.PassFinished {
	out := &event.PassFinished{Name: name, Changed: len(found) > 0, Module: t.module.hash(), Same: len(t.module.now)}
	for _, c := range found {
		f := event.FunctionChange{Name: c.name(), Change: event.FunctionChanged, Truncated: !diffs}
		before, after := "", ""
		if c.before != nil {
			f.Kind, f.Before, f.LinesBefore, before = c.before.kind, c.before.hash, c.before.lines, c.before.text
		} else {
			f.Change = event.FunctionAdded
		}
		if c.after != nil {
			f.Kind, f.After, f.LinesAfter, after = c.after.kind, c.after.hash, c.after.lines, c.after.text
			out.Same--
		} else {
			f.Change = event.FunctionRemoved
		}
		if diffs {
			d := linediff.Hunks(before, after, event.MaxFunctionHunks)
			f.Hunks, f.Added, f.Removed, f.Renamed, f.Moved, f.Truncated = d.Hunks, d.Added, d.Removed, d.Renamed, d.Moved, d.Truncated
		}
		out.Functions = append(out.Functions, f)
	}
	return out
}

// end closes what is open behind the last dump.
func (t *timeline) end() error {
	t.alone = true
	if err := t.resume(); err != nil {
		return err
	}
	for len(t.open) > 0 {
		if err := errors.Join(t.lost(), t.release()); err != nil {
			return err
		}
	}
	if err := t.leave(); err != nil {
		return err
	}
	return t.notes.end(t.module.replaced)
}

// names lists the functions of the module, sorted.
func (m *module) names() []string { return slices.Sorted(maps.Keys(m.now)) }
