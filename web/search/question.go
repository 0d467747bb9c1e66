package search

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/linediff"
)

// answers is what came out of a question.
type answers struct {
	question
	steps map[*event.Step]bool
	notes []string
}

// ask finds the steps that answer a question, among the functions that the query is about.
func (w *walk) ask(q question) (answers, error) {
	if q.kind == keyTouches {
		return w.touching(q)
	}
	a := answers{question: q, steps: map[*event.Step]bool{}}
	holds := map[string]bool{} // the functions that hold it now
	var first, again *event.Step
	ever := false
	for i := 0; i < len(w.changes); {
		s, had := w.changes[i].Step, len(holds) > 0
		for ; i < len(w.changes) && w.changes[i].Step == s; i++ {
			c := w.changes[i]
			// Code is made of the module and is no part of it.
			held := false
			if w.inScope(c) && c.Kind != KindCode {
				var err error
				if held, err = w.holds(q, c.Text); err != nil {
					return a, err
				}
			}
			if held {
				holds[c.Name] = true
			} else {
				delete(holds, c.Name)
			}
		}
		has := len(holds) > 0
		ever = ever || has
		switch {
		case first == nil && has != had && has == (q.kind == keyBorn):
			first = s
		case first != nil && again == nil && has && !had:
			again = s
		}
	}
	if first != nil {
		a.steps[first] = true
	}
	switch {
	case !ever:
		a.note("%s occurs in no step%s", q.name, w.soFar())
	case first == nil:
		a.note("%s is still there after the last step%s", q.name, w.soFar())
	case again != nil && q.kind == keyGone:
		a.note("%s reappears after %s", q.name, again.Path)
	case again != nil:
		a.note("%s disappears and reappears after %s", q.name, again.Path)
	}
	return a, nil
}

func (a *answers) note(format string, args ...any) {
	a.notes = append(a.notes, a.kind+":"+a.name+": "+fmt.Sprintf(format, args...))
}

// soFar ends a sentence about a run that goes on.
func (w *walk) soFar() string {
	if w.sealed {
		return ""
	}
	return " so far"
}

// holds tells whether a text holds what a question asks for.
func (w *walk) holds(q question, hash string) (bool, error) {
	if hash == "" {
		return false, nil
	}
	x, err := w.soon(hash)
	if err != nil {
		return false, err
	}
	return q.what.occurs(x), nil
}

// soon is index for those who need all texts of a run: when it gets late they give up.
func (w *walk) soon(hash string) (*index, error) {
	if x, ok := w.indexes.Get(hash); ok {
		return x, nil
	}
	if err := w.goOn(); err != nil {
		return nil, err
	}
	return w.index(w.ctx, hash)
}

// goOn returns ErrBusy when it is late, and the cause where the request has ended.
func (w *walk) goOn() error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if w.isLate() {
		return ErrBusy
	}
	return nil
}

// touching finds the steps with changed lines that hold a name.
func (w *walk) touching(q question) (answers, error) {
	a := answers{question: q, steps: map[*event.Step]bool{}}
	for _, c := range w.changes {
		// What was imported or generated is no change.
		if path := c.Step.Path; a.steps[c.Step] || !w.inScope(c) || path == event.ImportStep || path == event.CodeStep {
			continue
		}
		for side, hash := range []string{c.Before, c.Text} {
			held, err := w.holds(q, hash)
			if err != nil {
				return a, err
			}
			if !held {
				continue
			}
			if err := w.goOn(); err != nil {
				return a, err
			}
			x, err := w.index(w.ctx, hash)
			if err != nil {
				return a, err
			}
			lines, err := w.linesOf(q, c, side, x)
			if err != nil {
				return a, err
			}
			if !lines.empty() {
				a.steps[c.Step] = true
			}
		}
	}
	if len(a.steps) == 0 {
		a.note("no step changed lines with %s%s", q.name, w.soFar())
	}
	return a, nil
}

// linesOf returns the lines on one side of a change that a question is about: what went stood before, what came stands
// after, and what was touched differs.
func (w *walk) linesOf(q question, c event.TextChange, side int, x *index) (lineSet, error) {
	switch {
	case q.kind == keyGone && side == sideAfter, q.kind == keyBorn && side == sideBefore:
		return newLineSet(x.lines), nil
	case q.kind != keyTouches:
		return q.what.candidates(x), nil
	}
	set := q.what.candidates(x)
	if set.empty() {
		return set, nil
	}
	blocks, err := w.diff(w.ctx, c.Before, c.Text)
	if err != nil {
		return nil, err
	}
	changed := newLineSet(x.lines)
	for _, b := range blocks {
		from, to := b.X0, b.X1
		if side == sideAfter {
			from, to = b.Y0, b.Y1
		}
		for i := from; i < to; i++ {
			changed.add(i)
		}
	}
	return set.and(changed), nil
}

// across returns the line after a change, from 0, where a line before it stood, or the nearest.
func across(blocks []linediff.Block, line int) int {
	moved := 0
	for _, b := range blocks {
		if line < b.X0 {
			break
		}
		if line < b.X1 {
			return max(b.Y0, min(b.Y0+line-b.X0, b.Y1-1))
		}
		moved = b.Y1 - b.X1
	}
	return line + moved
}
