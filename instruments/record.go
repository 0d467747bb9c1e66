package instruments

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
)

// Recorder turns a run into events: what each pass did to which function, with the diff.
type Recorder struct {
	sink   event.Sink
	snaps  *Snapshots
	meter  *Meter
	start  time.Time
	count  map[string]int // occurrences of a pass name so far
	stored map[string]bool
	now    listing                // the module seen last
	inputs map[*pass.Step]listing // of sequences that are running
	stale  []FuncDelta            // replaced by the last step
	last   event.Event            // with which the last step ended, and its body
	done   *event.PassFinished
	lent   map[*pass.Step]lent // of sequences that are running
	// History, if not nil, keeps what became of values in a step and returns the hash of that.
	// The step is nil for the module that the run starts with; the hash may be empty.
	History func(s *pass.Step, m *ir.Module) (string, error)
	// Rewrites, if not nil, returns what the pass of a step reported of its work; nil for nothing.
	Rewrites func(s *pass.Step, m *ir.Module) *event.Rewrites
}

// NewRecorder returns a recorder that reports to sink.
func NewRecorder(sink event.Sink, snaps *Snapshots) *Recorder {
	return &Recorder{
		sink: sink, snaps: snaps, meter: NewMeter(), start: time.Now(), count: map[string]int{}, stored: map[string]bool{},
		now: listing{mod: ir.NewModule()}, inputs: map[*pass.Step]listing{}, lent: map[*pass.Step]lent{},
	}
}

// Start reports the module and the plan. The fields of body about the module are filled in.
func (r *Recorder) Start(m *ir.Module, pl *pass.Pass, body *event.RunStarted) error {
	l, err := r.list(m)
	if err != nil {
		return err
	}
	body.Functions, body.Module = slices.Clone(l.funcs), l.hash
	body.Attrs, body.Metrics = printAttrs(m), r.meter.Measure(m)
	for i := range body.Functions {
		body.Functions[i].Metrics = r.meter.Function(body.Functions[i].Name)
	}
	if r.History != nil {
		if body.History, err = r.History(nil, m); err != nil {
			return err
		}
	}
	return r.begin(pl, body)
}

// listing is a module as events list it.
type listing struct {
	mod   *ir.Module
	funcs []event.Function // sorted by name
	hash  string
}

// list stores the texts of the functions of m and lists them. What m shares with the module
// listed last costs a copy.
func (r *Recorder) list(m *ir.Module) (listing, error) {
	if r.now.hash != "" && r.now.mod == m {
		return r.now, nil
	}
	var failed error
	changed := map[string]event.Function{}
	gone := map[string]bool{}
	m.EachChange(r.now.mod, func(name string, _, after ir.Function) {
		gone[name] = true
		if after == nil {
			return
		}
		s := r.snaps.Of(name, after)
		if err := r.store(s); err != nil && failed == nil {
			failed = err
		}
		changed[name] = event.Function{Name: name, Kind: s.Kind, Text: s.Hash, Lines: s.Lines}
	})
	if failed != nil {
		return listing{}, failed
	}
	out := merge(r.now.funcs, changed, gone)
	r.now = listing{m, out, event.HashModule(out)}
	return r.now, nil
}

func byName(a, b event.Function) int { return strings.Compare(a.Name, b.Name) }

// find returns the function called name, false if the module has none.
func (l listing) find(name string) (event.Function, bool) {
	i, ok := slices.BinarySearchFunc(l.funcs, event.Function{Name: name}, byName)
	if !ok {
		return event.Function{}, false
	}
	return l.funcs[i], true
}

// store hands the text of a function to the sink, once.
func (r *Recorder) store(s *Snapshot) error {
	if s == nil || r.stored[s.Hash] {
		return nil
	}
	err := event.KeepText(r.sink, event.LangTVMScript, s.Hash, s.Text)
	if err == nil {
		r.stored[s.Hash] = true
	}
	return err
}

// ModuleHash returns the hash of m, as events spell it.
func (r *Recorder) ModuleHash(m *ir.Module) (string, error) {
	l, err := r.list(m)
	return l.hash, err
}

// Instrument returns the instrument that reports the passes of a context.
func (r *Recorder) Instrument() *pass.Instrument {
	return &pass.Instrument{
		Name: "Recorder", Replayable: true,
		RunBeforePass: func(m *ir.Module, s *pass.Step) error { return r.started(m, s) },
		RunAfterPass:  func(m *ir.Module, s *pass.Step) error { return r.finished(m, s) },
		PassSkipped:   func(_ *ir.Module, s *pass.Step, reason pass.SkipReason) { _ = r.skipped(s, reason) },
		PassFailed:    func(_ *ir.Module, s *pass.Step, err error) { _ = r.failed(s, err) },
	}
}

