package run_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// journal is a log that a test reads while it is written.
type journal struct {
	mu   sync.Mutex
	text strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// bubble returns a manager for a bubble of synctest, which says what it does to the log and has runs that take until they are
// canceled; the test drains it.
func bubble(t *testing.T, adm run.Admission, r run.Runner) (m *run.Manager, st *store.Memory, log *journal) {
	t.Helper()
	log, st = &journal{}, store.NewMemory(64<<20)
	m = run.NewManager(run.Config{
		Runner: r, Store: st, Build: "test", Admission: adm, Log: slog.New(slog.NewTextHandler(log, nil)),
		Limits: run.Limits{Time: 100 * time.Hour, LogBytes: 1 << 20, TextBytes: 1 << 20, Memory: 100},
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m.Drain(ctx)
	})
	return m, st, log
}

// patient is a run that goes on until it is stopped.
func patient(ctx context.Context, _ run.Request, _ run.Sink) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// ample admits everything; tests narrow what they are about.
var ample = run.Admission{Workers: 100, Memory: 1 << 40, PerVisitor: 100, PerMinute: 100, Queue: 100, QueuePerVisitor: 100}

// refusal starts a run and returns why it is refused; nil where it is not.
func refusal(t *testing.T, m *run.Manager, visitor, name string) *share.Refusal {
	t.Helper()
	info, err := m.Start(t.Context(), visitor, "s", request(name))
	if err == nil {
		return nil
	}
	var r *share.Refusal
	if !errors.As(err, &r) || info.ID != "" {
		t.Fatalf("it gives %+v, %v", info, err)
	}
	return r
}

func wantRefusal(t *testing.T, got *share.Refusal, want share.Refusal) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("the refusal is %+v, want %+v", got, want)
	}
}

// states are those of runs by the first letter: q or r, or the end.
func states(t *testing.T, m *run.Manager, ids []string) string {
	t.Helper()
	synctest.Wait()
	var b strings.Builder
	for _, id := range ids {
		info, err := m.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(info.State[:1])
		if info.Position > 0 {
			fmt.Fprint(&b, info.Position)
		}
	}
	return b.String()
}

// TestEachAdmissionNumberBounds tries each number at its value and one beyond, the others being ample.
func TestEachAdmissionNumberBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		narrow func(*run.Admission)
		want   string // the states of four runs of a visitor and one of another
		cancel string // the same after the first was canceled
	}{
		{"nothing", func(*run.Admission) {}, "rrrrr", "crrrr"},
		{"workers", func(a *run.Admission) { a.Workers = 3 }, "rrrq1q2", "crrrq1"},
		{"visitor", func(a *run.Admission) { a.PerVisitor = 3 }, "rrrq1r", "crrrr"},
		{"memory", func(a *run.Admission) { a.Memory = 300 }, "rrrq1q2", "crrrq1"},
		{"memory but one", func(a *run.Admission) { a.Memory = 299 }, "rrq1q3q2", "crrq2q1"},
		{"little memory", func(a *run.Admission) { a.Memory = 1 }, "rq1q3q4q2", "crq2q3q1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				adm := ample
				c.narrow(&adm)
				m, _, _ := bubble(t, adm, runnerFunc(patient))
				var ids []string
				for i, visitor := range []string{"v", "v", "v", "v", "w"} {
					ids = append(ids, start(t, m, visitor, "s", request(fmt.Sprint(i))).ID)
				}
				if got := states(t, m, ids); got != c.want {
					t.Errorf("the runs are %s, want %s", got, c.want)
				}
				if _, err := m.Cancel(t.Context(), ids[0], "s"); err != nil {
					t.Fatal(err)
				}
				if got := states(t, m, ids); got != c.cancel {
					t.Errorf("without the first the runs are %s, want %s", got, c.cancel)
				}
			})
		})
	}
}

