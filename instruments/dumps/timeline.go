package dumps

import (
	"encoding/hex"
	"fmt"
	"maps"
	"time"

	"github.com/irscope/irscope/instruments/event"
)

// Limits of a timeline. The sink has those of texts and events.
const (
	// MaxSteps is the number of passes of a dump.
	MaxSteps = 100_000
	// MaxModule is the number of bytes of the texts that a module has at one point.
	MaxModule = 128 << 20
	// maxNested is how many passes may be open at once: one inside the other, each with a dump from before it.
	maxNested = 16
)

// timeline turns dumps into the events of a run.
type timeline struct {
	sink  event.Sink
	began time.Time
	model string
	info  event.Dump
	notes notes

	started bool
	module  module
	// whole tells that the whole module was printed: a function that is new then was made by a pass. partly tells that only parts of
	// it were printed since.
	whole, partly bool
	// strict tells that a pass changes only what the dump prints of it.
	strict bool
	// stale are functions of which only a part was printed since; the reason says so.
	stale map[string]string
	// took is the time of the pass whose end is written next.
	took int64
	// group is the sequence that is open, open the steps of which there is a dump from before them and none from after them yet.
	group *step
	open  []*step
	// paired tells that there are dumps from after passes: one from before a pass is within the pass before it then. alone tells that
	// there are none so far: it ends the pass before it. Until one of the two is known the dumps wait.
	paired, alone bool
	waiting       []*dump
	threads       threads
	top           int // number of the last step at the top
	steps         int
	count         map[string]int // occurrences of a name so far
}

// step is a pass that has begun, or a sequence.
type step struct {
	path, parent string
	name, on     string
	children     int
	took         int64
	// vague tells of a sequence that it is not known what a step of it did.
	vague bool
	// function is the one that the step was given and nothing besides: no pass within it works on another one.
	function string
	// given are the texts that it was given, by name; of a sequence those that a step of it has changed.
	given map[string]*version
}

func newTimeline(sink event.Sink, model string) *timeline {
	t := &timeline{sink: sink, began: time.Now(), model: model, stale: map[string]string{}, count: map[string]int{}}
	t.module.init(sink)
	t.notes.sink = t.emit
	return t
}

func (t *timeline) emit(s, parent string, body event.Body) error {
	if t.took > 0 {
		m := &event.Measured{At: int64(time.Since(t.began)), Total: t.took, Self: t.took}
		t.took = 0
		return t.sink.Emit(event.New(s, parent, body, m))
	}
	return t.sink.Emit(event.New(s, parent, body, &event.Measured{At: int64(time.Since(t.began))}))
}

// maxWaiting is how many dumps from before passes come without one from after a pass until none is expected.
const maxWaiting = 8

// add takes the next dump.
func (t *timeline) add(d *dump) error {
	switch {
	case d.when == before && !t.paired && !t.alone:
		t.waiting = append(t.waiting, d.clone())
		if len(t.waiting) < maxWaiting {
			return nil
		}
		t.alone = true
		return t.resume()
	case d.when == after && !t.paired:
		t.paired = true
		if err := t.resume(); err != nil {
			return err
		}
	}
	return t.take(d)
}

// resume takes the dumps that wait.
func (t *timeline) resume() error {
	list := t.waiting
	t.waiting = nil
	for _, d := range list {
		if err := t.take(d); err != nil {
			return err
		}
	}
	return nil
}

func (t *timeline) take(d *dump) error {
	if d.broken != "" {
		if err := t.notes.warn(d.line, d.broken); err != nil {
			return err
		}
		d.texts, d.own, d.whole = nil, nil, false
		t.missed(d.group)
		if d.effect == shown {
			d.effect, d.reason = hidden, d.broken
		}
	}
	if t.elsewhere(d) {
		return t.hold(d)
	}
	if err := t.step(d); err != nil {
		return err
	}
	return t.release()
}

// step takes a dump that belongs to the step that is open, or to none.
func (t *timeline) step(d *dump) error {
	first := !t.started
	if first {
		if err := t.start(d); err != nil {
			return err
		}
	}
	if d.fresh && !first {
		if err := t.restart(d); err != nil {
			return err
		}
		first = true
	}
	switch d.when {
	case start:
		return t.see(d.texts, d.whole)
	case before:
		return t.before(d)
	default:
		return t.after(d, first)
	}
}

