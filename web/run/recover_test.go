package run_test

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// successor returns a manager that finds what another has left in a store.
func successor(t *testing.T, st store.Store) *run.Manager {
	t.Helper()
	m, _ := manager(t, script(1), func(c *run.Config) { c.Store = st })
	if err := m.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestInterruptedRunsGetAnEnd(t *testing.T) {
	begun := make(chan string, 2)
	m, st := manager(t, hang(begun), func(c *run.Config) { c.Admission = run.DefaultAdmission(1) })
	running := start(t, m, "v", "s", request("a"))
	queued := start(t, m, "v", "s", request("b"))
	<-begun
	log, err := m.Log(t.Context(), running.ID)
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := log.Next(t.Context(), 0)
	if err != nil || len(before) != 1 {
		t.Fatalf("%d events, %v", len(before), err)
	}

	next := successor(t, st)
	events := read(t, next, running.ID)
	if len(events) != 3 || events[1].Type != event.TypePassFailed || events[1].Step != "1/Slow" {
		t.Fatalf("the log is %+v", events)
	}
	after, err := st.Events(t.Context(), running.ID, 0)
	if err != nil || !bytes.Equal(after[0], before[0]) {
		t.Errorf("the event that was shown is now %q, was %q (%v)", after[0], before[0], err)
	}
	for _, id := range []string{running.ID, queued.ID} {
		done := last(t, next, id)
		if done.Status != event.StatusInterrupted || done.Error == nil || done.Error.Kind != event.KindInterrupted {
			t.Errorf("the end is %+v", done)
		}
		info, err := next.Run(t.Context(), id)
		if err != nil || info.State != string(event.StatusInterrupted) || info.Hash == "" {
			t.Errorf("the run is %+v (%v)", info, err)
		}
	}
	if done := last(t, next, running.ID); done.Failed != 1 {
		t.Errorf("%d steps failed, want 1", done.Failed)
	}
	// A second start finds nothing to do, and the request can be made again.
	again := successor(t, st)
	if n := len(read(t, again, running.ID)); n != 3 {
		t.Errorf("after a second start there are %d events", n)
	}
	if info := start(t, again, "v", "s", request("a")); info.Shared {
		t.Error("an interrupted run was shared")
	}
}

// TestRunThatEndedButWasNotFinished has its last event, and the store does not know that
// it was the last.
func TestRunThatEndedButWasNotFinished(t *testing.T) {
	m, st := manager(t, script(3), nil)
	done := start(t, m, "v", "s", request("a"))
	read(t, m, done.ID)
	lines, err := st.Events(t.Context(), done.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	finished(t, st, done.ID)
	want, err := st.Run(t.Context(), done.ID)
	if err != nil {
		t.Fatal(err)
	}
	other := store.NewMemory(1 << 20)
	if err := other.CreateRun(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := other.AppendEvents(t.Context(), done.ID, 0, lines); err != nil {
		t.Fatal(err)
	}
	broken := store.Run{ID: "broken", Request: []byte("{")}
	if err := other.CreateRun(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	next := successor(t, other)
	if got := read(t, next, done.ID); len(got) != len(lines) {
		t.Errorf("%d events, want %d", len(got), len(lines))
	}
	if got, err := other.RunByKey(t.Context(), want.Key); err != nil || got.Status != "ok" || got.Hash != want.Hash {
		t.Errorf("the run is %+v (%v), want hash %s", got, err, want.Hash)
	}
	if got, err := other.Run(t.Context(), "broken"); err != nil || got.Status != string(event.StatusInterrupted) {
		t.Errorf("a run whose request cannot be read is %+v (%v)", got, err)
	}
}

// finished waits until a run is stored as finished, which is after its last event.
func finished(t *testing.T, st store.Store, id string) {
	t.Helper()
	eventually(t, "the run is stored", func() bool {
		r, err := st.Run(t.Context(), id)
		return err == nil && r.Status != ""
	})
}

// TestViewersShareTheLogOfAFinishedRun as they do while it runs.
func TestViewersShareTheLogOfAFinishedRun(t *testing.T) {
	m, st := manager(t, script(3), nil)
	done := start(t, m, "v", "s", request("a"))
	read(t, m, done.ID)
	finished(t, st, done.ID)
	next := successor(t, st)
	a, err := next.Log(t.Context(), done.ID)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := next.Log(t.Context(), done.ID); err != nil || a != b {
		t.Errorf("a second viewer gets a log of its own (%v)", err)
	}
}

// fullStore is a store that refuses to take events once.
type fullStore struct {
	*store.Memory
	refuse int32 // the call that is refused, from 1
	calls  atomic.Int32
	told   chan struct{} // a call came
}

func (s *fullStore) AppendEvents(ctx context.Context, id string, from int, lines [][]byte, texts ...store.Text) error {
	defer func() { s.told <- struct{}{} }()
	if s.calls.Add(1) == s.refuse {
		return fmt.Errorf("no room: %w", store.ErrFull)
	}
	return s.Memory.AppendEvents(ctx, id, from, lines, texts...)
}

// TestStoreIsFullDuringARun refuses the second batch of a run. The run hears of it and ends; what
// was shown is stored, and nothing else.
func TestStoreIsFullDuringARun(t *testing.T) {
	st := &fullStore{Memory: store.NewMemory(64 << 20), refuse: 2, told: make(chan struct{}, 1000)}
	m, _ := manager(t, runnerFunc(func(ctx context.Context, _ run.Request, sink run.Sink) error {
		emit := func(i int) error {
			return sink.Emit(event.New(fmt.Sprint(i, "/A"), "", &event.PassStarted{Name: "A"}, nil))
		}
		for i := range 2 {
			if err := emit(i + 1); err != nil {
				return err
			}
			<-st.told
		}
		for ctx.Err() == nil { // the refusal is on its way back
			if err := emit(3); err != nil {
				return err
			}
		}
		return nil
	}), func(c *run.Config) { c.Store = st })
	r := start(t, m, "v", "s", request("a"))
	events := read(t, m, r.ID)
	done, ok := events[len(events)-1].Body.(*event.RunFinished)
	if !ok || done.Status != event.StatusLimit || done.Error.Kind != event.KindLimit || done.Error.Limit != "storage" {
		t.Fatalf("the end is %+v", events[len(events)-1])
	}
	stored, err := st.Events(t.Context(), r.ID, 0)
	if err != nil || len(stored) != len(events) || len(events) != 3 {
		t.Errorf("%d events are stored and %d shown, want 3 (%v)", len(stored), len(events), err)
	}
}

// TestStoreIsFullAtTheEnd refuses the last event: the log of the run is closed without it.
func TestStoreIsFullAtTheEnd(t *testing.T) {
	st := &fullStore{Memory: store.NewMemory(64 << 20), refuse: 1, told: make(chan struct{}, 10)}
	m, _ := manager(t, runnerFunc(func(context.Context, run.Request, run.Sink) error { return nil }), func(c *run.Config) { c.Store = st })
	if events := read(t, m, start(t, m, "v", "s", request("a")).ID); len(events) != 0 {
		t.Errorf("events are shown that are not stored: %+v", events)
	}
}

// TestTextsNameTheirBase looks at what the store is told a text is like.
func TestTextsNameTheirBase(t *testing.T) {
	st := &baseStore{Memory: store.NewMemory(1 << 20), bases: map[string]string{}}
	var before, after string
	m, _ := manager(t, runnerFunc(func(_ context.Context, _ run.Request, sink run.Sink) error {
		var err error
		if before, err = sink.Text(event.LangTVMScript, "before"); err != nil {
			return err
		}
		if after, err = sink.Text(event.LangTVMScript, "after"); err != nil {
			return err
		}
		return sink.Emit(event.New("1/A", "", &event.PassFinished{Name: "A", Functions: []event.FunctionChange{{Name: "f", Before: before, After: after}}}, nil))
	}), func(c *run.Config) { c.Store = st })
	read(t, m, start(t, m, "v", "s", request("a")).ID)
	if len(st.bases) != 2 || st.bases[after] != before || st.bases[before] != "" {
		t.Errorf("bases are %v, want that of %s to be %s", st.bases, after, before)
	}
}

// baseStore notes the bases of texts.
type baseStore struct {
	*store.Memory
	bases map[string]string
}

func (s *baseStore) AppendEvents(ctx context.Context, id string, from int, lines [][]byte, texts ...store.Text) error {
	for _, t := range texts {
		s.bases[t.Hash] = t.Base
	}
	return s.Memory.AppendEvents(ctx, id, from, lines, texts...)
}