// TestRefusals checks the words of each refusal, at the number and one beyond, and that what was refused counts for nothing.
func TestRefusals(t *testing.T) {
	t.Run("queue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			adm := ample
			adm.Workers, adm.Queue = 1, 2
			m, _, _ := bubble(t, adm, runnerFunc(patient))
			for i := range 3 {
				if r := refusal(t, m, "v", fmt.Sprint(i)); r != nil {
					t.Fatalf("run %d gives %+v", i, r)
				}
			}
			wantRefusal(t, refusal(t, m, "w", "x"), share.Refusal{Busy: true, Message: "2 runs are already waiting; try again later", RetryAfter: 10 * time.Second})
		})
	})
	t.Run("queue of a visitor", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			adm := ample
			adm.PerVisitor, adm.QueuePerVisitor = 1, 2
			m, _, _ := bubble(t, adm, runnerFunc(patient))
			var ids []string
			for i := range 3 {
				ids = append(ids, start(t, m, "v", "s", request(fmt.Sprint(i))).ID)
			}
			wantRefusal(t, refusal(t, m, "v", "x"), share.Refusal{Message: "you have 2 runs waiting and 1 running; wait for one to finish or cancel one", RetryAfter: 5 * time.Second})
			if r := refusal(t, m, "w", "x"); r != nil {
				t.Errorf("another visitor gets %+v", r)
			}
			// One that waited makes room by leaving, as one that ran.
			for _, id := range []string{ids[2], ids[0]} {
				if _, err := m.Cancel(t.Context(), id, "s"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if r := refusal(t, m, "v", "after "+id); r != nil {
					t.Errorf("with room again: %+v", r)
				}
				wantRefusal(t, refusal(t, m, "v", "y"), share.Refusal{Message: "you have 2 runs waiting and 1 running; wait for one to finish or cancel one", RetryAfter: 5 * time.Second})
			}
		})
	})
	t.Run("rate", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			adm := ample
			adm.PerMinute = 3
			m, _, _ := bubble(t, adm, runnerFunc(patient))
			for i := range 3 {
				if r := refusal(t, m, "v", fmt.Sprint(i)); r != nil {
					t.Fatalf("run %d gives %+v", i, r)
				}
			}
			for range 2 { // a refused run costs nothing
				wantRefusal(t, refusal(t, m, "v", "x"), share.Refusal{Message: "you can start 3 runs per minute; try again later", RetryAfter: 20 * time.Second})
			}
			time.Sleep(20 * time.Second)
			if r := refusal(t, m, "v", "x"); r != nil {
				t.Errorf("20 seconds later: %+v", r)
			}
		})
	})
	t.Run("draining", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, _, _ := bubble(t, ample, runnerFunc(patient))
			if m.Draining() {
				t.Error("it drains before it was told to")
			}
			m.Drain(t.Context())
			wantRefusal(t, refusal(t, m, "v", "x"), share.Refusal{Busy: true, Message: "the server is shutting down; try again in a moment", RetryAfter: 5 * time.Second})
			if !m.Draining() {
				t.Error("it does not say that it drains")
			}
		})
	})
}

// burning is a store that fails where it is told to.
type burning struct {
	*store.Memory
	create, byKey, unfinished, events, finish error
}

func (s *burning) CreateRun(ctx context.Context, r store.Run) error {
	if s.create != nil {
		return s.create
	}
	return s.Memory.CreateRun(ctx, r)
}

func (s *burning) RunByKey(ctx context.Context, key string) (store.Run, error) {
	if s.byKey != nil {
		return store.Run{}, s.byKey
	}
	return s.Memory.RunByKey(ctx, key)
}

func (s *burning) Unfinished(ctx context.Context) ([]store.Run, error) {
	if s.unfinished != nil {
		return nil, s.unfinished
	}
	return s.Memory.Unfinished(ctx)
}

func (s *burning) Events(ctx context.Context, id string, from int) ([][]byte, error) {
	if s.events != nil {
		return nil, s.events
	}
	return s.Memory.Events(ctx, id, from)
}

func (s *burning) FinishRun(ctx context.Context, r store.Run, reusable bool) error {
	if s.finish != nil {
		return s.finish
	}
	return s.Memory.FinishRun(ctx, r, reusable)
}

