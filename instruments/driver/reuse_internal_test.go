package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// steps runs pipelines of made-up passes as a run does, with one memory.
type steps struct {
	*testing.T
	mem   *memory
	model *Model
	calls []string // of the bodies of passes
}

func newSteps(t *testing.T) *steps {
	t.Helper()
	m, found := parse.Module("m", doubled(), parse.Options{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	return &steps{T: t, mem: newMemory(), model: &Model{Module: m, ID: "id"}}
}

// marked returns a pass that sets an attribute of the module to a value, and says so.
func (s *steps) marked(name, value string) *pass.Pass {
	return &pass.Pass{Name: name, Kind: pass.Module, Args: ir.NewAttrs().With("value", value), Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		s.calls = append(s.calls, name)
		c.Report(ir.Diagnostic{Severity: ir.Note, Message: name + " first"})
		c.Report(ir.Diagnostic{Severity: ir.Warning, Message: name + " second"})
		return m.WithAttrs(m.Attrs().With(name, value)), nil
	}}
}

// run runs passes in a sequence and returns what a sink heard, what bodies of passes were called, and the error.
func (s *steps) run(d *diary, passes ...*pass.Pass) ([]string, error) {
	s.Helper()
	s.calls = nil
	tp := &tap{Sink: d}
	rec := instruments.NewRecorder(tp, instruments.NewSnapshots())
	if err := rec.Start(s.model.Module, pass.NewSequential("all", passes...), &event.RunStarted{}); err != nil {
		s.Fatal(err)
	}
	re := newReuse(s.mem.of(d), tp, rec, s.model)
	level := 2
	_, err := compiler.Passes(s.Context(), compiler.Request{
		Module: s.model.Module, Pipeline: re.wrap(pass.NewSequential("all", passes...)), OptLevel: &level, Instruments: re.watch([]*pass.Instrument{rec.Instrument()}),
	})
	if n := len(re.hits) + len(re.keys); err == nil && n > 0 {
		s.Errorf("%d steps are still noted at the end", n)
	}
	return s.calls, err
}

// marks lists the events of steps that are no sequence, with an r for those that were reused.
func marks(d *diary) []string {
	var out []string
	for _, e := range d.events {
		if e.Step == "" || strings.HasSuffix(e.Step, "/all") {
			continue
		}
		_, name, _ := strings.Cut(e.Step, "/")
		line := strings.TrimPrefix(string(e.Type), "pass_") + " " + name
		if b, ok := e.Body.(*event.Diagnostic); ok {
			line = b.Message
		}
		if e.Reused {
			line += " r"
		}
		out = append(out, line)
	}
	return out
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestStepsAreReplayed with what they said, in order and at their new places.
func TestStepsAreReplayed(t *testing.T) {
	s := newSteps(t)
	d := &diary{}
	calls, err := s.run(d, s.marked("A", "1"), s.marked("B", "1"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "bodies of the first run", calls, "A", "B")
	equal(t, "the first run says", marks(d), "started A", "A first", "A second", "finished A", "started B", "B first", "B second", "finished B")
	for _, e := range d.events {
		if b, ok := e.Body.(*event.Diagnostic); ok && (e.Step == "" || e.Parent != "1/all" || !strings.HasSuffix(e.Step, b.Message[:1])) {
			t.Errorf("%q is said of %s in %s", b.Message, e.Step, e.Parent)
		}
	}

	d = &diary{}
	calls, err = s.run(d, s.marked("A", "1"), s.marked("B", "2"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "bodies where B differs", calls, "B")
	equal(t, "where B differs it says", marks(d), "started A", "A first r", "A second r", "finished A r", "started B", "B first", "B second", "finished B")

	// The same two at another place: both are found, and their events have the new paths.
	d = &diary{}
	calls, err = s.run(d, pass.NewSequential("inner", s.marked("A", "1"), s.marked("B", "1")))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "bodies at another place", calls)
	for _, e := range d.events {
		if b, ok := e.Body.(*event.PassFinished); ok && (b.Name == "A" || b.Name == "B") {
			want := map[string]string{"A": "1.1.1/A", "B": "1.1.2/B"}[b.Name]
			if e.Step != want || e.Parent != "1.1/inner" || !e.Reused || e.Measured.Saved > int64(time.Minute) {
				t.Errorf("%s finished at %s in %s, saving %d ns", b.Name, e.Step, e.Parent, e.Measured.Saved)
			}
		}
	}
	// In another order the modules differ, and nothing is found.
	calls, err = s.run(&diary{}, s.marked("B", "1"), s.marked("A", "1"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "bodies in another order", calls, "B", "A")
	// A pass that changed nothing does not stand between the others.
	same := &pass.Pass{Name: "Same", Kind: pass.Module, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { return m, nil }}
	calls, err = s.run(&diary{}, s.marked("A", "1"), same, s.marked("B", "1"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "bodies with a pass between that changes nothing", calls)
}

// TestWhatIsSavedIsWhatTheStepTook, less what finding it took.
func TestWhatIsSavedIsWhatTheStepTook(t *testing.T) {
	s := newSteps(t)
	slow := s.marked("A", "1")
	body := slow.Run
	slow.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		time.Sleep(30 * time.Millisecond)
		return body(c, m)
	}
	for i := range 2 {
		d := &diary{}
		if _, err := s.run(d, slow); err != nil {
			t.Fatal(err)
		}
		saved := int64(0)
		for _, e := range d.events {
			if e.Measured != nil {
				saved += e.Measured.Saved
			}
		}
		if i == 0 && saved != 0 || i == 1 && (saved == 0 || saved > int64(time.Hour)) {
			t.Errorf("run %d saves %d ns", i, saved)
		}
	}
	// What is kept says how long computing it took.
	c, err := pass.NewContext(t.Context(), pass.OptLevel(2))
	if err != nil {
		t.Fatal(err)
	}
	found, ok := s.mem.of(nil).Step(newReuse(s.mem.of(nil), nil, nil, s.model).key(c, slow, s.model.Module))
	if !ok || found.Took < 30*time.Millisecond || found.Took > time.Hour || len(found.Events) != 3 {
		t.Errorf("what is kept is %+v, %t", found, ok)
	}
}

// TestStepsThatAreNotKept: those that failed, those that made no module, and those that ran others inside.
func TestStepsThatAreNotKept(t *testing.T) {
	s := newSteps(t)
	fails := s.marked("F", "1")
	inner := fails.Run
	wrong := errors.New("wrong")
	fails.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		_, _ = inner(c, m)
		return nil, wrong
	}
	for range 2 {
		d := &diary{}
		calls, err := s.run(d, s.marked("A", "1"), fails)
		if !errors.Is(err, wrong) {
			t.Fatalf("a pass that fails ends with %v", err)
		}
		if calls[len(calls)-1] != "F" {
			t.Error("a step that failed is reused")
		}
		says := marks(d)
		equal(t, "a step that fails says", says[len(says)-4:], "started F", "F first", "F second", "failed F")
	}
	// A pass that runs others as steps of its own is computed again, and what it ran is found.
	ran := 0
	outer := &pass.Pass{Name: "Outer", Kind: pass.Module}
	inside := s.marked("In", "1")
	outer.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		ran++
		return c.Run(inside, m)
	}
	for range 2 {
		if _, err := s.run(&diary{}, s.marked("A", "1"), outer); err != nil {
			t.Fatal(err)
		}
	}
	if ran != 2 {
		t.Errorf("a pass that ran others was computed %d times, want 2", ran)
	}
	// A sink that takes no diagnostic ends a step that went well; one that failed fails as it did.
	full := errors.New("full")
	deaf := &diary{on: func(call string) error {
		if strings.HasPrefix(call, "emit diagnostic") {
			return full
		}
		return nil
	}}
	if _, err := s.run(deaf, s.marked("Deaf", "1")); !errors.Is(err, full) {
		t.Errorf("a sink that takes no diagnostic ends the run with %v", err)
	}
	if calls, err := s.run(&diary{}, s.marked("Deaf", "1")); err != nil || len(calls) != 1 {
		t.Errorf("after a full sink the bodies %v are called (%v)", calls, err)
	}
	if _, err := s.run(deaf, fails); !errors.Is(err, wrong) || errors.Is(err, full) {
		t.Errorf("a step that failed ends with %v", err)
	}
	nothing := &pass.Pass{Name: "N", Kind: pass.Module, Run: func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, nil }}
	if _, err := s.run(&diary{}, nothing); err == nil {
		t.Error("a pass without a result ends well")
	}
}

// TestTextsThatAreGone make a step compute again, and keep it anew.
func TestTextsThatAreGone(t *testing.T) {
	s := newSteps(t)
	if _, err := s.run(&diary{}, s.marked("A", "1")); err != nil {
		t.Fatal(err)
	}
	gone := &forgetful{}
	if calls, err := s.run(&gone.diary, s.marked("A", "1")); err != nil || len(calls) > 0 {
		t.Fatalf("the bodies %v are called (%v)", calls, err)
	}
	s.calls = nil
	tp := &tap{Sink: gone}
	re := newReuse(s.mem.of(gone), tp, nil, s.model)
	run := func() (*ir.Module, error) {
		c, err := pass.NewContext(t.Context(), pass.OptLevel(2))
		if err != nil {
			t.Fatal(err)
		}
		return c.Run(re.wrap(s.marked("A", "1")), s.model.Module)
	}
	if _, err := run(); err != nil {
		t.Fatal(err)
	}
	equal(t, "bodies where texts are gone", s.calls, "A")
	full := errors.New("full")
	if _, err := s.run(&diary{}, s.marked("A", "1")); err != nil {
		t.Fatal(err)
	}
	gone.err = full
	if _, err := run(); !errors.Is(err, full) {
		t.Errorf("a sink that cannot keep texts gives %v", err)
	}
}

// forgetful is a sink without the texts of earlier runs.
type forgetful struct {
	diary
	err error
}

func (f *forgetful) Keep([]string) (bool, error) { return false, f.err }

// TestDiagnosticsOfTheContext are events of the run where they came before the first step, and each is one once.
func TestDiagnosticsOfTheContext(t *testing.T) {
	d := &diary{}
	re := newReuse(newMemory().of(nil), &tap{Sink: d}, nil, &Model{})
	list := []ir.Diagnostic{{Message: "a"}, {Message: "b", Severity: ir.Error}}
	for _, n := range []int{1, 1, 2, 2} {
		if err := re.report(list[:n], "1/A", "1"); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "the events", d.says(), "diagnostic 1/A: a", "diagnostic 1/A: b")
	if d.events[1].Parent != "1" || d.events[1].Body.(*event.Diagnostic).Severity != event.SeverityError {
		t.Errorf("the second is %+v", d.events[1])
	}
	full := errors.New("full")
	re.sink = &tap{Sink: &diary{on: func(string) error { return full }}}
	if err := re.report(append(list, ir.Diagnostic{}), "", ""); !errors.Is(err, full) {
		t.Errorf("a full sink gives %v", err)
	}

	// In a run: a name that no pass has is said before the first step.
	s := newStage(t)
	q := s.text(doubled(), "LegalizeOps")
	q.Settings.Disabled, q.Settings.Pipeline = []string{"Nothing"}, "zero"
	says := s.play(t.Context(), q).says()
	if len(says) < 3 || !strings.Contains(strings.Join(says[:4], "\n"), `unknown pass "Nothing"`) {
		t.Errorf("a name that no pass has gives %q", says)
	}
	n := 0
	for _, l := range says {
		if strings.Contains(l, `"Nothing"`) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("it is said %d times", n)
	}
}

// TestCanceledRunsKeepNoSteps that did not end.
func TestCanceledRunsKeepNoSteps(t *testing.T) {
	s := newSteps(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	p := s.marked("A", "1")
	body := p.Run
	p.Run = func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		cancel(errors.New("as asked"))
		if _, err := body(c, m); err != nil {
			return nil, err
		}
		return nil, c.Err()
	}
	re := newReuse(s.mem.of(nil), &tap{Sink: &diary{}}, nil, s.model)
	if _, err := compiler.Passes(ctx, compiler.Request{Module: s.model.Module, Pipeline: re.wrap(pass.NewSequential("all", p))}); err == nil {
		t.Fatal("a canceled run ends well")
	}
	if used := len(s.mem.steps); used != 0 {
		t.Errorf("%d steps are kept: %s", used, fmt.Sprint(s.calls))
	}
}

// TestStepsOnUnknownModules are not kept: nobody would find them.
func TestStepsOnUnknownModules(t *testing.T) {
	s := newSteps(t)
	tp := &tap{Sink: &diary{}}
	rec := instruments.NewRecorder(tp, instruments.NewSnapshots())
	re := newReuse(s.mem.of(nil), tp, rec, &Model{Module: ir.NewModule(), ID: "another"})
	pl := pass.NewSequential("all", s.marked("A", "1"), s.marked("B", "1"))
	if _, err := compiler.Passes(t.Context(), compiler.Request{Module: s.model.Module, Pipeline: re.wrap(pl), Instruments: re.watch([]*pass.Instrument{rec.Instrument()})}); err != nil {
		t.Fatal(err)
	}
	if used := len(s.mem.steps); used != 0 || len(re.keys) != 0 || len(re.ids) != 1 {
		t.Errorf("%d steps are kept of steps on a module that nobody knows", used)
	}
}

// TestReplay marks events and gives them their place; a snapshot stays as it was.
func TestReplay(t *testing.T) {
	snap := Snapshot{Took: 100, Events: []event.Event{
		event.New("1/A", "", &event.Diagnostic{Message: "m"}, &event.Measured{Total: 3}),
		event.New("1/A", "", &event.PassFinished{Name: "A"}, &event.Measured{Total: 7}),
	}}
	d := &diary{}
	if err := replay(d, snap, "2.1/A", "2/P", 30); err != nil {
		t.Fatal(err)
	}
	if snap.Events[1].Measured.Saved != 0 || snap.Events[0].Reused || snap.Events[0].Step != "1/A" {
		t.Errorf("the snapshot is now %+v", snap.Events)
	}
	for i, saved := range []int64{0, 70} {
		e := d.events[i]
		if !e.Reused || e.Step != "2.1/A" || e.Parent != "2/P" || e.Measured.Saved != saved || e.Measured.Total != snap.Events[i].Measured.Total {
			t.Errorf("event %d is %+v with %+v, want %d saved", i, e, e.Measured, saved)
		}
	}
	full := errors.New("full")
	if err := replay(&diary{on: func(string) error { return full }}, snap, "3/A", "", 0); !errors.Is(err, full) || err.Error() != "replay diagnostic of 3/A: full" {
		t.Errorf("a full sink gives %v", err)
	}
	snap.Events[1].Measured = nil
	if err := replay(&diary{}, snap, "3/A", "", 0); err != nil {
		t.Errorf("events that were not measured give %v", err)
	}
}
