package store

import (
	"context"
	"slices"
	"time"
)

// reserve counts n more bytes and makes room where there is too little: the oldest
// finished runs go first, then expired sessions, then the oldest. What belongs to the
// owner stays, and so does what is shared. ErrFull leaves the count raised; the caller
// takes it back.
func (m *Memory) reserve(n int64, owner string) error {
	m.used += n
	if m.used <= m.limit {
		return nil
	}
	kept := m.listed(func(s *session) bool { return s.Shared })
	m.dropRuns(func(r *run) bool { return m.used > m.limit && r.ID != owner && !kept[r.ID] })
	now := time.Now()
	m.dropSessions(func(s *session) bool { return m.used > m.limit && s.ID != owner && s.Expired(now) })
	m.dropSessions(func(s *session) bool { return m.used > m.limit && s.ID != owner && !s.Shared && !m.busy(s) })
	if m.used > m.limit {
		return ErrFull
	}
	return nil
}

// listed returns the runs that sessions of a kind list.
func (m *Memory) listed(which func(*session) bool) map[string]bool {
	out := map[string]bool{}
	for _, s := range m.sessions {
		if which(s) {
			for _, id := range s.Runs {
				out[id] = true
			}
		}
	}
	return out
}

// dropRuns drops finished runs, oldest first, and returns how many.
func (m *Memory) dropRuns(which func(*run) bool) int {
	n := len(m.runOrder)
	m.runOrder = slices.DeleteFunc(m.runOrder, func(id string) bool {
		r := m.runs[id]
		if !r.finished || !which(r) {
			return false
		}
		m.release(r.owned)
		m.used -= r.bytes
		if m.shared[r.Key] == id {
			delete(m.shared, r.Key)
		}
		delete(m.runs, id)
		return true
	})
	return n - len(m.runOrder)
}

// dropSessions drops sessions, oldest first, and returns how many.
func (m *Memory) dropSessions(which func(*session) bool) int {
	n := len(m.sessionOrder)
	m.sessionOrder = slices.DeleteFunc(m.sessionOrder, func(id string) bool {
		s := m.sessions[id]
		if !which(s) {
			return false
		}
		m.release(s.owned)
		m.used -= s.bytes()
		delete(m.sessions, id)
		return true
	})
	return n - len(m.sessionOrder)
}

// busy tells whether a session has a run that has not finished.
func (m *Memory) busy(s *session) bool {
	return slices.ContainsFunc(s.Runs, func(id string) bool {
		r := m.runs[id]
		return r != nil && !r.finished
	})
}

// Expire implements Store.
func (m *Memory) Expire(_ context.Context, now time.Time) (sessions, runs int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropClasses(func(c Class) bool { return !now.Before(c.Expires) })
	sessions = m.dropSessions(func(s *session) bool { return s.Expired(now) })
	kept := m.listed(func(*session) bool { return true })
	runs = m.dropRuns(func(r *run) bool { return !kept[r.ID] && now.Sub(r.Created) >= OrphanTime })
	return sessions, runs, nil
}
