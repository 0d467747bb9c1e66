// Package session makes sessions and tells who may change them.
//
// A session is a source with its settings and the runs made from it. Its id is
// unguessable: who knows it may read. Changing it takes the edit token, which
// travels in a cookie or in a header and of which only the hash is stored. The web
// package imports this package; it must not know HTTP or how runs are made.
package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/store"
)

// NewToken returns a new edit token: 256 random bits.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// IsToken tells whether s has the form of an edit token.
func IsToken(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == 32
}

// MayEdit tells whether a token allows changes of a session; nobody may change one that
// is shared. It takes the same time for every wrong token.
func MayEdit(s store.Session, token string) bool { return !s.Shared && Owns(s, token) }

// Owns tells whether a token is that of a session. It takes the same time for every
// wrong token.
func Owns(s store.Session, token string) bool {
	sum := sha256.Sum256([]byte(token))
	return token != "" && subtle.ConstantTimeCompare(sum[:], s.TokenHash[:]) == 1
}

// FromGallery makes a session of a built-in model.
func FromGallery(ctx context.Context, st store.Store, name, title, token string) (store.Session, error) {
	s := fresh(title, token, store.Source{Kind: store.SourceGallery, Name: name})
	if err := st.CreateSession(ctx, s); err != nil {
		return store.Session{}, err
	}
	return s, nil
}

// FromUpload makes a session of an uploaded file, which is kept as long as the
// session is.
func FromUpload(ctx context.Context, st store.Store, name string, data []byte, token string) (store.Session, error) {
	name = FileName(name)
	s := fresh(name, token, store.Source{Kind: store.SourceUpload, Name: name, Blob: event.HashBytes(data)})
	return s, createWith(ctx, st, s, store.LangBinary, data)
}

// FromScript makes a session of the text of a module. The parent is the session whose text
// was edited, or empty.
func FromScript(ctx context.Context, st store.Store, name, text, parent, token string) (store.Session, error) {
	s := fresh(name, token, store.Source{Kind: store.SourceScript, Name: name, Blob: event.HashText(text)})
	s.Parent = parent
	return s, createWith(ctx, st, s, event.LangTVMScript, []byte(text))
}

// createWith stores a session and the file or the text that is its source, both or neither.
func createWith(ctx context.Context, st store.Store, s store.Session, language string, data []byte) error {
	if err := st.CreateSession(ctx, s); err != nil {
		return err
	}
	if _, err := st.PutBlob(ctx, s.ID, language, data); err != nil {
		return errors.Join(fmt.Errorf("keep the source of a session: %w", err), st.DeleteSession(context.WithoutCancel(ctx), s.ID))
	}
	return nil
}

// Lesson is what a session takes from a lesson: its name, its title, and its model of the gallery, or where that is empty the text of its module.
type Lesson struct{ Name, Title, Model, Module string }

// FromLesson makes a session of a lesson.
func FromLesson(ctx context.Context, st store.Store, l Lesson, token string) (store.Session, error) {
	src := store.Source{Kind: store.SourceGallery, Name: l.Model}
	if l.Model == "" {
		src = store.Source{Kind: store.SourceScript, Name: l.Name + ".py", Blob: event.HashText(l.Module)}
	}
	s := fresh(l.Title, token, src)
	s.Lesson = l.Name
	if l.Model != "" {
		return s, st.CreateSession(ctx, s)
	}
	return s, createWith(ctx, st, s, event.LangTVMScript, []byte(l.Module))
}

// FromDump makes a session for the output of another compiler, which its run will hold.
func FromDump(ctx context.Context, st store.Store, name, token string) (store.Session, error) {
	if name = FileName(name); name == noName {
		name = "dump"
	}
	s := fresh(name, token, store.Source{Kind: store.SourceDump, Name: name})
	if err := st.CreateSession(ctx, s); err != nil {
		return store.Session{}, err
	}
	return s, nil
}

// Lifetime is how long a session is kept after the last day on which a run was started in
// it. What is shared is kept for good.
const Lifetime = 90 * 24 * time.Hour

// Touch puts off the expiry of a session that is in use, at most once a day.
func Touch(ctx context.Context, st store.Store, s store.Session) error {
	if s.Expires.IsZero() || time.Until(s.Expires) > Lifetime-24*time.Hour {
		return nil
	}
	return st.SetExpiry(ctx, s.ID, time.Now().UTC().Add(Lifetime))
}

// NewID returns an id that nobody can guess: 128 random bits as 22 characters that may
// stand in a URL.
func NewID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// fresh returns a session with a new id.
func fresh(title, token string, src store.Source) store.Session {
	now := time.Now().UTC()
	return store.Session{
		ID: NewID(), TokenHash: sha256.Sum256([]byte(token)),
		Title: title, Source: src, Created: now, Expires: now.Add(Lifetime),
	}
}

// noName is the name of a file without one.
const noName = "model.onnx"

// maxName is the number of bytes of a file name that is shown.
const maxName = 120

// FileName returns the last part of the name that a browser gave a file, without
// what cannot be shown, and never empty. It is a title, not a path.
func FileName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	if name = strings.TrimSpace(name); name == "" {
		return noName
	}
	return name
}
