package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/irscope/irscope/web/store"
)

const sessionColumns = "SELECT n, id, token, title, source_kind, source_name, source_blob, settings, parent, created, expires, shared, lesson, sum FROM session "

// scanSession reads a row of sessionColumns; good tells whether it is as it was written.
func scanSession(scan func(...any) error) (n int64, s store.Session, good bool, err error) {
	var token, sum []byte
	var created, expires int64
	err = scan(&n, &s.ID, &token, &s.Title, &s.Source.Kind, &s.Source.Name, &s.Source.Blob, &s.Settings, &s.Parent, &created, &expires, &s.Shared, &s.Lesson, &sum)
	copy(s.TokenHash[:], token)
	s.Created, s.Expires = moment(created), moment(expires)
	return n, s, sum == nil || bytes.Equal(sum, sessionSum(s)), err
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, id string) (store.Session, error) {
	out, err := s.session(ctx, id)
	if err != nil {
		return store.Session{}, fmt.Errorf("session: %w", explain(err))
	}
	return out, nil
}

func (s *Store) session(ctx context.Context, id string) (store.Session, error) {
	// One transaction, so that all parts are of one moment.
	read, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return store.Session{}, err
	}
	defer func() { _ = read.Rollback() }()
	now := nanos(time.Now())
	n, out, good, err := scanSession(read.QueryRowContext(ctx, sessionColumns+"WHERE id = ? AND expires NOT BETWEEN 1 AND ?", id, now).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return out, store.ErrNotFound
	}
	if err != nil {
		return out, err
	}
	if !good {
		return out, fmt.Errorf("%w: its row is not as it was written", store.ErrDamaged)
	}
	if out.Runs, err = collect(ctx, read, scanID, "SELECT run FROM session_run WHERE session = ? ORDER BY n", n); err != nil {
		return out, err
	}
	if out.Children, err = collect(ctx, read, scanID, "SELECT id FROM session WHERE parent = ? AND parent <> '' AND expires NOT BETWEEN 1 AND ? ORDER BY n", id, now); err != nil {
		return out, err
	}
	out.Notes, err = collect(ctx, read, scanNote, "SELECT id, run, step, function, line, text, created, sum FROM note WHERE session = ? ORDER BY n", n)
	return out, err
}

// Sessions implements store.Store.
func (s *Store) Sessions(ctx context.Context, token [32]byte) ([]store.Session, error) {
	read, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", explain(err))
	}
	defer func() { _ = read.Rollback() }()
	out, err := collect(ctx, read, func(scan func(...any) error) (store.Session, error) {
		_, s, good, err := scanSession(scan)
		if !good {
			s.Title = damagedText
		}
		s.Settings = nil
		return s, err
	}, sessionColumns+"WHERE token = ? AND expires NOT BETWEEN 1 AND ? ORDER BY created DESC, n DESC", token[:], nanos(time.Now()))
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", explain(err))
	}
	return out, nil
}

func scanID(scan func(...any) error) (id string, err error) {
	err = scan(&id)
	return id, err
}

func scanNote(scan func(...any) error) (n store.Note, err error) {
	var created int64
	var sum []byte
	err = scan(&n.ID, &n.Run, &n.Step, &n.Function, &n.Line, &n.Text, &created, &sum)
	n.Created = moment(created)
	if sum != nil && !bytes.Equal(sum, noteSum(n)) {
		n.Text = damagedText
	}
	return n, err
}

// collect reads all rows of a query.
func collect[T any](ctx context.Context, read *sql.Tx, scan func(func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		v, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
