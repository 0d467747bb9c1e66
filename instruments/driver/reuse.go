package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// tap is a sink that counts the events that went through it.
type tap struct {
	event.Sink
	events int
	// saved is what it saved that the model was known from an earlier run.
	saved time.Duration
}

// Emit implements event.Sink.
func (t *tap) Emit(e event.Event) error {
	// The first event says what was imported.
	if t.events == 0 && t.saved > 0 && e.Measured != nil {
		e.Measured.Saved = t.saved.Nanoseconds()
	}
	t.events++
	return t.Sink.Emit(e)
}

// HashedText implements event.HashedSink.
func (t *tap) HashedText(language, hash, text string) error {
	return event.KeepText(t.Sink, language, hash, text)
}

// reuse takes steps from earlier runs. It stands between the pipeline and its passes:
// each pass that is no sequence is replaced by one that looks for its result first, and
// instruments hear of a step that was found as one that is reused: nothing is printed, compared,
// hashed or verified again. Of a sequence, what it did as a whole is found by the modules before and after it.
type reuse struct {
	steps Steps // nil: nothing is re-used
	sink  *tap
	rec   *instruments.Recorder // nil where nothing is recorded
	// ids identifies the modules of this run by what made them.
	ids map[*ir.Module]string
	// keys and hits hold what the running steps found.
	keys map[*pass.Step]string
	hits map[*pass.Step]Snapshot
	// began is the number of events when a step's body began, and start the time.
	began map[*pass.Step]int
	start map[*pass.Step]time.Time
	// notes are the diagnostics of a step, as events.
	notes    map[*pass.Step][]event.Event
	reported int // diagnostics of the context that are events already
	// fresh, where it is set, tells of a step that it must run, whatever is known of it. Then nothing is kept of steps, and what was kept
	// of them does for those on the way, whether somebody heard what they reported or not.
	fresh func(*pass.Step) bool
}

func newReuse(steps Steps, sink *tap, rec *instruments.Recorder, m *Model) *reuse {
	return &reuse{
		steps: steps, sink: sink, rec: rec, ids: map[*ir.Module]string{m.Module: m.ID},
		keys: map[*pass.Step]string{}, hits: map[*pass.Step]Snapshot{},
		began: map[*pass.Step]int{}, start: map[*pass.Step]time.Time{}, notes: map[*pass.Step][]event.Event{},
	}
}

// wrap returns a pipeline whose passes look for earlier results.
func (r *reuse) wrap(p *pass.Pass) *pass.Pass {
	out := *p
	if p.Kind == pass.Sequential {
		out.Children = make([]*pass.Pass, len(p.Children))
		for i, c := range p.Children {
			out.Children[i] = r.wrap(c)
		}
		return &out
	}
	if p.Inside != nil {
		own := *p
		own.Run = p.Inside(r.wrap)
		p = &own
	}
	if p.Run != nil {
		out.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) { return r.run(c, p, m) }
	}
	return &out
}

// run is the body of a wrapped pass.
func (r *reuse) run(c *pass.Context, p *pass.Pass, m *ir.Module) (*ir.Module, error) {
	step := c.Step()
	r.start[step] = time.Now()
	if err := r.report(c.Diagnostics(), "", ""); err != nil {
		return nil, err
	}
	if r.fresh != nil && r.fresh(step) {
		return p.Run(c, m)
	}
	key := r.key(c, p, m)
	if snap, ok, err := r.look(key); err != nil {
		return nil, err
	} else if ok {
		r.hits[step] = snap
		r.identify(m, snap.Module, key)
		return snap.Module, nil
	}
	r.began[step] = r.sink.events
	out, err := p.Run(c, m)
	fresh := c.Diagnostics()[r.reported:]
	for _, d := range fresh {
		r.notes[step] = append(r.notes[step], event.New(step.Path(), parentPath(step), Diagnostic(d), nil))
	}
	if failed := r.report(c.Diagnostics(), step.Path(), parentPath(step)); failed != nil && err == nil {
		err = failed
	}
	if err != nil || out == nil {
		return out, err
	}
	r.identify(m, out, key)
	// A step that ran others inside of it is computed again.
	if key != "" && r.sink.events-r.began[step] == len(fresh) {
		r.keys[step] = key
	}
	return out, nil
}

// look returns what a step left behind under a key, where the texts that it names are still there.
func (r *reuse) look(key string) (Snapshot, bool, error) {
	if key == "" {
		return Snapshot{}, false, nil
	}
	snap, ok := r.steps.Step(key)
	if !ok {
		return snap, false, nil
	}
	there, err := keepTexts(r.steps, snap.Events)
	if err == nil && !there {
		r.steps.DropStep(key)
	}
	return snap, there, err
}

