package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// rowBytes is what a row takes beside its data, in rows of its indexes too.
const rowBytes = 200

// keepTexts makes an owner keep texts, which are written where they are new.
func (t *tx) keepTexts(o owner, texts []packed) error {
	for _, p := range texts {
		var blob int64
		found, err := t.row([]any{&blob}, "SELECT n FROM blob WHERE hash = ?", p.key)
		switch {
		case err != nil:
			return err
		case !found && p.data == nil:
			return errGone
		case !found:
			if blob, err = t.insertBlob(p); err != nil {
				return err
			}
		}
		if err := t.keep(o, blob); err != nil {
			return err
		}
	}
	return nil
}

// insertBlob writes a text.
func (t *tx) insertBlob(p packed) (int64, error) {
	var base sql.NullInt64
	depth := 0
	if p.base != nil {
		found, err := t.row([]any{&base, &depth}, "SELECT n, depth + 1 FROM blob WHERE hash = ?", p.base)
		if err != nil {
			return 0, err
		}
		if !found || depth >= maxChain {
			return 0, errGone
		}
	}
	return t.insert("INSERT INTO blob(hash, language, size, base, depth, data) VALUES(?, ?, ?, ?, ?, ?)",
		p.key, p.Language, len(p.Text.Data), base, depth, p.data)
}

// owner is a run or a session that keeps texts.
type owner struct {
	session bool
	n       int64
}

// owner finds an owner by its id.
func (t *tx) owner(id string) (owner, error) {
	var o owner
	found, err := t.row([]any{&o.n}, "SELECT n FROM run WHERE id = ?", id)
	if err == nil && !found {
		o.session = true
		found, err = t.row([]any{&o.n}, "SELECT n FROM session WHERE id = ?", id)
	}
	if err == nil && !found {
		err = fmt.Errorf("owner of a text: %w", store.ErrNotFound)
	}
	return o, err
}

// keep notes that an owner keeps a text.
func (t *tx) keep(o owner, blob int64) error {
	if o.session {
		return t.exec("INSERT OR IGNORE INTO session_blob(owner, blob) VALUES(?, ?)", o.n, blob)
	}
	return t.exec("INSERT OR IGNORE INTO run_blob(owner, blob) VALUES(?, ?)", o.n, blob)
}

// bytesOf returns the room that texts need.
func bytesOf(texts []packed) int64 {
	var n int64
	for _, p := range texts {
		n += int64(len(p.data)) + rowBytes
	}
	return n
}

// PutBlob implements store.Store.
func (s *Store) PutBlob(ctx context.Context, id, language string, data []byte) (string, error) {
	hash := event.HashBytes(data)
	text := []store.Text{{Hash: hash, Language: language, Data: data}}
	err := s.withTexts(ctx, "", text, func(t *tx, texts []packed) error {
		o, err := t.owner(id)
		if err != nil {
			return err
		}
		if o.session {
			if err := t.checkUploads(o, int64(len(data))); err != nil {
				return err
			}
		}
		if err := t.reserve(bytesOf(texts), id); err != nil {
			return err
		}
		return t.keepTexts(o, texts)
	})
	if err != nil {
		return "", fmt.Errorf("keep %d bytes: %w", len(data), err)
	}
	return hash, nil
}

// checkUploads returns ErrQuota where the sessions of one token would keep more than half of
// what the store holds.
func (t *tx) checkUploads(o owner, more int64) error {
	var n int64
	_, err := t.row([]any{&n}, `SELECT ifnull(sum(size), 0) FROM blob WHERE n IN (
		SELECT blob FROM session_blob JOIN session ON session.n = owner WHERE token = (SELECT token FROM session WHERE n = ?))`, o.n)
	if err == nil && n+more > t.limit/2 {
		err = fmt.Errorf("your sessions are limited to %d MiB: %w", t.limit/2>>20, store.ErrQuota)
	}
	return err
}

// withTexts does a change that writes texts. A text that went while the change was being
// prepared is written anew.
func (s *Store) withTexts(ctx context.Context, run string, texts []store.Text, do func(*tx, []packed) error) error {
	for alone := false; ; alone = true {
		ready, err := s.prepare(ctx, texts, alone)
		if err != nil {
			return err
		}
		err = s.w.submit(ctx, &change{run: run, do: func(t *tx) error { return do(t, ready) }})
		if alone || !errors.Is(err, errGone) {
			return err
		}
	}
}

// What keeps many texts at once, ?1 a JSON array of hashes: one statement for all of them, since a run that repeats an earlier one keeps
// some thousand. A text that is not there has no number, which no row may lack.
const (
	runKeeps     = "INSERT INTO run_blob(owner, blob) SELECT ?2, n FROM json_each(?1) LEFT JOIN blob ON hash = unhex(value) WHERE true ON CONFLICT DO NOTHING"
	sessionKeeps = "INSERT INTO session_blob(owner, blob) SELECT ?2, n FROM json_each(?1) LEFT JOIN blob ON hash = unhex(value) WHERE true ON CONFLICT DO NOTHING"
)

// KeepBlob implements store.Store.
func (s *Store) KeepBlob(ctx context.Context, id string, hashes ...string) error {
	c, err := keepAll(id, hashes)
	if err != nil {
		return err
	}
	if s.here.pin(id, hashes) {
		c.then = func() { s.here.unpin(hashes) }
		return s.w.post(ctx, c)
	}
	if err := s.w.submit(ctx, c); err != nil {
		return err
	}
	s.here.add(hashes)
	return nil
}

// keepAll is the change that makes an owner keep texts.
func keepAll(id string, hashes []string) (*change, error) {
	list, err := json.Marshal(hashes)
	if err != nil {
		return nil, err
	}
	return &change{run: id, relaxed: true, do: func(t *tx) error {
		o, err := t.owner(id)
		if err != nil || len(hashes) == 0 {
			return err
		}
		keeps := runKeeps
		if o.session {
			keeps = sessionKeeps
		}
		if err = t.exec(keeps, string(list), o.n); code(err) == sqlite3.SQLITE_CONSTRAINT {
			err = fmt.Errorf("one of %d texts: %w", len(hashes), store.ErrNotFound)
		}
		return err
	}}, nil
}