// missed notes that a dump of a function, or of any, could not be read.
func (t *timeline) missed(function string) {
	const why = "A dump before it could not be read, so this difference may have been there before."
	if function != "" {
		t.stale[function] = why
		return
	}
	for name := range t.module.now {
		t.stale[name] = why
	}
}

// start writes the first event: the module as the dump shows it first.
func (t *timeline) start(d *dump) error {
	t.started = true
	texts := d.texts
	if d.own != nil {
		texts = d.own
	}
	functions := []event.Function{}
	for _, x := range texts {
		v, err := t.module.version(x)
		if err != nil {
			return err
		}
		if t.module.put(v) {
			functions = append(functions, v.function())
		}
	}
	sortFunctions(functions)
	t.whole = d.whole
	info := t.info
	return t.emit("", "", &event.RunStarted{Model: t.model, Module: t.module.hash(), Functions: functions, Dump: &info})
}

// restart begins another module.
func (t *timeline) restart(d *dump) error {
	for len(t.open) > 0 {
		if err := t.lost(); err != nil {
			return err
		}
	}
	if err := t.leave(); err != nil {
		return err
	}
	if err := t.notes.warn(d.line, "another module begins; its passes follow those of the one before it"); err != nil {
		return err
	}
	return t.see(d.texts, true)
}

// before begins a step with the texts that it is given.
func (t *timeline) before(d *dump) error {
	if t.alone && !t.paired || len(t.open) >= maxNested {
		if err := t.endBy(d); err != nil {
			return err
		}
	}
	if err := t.see(d.texts, d.whole); err != nil {
		return err
	}
	s, err := t.begin(d)
	if err != nil {
		return err
	}
	s.given = map[string]*version{}
	if d.same {
		maps.Copy(s.given, t.module.now)
	}
	for _, x := range d.texts {
		s.given[x.name] = t.module.now[x.name]
	}
	if len(d.texts) == 1 && d.texts[0].kind == kindFunction && d.texts[0].name == d.group {
		s.function = d.group
	}
	t.open = append(t.open, s)
	return nil
}

// endBy ends the steps that are open by a dump from before another pass: what differs there is what they did, if the dump shows what
// they worked on.
func (t *timeline) endBy(d *dump) error {
	for len(t.open) > 1 {
		if err := t.lost(); err != nil {
			return err
		}
	}
	if len(t.open) == 0 {
		return nil
	}
	s := t.open[0]
	covered := map[string]text{}
	for _, x := range d.texts {
		if s.given[x.name] != nil {
			covered[x.name] = x
		}
	}
	if len(s.given) == 0 || len(covered) < len(s.given) && !d.whole {
		return t.lost()
	}
	t.open = t.open[:0]
	var found changes
	for name, was := range s.given {
		x, ok := covered[name]
		if !ok {
			found.add(was, nil)
			continue
		}
		v, err := t.module.version(x)
		if err != nil {
			return err
		}
		found.add(was, v)
	}
	return t.finish(s, found, "")
}

// lost ends the innermost open step, of which nothing is known.
func (t *timeline) lost() error {
	s := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	return t.finish(s, nil, "The dump shows nothing from after this pass.")
}

