package driver

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// watched runs a pipeline of made-up passes with a memory and more instruments, and returns the bodies of events by step.
func (s *steps) watched(mem *memory, p *pass.Pass, behind ...*pass.Instrument) (map[string]event.Body, error) {
	s.Helper()
	d := &diary{}
	tp := &tap{Sink: d}
	rec := instruments.NewRecorder(tp, instruments.NewSnapshots())
	if err := rec.Start(s.model.Module, p, &event.RunStarted{}); err != nil {
		s.Fatal(err)
	}
	re := newReuse(mem.of(d), tp, rec, s.model)
	s.calls = nil
	_, err := compiler.Passes(s.Context(), compiler.Request{
		Module: s.model.Module, Pipeline: re.wrap(p), Instruments: re.watch(append([]*pass.Instrument{rec.Instrument()}, behind...)),
	})
	out := map[string]event.Body{}
	for _, e := range d.events {
		if b, ok := e.Body.(*event.PassFinished); ok {
			out[e.Step] = b
		}
	}
	return out, err
}

// with returns a pass that adds a copy of main under a name, or removes the function of that name.
func (s *steps) with(name, function string, remove bool) *pass.Pass {
	return &pass.Pass{Name: name, Kind: pass.Module, Args: ir.NewAttrs("function", function), Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		s.calls = append(s.calls, name)
		if remove {
			return m.Without(function), nil
		}
		return m.With(function, m.Lookup("main").WithFuncAttrs(ir.NewAttrs("global_symbol", function))), nil
	}}
}

// TestReusedStepsSayWhatComputedOnesDo: what is found of an earlier run, in whole or up to a step, and what follows it, has the bodies
// of a run without a memory. Sequences that begin or end at other modules are other sequences.
func TestReusedStepsSayWhatComputedOnesDo(t *testing.T) {
	s := newSteps(t)
	mem := newMemory()
	add, more, last := s.with("Add", "a", false), s.with("More", "b", false), s.with("Last", "z", false)
	gone, mark := s.with("Remove", "a", true), s.marked("Mark", "1")
	seq := pass.NewSequential
	for i, p := range []*pass.Pass{
		seq("all", seq("part", add, more), last),
		seq("all", seq("part", add, more), last),
		seq("all", seq("part", add, more), gone, last),
		seq("all", seq("part", add), more, gone, last), // the part ends elsewhere
		seq("all", add, seq("part", more), last),       // it begins elsewhere
		seq("all", add, more, seq("part", gone), mark, last),
		seq("all", add, more, seq("part", gone, mark), last),
		seq("all", seq("other", add, more), last), // the same under another name
		seq("all", seq("part"), add),
	} {
		got, err := s.watched(mem, p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.watched(newMemory(), p)
		if err != nil {
			t.Fatal(err)
		}
		for step, b := range want {
			if !reflect.DeepEqual(got[step], b) {
				t.Errorf("pipeline %d: %s says %+v, want %+v", i, step, got[step], b)
			}
		}
		if len(got) != len(want) {
			t.Errorf("pipeline %d: %d steps end, want %d", i, len(got), len(want))
		}
	}
}

// TestInstrumentsHearOfReusedSteps as such, of the others as always, and what one of them does not like is not kept.
func TestInstrumentsHearOfReusedSteps(t *testing.T) {
	s := newSteps(t)
	mem := newMemory()
	var heard []string
	watch := &pass.Instrument{
		Name: "Watch", Replayable: true,
		RunAfterPass: func(_ *ir.Module, p *pass.Step) error { heard = append(heard, p.Pass.Name); return nil },
		PassReused:   func(_ *ir.Module, p *pass.Step) error { heard = append(heard, p.Pass.Name+" again"); return nil },
	}
	hears := func(what string, p *pass.Pass, want string) {
		t.Helper()
		heard = nil
		if _, err := s.watched(mem, p, watch); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(heard, ", "); got != want {
			t.Errorf("%s: it hears of %s, want %s", what, got, want)
		}
	}
	hears("first", pass.NewSequential("all", s.marked("A", "1"), s.marked("B", "1")), "A, B, all")
	hears("again", pass.NewSequential("all", s.marked("A", "1"), s.marked("B", "1")), "A again, B again, all again")
	hears("with another end", pass.NewSequential("all", s.marked("A", "1"), s.marked("B", "2")), "A again, B, all")

	bad := &pass.Instrument{Name: "Bad", Replayable: true, RunAfterPass: func(_ *ir.Module, p *pass.Step) error {
		if p.Pass.Name == "C" {
			return fmt.Errorf("%s is not liked", p.Pass.Name)
		}
		return nil
	}}
	for range 2 {
		_, err := s.watched(mem, pass.NewSequential("all", s.marked("A", "1"), s.marked("C", "1")), bad)
		if err == nil || !strings.Contains(err.Error(), "C is not liked") || !slices.Equal(s.calls, []string{"C"}) {
			t.Errorf("a step that an instrument does not like gives %v, after the bodies %v", err, s.calls)
		}
	}
}

// TestIllFormedModulesAreNotReused: a step that leaves one behind fails each time, and the verifier knows after a step that was taken from
// an earlier run what it need not look at again.
func TestIllFormedModulesAreNotReused(t *testing.T) {
	s := newSteps(t)
	mem := newMemory()
	broken := &pass.Pass{Name: "Break", Kind: pass.Module, Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
		s.calls = append(s.calls, "Break")
		return m.With("other", m.Lookup("main")), nil // two functions of one symbol, and of one body
	}}
	for range 2 {
		_, err := s.watched(mem, pass.NewSequential("all", s.marked("A", "1"), broken), instruments.WellFormed(false))
		if err == nil || !strings.Contains(err.Error(), "not well-formed after 1.2/Break") {
			t.Errorf("an ill-formed module gives %v", err)
		}
	}
	if !slices.Equal(s.calls, []string{"Break"}) {
		t.Errorf("the bodies %v are called", s.calls)
	}
	// A run without the verifier has kept it; what follows it is compared with it.
	for range 2 {
		if _, err := s.watched(mem, pass.NewSequential("all", broken)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.watched(mem, pass.NewSequential("all", broken, s.marked("Z", "1")), instruments.WellFormed(false)); err != nil {
		t.Errorf("a module of an earlier run is verified again: %v", err)
	}
}
