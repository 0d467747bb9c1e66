package run

import (
	"errors"
	"sync"
	"time"
)

// alone is how long a run goes on after the last page that followed it has gone: long enough
// for a page that is loaded again or whose connection was cut, and so short that a run whose
// tab was closed is over within 30 seconds.
const alone = 20 * time.Second

// errAlone is the cause with which a run ends that nobody follows any more.
var errAlone = errors.New("the run was stopped because the page that followed it was closed")

// Watch says that somebody follows a run until leave is called. A run that a page followed
// and that nobody follows any more is stopped after a while, unless several sessions want it.
// A program that only asks for events now and then is no page: it may come back whenever it
// likes, and its run goes on.
func (m *Manager) Watch(id string, page bool) (leave func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.active[id]
	if a == nil {
		return func() {}
	}
	a.watchers++
	a.page = a.page || page
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		a.watchers--
		if a.watchers > 0 || !a.page || a.outside != nil || !a.goesOn() {
			return
		}
		if a.left == nil {
			a.left = time.AfterFunc(alone, func() { m.abandon(a) })
			return
		}
		a.left.Reset(alone)
	})
}

// abandon stops a run unless somebody has come back.
func (m *Manager) abandon(a *active) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.watchers == 0 && len(a.holders) < 2 && a.goesOn() {
		m.stop(a, errAlone)
	}
}

// goesOn tells whether a run waits or runs; the caller holds the lock.
func (a *active) goesOn() bool { return a.state == StateQueued || a.state == StateRunning }
