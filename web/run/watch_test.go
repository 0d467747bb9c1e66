package run_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// TestRunsWithoutViewersStop closes pages that follow runs: a run is over 30 seconds after its
// last page has gone, and goes on while a page, a program or another session wants it.
func TestRunsWithoutViewersStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := make(chan string, 20)
		adm := run.DefaultAdmission(20)
		adm.PerVisitor, adm.PerMinute = 20, 100
		m := run.NewManager(run.Config{
			Runner: hang(begun), Store: store.NewMemory(64 << 20), Admission: adm,
			Limits: run.Limits{Time: time.Hour, LogBytes: 1 << 20, Memory: 1}, Log: quiet(),
		})
		state := func(id string) string {
			t.Helper()
			info, err := m.Run(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return info.State
		}
		want := func(id, want string) {
			t.Helper()
			synctest.Wait()
			if got := state(id); got != want {
				t.Errorf("the run is %s, want %s", got, want)
			}
		}
		begin := func(name string) string { return start(t, m, "v", "s", request(name)).ID }

		left, kept, again := begin("left"), begin("kept"), begin("again")
		polled, asked, wanted := begin("polled"), begin("asked"), begin("wanted")
		start(t, m, "w", "other", request("wanted"))
		first, second := m.Watch(left, true), m.Watch(left, true)
		first()
		first() // once more does nothing
		stay := m.Watch(kept, true)
		m.Watch(again, true)()
		m.Watch(polled, true)()
		m.Watch(wanted, true)()
		m.Watch(asked, false)() // a program that reads once and comes back later
		time.Sleep(15 * time.Second)
		back := m.Watch(again, true)
		poll := m.Watch(polled, false)
		second()
		time.Sleep(19 * time.Second)
		want(left, run.StateRunning)
		time.Sleep(2 * time.Second)
		want(left, string(event.StatusCanceled))
		for _, id := range []string{kept, again, polled, asked, wanted} {
			want(id, run.StateRunning)
		}
		if done := last(t, m, left); done.Error == nil || !strings.Contains(done.Error.Message, "page that followed") {
			t.Errorf("the run ended as %+v", done)
		}
		poll()
		back()
		time.Sleep(25 * time.Second)
		want(polled, string(event.StatusCanceled))
		want(again, string(event.StatusCanceled))
		want(kept, run.StateRunning)
		stay()
		m.Watch("none", true)()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m.Drain(ctx)
		m.Watch(kept, true)()
	})
}

// TestQueuedRunsWithoutViewersLeave does the same to a run that waits for its turn.
func TestQueuedRunsWithoutViewersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := run.NewManager(run.Config{
			Runner: hang(make(chan string, 2)), Store: store.NewMemory(64 << 20), Admission: run.DefaultAdmission(1),
			Limits: run.Limits{Time: time.Hour, LogBytes: 1 << 20, Memory: 1}, Log: quiet(),
		})
		start(t, m, "v", "s", request("first"))
		queued := start(t, m, "v", "s", request("second"))
		if queued.State != run.StateQueued {
			t.Fatalf("the second run is %s", queued.State)
		}
		m.Watch(queued.ID, true)()
		time.Sleep(30 * time.Second)
		if done := last(t, m, queued.ID); done.Status != event.StatusCanceled {
			t.Errorf("the run ended as %s", done.Status)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m.Drain(ctx)
	})
}

// TestARunThatIsLeftTwice: a page that comes back while the run waits for it starts the wait anew, and what is over stays as it is.
func TestARunThatIsLeftTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _, _ := bubble(t, ample, runnerFunc(patient))
		ids := []string{start(t, m, "v", "s", request("a")).ID, start(t, m, "v", "s", request("b")).ID}
		m.Watch(ids[0], true)()
		time.Sleep(19 * time.Second)
		m.Watch(ids[0], false)() // whoever follows it, a page did once
		time.Sleep(19 * time.Second)
		if got := states(t, m, ids); got != "rr" {
			t.Errorf("before 20 seconds are over the runs are %s", got)
		}
		time.Sleep(time.Second)
		if got := states(t, m, ids); got != "cr" {
			t.Errorf("then the runs are %s", got)
		}
		// Two pages: the first that goes is not the last.
		one, two := m.Watch(ids[1], true), m.Watch(ids[1], true)
		one()
		time.Sleep(time.Minute)
		if got := states(t, m, ids); got != "cr" {
			t.Errorf("with a page left the runs are %s", got)
		}
		two()
		if _, err := m.Cancel(t.Context(), ids[1], "s"); err != nil {
			t.Fatal(err)
		}
		if got := states(t, m, ids); got != "cc" {
			t.Errorf("the runs are %s", got)
		}
		time.Sleep(time.Minute)
		for i, want := range []string{"page that followed", "was canceled"} {
			if done := last(t, m, ids[i]); done.Error == nil || !strings.Contains(done.Error.Message, want) {
				t.Errorf("run %d ended with %+v, want %q", i, done.Error, want)
			}
		}
	})
}
