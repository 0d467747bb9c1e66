package run_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/e2e/fixture/goal"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

func TestRunIsRecorded(t *testing.T) {
	m, st := manager(t, script(5), nil)
	info := start(t, m, "v", "s", request("mlp"))
	evs := read(t, m, info.ID)
	if len(evs) != 12 || evs[0].Type != event.TypeRunStarted {
		t.Fatalf("%d events, the first is %s; want 12 from run_started on", len(evs), evs[0].Type)
	}
	done := last(t, m, info.ID)
	if done.Status != event.StatusOK || done.Changed != 3 || done.Same != 2 {
		t.Errorf("run finished as %+v, want ok, 3 changed, 2 same", done)
	}
	eventually(t, "run is stored", func() bool {
		r, err := st.Run(t.Context(), info.ID)
		return err == nil && r.Status == "ok" && r.Hash != "" && r.Events == 12
	})
	if again := read(t, m, info.ID); len(again) != len(evs) {
		t.Errorf("the stored log has %d events, the live one had %d", len(again), len(evs))
	}
}

func TestIdenticalRunsAreShared(t *testing.T) {
	begun := make(chan string, 4)
	m, _ := manager(t, hang(begun), nil)
	a := start(t, m, "v", "s1", request("mlp"))
	<-begun
	b := start(t, m, "w", "s2", request("mlp"))
	if a.ID != b.ID || a.Shared || !b.Shared || b.Session != "s2" {
		t.Fatalf("got %+v and %+v, want one run, shared by the second", a, b)
	}
	other := request("mlp")
	other.Settings.OptLevel = 3
	if c := start(t, m, "v", "s1", other); c.ID == a.ID {
		t.Error("a run with another opt_level is shared")
	}
	if info, err := m.Cancel(t.Context(), a.ID, "s1"); err != nil || info.State != run.StateRunning {
		t.Errorf("canceled by one of two sessions the run is %s, error %v", info.State, err)
	}
	if _, err := m.Cancel(t.Context(), a.ID, "s2"); err != nil {
		t.Fatal(err)
	}
	if done := last(t, m, a.ID); done.Status != event.StatusCanceled {
		t.Errorf("canceled by both sessions the run ended as %s", done.Status)
	}
	if d := start(t, m, "v", "s1", request("mlp")); d.Shared || d.ID == a.ID {
		t.Error("a canceled run is shared")
	}
}

func TestFinishedRunsAreSharedUnlessTheyFailed(t *testing.T) {
	fail := errors.New("no rule for relax.foo")
	m, _ := manager(t, runnerFunc(func(ctx context.Context, req run.Request, sink run.Sink) error {
		if req.Source.Name == "bad" {
			return fail
		}
		return script(1)(ctx, req, sink)
	}), func(cfg *run.Config) { cfg.Admission.PerMinute = 10_000 })
	// As soon as its end is seen: often, because that is a race where it is wrong.
	for i := range 200 {
		for name, want := range map[string]bool{fmt.Sprint("good ", i): true, "bad": false} {
			a := start(t, m, "v", "s", request(name))
			last(t, m, a.ID)
			if b := start(t, m, "v", "s", request(name)); b.Shared != want {
				t.Fatalf("a second run of %s is shared: %t", name, b.Shared)
			}
		}
	}
	again := request("good 0")
	again.Attempt = 1
	if b := start(t, m, "v", "s", again); b.Shared {
		t.Error("another attempt is shared")
	}
}

func TestKeysIgnoreTheOrderOfNames(t *testing.T) {
	a, b := request("m"), request("m")
	a.Settings.Disabled, b.Settings.Disabled = []string{"X", "A", "X"}, []string{"A", "X"}
	var keys []string
	for _, r := range []run.Request{a, b} {
		s, err := r.Settings.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		r.Settings = s
		k, err := r.Key("build")
		if err != nil {
			t.Fatal(err)
		}
		other, _ := r.Key("another build")
		if other == k {
			t.Error("the key does not depend on the executable")
		}
		keys = append(keys, k)
	}
	if keys[0] != keys[1] {
		t.Error("the key depends on the order of disabled passes")
	}
	if _, err := (run.Settings{OptLevel: 5}).Normalize(); err == nil || !strings.Contains(err.Error(), "opt_level is 5") {
		t.Errorf("opt_level 5 gives %v", err)
	}
}

func TestFailuresAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		runner runnerFunc
		limits run.Limits
		status event.Status
		kind   event.ErrorKind
		text   string
	}{
		"panic": {func(context.Context, run.Request, run.Sink) error { panic("nil map") }, run.DefaultLimits(), event.StatusFailed, event.KindPanic, "nil map"},
		"error": {func(context.Context, run.Request, run.Sink) error { return errors.New("bad order") }, run.DefaultLimits(), event.StatusFailed, event.KindPass, "bad order"},
		"detail": {func(context.Context, run.Request, run.Sink) error {
			return fmt.Errorf("run: %w", &event.Error{Kind: event.KindUnsupported, Message: "no Foo", Op: "Foo"})
		}, run.DefaultLimits(), event.StatusFailed, event.KindUnsupported, "no Foo"},
		"time": {
			func(ctx context.Context, _ run.Request, _ run.Sink) error { <-ctx.Done(); return ctx.Err() },
			run.Limits{Time: time.Millisecond, LogBytes: 1 << 20},
			event.StatusTimeout, event.KindTimeout, "limit of 1ms",
		},
		"log":  {script(1000), run.Limits{Time: time.Minute, LogBytes: 1 << 10, TextBytes: 1 << 20}, event.StatusLimit, event.KindLimit, "events of the run"},
		"text": {script(1), run.Limits{Time: time.Minute, LogBytes: 1 << 20, TextBytes: 5}, event.StatusLimit, event.KindLimit, "printed IR"},
		"memory": {
			func(_ context.Context, _ run.Request, s run.Sink) error { return s.Account(3 << 20) },
			run.Limits{Time: time.Minute, LogBytes: 1 << 20, Memory: 2 << 20},
			event.StatusLimit, event.KindLimit, "needs 3 MiB",
		},
		"last": {
			func(_ context.Context, _ run.Request, s run.Sink) error {
				return s.Emit(event.New("", "", &event.RunFinished{}, nil))
			}, run.DefaultLimits(),
			event.StatusFailed, event.KindPass, "run_finished",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := manager(t, c.runner, func(cfg *run.Config) { cfg.Limits = c.limits })
			done := last(t, m, start(t, m, "v", "s", request("x")).ID)
			if done.Status != c.status || done.Error == nil || done.Error.Kind != c.kind || !strings.Contains(done.Error.Message, c.text) {
				t.Errorf("run ended as %s with %+v; want %s, %s with %q", done.Status, done.Error, c.status, c.kind, c.text)
			}
		})
	}
}

func TestOpenStepsAreClosed(t *testing.T) {
	m, _ := manager(t, runnerFunc(func(_ context.Context, _ run.Request, s run.Sink) error {
		_ = s.Emit(event.New("1/Phase", "", &event.PassStarted{Name: "Phase"}, nil))
		_ = s.Emit(event.New("1.1/FuseOps", "1/Phase", &event.PassStarted{Name: "FuseOps"}, nil))
		panic("index out of range")
	}), nil)
	evs := read(t, m, start(t, m, "v", "s", request("x")).ID)
	var got []string
	for _, e := range evs {
		if f, ok := e.Body.(*event.PassFailed); ok {
			got = append(got, e.Step+" "+string(f.Error.Kind))
		}
	}
	if strings.Join(got, ", ") != "1.1/FuseOps panic, 1/Phase panic" {
		t.Errorf("failed steps are %q, want the open ones, inner first", got)
	}
}

