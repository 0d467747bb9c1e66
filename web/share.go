package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// pageState is what a link to a session opens, as static/src/state.ts reads it.
type pageState struct {
	Run      string `json:"run"`
	Pass     string `json:"pass"`
	Function string `json:"function"`
	View     string `json:"view"`
	Line     int    `json:"line"`
}

var viewName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{0,20}$`) })

// fill reads the state from a form.
func (p *pageState) fill(f url.Values) error {
	p.Run, p.Pass, p.Function, p.View = f.Get("run"), f.Get("pass"), f.Get("function"), f.Get("view")
	text := f.Get("line")
	if text == "" {
		return nil
	}
	var err error
	if p.Line, err = strconv.Atoi(text); err != nil {
		return badRequest("line is %.60q, want a number", text)
	}
	return nil
}

// link returns the address that opens a session in a state.
func (p pageState) link(sess store.Session) (string, error) {
	switch {
	case p.Run != "" && !slices.Contains(sess.Runs, p.Run):
		return "", badRequest("run %.60q does not belong to this session", p.Run)
	case !viewName().MatchString(p.View):
		return "", badRequest("view is %.60q, want the name of a view", p.View)
	case p.Line < 0:
		return "", badRequest("line is %d, want 1 or more, or 0 for none", p.Line)
	case len(p.Pass) > store.MaxField || len(p.Function) > store.MaxField:
		return "", badRequest("pass and function are limited to %d bytes each", store.MaxField)
	}
	var parts []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			parts = append(parts, name+"="+strings.ReplaceAll(url.QueryEscape(value), "%2F", "/"))
		}
	}
	add("run", p.Run)
	add("pass", p.Pass)
	add("function", p.Function)
	add("view", p.View)
	add("line", strconv.Itoa(p.Line))
	if len(parts) == 0 {
		return "/s/" + sess.ID, nil
	}
	return "/s/" + sess.ID + "?" + strings.Join(parts, "&"), nil
}

// shareSession makes a snapshot of a session and answers with the link that opens it where the visitor stands. The session itself
// goes on. Sharing again without a change gives the same snapshot; what is a snapshot already is shared as it is.
func (s *Server) shareSession(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	var in struct {
		pageState
		// Runs are those that go along; all where there are none.
		Runs []string `json:"runs"`
	}
	if err := fields(w, r, &in, func(f url.Values) error { in.Runs = f["runs"]; return in.fill(f) }); err != nil {
		return err
	}
	for _, id := range in.Runs {
		if !slices.Contains(sess.Runs, id) {
			return badRequest("run %.60q does not belong to this session", id)
		}
	}
	if len(in.Runs) > 0 && in.Run != "" && !slices.Contains(in.Runs, in.Run) {
		return badRequest("run %.60q is not one of those that are shared", in.Run)
	}
	if _, err := in.link(sess); err != nil {
		return err
	}
	if !sess.Shared {
		if sess, err = s.snapshot(r, sess.ID, in.Runs); err != nil {
			return err
		}
	}
	link, err := in.link(sess)
	if err != nil {
		return err
	}
	return s.changed(w, r, http.StatusOK, sess.ID, link, map[string]any{"link": link})
}

// snapshot makes the snapshot of a session with some of its runs, all where there are none, or finds it.
func (s *Server) snapshot(r *http.Request, id string, runs []string) (store.Session, error) {
	// One at a time: of two requests at once the second finds what the first has made.
	s.sharing.Lock()
	defer s.sharing.Unlock()
	ctx := r.Context()
	sess, err := s.cfg.Store.Session(ctx, id)
	if err != nil {
		return sess, err
	}
	last := ""
	for _, run := range sess.Runs {
		if slices.Contains(runs, run) {
			last = run
		}
	}
	if last != "" {
		// The settings of the session may be those of a run that stays behind.
		info, err := s.manager.Run(ctx, last)
		if err != nil {
			return sess, err
		}
		if sess.Settings, err = json.Marshal(info.Settings); err != nil {
			return sess, fmt.Errorf("encode settings: %w", err)
		}
	}
	return session.Snapshot(ctx, s.cfg.Store, sess, runs, s.editToken(r))
}

// forkSession makes a session of the visitor's own that begins where another stands.
// Whoever may read may fork.
func (s *Server) forkSession(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	var at pageState
	if err := fields(w, r, &at, at.fill); err != nil {
		return err
	}
	if _, err := at.link(sess); err != nil {
		return err
	}
	token := s.editToken(r)
	if token == "" {
		token = session.NewToken()
	}
	from := sess
	from.Parent = sess.ID
	made, err := session.Copy(r.Context(), s.cfg.Store, from, nil, token)
	if err != nil {
		return err
	}
	link, err := at.link(made)
	if err != nil {
		return err
	}
	s.giveToken(w, token)
	w.Header().Set("Location", link)
	return s.changed(w, r, http.StatusCreated, made.ID, link, map[string]any{"edit_token": token})
}

// giveToken sets the cookie with an edit token.
func (s *Server) giveToken(w http.ResponseWriter, token string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(editCookie), Value: token, Path: "/", HttpOnly: true, Secure: s.cfg.Secure, SameSite: http.SameSiteLaxMode, MaxAge: 90 * 24 * 3600,
	})
}