// identify notes what made a module. A pass that changed nothing made none.
func (r *reuse) identify(in, out *ir.Module, key string) {
	if _, known := r.ids[out]; out != in && !known && key != "" {
		r.ids[out] = key
	}
}

// key returns the hash of all that determines the result of a pass: the module, the
// pass with its options, and the config, level and target that it declares to read.
// It is empty where what made the module is not known.
func (r *reuse) key(c *pass.Context, p *pass.Pass, m *ir.Module) string {
	id := r.ids[m]
	if id == "" || r.steps == nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "module %s\npass %q\n", id, p.Name)
	for i := range p.Args.Len() {
		name, v := p.Args.At(i)
		fmt.Fprintf(h, "option %q %q\n", name, fmt.Sprint(v))
	}
	keys := slices.Clone(p.Config)
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(h, "config %q %q\n", k, fmt.Sprint(c.Config.Get(k)))
	}
	if p.ReadsLevel {
		fmt.Fprintf(h, "level %d\n", c.OptLevel)
	}
	if p.ReadsTarget {
		fmt.Fprintf(h, "target %q\n", c.Target.String())
	}
	if c.Observed() && r.fresh == nil { // the events of the step say what it reported
		fmt.Fprint(h, "observed\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// groupKey returns the key of what a sequence says when it ends: it follows from the modules before and after it.
func (r *reuse) groupKey(m *ir.Module, s *pass.Step) string {
	from, to := r.ids[s.Input], r.ids[m]
	if from == "" || to == "" || r.steps == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "sequence %q\nfrom %s\nto %s\n", s.Pass.Name, from, to))
	return hex.EncodeToString(sum[:])
}

// watch returns the instruments of a run. They hear of steps that were taken from an earlier run as such; what the others
// left behind is kept when all of them have seen it.
func (r *reuse) watch(list []*pass.Instrument) []*pass.Instrument {
	out := []*pass.Instrument{{Name: "Reuse", Replayable: true, RunAfterPass: r.found}}
	for _, in := range list {
		own := *in
		own.RunAfterPass = func(m *ir.Module, s *pass.Step) error {
			f := in.RunAfterPass
			if _, ok := r.hits[s]; ok {
				f = in.PassReused
			}
			if f == nil {
				return nil
			}
			return f(m, s)
		}
		out = append(out, &own)
	}
	return append(out, &pass.Instrument{Name: "Reuse", Replayable: true, RunAfterPass: r.keep})
}

// found describes a step that was taken from an earlier run by the events of that, before other instruments hear of it.
func (r *reuse) found(m *ir.Module, s *pass.Step) error {
	if s.Pass.Kind == pass.Sequential {
		return r.foundGroup(m, s)
	}
	snap, ok := r.hits[s]
	if !ok {
		return nil
	}
	r.rec.Reused(m, s, snap.Done)
	r.rec.Lend(s, snap.Events[len(snap.Events)-1].Measured)
	return replay(r.sink, snap, s.Path(), parentPath(s), time.Since(r.start[s]))
}

// foundGroup looks for what a sequence did. Its times add up what its passes took, in this run or in an earlier one.
func (r *reuse) foundGroup(m *ir.Module, s *pass.Step) error {
	key := r.groupKey(m, s)
	snap, ok, err := r.look(key)
	if err != nil {
		return err
	}
	if !ok {
		r.keys[s], r.start[s] = key, time.Now()
		return nil
	}
	r.hits[s] = snap
	r.rec.Reused(m, s, snap.Done)
	e := snap.Events[len(snap.Events)-1]
	e.Step, e.Parent, e.Measured = s.Path(), parentPath(s), r.rec.Measured(s)
	return r.sink.Emit(e)
}

// keep remembers what a step left behind that was computed.
func (r *reuse) keep(m *ir.Module, s *pass.Step) error {
	key, start, notes := r.keys[s], r.start[s], r.notes[s]
	delete(r.hits, s)
	delete(r.keys, s)
	delete(r.start, s)
	delete(r.notes, s)
	delete(r.began, s)
	if key != "" {
		last, done := r.rec.Last()
		r.steps.PutStep(key, Snapshot{Module: m, Events: append(notes, last), Done: done, Took: time.Since(start)})
	}
	return nil
}

// report emits the diagnostics that are not events yet, for a step or, where step is
// empty, for the run.
func (r *reuse) report(all []ir.Diagnostic, step, parent string) error {
	for r.reported < len(all) {
		d := all[r.reported]
		r.reported++
		if err := r.sink.Emit(event.New(step, parent, Diagnostic(d), nil)); err != nil {
			return err
		}
	}
	return nil
}

// parentPath returns the path of the step around a step, or "".
func parentPath(s *pass.Step) string {
	if s.Parent == nil {
		return ""
	}
	return s.Parent.Path()
}