func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan string, 200)
		st := store.NewMemory(64 << 20)
		adm := run.DefaultAdmission(4)
		adm.Queue = 12
		m := run.NewManager(run.Config{Runner: hang(begun), Store: st, Admission: adm, Limits: run.Limits{Time: time.Hour, LogBytes: 1 << 20, Memory: 1}, Log: quiet()})
		refused := func(visitor, name string) *share.Refusal {
			_, err := m.Start(t.Context(), visitor, "s", request(name))
			var r *share.Refusal
			if err != nil && !errors.As(err, &r) {
				t.Fatal(err)
			}
			return r
		}
		states := func(ids []string) (running int) {
			for _, id := range ids {
				if i, err := m.Run(t.Context(), id); err == nil && i.State == run.StateRunning {
					running++
				}
			}
			return running
		}
		var ids []string
		for i := range 10 {
			info := start(t, m, "greedy", "s", request(fmt.Sprint("m", i)))
			ids = append(ids, info.ID)
			if want := max(0, i-1); info.Position != want {
				t.Errorf("run %d has position %d, want %d", i, info.Position, want)
			}
		}
		synctest.Wait()
		if n := states(ids); n != 2 {
			t.Errorf("%d runs of one visitor at once, want 2", n)
		}
		if r := refused("greedy", "m10"); r == nil || r.Busy || r.RetryAfter <= 0 {
			t.Errorf("the 11th run of a visitor gives %+v, want to retry later", r)
		}
		if r := refused("other", "o1"); r != nil {
			t.Errorf("a run of another visitor gives %v", r)
		}
		// The queue is one of 12: 8 of greedy wait, 4 others may.
		for i := range 6 {
			r := refused(fmt.Sprint("v", i), fmt.Sprint("q", i))
			// v0 takes the last worker, v1 to v4 wait, v5 finds the queue full.
			if full := i == 5; full != (r != nil && r.Busy && r.RetryAfter > 0) {
				t.Errorf("run of visitor %d gives %+v", i, r)
			}
		}
		// A slot that becomes free goes to the next in the queue.
		if _, err := m.Cancel(t.Context(), ids[0], "s"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := states(ids); n != 2 {
			t.Errorf("after canceling one of two, %d runs of the visitor at once, want 2", n)
		}
		// A minute later the rate allows more: first the waiting ones go.
		for _, id := range ids {
			_, _ = m.Cancel(t.Context(), id, "s")
		}
		synctest.Wait()
		if r := refused("greedy", "m11"); r == nil {
			t.Error("canceling gives back the rate")
		}
		time.Sleep(time.Minute)
		if r := refused("greedy", "m12"); r != nil {
			t.Errorf("a minute later: %v", r)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m.Drain(ctx)
		if r := refused("new", "n"); r == nil || !r.Busy {
			t.Errorf("a run while draining gives %+v", r)
		}
	})
}

func TestCancelAtRandomPoints(t *testing.T) {
	before := runtime.NumGoroutine()
	gate := make(chan struct{})
	m, _ := manager(t, runnerFunc(func(ctx context.Context, req run.Request, sink run.Sink) error {
		for i := 0; ; i++ {
			if err := sink.Emit(event.New(fmt.Sprint(i+1, "/P"), "", &event.PassStarted{Name: "P"}, nil)); err != nil {
				return err
			}
			select {
			case gate <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}), func(cfg *run.Config) {
		cfg.Admission.Workers, cfg.Admission.PerVisitor, cfg.Admission.PerMinute = 1, 1, 1000
	})
	seed.Each(t, 1, func(t *testing.T, r *rand.Rand) {
		var longest time.Duration
		defer func() { goal.Time(t, "the slot of a canceled run is free", longest, time.Second) }()
		for i := range 100 {
			info := start(t, m, "v", "s", request(fmt.Sprint("m", i)))
			for range r.IntN(20) {
				<-gate
			}
			began := time.Now()
			if _, err := m.Cancel(t.Context(), info.ID, "s"); err != nil {
				t.Fatal(err)
			}
			// The next run gets the only slot as soon as it is free.
			next := start(t, m, "v", "t", request(fmt.Sprint("next", i)))
			<-gate
			longest = max(longest, time.Since(began))
			if done := last(t, m, info.ID); done.Status != event.StatusCanceled {
				t.Fatalf("run ended as %s", done.Status)
			}
			if _, err := m.Cancel(t.Context(), next.ID, "t"); err != nil {
				t.Fatal(err)
			}
			last(t, m, next.ID)
		}
		eventually(t, "goroutines are gone", func() bool { return runtime.NumGoroutine() <= before+1 })
	})
}

func TestSlotOfRunnerThatDoesNotStop(t *testing.T) {
	stuck, begun := make(chan struct{}), make(chan struct{}, 2)
	m, _ := manager(t, runnerFunc(func(_ context.Context, req run.Request, sink run.Sink) error {
		begun <- struct{}{}
		if req.Source.Name == "stuck" {
			<-stuck
			if err := sink.Emit(event.New("9/Late", "", &event.PassStarted{Name: "Late"}, nil)); !errors.Is(err, run.ErrSealed) {
				t.Errorf("an event after the end gives %v, want ErrSealed", err)
			}
		}
		return nil
	}), func(cfg *run.Config) { cfg.Admission.Workers = 1 })
	a := start(t, m, "v", "s", request("stuck"))
	<-begun
	began := time.Now()
	if _, err := m.Cancel(t.Context(), a.ID, "s"); err != nil {
		t.Fatal(err)
	}
	// The run is over for those who follow it, and its slot is taken as long as it works.
	if done := last(t, m, a.ID); done.Status != event.StatusCanceled {
		t.Errorf("run ended as %s", done.Status)
	}
	goal.Time(t, "a runner that does not stop is left", time.Since(began), time.Second)
	next := start(t, m, "v", "s", request("next"))
	if info, err := m.Run(t.Context(), next.ID); err != nil || info.State != run.StateQueued {
		t.Errorf("beside a runner that still works the next run is %s (%v)", info.State, err)
	}
	close(stuck)
	<-begun
	if done := last(t, m, next.ID); done.Status != event.StatusOK {
		t.Errorf("the next run ended as %s", done.Status)
	}
}

func TestDrainLetsRunsFinish(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{})
	m, _ := manager(t, runnerFunc(func(context.Context, run.Request, run.Sink) error {
		close(begun)
		<-release
		return nil
	}), func(cfg *run.Config) { cfg.Admission.Workers = 1 })
	a := start(t, m, "v", "s", request("a"))
	<-begun
	b := start(t, m, "v", "s", request("b"))
	drained := make(chan struct{})
	go func() { m.Drain(context.Background()); close(drained) }()
	if done := last(t, m, b.ID); done.Status != event.StatusCanceled {
		t.Errorf("the waiting run ended as %s", done.Status)
	}
	close(release)
	<-drained
	if done := last(t, m, a.ID); done.Status != event.StatusOK {
		t.Errorf("the running run ended as %s", done.Status)
	}
}

// TestTheQueueGoesRound lets one visitor queue many runs before another comes with one.
func TestTheQueueGoesRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan string, 20)
		m := run.NewManager(run.Config{
			Runner: runnerFunc(func(ctx context.Context, req run.Request, _ run.Sink) error {
				begun <- req.Source.Name
				time.Sleep(time.Second)
				return nil
			}),
			Store: store.NewMemory(64 << 20), Admission: run.DefaultAdmission(1),
			Limits: run.Limits{Time: time.Hour, LogBytes: 1 << 20, Memory: 1}, Log: quiet(),
		})
		positions := []int{}
		for _, name := range []string{"a0", "a1", "a2", "a3", "b0", "b1", "c0"} {
			info := start(t, m, name[:1], "s", request(name))
			positions = append(positions, info.Position)
		}
		if got := fmt.Sprint(positions); got != "[0 1 2 3 2 4 3]" {
			t.Errorf("the positions are %s", got)
		}
		time.Sleep(time.Minute)
		m.Drain(t.Context()) // whoever sends has ended
		close(begun)
		var order []string
		for name := range begun {
			order = append(order, name)
		}
		if got := strings.Join(order, " "); got != "a0 a1 b0 c0 a2 b1 a3" {
			t.Errorf("the order is %s", got)
		}
	})
}

