package hostile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// memory is a sink that keeps events.
type memory struct{ events []event.Event }

func (m *memory) Emit(e event.Event) error            { m.events = append(m.events, e); return nil }
func (m *memory) Text(_, text string) (string, error) { return event.HashText(text), nil }

// count returns the number of events with a body of type T whose step is of the pass called
// name; "" is any.
func count[T event.Body](es []event.Event, name string) (n int) {
	for _, e := range es {
		if _, ok := e.Body.(T); ok && (name == "" || strings.HasSuffix(e.Step, "/"+name)) {
			n++
		}
	}
	return n
}

// mlp imports the smallest model of the gallery.
func mlp(t *testing.T) *ir.Module {
	t.Helper()
	g, ok := gallery.Lookup("mlp")
	if !ok {
		t.Fatal("the gallery has no mlp")
	}
	m, err := load(t.Context(), g.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// record compiles with a recorder and further instruments and returns the events.
func record(t *testing.T, pl *pass.Pass, more ...*pass.Instrument) ([]event.Event, error) {
	t.Helper()
	sink := &memory{}
	rec := instruments.NewRecorder(sink, instruments.NewSnapshots())
	_, err := compiler.Passes(t.Context(), compiler.Request{
		Module: mlp(t), Pipeline: pl, Instruments: append([]*pass.Instrument{rec.Instrument()}, more...),
	})
	return sink.events, err
}

// with returns the default pipeline with the body of the pass called name replaced.
func with(t *testing.T, name string, body pass.RunFunc) *pass.Pass {
	t.Helper()
	pl, err := pipeline.Lookup("default", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	replaced := false
	var visit func(p *pass.Pass) *pass.Pass
	visit = func(p *pass.Pass) *pass.Pass {
		out := *p
		if p.Name == name {
			replaced = true
			out.Run = body
		}
		out.Children = nil
		for _, c := range p.Children {
			out.Children = append(out.Children, visit(c))
		}
		return &out
	}
	out := visit(pl)
	if !replaced {
		t.Fatalf("the pipeline has no %s", name)
	}
	return out
}

// TestPassesThatFail breaks a pass in each way there is: the error names it, and what was
// reported before stays.
func TestPassesThatFail(t *testing.T) {
	const broken = "FuseOps"
	cause := errors.New("out of luck")
	for _, c := range []struct {
		name string
		body pass.RunFunc
		says string
	}{
		{"error", func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, cause }, cause.Error()},
		{"panic", func(*pass.Context, *ir.Module) (*ir.Module, error) { panic("all is lost") }, "all is lost"},
		{"runtime panic", func(_ *pass.Context, m *ir.Module) (*ir.Module, error) {
			var none []int
			return m, fmt.Errorf("%d", none[m.Len()])
		}, "index out of range"},
		{"nil module", func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, nil }, ""},
		{"unregistered config", func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
			c.ConfigBool("no.such.key")
			return m, nil
		}, "no.such.key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := record(t, with(t, broken, c.body))
			var pe *pass.Error
			if !errors.As(err, &pe) || pe.Step.Pass.Name != broken || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("the error is %v", err)
			}
			if n := count[*event.PassFinished](events, "LegalizeOps"); n != 1 {
				t.Errorf("%d events say that LegalizeOps finished", n)
			}
			if n := count[*event.PassFailed](events, broken); n != 1 {
				t.Errorf("%d events say that %s failed", n, broken)
			}
		})
	}
}

// TestInstrumentsThatFail breaks every callback of an instrument by error and by panic.
func TestInstrumentsThatFail(t *testing.T) {
	cause := errors.New("broken lens")
	for _, panics := range []bool{false, true} {
		fail := func() error {
			if panics {
				panic(cause)
			}
			return cause
		}
		late := func(s *pass.Step) error {
			if s.Pass.Name == "FuseOps" {
				return fail()
			}
			return nil
		}
		for name, in := range map[string]*pass.Instrument{
			"EnterPassCtx":  {EnterPassCtx: fail},
			"ExitPassCtx":   {ExitPassCtx: fail},
			"ShouldRun":     {ShouldRun: func(_ *ir.Module, s *pass.Step) (bool, error) { return true, late(s) }},
			"RunBeforePass": {RunBeforePass: func(_ *ir.Module, s *pass.Step) error { return late(s) }},
			"RunAfterPass":  {RunAfterPass: func(_ *ir.Module, s *pass.Step) error { return late(s) }},
		} {
			t.Run(fmt.Sprintf("%s/panic=%v", name, panics), func(t *testing.T) {
				in.Name = "Telescope"
				events, err := record(t, nil, in)
				var ie *pass.InstrumentError
				if !errors.As(err, &ie) || ie.Instrument != "Telescope" || !strings.Contains(err.Error(), "broken lens") {
					t.Fatalf("the error is %v", err)
				}
				if name == "EnterPassCtx" {
					return // nothing ran
				}
				if n := count[*event.PassFinished](events, "LegalizeOps"); n != 1 {
					t.Errorf("%d events say that LegalizeOps finished", n)
				}
			})
		}
	}
}

// TestVeto keeps an optional pass from running by an instrument.
func TestVeto(t *testing.T) {
	events, err := record(t, nil, &pass.Instrument{Name: "No", ShouldRun: func(_ *ir.Module, s *pass.Step) (bool, error) {
		return s.Pass.Name != "FuseOps", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if n := count[*event.PassSkipped](events, "FuseOps"); n != 1 {
		t.Errorf("%d events say that FuseOps was skipped", n)
	}
}

// TestFailuresInTheLog runs a pass that panics under the manager of the server: the log
// keeps what came before, closes every step and ends in run_finished.
func TestFailuresInTheLog(t *testing.T) {
	for name, body := range map[string]pass.RunFunc{
		"error": func(*pass.Context, *ir.Module) (*ir.Module, error) { return nil, errors.New("no") },
		"panic": func(*pass.Context, *ir.Module) (*ir.Module, error) { panic("no") },
	} {
		t.Run(name, func(t *testing.T) {
			pl := with(t, "FuseOps", body)
			runner := runnerFunc(func(ctx context.Context, _ run.Request, sink run.Sink) error {
				m := mlp(t)
				rec := instruments.NewRecorder(sink, instruments.NewSnapshots())
				if err := rec.Start(m, pl, &event.RunStarted{Model: "mlp"}); err != nil {
					return err
				}
				_, err := compiler.Passes(ctx, compiler.Request{Module: m, Pipeline: pl, Instruments: []*pass.Instrument{rec.Instrument()}})
				return err
			})
			m := manager(t, runner, store.NewMemory(64<<20), 1)
			events := m.run(t, run.Request{Source: store.Source{Kind: store.SourceGallery, Name: "mlp"}, Settings: run.Settings{OptLevel: 2}})
			if _, ok := events[len(events)-1].Body.(*event.RunFinished); !ok {
				t.Errorf("the last event is %s", events[len(events)-1].Type)
			}
			if n := count[*event.PassFinished](events, "LegalizeOps"); n != 1 {
				t.Errorf("%d events say that LegalizeOps finished", n)
			}
			began := count[*event.PassStarted](events, "")
			if ended := count[*event.PassFinished](events, "") + count[*event.PassFailed](events, ""); began != ended {
				t.Errorf("%d steps began, %d ended", began, ended)
			}
		})
	}
}
