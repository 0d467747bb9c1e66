package instruments_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// log renders events on a line each.
func (s *sink) log() string {
	var out []string
	for _, e := range s.events {
		line := fmt.Sprintf("%s %s", e.Type, e.Step)
		switch b := e.Body.(type) {
		case *event.PassFinished:
			for _, f := range b.Functions {
				line += fmt.Sprintf(" %s:%s+%d-%d", f.Name, f.Change, f.Added, f.Removed)
			}
			line += fmt.Sprintf(" same=%d", b.Same)
		case *event.PassSkipped:
			line += fmt.Sprintf(" %s (%s)", b.Reason, b.Text)
		case *event.PassFailed:
			line += fmt.Sprintf(" %s: %s", b.Error.Kind, b.Error.Message)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestRecorder(t *testing.T) {
	s := &sink{}
	r := instruments.NewRecorder(s, instruments.NewSnapshots())
	m := mlp(t)
	p := pass.NewSequential("zero", transform.LegalizeOps, transform.EliminateCommonSubexpr, touch("relu"))
	if err := r.Start(m, p, &event.RunStarted{}); err != nil {
		t.Fatal(err)
	}
	out := mustRun(t, p, m, r.Instrument())
	want := `run_started 
pass_started 1/zero
pass_started 1.1/LegalizeOps
pass_finished 1.1/LegalizeOps matmul:added+16-0 relu:added+13-0 main:changed+2-2 same=0
pass_skipped 1.2/EliminateCommonSubexpr opt_level (level 3 > 2)
pass_started 1.3/Touch
pass_finished 1.3/Touch relu:changed+1-1 same=2
pass_finished 1/zero main:changed+0-0 matmul:added+0-0 relu:added+0-0 same=0`
	if got := s.log(); got != want {
		t.Errorf("events:\n%s\nwant:\n%s", got, want)
	}
	for _, e := range s.events {
		if f, ok := e.Body.(*event.PassFinished); ok {
			for _, c := range f.Functions {
				for _, h := range []string{c.Before, c.After} {
					if h != "" && s.texts[h] == "" {
						t.Errorf("%s: the text %s of %s was never stored", e.Step, h, c.Name)
					}
				}
			}
		}
	}
	fresh := instruments.NewRecorder(&sink{}, instruments.NewSnapshots())
	want, err := fresh.ModuleHash(out)
	if err != nil {
		t.Fatal(err)
	}
	last := s.events[len(s.events)-1].Body.(*event.PassFinished)
	if last.Module != want {
		t.Error("the hash of a module depends on how it came about")
	}
	if last.Metrics.Kernels != 2 {
		t.Errorf("metrics %+v", last.Metrics)
	}
}

func TestRecorderOfFailures(t *testing.T) {
	for kind, p := range map[event.ErrorKind]*pass.Pass{
		event.KindPass:  {Name: "Bad", Run: func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, errors.New("no luck") }},
		event.KindPanic: {Name: "Bad", Run: func(c *pass.Context, _ *ir.Module) (*ir.Module, error) { c.Working("main"); panic("no luck") }},
	} {
		s := &sink{}
		r := instruments.NewRecorder(s, instruments.NewSnapshots())
		if _, err := runPass(t, pass.NewSequential("s", p), mlp(t), r.Instrument()); err == nil {
			t.Fatal("no error")
		}
		if !strings.Contains(s.log(), "pass_failed 1.1/Bad "+string(kind)+": ") || !strings.Contains(s.log(), "pass_failed 1/s ") {
			t.Errorf("events:\n%s", s.log())
		}
		f := s.events[2].Body.(*event.PassFailed)
		if f.Error.Pass != "Bad" || kind == event.KindPanic && f.Error.Function != "main" {
			t.Errorf("error %+v", f.Error)
		}
	}
	broken := &pass.Pass{Name: "Broken", Run: func(_ *pass.Context, m *ir.Module) (*ir.Module, error) { return m.Without("matmul"), nil }}
	_, err := runPass(t, pass.NewSequential("s", transform.LegalizeOps, broken), mlp(t), instruments.WellFormed(false))
	if e := instruments.ErrorOf(err); e.Kind != event.KindVerify || e.Instrument != "WellFormedInstrument" || e.Pass != "Broken" {
		t.Errorf("error %+v", e)
	}
}

func TestPlan(t *testing.T) {
	plan := instruments.Plan(pass.NewSequential("p", transform.DecomposeOps, transform.FuseTIR))
	var got []string
	for _, s := range plan {
		got = append(got, fmt.Sprintf("%s<%s %s %s", s.Step, s.Parent, s.Role, s.Kind))
	}
	want := "1/p< lowering sequential\n1.1/DecomposeOps<1/p optional function\n1.2/FuseTIR<1/p lowering sequential\n" +
		"1.2.1/FuseTIRInner<1.2/FuseTIR lowering module\n1.2.2/DeadCodeElimination<1.2/FuseTIR optional module"
	if strings.Join(got, "\n") != want {
		t.Errorf("plan:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

// BenchmarkStep measures a pass that touches one of 2,000 functions of a module of 100,000
// lines under all instruments.
func BenchmarkStep(b *testing.B) {
	for _, n := range []int{20, 2000} {
		b.Run(fmt.Sprintf("functions=%d", n), func(b *testing.B) {
			s := &sink{}
			snaps := instruments.NewSnapshots()
			r := instruments.NewRecorder(s, snaps)
			var timing instruments.Timing
			m := large(n)
			if err := r.Start(m, touch("kernel7"), &event.RunStarted{}); err != nil {
				b.Fatal(err)
			}
			c, err := pass.NewContext(b.Context(), pass.Instruments(timing.Instrument(), r.Instrument(), instruments.WellFormed(false)))
			if err != nil {
				b.Fatal(err)
			}
			p := touch("kernel7")
			if m, err = c.Run(p, m); err != nil { // verifies all functions once
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.events = s.events[:0]
				if m, err = c.Run(p, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
