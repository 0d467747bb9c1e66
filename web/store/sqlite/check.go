package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/lru"
)

// Checked counts what Check has looked at.
type Checked struct {
	Sessions, Notes, Runs, Events, Texts int
	// Damaged counts what is not as it was written.
	Damaged int
}

// Check reads all that the database in a folder holds, whether a server has it open or not, and compares it with its checksums. It
// calls report for each thing that is damaged ("run", its id, what is wrong) and goes on. It changes nothing. The error says that
// the database could not be read at all.
func Check(ctx context.Context, dir string, report func(what, id string, err error)) (Checked, error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return Checked{}, fmt.Errorf("no database there: %w", err)
	}
	read, err := sql.Open("sqlite", dsn(path, "busy_timeout(10000)", "query_only(1)", "trusted_schema(0)", "cell_size_check(1)"))
	if err != nil {
		return Checked{}, err
	}
	defer func() { _ = read.Close() }()
	c := &checker{Store: &Store{path: path, read: read, texts: lru.New[string, []byte](textCache)}, report: report}
	if err := c.all(ctx); err != nil {
		return c.done, fmt.Errorf("check %s: %w", path, explain(err))
	}
	return c.done, nil
}

// checker goes through a database.
type checker struct {
	*Store
	report func(what, id string, err error)
	done   Checked
}

func (c *checker) damaged(what, id string, err error) {
	c.done.Damaged++
	c.report(what, id, err)
}

func (c *checker) all(ctx context.Context) error {
	conn, err := c.read.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = identify(ctx, conn, len(migrations()))
	if err := errors.Join(err, conn.Close()); err != nil {
		return err
	}
	if err := c.pages(ctx); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{c.sessions, c.classes, c.runs, c.reports, c.blobs} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pages lets SQLite check its tables and indexes.
func (c *checker) pages(ctx context.Context) error {
	found, err := c.strings(ctx, "PRAGMA integrity_check(20)")
	if err != nil {
		return err
	}
	for _, text := range found {
		if text != "ok" {
			c.damaged("file", c.path, errors.New(text))
		}
	}
	return nil
}

// strings returns the first column of a query.
func (c *checker) strings(ctx context.Context, query string) ([]string, error) {
	read, err := c.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = read.Rollback() }()
	return collect(ctx, read, scanID, query)
}

func (c *checker) sessions(ctx context.Context) error {
	rows, err := c.read.QueryContext(ctx, sessionColumns+"ORDER BY n")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		_, s, good, err := scanSession(rows.Scan)
		if err != nil {
			return err
		}
		c.done.Sessions++
		if !good {
			c.damaged("session", s.ID, errors.New("its row is not as it was written"))
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	notes, err := c.read.QueryContext(ctx, "SELECT note.id, run, step, function, line, text, note.created, note.sum, session.id FROM note JOIN session ON session.n = note.session ORDER BY note.n")
	if err != nil {
		return err
	}
	defer func() { _ = notes.Close() }()
	for notes.Next() {
		var session string
		n, err := scanNote(func(dest ...any) error { return notes.Scan(append(dest, &session)...) })
		if err != nil {
			return err
		}
		c.done.Notes++
		if n.Text == damagedText {
			c.damaged("note", session+"/"+n.ID, errors.New("its row is not as it was written"))
		}
	}
	return notes.Err()
}

func (c *checker) runs(ctx context.Context) error {
	ids, err := c.strings(ctx, "SELECT id FROM run ORDER BY n")
	if err != nil {
		return err
	}
	for _, id := range ids {
		c.done.Runs++
		lines, err := c.events(ctx, id, 0)
		for i, line := range lines {
			if _, bad := event.Decode(line); bad != nil && err == nil {
				err = fmt.Errorf("event %d: %w", i, bad)
			}
		}
		c.done.Events += len(lines)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.damaged("run", id, err)
		}
	}
	return nil
}

func (c *checker) blobs(ctx context.Context) error {
	hashes, err := c.strings(ctx, "SELECT lower(hex(hash)) FROM blob ORDER BY n")
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		key, err := hex.DecodeString(hash)
		if err != nil {
			return err
		}
		var n int64
		if err = c.read.QueryRowContext(ctx, "SELECT n FROM blob WHERE hash = ?", key).Scan(&n); err == nil {
			_, err = c.readText(ctx, n)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.done.Texts++
		if err != nil {
			c.damaged("text", hash, err)
		}
	}
	return nil
}
