package run

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/irscope/irscope/instruments/event"
)

// grace is how long a stopped runner may take to return before its run is over for everybody who
// follows it. Its slot stays taken until it returns: the work that it still does is work.
const grace = 500 * time.Millisecond

// perform does a run from its start until it is stored.
func (m *Manager) perform(ctx context.Context, a *active) {
	defer a.cancel(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, a.req.Limits.Time, errTimeout)
	defer cancel()
	rec := newRecorder(a.run.ID, a.log, m.cfg.Store, a.req.Limits)
	ended := make(chan *event.RunFinished, 1)
	runner := m.cfg.Runner
	if a.outside != nil {
		runner = a.outside
	}
	m.work.Go(func() { ended <- execute(ctx, runner, a.req, rec, m.cfg.Log) })

	var done *event.RunFinished
	abandoned := false
	select {
	case done = <-ended:
	case <-ctx.Done():
		select {
		case done = <-ended:
		case <-time.After(grace):
			m.cfg.Log.Warn("runner does not stop", "run", a.run.ID, "cause", context.Cause(ctx))
			done, abandoned = outcome(context.Cause(ctx), a.req.Limits), true
			m.mu.Lock()
			a.abandoned = true
			m.mu.Unlock()
		}
	}
	m.finish(a, rec, done)
	if !abandoned {
		return
	}
	since := time.Now()
	<-ended
	m.cfg.Log.Warn("runner has stopped", "run", a.run.ID, "after", time.Since(since))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(a)
	m.visitors.Give(a.visitor)
	m.schedule()
}

// release gives the slot of a run back; the caller holds the lock.
func (m *Manager) release(a *active) {
	if a.outside != nil {
		m.outside--
		a.visitor.Value.outside--
		return
	}
	a.visitor.Value.running--
	m.running--
	m.memory -= a.req.Limits.Memory
}

// finish closes the log of a run, frees its slot unless its runner still works, and stores how it
// ended.
func (m *Manager) finish(a *active, rec *recorder, done *event.RunFinished) {
	if done.Status != event.StatusOK {
		// Before anybody sees the end: who asks again must not be given what failed.
		m.mu.Lock()
		m.unshare(a)
		m.mu.Unlock()
	}
	hash, err := rec.finish(done)
	if err != nil {
		m.cfg.Log.Error("close log", "run", a.run.ID, "err", err)
	}
	reusable := err == nil && done.Status == event.StatusOK && a.outside == nil

	m.mu.Lock()
	if a.state == StateRunning && !a.abandoned {
		m.release(a)
	}
	if !a.abandoned {
		m.visitors.Give(a.visitor)
	}
	a.state, a.hash = string(done.Status), hash
	if a.left != nil {
		a.left.Stop()
	}
	if !reusable {
		m.unshare(a)
	}
	m.schedule()
	m.mu.Unlock()

	// Storing compresses texts; that takes time and needs no slot.
	r := a.run
	r.Status, r.Hash = string(done.Status), hash
	if err := m.cfg.Store.FinishRun(context.Background(), r, reusable); err != nil {
		m.cfg.Log.Error("store run", "run", r.ID, "err", err)
	}
	m.mu.Lock()
	m.unshare(a)
	delete(m.active, r.ID)
	m.mu.Unlock()
}

// unshare takes a run out of what later requests may share; the caller holds the lock.
func (m *Manager) unshare(a *active) {
	if m.byKey[a.run.Key] == a {
		delete(m.byKey, a.run.Key)
	}
}

// Cancel says that a session no longer wants a run. When no session wants it, it is
// stopped, and its slot is free as soon as its runner has stopped. Canceling a run that has finished
// changes nothing.
func (m *Manager) Cancel(ctx context.Context, id, session string) (Info, error) {
	m.mu.Lock()
	a := m.active[id]
	if a == nil {
		m.mu.Unlock()
		return m.Run(ctx, id)
	}
	delete(a.holders, session)
	if len(a.holders) > 0 {
		defer m.mu.Unlock()
		return a.info(m.position(a)), nil
	}
	m.stop(a, errCanceled)
	m.mu.Unlock()
	return m.Run(ctx, id)
}

// Leave says that a session is gone: it wants none of its runs any more.
func (m *Manager) Leave(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.active {
		if !a.holders[session] {
			continue
		}
		delete(a.holders, session)
		if len(a.holders) == 0 {
			m.stop(a, errCanceled)
		}
	}
}

// stop ends a run that is queued or running. The caller holds the lock.
func (m *Manager) stop(a *active, cause error) {
	m.unshare(a)
	switch a.state {
	case StateRunning:
		a.cancel(cause)
	case StateQueued:
		m.queue.Remove(a)
		a.visitor.Value.queued--
		done := outcome(cause, a.req.Limits)
		a.state = string(done.Status)
		rec := newRecorder(a.run.ID, a.log, m.cfg.Store, a.req.Limits)
		m.work.Go(func() { m.finish(a, rec, done) })
	}
}

// Holders returns the sessions that want a run that is still going on.
func (m *Manager) Holders(id string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.active[id]
	if a == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(a.holders))
}

// Drain admits no more runs, ends those that wait, and returns when all others have
// finished; when the context ends before, they are stopped. The manager cannot be
// used for runs afterwards.
func (m *Manager) Drain(ctx context.Context) {
	m.mu.Lock()
	m.draining = true
	for _, a := range m.queue.All() {
		m.stop(a, errDraining)
	}
	m.mu.Unlock()
	idle := make(chan struct{})
	go func() {
		m.work.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return
	case <-ctx.Done():
	}
	m.mu.Lock()
	for _, a := range m.active {
		m.stop(a, errDraining)
	}
	m.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(2 * grace):
		m.cfg.Log.Warn("runs do not stop; leaving them")
	}
}

// Draining tells whether Drain was called.
func (m *Manager) Draining() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.draining
}