// TestVisitorsAreForgotten lets as many visitors run something as are told apart. A minute after
// their runs there is room for others.
func TestVisitorsAreForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 10,000 runs")
	}
	synctest.Test(t, func(t *testing.T) {
		adm := run.DefaultAdmission(4)
		adm.PerMinute = 1
		m := run.NewManager(run.Config{Runner: script(0), Store: store.NewMemory(256 << 20), Admission: adm, Limits: run.DefaultLimits(), Log: quiet()})
		for i := range 10_000 {
			start(t, m, fmt.Sprint("v", i), "s", request(fmt.Sprint("v", i)))
			if i%50 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		time.Sleep(2 * time.Minute)
		// More than the entries that a full table has for all others.
		for i := range 300 {
			start(t, m, fmt.Sprint("w", i), "s", request(fmt.Sprint("w", i)))
			synctest.Wait()
		}
		m.Drain(t.Context())
	})
}

// TestStates: that of a run that goes on is as far as its log, that of one that is over is made once.
func TestStates(t *testing.T) {
	begun := make(chan string, 1)
	m, _ := manager(t, hang(begun), nil)
	id := start(t, m, "v", "s", request("a")).ID
	<-begun
	state := func() (*event.Run, bool) {
		t.Helper()
		r, sealed, err := m.State(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return r, sealed
	}
	before, sealed := state()
	if sealed || before.Finished != nil {
		t.Errorf("of a run that goes on it is %+v, sealed %t", before, sealed)
	}
	if _, err := m.Cancel(t.Context(), id, "s"); err != nil {
		t.Fatal(err)
	}
	events := read(t, m, id)
	after, sealed := state()
	again, _ := state()
	if !sealed || after.Finished == nil || after.Events != len(events) || after != again || before.Finished != nil {
		t.Errorf("of a run that is over it is %+v, sealed %t, made again: %t", after, sealed, after != again)
	}
}
