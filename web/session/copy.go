package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/store"
)

// Copy makes a session with the title, source, lesson, settings, runs, notes and parent of another. Where blobs is nil, the file of its source and the tensors
// that its settings name must be stored already; else it returns them by hash. Tensors that have gone do not keep a session from being copied.
func Copy(ctx context.Context, st store.Store, from store.Session, blobs func(hash string) ([]byte, error), token string) (store.Session, error) {
	s := fresh(from.Title, token, from.Source)
	s.Lesson, s.Settings, s.Parent = from.Lesson, from.Settings, from.Parent
	s.Runs, s.Notes = slices.Clone(from.Runs), slices.Clone(from.Notes)
	if err := st.CreateSession(ctx, s); err != nil {
		return store.Session{}, err
	}
	keep := func(hash, language string) error {
		if blobs == nil {
			return st.KeepBlob(ctx, s.ID, hash)
		}
		data, err := blobs(hash)
		if err == nil {
			_, err = st.PutBlob(ctx, s.ID, language, data)
		}
		return err
	}
	if err := keepAll(from, keep); err != nil {
		return store.Session{}, errors.Join(err, st.DeleteSession(context.WithoutCancel(ctx), s.ID))
	}
	return s, nil
}

// keepAll keeps what a session needs besides its runs.
func keepAll(s store.Session, keep func(hash, language string) error) error {
	if s.Source.Blob != "" {
		language := store.LangBinary
		if s.Source.Kind == store.SourceScript {
			language = event.LangTVMScript
		}
		if err := keep(s.Source.Blob, language); err != nil {
			return fmt.Errorf("keep the source of a session: %w", err)
		}
	}
	var settings request.Settings
	if len(s.Settings) > 0 {
		if err := json.Unmarshal(s.Settings, &settings); err != nil {
			return fmt.Errorf("decode settings of session: %w", err)
		}
	}
	for _, hash := range settings.Blobs() {
		if err := keep(hash, store.LangBinary); err != nil && !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("keep the tensors of a session: %w", err)
		}
	}
	return nil
}

// Snapshot makes an immutable session of what another shows: its title, source, lesson and settings, and of its runs those with the ids, or
// all where there are none, with the notes that are on them or on no run. A snapshot with these contents that the token has made
// before is returned instead of another.
func Snapshot(ctx context.Context, st store.Store, of store.Session, runs []string, token string) (store.Session, error) {
	from := of
	from.Parent = of.ID
	if len(runs) > 0 {
		from.Runs = slices.DeleteFunc(slices.Clone(of.Runs), func(id string) bool { return !slices.Contains(runs, id) })
		from.Notes = slices.DeleteFunc(slices.Clone(of.Notes), func(n store.Note) bool { return n.Run != "" && !slices.Contains(runs, n.Run) })
	}
	for _, id := range slices.Backward(of.Children) {
		old, err := st.Session(ctx, id)
		switch {
		case errors.Is(err, store.ErrNotFound): // it has gone since it was listed
		case err != nil:
			return store.Session{}, err
		case old.Shared && Owns(old, token) && sameContents(old, from):
			return old, nil
		}
	}
	// It is a copy like any other until all of it is there: what is shared is kept for good.
	made, err := Copy(ctx, st, from, nil, token)
	if err != nil {
		return store.Session{}, err
	}
	if err := st.ShareSession(ctx, made.ID); err != nil {
		return store.Session{}, err
	}
	return st.Session(ctx, made.ID)
}

// sameContents reports whether two sessions show the same.
func sameContents(a, b store.Session) bool {
	sameNote := func(x, y store.Note) bool {
		sameTime := x.Created.Equal(y.Created)
		x.Created, y.Created = time.Time{}, time.Time{}
		return sameTime && x == y
	}
	return a.Title == b.Title && a.Source == b.Source && a.Lesson == b.Lesson && bytes.Equal(a.Settings, b.Settings) &&
		slices.Equal(a.Runs, b.Runs) && slices.EqualFunc(a.Notes, b.Notes, sameNote)
}

// List returns the sessions that an edit token made, newest first; none for "".
func List(ctx context.Context, st store.Store, token string) ([]store.Session, error) {
	if token == "" {
		return nil, nil
	}
	return st.Sessions(ctx, sha256.Sum256([]byte(token)))
}