func parentPath(s *pass.Step) string {
	if s.Parent == nil {
		return ""
	}
	return s.Parent.Path()
}

func (r *Recorder) occurrence(name string) int {
	n := r.count[name]
	r.count[name]++
	return n
}

func (r *Recorder) measured() *event.Measured {
	return &event.Measured{At: int64(time.Since(r.start))}
}

func (r *Recorder) started(m *ir.Module, s *pass.Step) error {
	r.snaps.Forget(r.stale) // the other instruments have looked at it
	r.stale = nil
	p := s.Pass
	if p.Kind == pass.Sequential {
		l, err := r.list(m)
		if err != nil {
			return err
		}
		r.inputs[s] = l
	}
	body := &event.PassStarted{Name: p.Name, Level: p.Level, Role: Role(p), Kind: event.PassKind(p.Kind.String()), Occurrence: r.occurrence(p.Name), Title: p.Title, Line: p.Line}
	if s.RequiredBy != "" {
		body.Why = "required by " + s.RequiredBy
	}
	return r.sink.Emit(event.New(s.Path(), parentPath(s), body, r.measured()))
}

func (r *Recorder) skipped(s *pass.Step, reason pass.SkipReason) error {
	p := s.Pass
	kind := map[pass.SkipKind]event.ReasonKind{
		pass.SkipDisabled: event.ReasonDisabled, pass.SkipLevel: event.ReasonOptLevel, pass.SkipVeto: event.ReasonInstrument,
	}[reason.Kind]
	body := &event.PassSkipped{
		Name: p.Name, Level: p.Level, Role: Role(p), Kind: event.PassKind(p.Kind.String()), Occurrence: r.occurrence(p.Name), Reason: kind, Text: reason.Text,
	}
	return r.sink.Emit(event.New(s.Path(), parentPath(s), body, r.measured()))
}

func (r *Recorder) failed(s *pass.Step, err error) error {
	delete(r.inputs, s)
	delete(r.lent, s)
	body := &event.PassFailed{Name: s.Pass.Name, Error: ErrorOf(err)}
	return r.sink.Emit(event.New(s.Path(), parentPath(s), body, r.measured()))
}

// finished reports what a pass changed. Functions are compared by pointer, so a pass that
// touched one function of many costs that function.
func (r *Recorder) finished(m *ir.Module, s *pass.Step) error {
	body, diffs, err := r.changes(m, s)
	if err != nil {
		return err
	}
	if body.Module, err = r.ModuleHash(m); err != nil {
		return err
	}
	if s.Input.Attrs() != m.Attrs() {
		// A step of an earlier run may bring equal attributes of a model that was read once more.
		if before, after := printAttrs(s.Input), printAttrs(m); !maps.Equal(before, after) {
			body.AttrsBefore, body.AttrsAfter, body.Changed = before, after, true
		}
	}
	if r.History != nil {
		if body.History, err = r.History(s, m); err != nil {
			return err
		}
	}
	if body.Rewrites, err = r.rewrites(s, m); err != nil {
		return err
	}
	body.Metrics = r.meter.Measure(m)
	for i := range body.Functions {
		if f := &body.Functions[i]; f.After != "" && s.Pass.Kind != pass.Sequential {
			f.Metrics = r.meter.Function(f.Name)
		}
	}
	body.ArrangeDiffs(diffs)
	r.last, r.done = event.New(s.Path(), parentPath(s), body, r.Measured(s)), body
	return r.sink.Emit(r.last)
}

// Last returns the event with which the last step ended that was not reused, and its body.
func (r *Recorder) Last() (event.Event, *event.PassFinished) { return r.last, r.done }

// Measured returns the times of a step that has ended.
func (r *Recorder) Measured(s *pass.Step) *event.Measured {
	out := r.measured()
	l := r.lent[s]
	out.Total, out.Self, out.Earlier = int64(s.Duration-l.spent)+l.earlier, int64(s.Self), l.earlier
	return out
}

// rewrites keeps what the pass reported of its work as a text, and counts it.
func (r *Recorder) rewrites(s *pass.Step, m *ir.Module) (*event.RewriteCounts, error) {
	if r.Rewrites == nil {
		return nil, nil
	}
	list := r.Rewrites(s, m)
	if list == nil {
		return nil, nil
	}
	data, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	hash, err := r.sink.Text(event.LangRewrites, string(data))
	if err != nil {
		return nil, err
	}
	return list.Counts(hash), nil
}
