package search

import (
	"context"
	"math/bits"
	"regexp"
	"time"

	"github.com/irscope/irscope/instruments/event"
)

// walk is one search on its way through the changes of a run.
type walk struct {
	*Searcher
	view
	ctx    context.Context
	run    string
	req    Request
	late   time.Time
	answer *Answer
	asked  []answers // of the questions, in their order
}

// do finds results from a place on, and says where to go on.
func (w *walk) do(at place) error {
	for _, q := range w.req.Query.questions {
		a, err := w.ask(q)
		if err != nil {
			return err
		}
		w.asked = append(w.asked, a)
		w.answer.Notes = append(w.answer.Notes, a.notes...)
	}
	for i := at.change; i < len(w.changes); i++ {
		if i > at.change {
			at = place{change: i}
			if w.isLate() {
				return w.stop(at)
			}
		}
		if !w.wanted(i) {
			continue
		}
		for side := at.side; side <= sideAfter; side++ {
			if side > at.side {
				at = place{i, side, 0}
			}
			next, err := w.side(at)
			if err != nil {
				return err
			}
			if next != nil {
				return w.stop(*next)
			}
		}
	}
	if !w.sealed {
		w.answer.Next = place{change: len(w.changes)}.String()
	}
	return nil
}

// stop ends the search before its end.
func (w *walk) stop(at place) error {
	w.answer.More, w.answer.Next = true, at.String()
	return nil
}

func (w *walk) isLate() bool { return time.Now().After(w.late) }

// wanted tells whether a change passes the filters and the questions.
func (w *walk) wanted(i int) bool {
	c := w.changes[i]
	if !w.inScope(c) {
		return false
	}
	for _, re := range w.req.Query.pass {
		if !re.MatchString(c.Step.Name) && !re.MatchString(c.Step.Path) {
			return false
		}
	}
	for _, a := range w.asked {
		if !a.steps[c.Step] {
			return false
		}
	}
	return true
}

// inScope tells whether a function is one that the query is about.
func (w *walk) inScope(c event.TextChange) bool {
	return (w.req.Kind == "" || c.Kind == w.req.Kind) && all(w.req.Query.fn, c.Name)
}

// all tells whether all patterns match.
func all(patterns []*regexp.Regexp, s string) bool {
	for _, re := range patterns {
		if !re.MatchString(s) {
			return false
		}
	}
	return true
}

// side finds the results on one side of a change from a line on. It returns where to go on where it does not come to the
// end.
func (w *walk) side(at place) (*place, error) {
	c := w.changes[at.change]
	hash := c.Text
	if at.side == sideBefore {
		hash = c.Before
	}
	// Without a question the text that a step made is searched; what it took away only says that it is gone.
	bare := len(w.asked) == 0 && len(w.req.Query.terms) == 0
	if hash == "" || len(w.asked) == 0 && at.side == sideBefore && (!bare || c.Text != "") {
		return nil, nil
	}
	x, err := w.index(w.ctx, hash)
	if err != nil {
		return nil, err
	}
	set, err := w.asking(c, at.side, x)
	if err != nil {
		return nil, err
	}
	if bare {
		set = newLineSet(x.lines)
		if x.lines > 0 {
			set.add(0)
		}
	}
	for _, t := range w.req.Query.terms {
		if set.empty() {
			return nil, nil
		}
		set = set.and(t.candidates(x))
	}
	return w.lines(at, c, hash, set)
}

// asking returns the lines that the questions are about; all where there is none.
func (w *walk) asking(c event.TextChange, side int, x *index) (lineSet, error) {
	if len(w.asked) == 0 {
		return nil, nil
	}
	set := newLineSet(x.lines)
	for _, a := range w.asked {
		lines, err := w.linesOf(a.question, c, side, x)
		if err != nil {
			return nil, err
		}
		set = set.or(lines)
	}
	return set, nil
}

// lines makes results of the lines of a set that match.
func (w *walk) lines(at place, c event.TextChange, hash string, set lineSet) (*place, error) {
	if set.empty() {
		return nil, nil
	}
	doc, err := w.cfg.Document(w.ctx, hash)
	if err != nil {
		return nil, err
	}
	for n, i := 1, set.next(at.line, doc.Len()); i < doc.Len(); n, i = n+1, set.next(i+1, doc.Len()) {
		here := place{at.change, at.side, i}
		if len(w.answer.Results) == w.req.Count {
			return &here, nil
		}
		if n&0xff == 0 {
			if w.ctx.Err() != nil {
				return nil, context.Cause(w.ctx)
			}
			if w.isLate() {
				return &here, nil
			}
		}
		line := cutLine(doc.Line(i))
		spans, ok := w.match(line)
		if !ok {
			continue
		}
		r, err := w.result(c, at.side, hash, i, line, spans)
		if err != nil {
			return nil, err
		}
		w.answer.Results = append(w.answer.Results, r)
	}
	return nil, nil
}

// next returns the first line of the set from a line on, or count.
func (s lineSet) next(line, count int) int {
	if s == nil || line >= count {
		return min(line, count)
	}
	word := s[line>>6] >> (line & 63)
	for i := line >> 6; ; {
		if word != 0 {
			if i == line>>6 {
				return min(line+bits.TrailingZeros64(word), count)
			}
			return min(i<<6+bits.TrailingZeros64(word), count)
		}
		if i++; i >= len(s) {
			return count
		}
		word = s[i]
	}
}

// match tells whether a line that questions and index propose matches all terms, and where.
func (w *walk) match(line string) (out []span, ok bool) {
	for _, t := range w.req.Query.terms {
		spans, ok := t.match(line)
		if !ok {
			return nil, false
		}
		out = append(out, spans...)
	}
	for _, q := range w.req.Query.questions {
		spans, _ := q.what.match(line)
		out = append(out, spans...)
	}
	return out, true
}
