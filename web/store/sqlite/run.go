package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/irscope/irscope/web/store"
)

// nanos returns a time as it is stored: in nanoseconds from 1970 on, with 0 for no time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(1, t.UnixNano())
}

// moment is the inverse of nanos.
func moment(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// CreateRun implements store.Store.
func (s *Store) CreateRun(ctx context.Context, r store.Run) error {
	err := s.w.submit(ctx, &change{do: func(t *tx) error {
		var n int64
		if found, err := t.row([]any{&n}, "SELECT n FROM run WHERE id = ?", r.ID); err != nil || found {
			return orExists(err)
		}
		if err := t.reserve(int64(len(r.Request))+rowBytes, r.ID); err != nil {
			return err
		}
		return t.exec("INSERT INTO run(id, key, request, created, status, hash, events, reusable) VALUES(?, ?, ?, ?, '', '', 0, 0)",
			r.ID, r.Key, notNull(r.Request), nanos(r.Created))
	}})
	if err != nil {
		return fmt.Errorf("create run %s: %w", r.ID, err)
	}
	s.here.begins(r.ID)
	return nil
}

// orExists returns the error of a look-up, or that of an id that is taken.
func orExists(err error) error {
	if err == nil {
		err = errors.New("it exists")
	}
	return err
}

// notNull returns data as a value that is not NULL.
func notNull(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

const runColumns = "SELECT id, key, request, created, status, hash, events FROM run "

// scanRun reads a row of runColumns.
func scanRun(scan func(...any) error) (r store.Run, err error) {
	var created int64
	err = scan(&r.ID, &r.Key, &r.Request, &created, &r.Status, &r.Hash, &r.Events)
	r.Created = moment(created)
	return r, err
}

// oneRun reads the run that a query finds.
func (s *Store) oneRun(ctx context.Context, where string, args ...any) (store.Run, error) {
	r, err := scanRun(s.read.QueryRowContext(ctx, runColumns+where, args...).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Run{}, fmt.Errorf("run: %w", explain(err))
	}
	return r, nil
}

// Run implements store.Store.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	return s.oneRun(ctx, "WHERE id = ?", id)
}

// RunByKey implements store.Store.
func (s *Store) RunByKey(ctx context.Context, key string) (store.Run, error) {
	return s.oneRun(ctx, "WHERE key = ? AND reusable = 1", key)
}

// Unfinished implements store.Store.
func (s *Store) Unfinished(ctx context.Context) ([]store.Run, error) {
	rows, err := s.read.QueryContext(ctx, runColumns+"WHERE status = '' ORDER BY n")
	if err != nil {
		return nil, fmt.Errorf("unfinished runs: %w", explain(err))
	}
	defer func() { _ = rows.Close() }()
	var out []store.Run
	for rows.Next() {
		r, err := scanRun(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("unfinished runs: %w", explain(err))
		}
		out = append(out, r)
	}
	return out, explain(rows.Err())
}

// AppendEvents implements store.Store.
func (s *Store) AppendEvents(ctx context.Context, id string, from int, lines [][]byte, texts ...store.Text) error {
	var frame []byte
	if len(lines) > 0 {
		var err error
		if frame, err = packLines(lines); err != nil {
			return err
		}
	}
	err := s.withTexts(ctx, id, texts, func(t *tx, texts []packed) error {
		var n int64
		var status string
		var events int
		found, err := t.row([]any{&n, &status, &events}, "SELECT n, status, events FROM run WHERE id = ?", id)
		switch {
		case err != nil:
			return err
		case !found:
			return store.ErrNotFound
		case status != "":
			return errors.New("it has finished")
		case from != events:
			return fmt.Errorf("number %d, want %d", from, events)
		}
		if err := t.reserve(bytesOf(texts)+int64(len(frame))+rowBytes, id); err != nil {
			return err
		}
		if err := t.keepTexts(owner{n: n}, texts); err != nil || len(lines) == 0 {
			return err
		}
		if err := t.exec("INSERT INTO event(run, first, count, data) VALUES(?, ?, ?, ?)", n, from, len(lines), frame); err != nil {
			return err
		}
		return t.exec("UPDATE run SET events = ? WHERE n = ?", from+len(lines), n)
	})
	if err != nil {
		return fmt.Errorf("append %d events with %d texts to run %s: %w", len(lines), len(texts), id, err)
	}
	hashes := make([]string, len(texts))
	for i, t := range texts {
		hashes[i] = t.Hash
	}
	s.here.add(hashes)
	return nil
}

// Events implements store.Store.
func (s *Store) Events(ctx context.Context, id string, from int) ([][]byte, error) {
	lines, err := s.events(ctx, id, max(from, 0))
	if err != nil {
		return lines, fmt.Errorf("events of run %s: %w", id, explain(err))
	}
	return lines, nil
}

func (s *Store) events(ctx context.Context, id string, from int) (lines [][]byte, err error) {
	// One transaction, so that the run and its events are of one moment.
	read, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = read.Rollback() }()
	var n int64
	var events int
	switch err := read.QueryRowContext(ctx, "SELECT n, events FROM run WHERE id = ?", id).Scan(&n, &events); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, store.ErrNotFound
	case err != nil:
		return nil, err
	}
	rows, err := read.QueryContext(ctx, "SELECT first, count, data FROM event WHERE run = ? AND first + count > ? ORDER BY first", n, from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	next := -1
	damage := func(err error) ([][]byte, error) {
		return lines, &store.Damage{Good: from + len(lines), Err: err}
	}
	for rows.Next() {
		var first, count int
		var frame sql.RawBytes
		if err := rows.Scan(&first, &count, &frame); err != nil {
			return nil, err
		}
		if next >= 0 && first != next || next < 0 && first > from {
			return damage(fmt.Errorf("the events before number %d are missing", first))
		}
		more, err := appendLines(lines, frame, count, max(0, from-first))
		if err != nil {
			return damage(err)
		}
		lines, next = more, first+count
	}
	if err := rows.Err(); err != nil {
		if c := code(err); c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_IOERR {
			return damage(err)
		}
		return nil, err
	}
	if have := len(lines); have < max(0, events-from) {
		return damage(fmt.Errorf("the last %d events are missing", events-from-have))
	} else if have > max(0, events-from) {
		return damage(fmt.Errorf("there are %d events, the run says %d", from+have, events))
	}
	return lines, nil
}

// FinishRun implements store.Store.
func (s *Store) FinishRun(ctx context.Context, r store.Run, reusable bool) error {
	s.here.ends(r.ID)
	err := s.w.submit(ctx, &change{do: func(t *tx) error {
		var status, key string
		found, err := t.row([]any{&status, &key}, "SELECT status, key FROM run WHERE id = ?", r.ID)
		switch {
		case err != nil:
			return err
		case !found:
			return store.ErrNotFound
		case status != "":
			return fmt.Errorf("it has finished as %s", status)
		}
		delete(t.broken, r.ID)
		if reusable {
			if err := t.exec("UPDATE run SET reusable = 0 WHERE key = ? AND reusable = 1", key); err != nil {
				return err
			}
		}
		return t.exec("UPDATE run SET status = ?, hash = ?, reusable = ? WHERE id = ?", r.Status, r.Hash, reusable, r.ID)
	}})
	if err != nil {
		return fmt.Errorf("finish run %s: %w", r.ID, err)
	}
	return nil
}
