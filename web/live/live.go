// Package live tells those who look at a session when it has changed: its title, its runs, its notes, and whether
// somebody presents it.
//
// It is a store.Store around another, so that no change can be made without being told, and gives package stream a source for each
// viewer. What it sends is what the session shows now and not what happened: who was away for a while misses nothing by taking the
// latest. The web package imports it; it must not know HTTP or runs.
package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// State is what a session shows, as far as others need it to know what to ask for.
type State struct {
	Title string `json:"title"`
	// Runs counts the runs, Latest is the last of them, empty for none, and Ended how that ended, empty while it goes on.
	Runs   int    `json:"runs"`
	Latest string `json:"latest"`
	Ended  string `json:"ended"`
	// Notes counts the notes, NotesHash changes with them.
	Notes     int    `json:"notes"`
	NotesHash string `json:"notes_hash"`
	// Presenting tells that somebody presents the session now.
	Presenting bool `json:"presenting"`
}

// Store is a store that tells of changes of sessions.
type Store struct {
	store.Store
	presenting func(session string) bool

	mu    sync.Mutex
	feeds map[string]*feed // of sessions that somebody follows
}

// feed is a session that somebody follows.
type feed struct {
	viewers int
	version int           // counts changes
	changed chan struct{} // closed and replaced at each
	latest  string        // the last run when the session was read last
}

// New returns a store that tells of what is changed through it, and of who presents a session, which presenting knows.
func New(st store.Store, presenting func(session string) bool) *Store {
	return &Store{Store: st, presenting: presenting, feeds: map[string]*feed{}}
}

// Touch tells the viewers of a session that it may have changed otherwise than in the store.
func (s *Store) Touch(session string) { _ = s.touch(session, nil) }

// touch tells the viewers of a session that it may have changed.
func (s *Store) touch(session string, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.feeds[session]; f != nil && err == nil {
		f.touch()
	}
	return err
}

func (f *feed) touch() {
	f.version++
	close(f.changed)
	f.changed = make(chan struct{})
}

// AddRun implements store.Store.
func (s *Store) AddRun(ctx context.Context, session, run string) error {
	return s.touch(session, s.Store.AddRun(ctx, session, run))
}

// SaveTitle implements store.Store.
func (s *Store) SaveTitle(ctx context.Context, session, title string) error {
	return s.touch(session, s.Store.SaveTitle(ctx, session, title))
}

// PutNote implements store.Store.
func (s *Store) PutNote(ctx context.Context, session string, n store.Note) error {
	return s.touch(session, s.Store.PutNote(ctx, session, n))
}

// DeleteNote implements store.Store.
func (s *Store) DeleteNote(ctx context.Context, session, note string) error {
	return s.touch(session, s.Store.DeleteNote(ctx, session, note))
}

// DeleteSession implements store.Store.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	return s.touch(id, s.Store.DeleteSession(ctx, id))
}

// FinishRun implements store.Store.
func (s *Store) FinishRun(ctx context.Context, r store.Run, reusable bool) error {
	err := s.Store.FinishRun(ctx, r, reusable)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feeds {
		if f.latest == r.ID && err == nil {
			f.touch()
		}
	}
	return err
}

// Changes is what one viewer follows of a session. It is a stream.Source.
type Changes struct {
	store   *Store
	session string
	feed    *feed
	seen    int    // the version that was read last
	last    []byte // what was sent last
}

// Follow begins to follow a session, until leave is called.
func (s *Store) Follow(session string) (c *Changes, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.feeds[session]
	if f == nil {
		f = &feed{version: 1, changed: make(chan struct{})}
		s.feeds[session] = f
	}
	f.viewers++
	return &Changes{store: s, session: session, feed: f}, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.viewers--; f.viewers == 0 {
			delete(s.feeds, session)
		}
	})
}

// Next returns the state of the session where it differs from what it returned before, and waits for that. The source ends when the
// session is gone.
func (c *Changes) Next(ctx context.Context, _ int) (lines [][]byte, sealed bool, err error) {
	for {
		c.store.mu.Lock()
		version, changed := c.feed.version, c.feed.changed
		c.store.mu.Unlock()
		if version == c.seen {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return nil, false, context.Cause(ctx)
			}
		}
		line, err := c.State(ctx)
		if errors.Is(err, store.ErrNotFound) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		c.seen = version
		if !bytes.Equal(line, c.last) {
			c.last = line
			return [][]byte{line}, false, nil
		}
	}
}

// State returns what the session shows now, as JSON.
func (c *Changes) State(ctx context.Context) ([]byte, error) {
	sess, err := c.store.Session(ctx, c.session)
	if err != nil {
		return nil, err
	}
	notes, err := json.Marshal(sess.Notes)
	if err != nil {
		return nil, fmt.Errorf("encode notes: %w", err)
	}
	out := State{Title: sess.Title, Runs: len(sess.Runs), Notes: len(sess.Notes), NotesHash: event.HashBytes(notes)[:12], Presenting: c.store.presenting(c.session)}
	if out.Runs > 0 {
		out.Latest = sess.Runs[out.Runs-1]
		c.store.mu.Lock()
		c.feed.latest = out.Latest // before its end is read: it is not missed after that
		c.store.mu.Unlock()
		r, err := c.store.Run(ctx, out.Latest)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		out.Ended = r.Status
	}
	return json.Marshal(out)
}
