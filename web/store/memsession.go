package store

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// sessionBytes is what a session counts for beside its texts.
const sessionBytes = 256

// bytes returns what a session counts for.
func (s *session) bytes() int64 {
	n := sessionBytes + len(s.Title) + len(s.Lesson) + len(s.Settings)
	for _, note := range s.Notes {
		n += note.bytes()
	}
	return int64(n)
}

// bytes returns what a note counts for.
func (n Note) bytes() int {
	return 64 + len(n.ID) + len(n.Run) + len(n.Step) + len(n.Function) + len(n.Text)
}

// CreateSession implements Store.
func (m *Memory) CreateSession(_ context.Context, s Session) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions[s.ID] != nil {
		return fmt.Errorf("create session %s: it exists", s.ID)
	}
	count := 0
	for _, old := range m.sessions {
		if old.TokenHash == s.TokenHash {
			count++
		}
	}
	if count >= MaxSessions {
		return fmt.Errorf("create session: %w", TooManySessions())
	}
	s.Runs, s.Notes, s.Children = slices.Clone(s.Runs[max(0, len(s.Runs)-MaxRuns):]), slices.Clone(s.Notes), nil
	made := &session{Session: s, owned: map[string]bool{}}
	n := made.bytes()
	if err := m.reserve(n, s.ID); err != nil {
		m.used -= n
		return fmt.Errorf("create session: %w", err)
	}
	m.sessions[s.ID] = made
	m.sessionOrder = append(m.sessionOrder, s.ID)
	return nil
}

// find returns a session that has not expired.
func (m *Memory) find(id string) (*session, error) {
	s := m.sessions[id]
	if s == nil || s.Expired(time.Now()) {
		return nil, fmt.Errorf("session: %w", ErrNotFound)
	}
	return s, nil
}

// Session implements Store.
func (m *Memory) Session(_ context.Context, id string) (Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return Session{}, err
	}
	out := s.Session
	out.Runs, out.Notes = slices.Clone(s.Runs), slices.Clone(s.Notes)
	now := time.Now()
	for _, child := range m.sessionOrder {
		if c := m.sessions[child]; c.Parent == id && !c.Expired(now) {
			out.Children = append(out.Children, child)
		}
	}
	return out, nil
}

// Sessions implements Store.
func (m *Memory) Sessions(_ context.Context, token [32]byte) ([]Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Session
	now := time.Now()
	for _, id := range slices.Backward(m.sessionOrder) {
		if s := m.sessions[id]; s.TokenHash == token && !s.Expired(now) {
			c := s.Session
			c.Settings, c.Runs, c.Notes = nil, nil, nil
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Session) int { return b.Created.Compare(a.Created) })
	return out, nil
}

// change changes what a session shows, and counts the bytes that it gained or lost.
func (m *Memory) change(what, id string, f func(*session) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err == nil && s.Shared {
		err = ErrShared
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	before := s.bytes()
	if err := f(s); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	m.used += s.bytes() - before
	return nil
}

// AddRun implements Store.
func (m *Memory) AddRun(_ context.Context, id, run string) error {
	return m.change("add run to session", id, func(s *session) error {
		if slices.Contains(s.Runs, run) {
			return nil
		}
		s.Runs = append(s.Runs, run)
		if len(s.Runs) > MaxRuns {
			s.Runs = slices.Clone(s.Runs[1:])
		}
		return nil
	})
}

// SaveSettings implements Store.
func (m *Memory) SaveSettings(_ context.Context, id string, settings []byte) error {
	return m.change("save settings of session", id, func(s *session) error {
		s.Settings = settings
		return nil
	})
}

// SaveTitle implements Store.
func (m *Memory) SaveTitle(_ context.Context, id, title string) error {
	return m.change("save title of session", id, func(s *session) error {
		if err := CheckTitle(title); err != nil {
			return err
		}
		s.Title = title
		return nil
	})
}

// PutNote implements Store.
func (m *Memory) PutNote(_ context.Context, id string, n Note) error {
	return m.change("put note", id, func(s *session) error {
		if err := n.Check(); err != nil {
			return err
		}
		i := slices.IndexFunc(s.Notes, func(old Note) bool { return old.ID == n.ID })
		switch {
		case i >= 0:
			s.Notes[i] = n
		case len(s.Notes) >= MaxNotes:
			return TooManyNotes()
		default:
			s.Notes = append(s.Notes, n)
		}
		return nil
	})
}

// DeleteNote implements Store.
func (m *Memory) DeleteNote(_ context.Context, id, note string) error {
	return m.change("delete note", id, func(s *session) error {
		i := slices.IndexFunc(s.Notes, func(old Note) bool { return old.ID == note })
		if i < 0 {
			return fmt.Errorf("note: %w", ErrNotFound)
		}
		s.Notes = slices.Delete(s.Notes, i, i+1)
		return nil
	})
}

// ShareSession implements Store.
func (m *Memory) ShareSession(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return fmt.Errorf("share: %w", err)
	}
	s.Shared, s.Expires = true, time.Time{}
	return nil
}

// SetExpiry implements Store.
func (m *Memory) SetExpiry(_ context.Context, id string, t time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(id)
	if err != nil {
		return fmt.Errorf("set expiry: %w", err)
	}
	s.Expires = t
	return nil
}

// DeleteSession implements Store.
func (m *Memory) DeleteSession(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.find(id); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	m.dropSessions(func(s *session) bool { return s.ID == id })
	return nil
}
