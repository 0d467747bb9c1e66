package sqlite

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/irscope/irscope/web/store"
)

// used returns the bytes of the pages in use.
func (t *tx) used() (int64, error) {
	var pages, free, size int64
	for query, dest := range map[string]*int64{"PRAGMA page_count": &pages, "PRAGMA freelist_count": &free, "PRAGMA page_size": &size} {
		if _, err := t.row([]any{dest}, query); err != nil {
			return 0, err
		}
	}
	return (pages - free) * size, nil
}

// The runs and sessions that go where room is needed, in this order; ? is the id of the
// owner for whom the room is made, which stays.
const (
	oldestRun = `SELECT n FROM run WHERE status <> '' AND id <> ?1 AND NOT EXISTS (
		SELECT 1 FROM session_run JOIN session ON session.n = session_run.session WHERE session_run.run = run.id AND session.shared = 1)
		ORDER BY n LIMIT 16`
	expiredSession = `SELECT n FROM session WHERE expires BETWEEN 1 AND ?2 AND id <> ?1 ORDER BY n LIMIT 16`
	oldestSession  = `SELECT n FROM session WHERE shared = 0 AND id <> ?1 AND NOT EXISTS (
		SELECT 1 FROM session_run JOIN run ON run.id = session_run.run WHERE session_run.session = session.n AND run.status = '')
		ORDER BY n LIMIT 16`
)

// reserve makes room for n more bytes, or returns store.ErrFull.
func (t *tx) reserve(n int64, id string) error {
	used, err := t.used()
	if err != nil || used+n <= t.limit {
		return err
	}
	now := nanos(time.Now())
	for _, rule := range []struct {
		find string
		drop func(int64) error
		args []any
	}{
		{oldestRun, t.dropRun, []any{id}},
		{expiredSession, t.dropSession, []any{id, now}},
		{oldestSession, t.dropSession, []any{id}},
	} {
		for {
			found, err := t.numbers(rule.find, rule.args...)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				break
			}
			for _, old := range found {
				if err := rule.drop(old); err != nil {
					return err
				}
				if used, err = t.used(); err != nil || used+n <= t.limit {
					return err
				}
			}
		}
	}
	return fmt.Errorf("%d bytes, %d of %d in use by what cannot be dropped: %w", n, used, t.limit, store.ErrFull)
}

// dropRun deletes a run with its events and the texts that only it kept.
func (t *tx) dropRun(n int64) error {
	return t.drop(n, "SELECT blob FROM run_blob WHERE owner = ?", "DELETE FROM run WHERE n = ?")
}

// dropSession deletes a session with the texts that only it kept.
func (t *tx) dropSession(n int64) error {
	return t.drop(n, "SELECT blob FROM session_blob WHERE owner = ?", "DELETE FROM session WHERE n = ?")
}

// drop deletes an owner and the texts that nobody keeps any more.
func (t *tx) drop(n int64, texts, owner string) error {
	blobs, err := t.numbers(texts, n)
	if err != nil {
		return err
	}
	if err := t.exec(owner, n); err != nil {
		return err
	}
	for _, b := range blobs {
		if err := t.dropUnused(b); err != nil {
			return err
		}
	}
	return nil
}

// dropUnused deletes a text if nobody keeps it and no other needs it as dictionary, and
// then its own dictionary likewise.
func (t *tx) dropUnused(blob int64) error {
	for blob != 0 {
		var base int64
		var key []byte
		found, err := t.row([]any{&base, &key}, `SELECT ifnull(base, 0), hash FROM blob WHERE n = ?1
			AND NOT EXISTS (SELECT 1 FROM run_blob WHERE blob = ?1)
			AND NOT EXISTS (SELECT 1 FROM session_blob WHERE blob = ?1)
			AND NOT EXISTS (SELECT 1 FROM blob other WHERE other.base = ?1)`, blob)
		if err != nil || !found || !t.here.drop(hex.EncodeToString(key)) {
			return err
		}
		if err := t.exec("DELETE FROM blob WHERE n = ?", blob); err != nil {
			return err
		}
		blob = base
	}
	return nil
}

// Used returns the bytes of the pages in use.
func (s *Store) Used(ctx context.Context) (n int64, err error) {
	err = s.w.submit(ctx, &change{do: func(t *tx) (err error) {
		n, err = t.used()
		return err
	}})
	return n, err
}

// expireBatch is how much is removed in one transaction, so that others get a turn.
const expireBatch = 500

// Expire implements store.Store.
func (s *Store) Expire(ctx context.Context, now time.Time) (sessions, runs int, err error) {
	_, err = s.expire(ctx, func(t *tx, n int64) error { return t.exec("DELETE FROM class WHERE n = ?", n) }, "SELECT n FROM class WHERE expires <= ? LIMIT ?", nanos(now), expireBatch)
	if err != nil {
		return 0, 0, fmt.Errorf("expire classes: %w", err)
	}
	sessions, err = s.expire(ctx, (*tx).dropSession, "SELECT n FROM session WHERE expires BETWEEN 1 AND ? LIMIT ?", nanos(now), expireBatch)
	if err != nil {
		return sessions, 0, fmt.Errorf("expire sessions: %w", err)
	}
	runs, err = s.expire(ctx, (*tx).dropRun, `SELECT n FROM run WHERE status <> '' AND created <= ?
		AND NOT EXISTS (SELECT 1 FROM session_run WHERE session_run.run = run.id) LIMIT ?`, nanos(now.Add(-store.OrphanTime)), expireBatch)
	if err != nil {
		return sessions, runs, fmt.Errorf("expire runs: %w", err)
	}
	return sessions, runs, nil
}

// expire drops what a query finds until it finds nothing.
func (s *Store) expire(ctx context.Context, drop func(*tx, int64) error, query string, args ...any) (total int, err error) {
	for n := expireBatch; n == expireBatch; total += n {
		err := s.w.submit(ctx, &change{do: func(t *tx) error {
			found, err := t.numbers(query, args...)
			n = len(found)
			for _, old := range found {
				if err == nil {
					err = drop(t, old)
				}
			}
			return err
		}})
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