// TestStoreThatFails: what the store says reaches the visitor or the operator, and nothing is started.
func TestStoreThatFails(t *testing.T) {
	disk := errors.New("disk on fire")
	st := &burning{Memory: store.NewMemory(1 << 20)}
	var log strings.Builder
	m, _ := manager(t, script(1), func(c *run.Config) {
		c.Store, c.Log = st, slog.New(slog.NewTextHandler(&log, nil))
	})
	for _, fail := range []*error{&st.create, &st.byKey} {
		*fail = disk
		if info, err := m.Start(t.Context(), "v", "s", request("a")); !errors.Is(err, disk) || info.ID != "" {
			t.Errorf("starting gives %+v, %v", info, err)
		}
		*fail = nil
	}
	st.unfinished = disk
	if err := m.Recover(t.Context()); !errors.Is(err, disk) || err.Error() != "find interrupted runs: disk on fire" {
		t.Errorf("recovering gives %v", err)
	}
	st.unfinished = nil
	if err := m.Recover(t.Context()); err != nil || log.Len() > 0 {
		t.Errorf("without interrupted runs it gives %v and says %s", err, log.String())
	}
	if err := st.CreateRun(t.Context(), store.Run{ID: "old", Key: "k", Request: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	st.finish = disk
	if err := m.Recover(t.Context()); !errors.Is(err, disk) || err.Error() != "end an interrupted run: disk on fire" {
		t.Errorf("ending a run gives %v", err)
	}
	st.finish, st.events = nil, disk
	if err := m.Recover(t.Context()); err != nil {
		t.Errorf("a log that cannot be read gives %v", err)
	}
	for _, want := range []string{`msg="close the log of an interrupted run" run=old err="disk on fire"`, `level=INFO msg="marked the unfinished runs of the last process as ended" runs=1`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log is %s, want %s", log.String(), want)
		}
	}
	if _, err := m.Log(t.Context(), "old"); !errors.Is(err, disk) {
		t.Errorf("its log gives %v", err)
	}
	st.events = nil
	if info, err := m.Run(t.Context(), "old"); err != nil || info.State != string(event.StatusInterrupted) {
		t.Errorf("the run is %+v (%v)", info, err)
	}

	log.Reset()
	st.finish = disk
	id := start(t, m, "v", "s", request("b")).ID
	read(t, m, id)
	m.Drain(t.Context())
	if want := `level=ERROR msg="store run" run=` + id + ` err="disk on fire"`; !strings.Contains(log.String(), want) {
		t.Errorf("the log is %s, want %s", log.String(), want)
	}
	// The store does not know how it ended: it has failed.
	if info, err := m.Run(t.Context(), id); err != nil || info.State != string(event.StatusFailed) {
		t.Errorf("the run is %+v (%v)", info, err)
	}
}

// TestRunsThatAreNotThere gives errors that say so.
func TestRunsThatAreNotThere(t *testing.T) {
	m, st := manager(t, script(1), nil)
	for name, f := range map[string]func() error{
		"run":    func() error { _, err := m.Run(t.Context(), "none"); return err },
		"log":    func() error { _, err := m.Log(t.Context(), "none"); return err },
		"cancel": func() error { _, err := m.Cancel(t.Context(), "none", "s"); return err },
	} {
		if err := f(); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if got := m.Holders("none"); got != nil {
		t.Errorf("it is wanted by %v", got)
	}
	if err := st.CreateRun(t.Context(), store.Run{ID: "broken", Request: []byte("{")}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context(), "broken"); err == nil || !strings.HasPrefix(err.Error(), "decode request of run broken: ") {
		t.Errorf("a request that cannot be read gives %v", err)
	}
}

// TestDescriptions checks what visitors are told of a run that waits, runs and is over.
func TestDescriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adm := ample
		adm.Workers = 1
		stop := make(chan struct{})
		m, st, _ := bubble(t, adm, runnerFunc(func(ctx context.Context, req run.Request, sink run.Sink) error {
			err := script(2)(ctx, req, sink)
			<-stop
			return err
		}))
		now := time.Now().UTC()
		first := start(t, m, "v", "s1", request("a"))
		req := request("b")
		req.Settings.OptLevel, req.Settings.Disabled = 3, []string{"z", "y"}
		got := start(t, m, "v", "s1", req)
		settings, err := req.Settings.Normalize()
		if err != nil {
			t.Fatal(err)
		}
		req.Settings, req.Limits = settings, run.Limits{Time: 100 * time.Hour, LogBytes: 1 << 20, TextBytes: 1 << 20, Memory: 100}
		key, err := req.Key("test")
		if err != nil {
			t.Fatal(err)
		}
		want := run.Info{ID: got.ID, Session: "s1", State: run.StateQueued, Position: 1, Created: now, Key: key, Settings: settings, Source: req.Source}
		same := func(got run.Info) {
			t.Helper()
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				t.Errorf("the run is\n%+v, want\n%+v", got, want)
			}
		}
		same(got)
		if len(got.ID) != 22 || got.ID == first.ID {
			t.Errorf("the names are %s and %s, want 128 bits each", got.ID, first.ID)
		}
		again := start(t, m, "w", "s2", req)
		want.Session, want.Shared = "s2", true
		same(again)
		if got := m.Holders(got.ID); !slices.Equal(got, []string{"s1", "s2"}) {
			t.Errorf("it is wanted by %v", got)
		}
		describe := func() run.Info {
			t.Helper()
			synctest.Wait()
			info, err := m.Run(t.Context(), got.ID)
			if err != nil {
				t.Fatal(err)
			}
			return info
		}
		want.Session, want.Shared = "", false
		same(describe())
		stop <- struct{}{}
		synctest.Wait()
		want.State, want.Position, want.Events = run.StateRunning, 0, 5
		same(describe())
		stop <- struct{}{}
		want.State, want.Events = "ok", 6
		synctest.Wait()
		r, err := st.Run(t.Context(), got.ID)
		if err != nil || r.Hash == "" || r.Status != "ok" {
			t.Errorf("stored is %+v (%v)", r, err)
		}
		want.Hash = r.Hash
		same(describe())
		want.Shared, want.Session = true, "s3"
		same(start(t, m, "w", "s3", req))
		if info, err := m.Cancel(t.Context(), got.ID, "s1"); err != nil || info.State != "ok" {
			t.Errorf("canceling what is over gives %+v (%v)", info, err)
		}
		other := req
		other.Limits.Memory = 50 // limits that were asked for are those of the run
		if info := start(t, m, "w", "s3", other); info.Key == key {
			t.Error("other limits have the same key")
		}
		close(stop)
	})
}

