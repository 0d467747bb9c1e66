package web

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// maxExpiryDays is how many days ahead the expiry of a session may be set.
const maxExpiryDays = 365

// listedSession is a session in the list of those of a visitor.
type listedSession struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Source  sourceJSON `json:"source"`
	Created time.Time  `json:"created"`
	Shared  bool       `json:"shared"`
	Expires *time.Time `json:"expires,omitempty"`
	Parent  string     `json:"parent,omitempty"`
}

// mySessions lists the sessions that the edit token of the visitor made.
func (s *Server) mySessions(w http.ResponseWriter, r *http.Request) error {
	list, err := session.List(r.Context(), s.cfg.Store, s.editToken(r))
	if err != nil {
		return err
	}
	out := []listedSession{}
	for _, x := range list {
		out = append(out, listedSession{x.ID, x.Title, describeSource(x.Source), x.Created, x.Shared, when(x.Expires), x.Parent})
	}
	return s.json(w, http.StatusOK, map[string]any{"sessions": out})
}

// when returns a time for JSON; nil for never.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// mySession returns the session that a route names, for who made it. For everybody else it
// does not exist: what may not be changed is not told apart from what is not there.
func (s *Server) mySession(r *http.Request) (store.Session, error) {
	sess, err := s.theSession(r)
	if err == nil && !session.Owns(sess, s.editToken(r)) {
		err = fmt.Errorf("session of another visitor: %w", store.ErrNotFound)
	}
	return sess, err
}

// kin are the parent of a session, if any, and its children.
type kin struct{ parent, children []store.Session }

// kinOf returns the parent and the children of a session as far as a visitor may know
// them: their ids let read, so only those that are shared, or the visitor's own.
func (s *Server) kinOf(ctx context.Context, sess store.Session, token string) (out kin, err error) {
	for i, id := range append([]string{sess.Parent}, sess.Children...) {
		if id == "" {
			continue
		}
		other, err := s.cfg.Store.Session(ctx, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return out, err
		case !other.Shared && !session.Owns(other, token):
		case i == 0:
			out.parent = append(out.parent, other)
		default:
			out.children = append(out.children, other)
		}
	}
	return out, nil
}

// fields reads a request with a form or JSON: into v, or through fill.
func fields(w http.ResponseWriter, r *http.Request, v any, fill func(url.Values) error) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	switch kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind {
	case "application/x-www-form-urlencoded":
		if err := r.ParseForm(); err != nil {
			return formError(err)
		}
		return fill(r.PostForm)
	default:
		return decodeJSON(r.Body, v)
	}
}

// changed answers to a change of a session: with the session, or for a form with the page.
func (s *Server) changed(w http.ResponseWriter, r *http.Request, status int, id, to string, more map[string]any) error {
	if wantsHTML(r) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	sess, err := s.cfg.Store.Session(r.Context(), id)
	if err != nil {
		return err
	}
	token := s.editToken(r)
	if t, ok := more["edit_token"].(string); ok {
		token = t
	}
	out, err := s.describe(r.Context(), sess, token)
	if err != nil {
		return err
	}
	answer := map[string]any{"session": out}
	for key, v := range more {
		answer[key] = v
	}
	return s.json(w, status, answer)
}

// setTitle gives a session another title.
func (s *Server) setTitle(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	var in struct {
		Title string `json:"title"`
	}
	if err := fields(w, r, &in, func(f url.Values) error { in.Title = f.Get("title"); return nil }); err != nil {
		return err
	}
	title := strings.TrimSpace(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			return -1
		}
		return c
	}, in.Title))
	switch {
	case title == "":
		return badRequest("the title is empty")
	case len(title) > store.MaxTitle:
		return badRequest("the title has %d bytes; the limit is %d", len(title), store.MaxTitle)
	}
	if err := s.cfg.Store.SaveTitle(r.Context(), sess.ID, title); err != nil {
		return err
	}
	return s.changed(w, r, http.StatusOK, sess.ID, "/s/"+sess.ID, nil)
}

// deleteSession deletes a session, also a shared one, and stops what only it waits for.
func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	if err := s.cfg.Store.DeleteSession(r.Context(), sess.ID); err != nil {
		return err
	}
	// After that no run can be added: one that is being started finds no session, and stops.
	s.manager.Leave(sess.ID)
	if wantsHTML(r) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// setExpiry says in how many days a session expires; 0 keeps one that is shared for good.
func (s *Server) setExpiry(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	in := struct {
		Days *int `json:"days"`
	}{}
	err = fields(w, r, &in, func(f url.Values) error {
		n, err := strconv.Atoi(f.Get("days"))
		in.Days = &n
		if err != nil {
			return badRequest("days is %.60q, want a number", f.Get("days"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	least := 1
	if sess.Shared {
		least = 0
	}
	if in.Days == nil || *in.Days < least || *in.Days > maxExpiryDays {
		return badRequest("days must be a number from %d to %d; only a shared session can be kept permanently (0)", least, maxExpiryDays)
	}
	var at time.Time
	if *in.Days > 0 {
		at = time.Now().UTC().Add(time.Duration(*in.Days) * 24 * time.Hour)
	}
	if err := s.cfg.Store.SetExpiry(r.Context(), sess.ID, at); err != nil {
		return err
	}
	return s.changed(w, r, http.StatusOK, sess.ID, "/s/"+sess.ID, nil)
}
