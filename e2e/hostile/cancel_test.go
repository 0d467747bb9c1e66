package hostile

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/run/inproc"
	"github.com/irscope/irscope/web/store"
)

// runnerFunc is a function as a run.Runner.
type runnerFunc func(ctx context.Context, req run.Request, sink run.Sink) error

// Run implements run.Runner.
func (f runnerFunc) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	return f(ctx, req, sink)
}

// managed is a run.Manager without limits on visitors.
type managed struct {
	*run.Manager
	attempts int
}

func manager(t *testing.T, r run.Runner, st store.Store, workers int) *managed {
	t.Helper()
	adm := run.DefaultAdmission(workers)
	adm.PerMinute, adm.PerVisitor = 1_000_000, workers
	limits := run.DefaultLimits()
	limits.Time = 10 * time.Minute
	m := run.NewManager(run.Config{
		Runner: r, Store: st, Build: "test", Admission: adm, Limits: limits, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m.Drain(ctx)
	})
	return &managed{Manager: m}
}

// start starts a run that is not shared.
func (m *managed) start(t *testing.T, req run.Request) (run.Info, *run.Log) {
	t.Helper()
	m.attempts++
	req.Attempt = m.attempts
	info, err := m.Start(t.Context(), "visitor", "session", req)
	if err != nil {
		t.Fatal(err)
	}
	log, err := m.Log(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	return info, log
}

// run runs a request to its end and returns the events.
func (m *managed) run(t *testing.T, req run.Request) []event.Event {
	t.Helper()
	_, log := m.start(t, req)
	return follow(t, log)
}

// follow reads a log to its end.
func follow(t *testing.T, log *run.Log) []event.Event {
	t.Helper()
	var out []event.Event
	for {
		lines, sealed, err := log.Next(t.Context(), len(out))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			e, err := event.Decode(l)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, e)
		}
		if sealed && len(lines) == 0 {
			return out
		}
	}
}

// TestCancel cancels runs at random points of compiling and running: the slot is free within
// a second, the log is closed, and no goroutine stays.
func TestCancel(t *testing.T) {
	points := 10 // of each of four models
	if testing.Short() {
		points = 3
	}
	st := store.NewMemory(512 << 20)
	eng := compiler.NewEngine()
	defer func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	}()
	models := map[string][]byte{}
	for _, g := range gallery.Models() {
		if len(models) < 3 {
			models[g.Name] = g.Bytes
		}
	}
	if data, err := os.ReadFile(filepath.Join(onnxtestDir(t), "light_resnet50.onnx")); err == nil {
		models["light_resnet50"] = data
	}
	// Nothing is re-used, so that a cancellation may meet every step.
	m := manager(t, inproc.New(inproc.Config{
		Store: st, Engine: eng, CacheBytes: -1,
		Gallery: func(name string) ([]byte, bool) { d, ok := models[name]; return d, ok },
	}), st, 1)
	rnd := seed.Rand(t)
	var slowest time.Duration
	for name := range models {
		req := run.Request{Source: store.Source{Kind: store.SourceGallery, Name: name}, Settings: run.Settings{OptLevel: 2}}
		// A whole run says how long it takes, up to a bound.
		began := time.Now()
		info, log := m.start(t, req)
		whole := wait(t, m, info, log, 4*time.Second)
		t.Logf("%s takes %v to cancel after, or to its end", name, time.Since(began))
		before := settle(-1)
		stages := map[string]int{}
		for i := range points {
			delay := time.Duration(rnd.Int64N(int64(whole)))
			info, log := m.start(t, req)
			time.Sleep(delay)
			asked := time.Now()
			if _, err := m.Cancel(t.Context(), info.ID, "session"); err != nil {
				t.Fatal(err)
			}
			events := follow(t, log)
			took := time.Since(asked)
			slowest = max(slowest, took)
			if took > maxTime*busy*slowdown || goal.Strict() && took > maxTime {
				t.Errorf("%s, point %d: canceled after %v, the slot is free %v later", name, i, delay, took)
			}
			done, ok := events[len(events)-1].Body.(*event.RunFinished)
			if !ok || done.Status != event.StatusCanceled && done.Status != event.StatusOK {
				t.Errorf("%s, point %d: the run ended as %+v", name, i, events[len(events)-1].Body)
			}
			stages[string(events[max(0, len(events)-2)].Type)]++
			if began, ended := count[*event.PassStarted](events, ""), count[*event.PassFinished](events, "")+count[*event.PassFailed](events, ""); began != ended {
				t.Errorf("%s, point %d: %d steps began, %d ended", name, i, began, ended)
			}
		}
		if after := settle(before); after > before {
			t.Errorf("%s: %d goroutines before %d canceled runs, %d after", name, before, points, after)
		}
		t.Logf("%s: last events before the end: %v", name, stages)
	}
	t.Logf("slowest: %v", slowest)
}

// wait waits for the end of a run, or cancels it after the bound, and returns the time.
func wait(t *testing.T, m *managed, info run.Info, log *run.Log, bound time.Duration) time.Duration {
	t.Helper()
	timer := time.AfterFunc(bound, func() { _, _ = m.Cancel(context.Background(), info.ID, "session") })
	defer timer.Stop()
	start := time.Now()
	follow(t, log)
	return time.Since(start)
}

// settle waits until there are no more than want goroutines, for a second at most, and
// returns how many there are; with a negative want it waits until their number rests.
func settle(want int) int {
	n := runtime.NumGoroutine()
	for range 100 {
		time.Sleep(10 * time.Millisecond)
		now := runtime.NumGoroutine()
		if want >= 0 && now <= want {
			return now
		}
		n = now
	}
	return n
}

// onnxtestDir is the folder of the light models.
func onnxtestDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(onnxtest.Dir(t), "light")
}
