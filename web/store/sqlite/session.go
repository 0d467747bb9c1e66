package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/irscope/irscope/web/store"
)

// CreateSession implements store.Store.
func (s *Store) CreateSession(ctx context.Context, n store.Session) error {
	err := n.Check()
	if err == nil {
		err = s.w.submit(ctx, &change{do: func(t *tx) error { return t.createSession(n) }})
	}
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	return nil
}

func (t *tx) createSession(s store.Session) error {
	var n int64
	if found, err := t.row([]any{&n}, "SELECT n FROM session WHERE id = ?", s.ID); err != nil || found {
		return orExists(err)
	}
	if _, err := t.row([]any{&n}, "SELECT count(*) FROM session WHERE token = ?", s.TokenHash[:]); err != nil {
		return err
	}
	if n >= store.MaxSessions {
		return store.TooManySessions()
	}
	size := rowBytes*(1+len(s.Runs)+len(s.Notes)) + len(s.Settings)
	for _, note := range s.Notes {
		size += len(note.Text)
	}
	if err := t.reserve(int64(size), s.ID); err != nil {
		return err
	}
	n, err := t.insert(`INSERT INTO session(id, token, title, source_kind, source_name, source_blob, settings, parent, created, expires, shared, lesson)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		s.ID, s.TokenHash[:], s.Title, s.Source.Kind, s.Source.Name, s.Source.Blob, notNull(s.Settings), s.Parent, nanos(s.Created), nanos(s.Expires), s.Shared, s.Lesson)
	if err != nil {
		return err
	}
	if err := t.seal(n); err != nil {
		return err
	}
	for _, run := range s.Runs[max(0, len(s.Runs)-store.MaxRuns):] {
		if err := t.exec("INSERT OR IGNORE INTO session_run(session, run) VALUES(?, ?)", n, run); err != nil {
			return err
		}
	}
	for _, note := range s.Notes {
		if err := t.putNote(n, note); err != nil {
			return err
		}
	}
	return nil
}

// change changes what a session shows, by the number of its row; more is the room that
// it may take.
func (s *Store) change(ctx context.Context, what, id string, more int, do func(t *tx, n int64) error) error {
	err := s.w.submit(ctx, &change{do: func(t *tx) error {
		n, shared, err := t.session(id)
		if err == nil && shared {
			err = store.ErrShared
		}
		if err == nil && more > 0 {
			err = t.reserve(int64(more)+rowBytes, id)
		}
		if err != nil {
			return err
		}
		return do(t, n)
	}})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// session finds a session that has not expired.
func (t *tx) session(id string) (n int64, shared bool, err error) {
	found, err := t.row([]any{&n, &shared}, "SELECT n, shared FROM session WHERE id = ? AND expires NOT BETWEEN 1 AND ?", id, nanos(time.Now()))
	if err == nil && !found {
		err = fmt.Errorf("session: %w", store.ErrNotFound)
	}
	return n, shared, err
}

// AddRun implements store.Store.
func (s *Store) AddRun(ctx context.Context, id, run string) error {
	return s.change(ctx, "add run to session", id, len(run), func(t *tx, n int64) error {
		if err := t.exec("INSERT OR IGNORE INTO session_run(session, run) VALUES(?, ?)", n, run); err != nil {
			return err
		}
		return t.exec(`DELETE FROM session_run WHERE session = ?1 AND n <= (
			SELECT n FROM session_run WHERE session = ?1 ORDER BY n DESC LIMIT 1 OFFSET ?2)`, n, store.MaxRuns)
	})
}

// SaveSettings implements store.Store.
func (s *Store) SaveSettings(ctx context.Context, id string, settings []byte) error {
	return s.change(ctx, "save settings of session", id, len(settings), func(t *tx, n int64) error {
		return t.update(n, "settings = ?2", notNull(settings))
	})
}

// SaveTitle implements store.Store.
func (s *Store) SaveTitle(ctx context.Context, id, title string) error {
	return s.change(ctx, "save title of session", id, len(title), func(t *tx, n int64) error {
		if err := store.CheckTitle(title); err != nil {
			return err
		}
		return t.update(n, "title = ?2", title)
	})
}

// PutNote implements store.Store.
func (s *Store) PutNote(ctx context.Context, id string, note store.Note) error {
	return s.change(ctx, "put note", id, len(note.Text), func(t *tx, n int64) error {
		if err := note.Check(); err != nil {
			return err
		}
		var others int
		if _, err := t.row([]any{&others}, "SELECT count(*) FROM note WHERE session = ? AND id <> ?", n, note.ID); err != nil {
			return err
		}
		if others >= store.MaxNotes {
			return store.TooManyNotes()
		}
		return t.putNote(n, note)
	})
}

func (t *tx) putNote(session int64, n store.Note) error {
	return t.exec(`INSERT INTO note(session, id, run, step, function, line, text, created, sum) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT(session, id) DO UPDATE SET run = excluded.run, step = excluded.step, function = excluded.function,
		line = excluded.line, text = excluded.text, created = excluded.created, sum = excluded.sum`,
		session, n.ID, n.Run, n.Step, n.Function, n.Line, n.Text, nanos(n.Created), noteSum(n))
}

// DeleteNote implements store.Store.
func (s *Store) DeleteNote(ctx context.Context, id, note string) error {
	return s.change(ctx, "delete note", id, 0, func(t *tx, n int64) error {
		gone, err := t.count("DELETE FROM note WHERE session = ? AND id = ?", n, note)
		if err == nil && gone == 0 {
			err = fmt.Errorf("note: %w", store.ErrNotFound)
		}
		return err
	})
}

// ShareSession implements store.Store.
func (s *Store) ShareSession(ctx context.Context, id string) error {
	return s.w.submit(ctx, &change{do: func(t *tx) error {
		n, _, err := t.session(id)
		if err != nil {
			return fmt.Errorf("share: %w", err)
		}
		return t.update(n, "shared = 1, expires = 0")
	}})
}

// SetExpiry implements store.Store.
func (s *Store) SetExpiry(ctx context.Context, id string, when time.Time) error {
	return s.w.submit(ctx, &change{do: func(t *tx) error {
		n, _, err := t.session(id)
		if err != nil {
			return fmt.Errorf("set expiry: %w", err)
		}
		return t.update(n, "expires = ?2", nanos(when))
	}})
}

// DeleteSession implements store.Store.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	return s.w.submit(ctx, &change{do: func(t *tx) error {
		n, _, err := t.session(id)
		if err != nil {
			return fmt.Errorf("delete: %w", err)
		}
		return t.dropSession(n)
	}})
}
