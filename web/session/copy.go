package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// Copy makes a session with the title, source, settings, runs, notes and parent of another.
// Where data is nil the file of its source must be stored already; else it is the file.
func Copy(ctx context.Context, st store.Store, from store.Session, data []byte, token string) (store.Session, error) {
	s := fresh(from.Title, token, from.Source)
	s.Settings, s.Parent = from.Settings, from.Parent
	s.Runs, s.Notes = slices.Clone(from.Runs), slices.Clone(from.Notes)
	if err := st.CreateSession(ctx, s); err != nil {
		return store.Session{}, err
	}
	var err error
	switch {
	case from.Source.Blob == "":
	case data == nil:
		err = st.KeepBlob(ctx, s.ID, from.Source.Blob)
	default:
		language := store.LangBinary
		if from.Source.Kind == store.SourceScript {
			language = event.LangTVMScript
		}
		_, err = st.PutBlob(ctx, s.ID, language, data)
	}
	if err != nil {
		err = fmt.Errorf("keep the source of a session: %w", err)
		return store.Session{}, errors.Join(err, st.DeleteSession(context.WithoutCancel(ctx), s.ID))
	}
	return s, nil
}

// List returns the sessions that an edit token made, newest first; none for "".
func List(ctx context.Context, st store.Store, token string) ([]store.Session, error) {
	if token == "" {
		return nil, nil
	}
	return st.Sessions(ctx, sha256.Sum256([]byte(token)))
}
