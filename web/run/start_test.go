package run_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// slow is a store whose disk takes until it is told to go on, for runs of one source.
type slow struct {
	*store.Memory
	key   string
	write chan error
}

func (s *slow) CreateRun(ctx context.Context, r store.Run) error {
	if s.key == "" || r.Key == s.key {
		if err := <-s.write; err != nil {
			return err
		}
	}
	return s.Memory.CreateRun(ctx, r)
}

// slowly returns a manager in a bubble whose store is slow for the runs of request("slow"), and the store.
func slowly(t *testing.T, adm run.Admission, r run.Runner) (*run.Manager, *slow) {
	t.Helper()
	st := &slow{Memory: store.NewMemory(64 << 20), write: make(chan error)}
	m, _ := manager(t, r, func(c *run.Config) { c.Store, c.Admission = st, adm })
	req := request("slow")
	settings, err := req.Settings.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	req.Settings, req.Limits = settings, run.DefaultLimits()
	if st.key, err = req.Key("test"); err != nil {
		t.Fatal(err)
	}
	return m, st
}

// started is what Start returns.
type started struct {
	info run.Info
	err  error
}

// startSlow starts the run whose store is slow, for a session.
func startSlow(t *testing.T, m *run.Manager, session string) chan started {
	t.Helper()
	out := make(chan started, 1)
	go func() {
		info, err := m.Start(t.Context(), "v", session, request("slow"))
		out <- started{info, err}
	}()
	synctest.Wait()
	return out
}

// TestASlowDiskKeepsNobodyWaiting: while a run is being stored, others start, end and are described; who asks for the same run waits
// for it and gets it.
func TestASlowDiskKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, st := slowly(t, run.DefaultAdmission(2), script(1))
		first, second := startSlow(t, m, "a"), startSlow(t, m, "b")
		other, err := m.Start(t.Context(), "w", "c", request("other"))
		if err != nil {
			t.Fatal(err)
		}
		if done := last(t, m, other.ID); done.Status != event.StatusOK {
			t.Errorf("the other run ends with %s", done.Status)
		}
		select {
		case s := <-second:
			t.Fatalf("the second gets %+v before the run is stored", s)
		default:
		}
		st.write <- nil
		a, b := <-first, <-second
		if a.err != nil || b.err != nil || a.info.ID != b.info.ID || a.info.Shared || !b.info.Shared || b.info.Session != "b" {
			t.Errorf("the two get %+v and %+v", a, b)
		}
		if done := last(t, m, a.info.ID); done.Status != event.StatusOK {
			t.Errorf("the run ends with %s", done.Status)
		}
	})
}

// TestASlowDiskThatFails: who waited for a run that could not be stored tries it again, and what was taken for it is free.
func TestASlowDiskThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := errors.New("disk on fire")
		adm := run.DefaultAdmission(1)
		adm.Queue, adm.QueuePerVisitor, adm.PerVisitor = 1, 1, 1
		m, st := slowly(t, adm, runnerFunc(patient))
		first, second := startSlow(t, m, "a"), startSlow(t, m, "b")
		st.write <- disk
		if s := <-first; !errors.Is(s.err, disk) || s.info.ID != "" {
			t.Errorf("the first gets %+v", s)
		}
		st.write <- nil
		if s := <-second; s.err != nil || s.info.State != run.StateRunning || s.info.Shared {
			t.Errorf("the second gets %+v", s)
		}
		if r := refusal(t, m, "v", "waits"); r != nil {
			t.Errorf("another run is refused: %+v", r)
		}
	})
}

// TestRunsBeingStoredCount: those that cannot begin at once count as waiting.
func TestRunsBeingStoredCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adm := run.DefaultAdmission(1)
		adm.Queue = 1
		m, st := slowly(t, adm, runnerFunc(patient))
		slowOne := startSlow(t, m, "a") // it will begin
		if r := refusal(t, m, "w", "x"); r != nil {
			t.Fatalf("the run that begins instead of it is refused: %+v", r)
		}
		wantRefusal(t, refusal(t, m, "w", "y"), share.Refusal{Busy: true, Message: "1 runs are already waiting; try again later", RetryAfter: 10e9})
		st.write <- nil
		if s := <-slowOne; s.err != nil || s.info.State != run.StateQueued {
			t.Errorf("it gets %+v", s)
		}
		wantRefusal(t, refusal(t, m, "w", "y"), share.Refusal{Busy: true, Message: "1 runs are already waiting; try again later", RetryAfter: 10e9})
	})
}

// TestDrainWaitsForRunsBeingStored: a run that is stored while the server shuts down gets its end, also one of a dump.
func TestDrainWaitsForRunsBeingStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, st := slowly(t, run.DefaultAdmission(1), runnerFunc(patient))
		st.key = ""
		first := startSlow(t, m, "a")
		second := make(chan started, 1)
		go func() {
			info, err := m.Follow(t.Context(), "v", "b", request("dump"), runnerFunc(patient))
			second <- started{info, err}
		}()
		synctest.Wait()
		drained := make(chan struct{})
		go func() {
			m.Drain(t.Context())
			close(drained)
		}()
		synctest.Wait()
		select {
		case <-drained:
			t.Error("it drained while runs were being stored")
		default:
		}
		st.write <- nil
		st.write <- nil
		for _, c := range []chan started{first, second} {
			s := <-c
			if s.err != nil {
				t.Fatal(s.err)
			}
			<-drained
			if r, err := st.Run(t.Context(), s.info.ID); err != nil || r.Status == "" || r.Status == string(event.StatusOK) {
				t.Errorf("the run is stored as %+v, %v", r, err)
			}
		}
	})
}