// after ends a step, and begins it where no dump from before it has.
func (t *timeline) after(d *dump, first bool) error {
	if d.effect == notRun {
		return t.skip(d)
	}
	s := t.match(d)
	known := s != nil
	for known && t.open[len(t.open)-1] != s || !known && d.outer && len(t.open) > 0 {
		if err := t.lost(); err != nil {
			return err
		}
	}
	if known {
		t.open = t.open[:len(t.open)-1]
	}
	unknown, err := t.unseen(d, known, first)
	if err != nil {
		return err
	}
	if s == nil {
		if s, err = t.begin(d); err != nil {
			return err
		}
	}
	switch d.effect {
	case failed:
		return t.emit(s.path, s.parent, &event.PassFailed{Name: s.name, Error: event.Error{Kind: event.KindPass, Message: d.reason, Pass: s.name}})
	case omitted:
		return t.finish(s, nil, "")
	case hidden, invalidate:
		return t.finish(s, nil, d.reason)
	}
	if known {
		s.sameLoop(d)
	}
	defer func() { t.partly = !d.whole && (t.partly || len(d.texts) > 0) }()
	found, err := t.compare(s, d)
	if err != nil {
		return err
	}
	if !known && d.own == nil && (unknown == "" || !first && len(found) > 0) {
		unknown = t.doubt(found)
	}
	for _, x := range d.texts {
		if !x.part {
			delete(t.stale, x.name)
			continue
		}
		if unknown != "" || len(found) > 0 {
			t.stale[x.of] = "Passes in between print only their loop, so this difference may be theirs."
		}
	}
	return t.finish(s, found, unknown)
}

// sameLoop gives a loop the name that it had before the pass, which may have made another block its header.
func (s *step) sameLoop(d *dump) {
	if len(s.given) != 1 || len(d.texts) != 1 || !d.texts[0].part {
		return
	}
	for name, v := range s.given {
		if v != nil && v.part {
			d.texts[0].name = name
		}
	}
}

// match finds the open step that a dump from after a pass belongs to.
func (t *timeline) match(d *dump) *step {
	for i := len(t.open) - 1; i >= 0; i-- {
		if s := t.open[i]; s.name == d.name && (s.on == d.on || d.kind == event.PassLoop) {
			return s
		}
	}
	return nil
}

// unseen notes functions that a dump from after a pass shows for the first time, while nothing from before the pass shows them. It
// returns why it is not known then what the pass did.
func (t *timeline) unseen(d *dump, known, first bool) (string, error) {
	if d.effect != shown && d.effect != failed {
		return "", nil
	}
	if d.own != nil {
		return "", t.see(d.own, false)
	}
	var out []text
	for _, x := range d.texts {
		if (!t.whole || x.part) && t.module.now[x.name] == nil {
			out = append(out, x)
		}
	}
	var gone []text
	for _, x := range d.texts {
		if !x.part {
			gone = append(gone, x)
		}
	}
	if err := t.seeWith(out, false, gone); err != nil || known {
		return "", err
	}
	t.whole = t.whole || d.whole
	switch {
	case first:
		return "The dump begins after this pass.", nil
	case len(out) > 0:
		return fmt.Sprintf("The dump shows %s here for the first time.", naming(out)), nil
	}
	return "", nil
}

// doubt returns why differences to the last dumps need not be the work of the pass; empty where one of them is.
func (t *timeline) doubt(found changes) string {
	reason := ""
	for _, c := range found {
		switch why := t.stale[c.name()]; {
		case why != "":
			reason = why
		case t.partly && !t.strict && (c.after == nil || c.name() == moduleText):
			reason = "Passes in between print only the functions that they work on, so this difference may be theirs."
		case c.before != nil && c.after != nil && sameButNumbers(c.before.text, c.after.text):
			reason = "Only numbers of attributes and metadata differ, which a change elsewhere in the module shifts."
		default:
			return ""
		}
	}
	return reason
}

// compare finds what differs between what a step was given and what it left.
func (t *timeline) compare(s *step, d *dump) (changes, error) {
	var found changes
	shownHere := map[string]bool{}
	for _, x := range d.texts {
		shownHere[x.name] = true
		v, err := t.module.version(x)
		if err != nil {
			return nil, err
		}
		was := t.module.now[x.name]
		if s.given != nil {
			was = s.given[x.name]
		}
		found.add(was, v)
	}
	for _, x := range d.own {
		if !shownHere[x.name] {
			found.add(t.module.now[x.name], nil)
		}
	}
	if !d.whole {
		return found, nil
	}
	given := s.given
	if given == nil {
		given = t.module.now
	}
	for name, was := range given {
		if !shownHere[name] && was != nil {
			found.add(was, nil)
		}
	}
	return found, nil
}

// hex returns the sum of a module as a hash.
func hexSum(sum [20]byte) string { return hex.EncodeToString(sum[:]) }