// TestRunnersThatDoNotStop are left after half a second, and are waited for no longer than a second when the server ends.
func TestRunnersThatDoNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adm := ample
		adm.Memory = 100
		stuck := make(chan struct{})
		m, _, log := bubble(t, adm, runnerFunc(func(context.Context, run.Request, run.Sink) error { <-stuck; return nil }))
		ids := []string{start(t, m, "v", "s", request("a")).ID, start(t, m, "v", "s", request("b")).ID, start(t, m, "v", "s", request("c")).ID}
		if got := states(t, m, ids); got != "rq1q2" {
			t.Errorf("the runs are %s", got)
		}
		if _, err := m.Cancel(t.Context(), ids[0], "s"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(499 * time.Millisecond)
		if got := states(t, m, ids); got != "rq1q2" || log.String() != "" {
			t.Errorf("before half a second is over the runs are %s, and it says %s", got, log)
		}
		time.Sleep(2 * time.Millisecond)
		if got := states(t, m, ids); got != "cq1q2" {
			t.Errorf("then the runs are %s", got)
		}
		time.Sleep(10 * time.Second)
		if got := states(t, m, ids); got != "cq1q2" {
			t.Errorf("its slot is free although it works: %s", got)
		}
		stuck <- struct{}{}
		if got := states(t, m, ids); got != "crq1" {
			t.Errorf("when it has stopped the runs are %s", got)
		}
		for _, want := range []string{
			`level=WARN msg="runner does not stop" run=` + ids[0] + ` cause="the run was canceled"`,
			`level=WARN msg="runner has stopped" run=` + ids[0] + " after=10.00",
		} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log is %s, want %s", log, want)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		m.Drain(ctx)
		if took := time.Since(began); took != 61*time.Second {
			t.Errorf("draining took %v, want the minute that it may take and a second", took)
		}
		if got := states(t, m, ids); got != "ccc" {
			t.Errorf("drained the runs are %s", got)
		}
		if !strings.Contains(log.String(), `level=WARN msg="runs do not stop; leaving them"`) {
			t.Errorf("the log is %s", log)
		}
		close(stuck)
	})
}

// TestTimeIsThatOfTheRun: waiting does not count, and what ends in time is no timeout.
func TestTimeIsThatOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adm := ample
		adm.Workers = 1
		m, _, _ := bubble(t, adm, runnerFunc(func(ctx context.Context, req run.Request, _ run.Sink) error {
			select {
			case <-time.After(map[string]time.Duration{"short": 9 * time.Second, "long": time.Minute}[req.Source.Name]):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}))
		var ids []string
		for i, name := range []string{"short", "short", "long", "short"} {
			req := request(name)
			req.Attempt, req.Limits = i, run.Limits{Time: 10 * time.Second, LogBytes: 1 << 20}
			ids = append(ids, start(t, m, "v", "s", req).ID)
		}
		time.Sleep(2 * time.Minute)
		if got := states(t, m, ids); got != "ooto" {
			t.Errorf("the runs ended as %s", got)
		}
		var took []time.Duration
		for _, id := range ids {
			evs := read(t, m, id)
			took = append(took, time.Duration(evs[len(evs)-1].Measured.Total))
		}
		if fmt.Sprint(took) != "[9s 9s 10s 9s]" {
			t.Errorf("they took %v", took)
		}
	})
}
