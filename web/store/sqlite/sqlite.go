// Package sqlite is the durable store: one SQLite file in a folder, written by one
// process.
//
// One goroutine writes; what several callers store while a transaction is on its way to
// the disk goes into the next one together (group commit). Readers use connections of their
// own and never wait for the writer. Texts are compressed with the text before them as
// dictionary. Only cmd/explorer and tests import this package; it knows of a run and a
// session what package store says.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/store"
)

// FileName is the name of the database in its folder.
const FileName = "irscope.db"

// DefaultMaxBytes is the size of the database unless Options say otherwise.
const DefaultMaxBytes = 4 << 30

// minBytes is the least size that leaves room beside the tables themselves.
const minBytes = 1 << 20

const (
	readers   = 4
	textCache = 32 << 20 // bytes of texts that are kept uncompressed
)

// Options say where the database is and how large it may be.
type Options struct {
	// Dir is the folder; it is made where it is absent.
	Dir string
	// MaxBytes bounds the pages in use; 0 is DefaultMaxBytes. Where room is needed the
	// oldest finished runs are dropped, then sessions, but nothing that is shared.
	MaxBytes int64

	noSync bool // tests that write much and crash never
}

// Store implements store.Store.
type Store struct {
	path  string
	limit int64
	lock  *single // holds the lock on the folder
	write *single // the writer's
	read  *sql.DB
	w     *writer
	here  *present
	texts *lru.Cache[string, []byte]
}

// Open opens the database in a folder, or makes one. It fails where another process has it
// open, and where the file is damaged or was written by a newer program.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{path: filepath.Join(o.Dir, FileName), limit: o.MaxBytes, texts: lru.New[string, []byte](textCache)}
	if s.limit == 0 {
		s.limit = DefaultMaxBytes
	}
	if s.limit < minBytes {
		return nil, fmt.Errorf("open the data folder %s: it may have %d bytes, want %d or more", o.Dir, s.limit, minBytes)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	if err := s.open(ctx, o); err != nil {
		s.closeFiles()
		return nil, fmt.Errorf("open the database %s: %w", s.path, explain(err))
	}
	return s, nil
}

// open does the work of Open; its caller closes what was opened where it fails.
func (s *Store) open(ctx context.Context, o Options) (err error) {
	if s.lock, err = lockFolder(ctx, o.Dir); err != nil {
		return err
	}
	if err := private(s.path); err != nil {
		return err
	}
	if s.write, err = openSingle(ctx, s.path, "busy_timeout(10000)"); err != nil {
		return err
	}
	conn := s.write.conn
	steps := migrations()
	version, err := identify(ctx, conn, len(steps))
	if err != nil {
		return err
	}
	sync := "synchronous = FULL"
	if o.noSync {
		sync = "synchronous = OFF"
	}
	for _, p := range []string{
		"journal_mode = WAL", sync, "foreign_keys = ON", "trusted_schema = OFF", "cell_size_check = ON",
		"cache_size = -16384", "temp_store = MEMORY", "journal_size_limit = 67108864",
	} {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+p); err != nil {
			return fmt.Errorf("PRAGMA %s: %w", p, err)
		}
	}
	if err := migrate(ctx, conn, version, steps); err != nil {
		return err
	}
	if s.read, err = sql.Open("sqlite", dsn(s.path, "busy_timeout(10000)", "query_only(1)", "trusted_schema(0)", "cell_size_check(1)")); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	if err := s.read.PingContext(ctx); err != nil {
		return err
	}
	s.here = newPresent()
	s.w = newWriter(conn, s.path, s.limit)
	s.w.tx.here = s.here
	go s.w.run()
	return nil
}

// private makes a file that only its owner may read, or makes one so that is there. SQLite gives the files beside the
// database the same rights.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	return errors.Join(err, f.Close())
}

// Close stores what was handed over and closes the database. The store cannot be used
// afterwards.
func (s *Store) Close() error {
	s.w.close()
	return s.closeFiles()
}

// closeFiles closes the connections that are open, the lock last.
func (s *Store) closeFiles() error {
	var err error
	if s.read != nil {
		err = s.read.Close()
	}
	return errors.Join(err, s.write.close(), s.lock.close())
}

// Path returns the path of the database.
func (s *Store) Path() string { return s.path }

// single is a database of one connection.
type single struct {
	db   *sql.DB
	conn *sql.Conn
}

func openSingle(ctx context.Context, path string, pragmas ...string) (*single, error) {
	db, err := sql.Open("sqlite", dsn(path, pragmas...))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &single{db, conn}, nil
}

// close closes the connection, if there is one.
func (s *single) close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.conn.Close(), s.db.Close())
}

// lockFolder holds a lock on a folder for as long as the result is open. The lock is that of
// an empty SQLite file: it goes with the process, however that ends, on every system, and
// nothing is ever written that could be damaged.
func lockFolder(ctx context.Context, dir string) (*single, error) {
	name := filepath.Join(dir, "irscope.lock")
	err := private(name)
	var s *single
	if err == nil {
		s, err = openSingle(ctx, name, "busy_timeout(0)")
	}
	if err == nil {
		if _, err = s.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err == nil {
			return s, nil
		}
		_ = s.close()
	}
	if code(err) == sqlite3.SQLITE_BUSY {
		return nil, fmt.Errorf("the folder %s is in use by another process: stop that process or name another folder", dir)
	}
	return nil, fmt.Errorf("lock the folder %s: %w", dir, err)
}

// dsn returns the name under which the driver opens a file with pragmas.
func dsn(path string, pragmas ...string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	q := url.Values{"_pragma": pragmas}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// code returns the primary result code of SQLite in an error, or 0.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// explain says of an error of SQLite what it means and what to do.
func explain(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%w: the disk has no room: %w", store.ErrFull, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the file is damaged or not a database: move it away or restore a backup: %w", err)
	}
	return err
}
