package run_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// runnerFunc is a Runner made of a function.
type runnerFunc func(ctx context.Context, req run.Request, sink run.Sink) error

func (f runnerFunc) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	return f(ctx, req, sink)
}

// script emits a run of n passes. Each has a text, so that readers have something
// to fetch, and the context is looked at before each.
func script(n int) runnerFunc {
	return func(ctx context.Context, req run.Request, sink run.Sink) error {
		text, err := sink.Text(event.LangTVMScript, "def main():\n    pass\n")
		if err != nil {
			return err
		}
		fns := []event.Function{{Name: "main", Kind: "relax", Text: text, Lines: 2}}
		if err := sink.Emit(event.New("", "", &event.RunStarted{Model: req.Source.Name, OptLevel: req.Settings.OptLevel, Functions: fns}, nil)); err != nil {
			return err
		}
		for i := range n {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			name := fmt.Sprintf("Pass%d", i)
			step := fmt.Sprintf("%d/%s", i+1, name)
			if err := sink.Emit(event.New(step, "", &event.PassStarted{Name: name}, nil)); err != nil {
				return err
			}
			if err := sink.Emit(event.New(step, "", &event.PassFinished{Name: name, Changed: i%2 == 0}, &event.Measured{Total: int64(i)})); err != nil {
				return err
			}
		}
		return nil
	}
}

// hang emits one pass that never ends, tells that it has begun, and waits for its context.
func hang(begun chan<- string) runnerFunc {
	return func(ctx context.Context, req run.Request, sink run.Sink) error {
		if err := sink.Emit(event.New("1/Slow", "", &event.PassStarted{Name: "Slow"}, nil)); err != nil {
			return err
		}
		begun <- req.Source.Name
		<-ctx.Done()
		return fmt.Errorf("slow pass: %w", context.Cause(ctx))
	}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// manager returns a manager with a store of 64 MiB; the test drains it at its end.
func manager(t *testing.T, r run.Runner, change func(*run.Config)) (*run.Manager, *store.Memory) {
	t.Helper()
	st := store.NewMemory(64 << 20)
	cfg := run.Config{Runner: r, Store: st, Build: "test", Admission: run.DefaultAdmission(2), Limits: run.DefaultLimits(), Log: quiet()}
	if change != nil {
		change(&cfg)
	}
	m := run.NewManager(cfg)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m.Drain(ctx)
	})
	return m, st
}

func request(name string) run.Request {
	return run.Request{Source: store.Source{Kind: store.SourceGallery, Name: name}}
}

// read reads a whole log, waiting for its end.
func read(t *testing.T, m *run.Manager, id string) []event.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	log, err := m.Log(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var out []event.Event
	for {
		lines, sealed, err := log.Next(ctx, len(out))
		if err != nil {
			t.Fatalf("log of %s after %d events: %v", id, len(out), err)
		}
		for _, l := range lines {
			e, err := event.Decode(l)
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq != len(out) {
				t.Fatalf("event %d stands at %d", e.Seq, len(out))
			}
			out = append(out, e)
		}
		if sealed && len(lines) == 0 {
			return out
		}
	}
}

// last returns the end of a run.
func last(t *testing.T, m *run.Manager, id string) *event.RunFinished {
	t.Helper()
	evs := read(t, m, id)
	done, ok := evs[len(evs)-1].Body.(*event.RunFinished)
	if !ok {
		t.Fatalf("the last event is %s", evs[len(evs)-1].Type)
	}
	return done
}

func start(t *testing.T, m *run.Manager, visitor, session string, req run.Request) run.Info {
	t.Helper()
	info, err := m.Start(t.Context(), visitor, session, req)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// eventually polls a condition that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
		time.Sleep(time.Millisecond)
	}
}
