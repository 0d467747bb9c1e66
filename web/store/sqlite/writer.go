package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// maxGroup is the number of changes in one transaction.
	maxGroup = 256
	// linger is how long a transaction stays open in which nobody waits for the disk.
	linger = 5 * time.Millisecond
)

// errClosed says that the store was closed.
var errClosed = errors.New("the database is closed")

// change is something to write. It may be done more than once: when a transaction fails
// as a whole, each of its changes is tried again alone.
type change struct {
	do func(*tx) error
	// run is whose change it is, where an earlier one may have been answered too soon.
	run string
	// relaxed changes are answered before they are on the disk. Where they do not get
	// there, all later changes of the run fail.
	relaxed bool
	// then, where it is set, is called when the change is answered, for which nobody waits.
	then     func()
	answered bool
	err      error
	done     chan error
}

// answer tells the caller what became of its change, once.
func (w *writer) answer(c *change) {
	if !c.answered {
		c.answered = true
		c.done <- w.explain(c.err)
		if c.then != nil {
			c.then()
		}
	}
}

// explain says what an error of a write means.
func (w *writer) explain(err error) error { return explain(noRoom(w.path, err)) }

// writer is the goroutine that writes.
type writer struct {
	path    string // of the database
	tx      *tx
	changes chan *change

	mu      sync.RWMutex // held for reading while a change is handed over
	closed  bool
	stopped chan struct{}
}

func newWriter(conn *sql.Conn, path string, limit int64) *writer {
	return &writer{
		path: path, tx: &tx{conn: conn, limit: limit, stmts: map[string]*sql.Stmt{}, broken: map[string]error{}},
		changes: make(chan *change, maxGroup), stopped: make(chan struct{}),
	}
}

// submit hands a change to the writer and waits until it is done. A context that ends while
// the change is on its way does not break it off.
func (w *writer) submit(ctx context.Context, c *change) error {
	if err := w.post(ctx, c); err != nil {
		return err
	}
	return <-c.done
}

// post hands a change to the writer.
func (w *writer) post(ctx context.Context, c *change) error {
	err := context.Cause(ctx)
	if err == nil {
		c.done = make(chan error, 1)
		w.mu.RLock()
		defer w.mu.RUnlock()
		if !w.closed {
			w.changes <- c
			return nil
		}
		err = errClosed
	}
	if c.then != nil {
		c.then()
	}
	return err
}

// close lets the writer finish what it has been given.
func (w *writer) close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.changes)
	}
	w.mu.Unlock()
	<-w.stopped
}

// run writes until the writer is closed.
func (w *writer) run() {
	defer close(w.stopped)
	defer w.tx.close()
	for c := range w.changes {
		w.group(c)
	}
}

// group writes a change and all that come meanwhile in one transaction.
func (w *writer) group(c *change) {
	var group []*change
	fatal := w.tx.exec("BEGIN IMMEDIATE")
	for c != nil && fatal == nil {
		group = append(group, c)
		if fatal = w.try(c); fatal == nil && c.relaxed {
			w.answer(c)
		}
		if c = nil; fatal == nil && len(group) < maxGroup {
			c = w.next(group)
		}
	}
	if fatal == nil {
		fatal = w.tx.exec("COMMIT")
	}
	if fatal != nil {
		_ = w.tx.exec("ROLLBACK")
		if c != nil { // the transaction did not even begin
			group = append(group, c)
		}
		w.alone(group, fatal)
		return
	}
	for _, c := range group {
		w.answer(c)
	}
}

// next returns a change that belongs into the transaction that is open, or nil where it is
// time to commit.
func (w *writer) next(group []*change) *change {
	select {
	case c := <-w.changes:
		return c
	default:
	}
	for _, c := range group {
		if !c.relaxed {
			return nil
		}
	}
	late := time.NewTimer(linger)
	defer late.Stop()
	select {
	case c := <-w.changes:
		return c
	case <-late.C:
		return nil
	}
}

// try does a change within the transaction; where it fails, it leaves nothing behind. The
// result is an error that broke the transaction.
func (w *writer) try(c *change) error {
	if c.err = w.tx.broken[c.run]; c.err != nil {
		return nil
	}
	if err := w.tx.exec("SAVEPOINT change"); err != nil {
		return err
	}
	if c.err = c.do(w.tx); c.err != nil {
		if err := w.tx.exec("ROLLBACK TO change"); err != nil {
			return c.err // SQLite has rolled everything back
		}
	}
	if c.err != nil && c.then != nil {
		w.lost(c)
	}
	return w.tx.exec("RELEASE change")
}

// lost makes all later changes of a run fail, since one failed of which nobody will hear.
func (w *writer) lost(c *change) {
	w.tx.broken[c.run] = fmt.Errorf("an earlier change of the run was lost: %w", w.explain(c.err))
}

// alone does each change of a transaction that failed in one of its own. One change is
// not tried again.
func (w *writer) alone(group []*change, fatal error) {
	for _, c := range group {
		promised := c.answered && c.err == nil
		if len(group) == 1 {
			c.err = fatal
		} else if err := w.single(c); err != nil {
			c.err = err
		}
		if promised && c.err != nil {
			w.lost(c)
		}
		w.answer(c)
	}
}

// single does one change in a transaction.
func (w *writer) single(c *change) error {
	if err := w.tx.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := w.try(c)
	if err == nil {
		err = w.tx.exec("COMMIT")
	}
	if err != nil {
		_ = w.tx.exec("ROLLBACK")
	}
	return err
}
