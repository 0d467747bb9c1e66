package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/export"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// editCookie is the name of the cookie with the edit token of this browser.
const editCookie = "irscope_edit"

// cookieName returns the name of a cookie. A browser takes one that begins with __Host- from this very host over https only, so that
// neither a neighbouring host nor plain http can plant it.
func (s *Server) cookieName(name string) string {
	if s.cfg.Secure {
		return "__Host-" + name
	}
	return name
}

// sessionJSON is a session as visitors see it.
type sessionJSON struct {
	ID     string     `json:"id"`
	Title  string     `json:"title"`
	Source sourceJSON `json:"source"`
	// Lesson names the lesson that stands beside it.
	Lesson   string       `json:"lesson,omitempty"`
	Created  time.Time    `json:"created"`
	Settings run.Settings `json:"settings"`
	Runs     []string     `json:"runs"`
	MayEdit  bool         `json:"may_edit"`
	// Owner tells whether the visitor made it: of a shared session, who may delete it.
	Owner bool `json:"owner"`
	// Shared sessions do not change; the others have a time at which they expire.
	Shared  bool       `json:"shared"`
	Expires *time.Time `json:"expires,omitempty"`
	// Parent is the session that this one was forked from, Children are its forks, where
	// the visitor may know them.
	Parent   string   `json:"parent,omitempty"`
	Children []string `json:"children"`
}

// sourceJSON says where a module comes from; Arg is what the command line calls it, and
// Text the hash of a text, to be fetched like IR.
type sourceJSON struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Arg  string `json:"arg"`
	Text string `json:"text,omitempty"`
}

// createSession makes a session and starts its first run.
func (s *Server) createSession(w http.ResponseWriter, r *http.Request) error {
	c, done, err := s.readCreation(w, r)
	defer done()
	var token string
	var sess store.Session
	if err == nil {
		if token = s.editToken(r); token == "" {
			token = session.NewToken()
		}
		sess, err = s.newSession(r, c, token)
	}
	var known *httpError
	if (errors.As(err, &known) || refused(err)) && wantsHTML(r) {
		// Without a script the form stays on the page, with what was wrong with it.
		known = s.explain(r, err)
		known.head(w.Header())
		if c.Kind == store.SourceScript {
			return s.page(w, r, known.status, templates.Editor(s.editorView(c, known.message, known.found)))
		}
		return s.page(w, r, known.status, templates.Gallery(s.galleryView(known.message)))
	}
	if err != nil {
		return err
	}
	if (c.Start == nil || *c.Start) && sess.Source.Kind != store.SourceDump {
		settings := s.defaults(sess)
		settings.Pipeline = orDefault(c.Pipeline, settings.Pipeline)
		if c.Example != "" {
			settings = s.cfg.Catalog.WithExample(settings, c.Example)
		}
		if l, _ := lesson.Find(s.cfg.Lessons, c.Lesson); l != nil {
			settings = s.lessonSettings(sess, l.Settings)
		}
		if _, err := s.start(r, sess, settings); err != nil && !refused(err) {
			return err
		}
		if sess, err = s.cfg.Store.Session(r.Context(), sess.ID); err != nil {
			return err
		}
	}
	s.giveToken(w, token)
	w.Header().Set("Location", "/s/"+sess.ID)
	if wantsHTML(r) {
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	out, err := s.describe(r.Context(), sess, token)
	if err != nil {
		return err
	}
	return s.json(w, http.StatusCreated, map[string]any{"session": out, "edit_token": token})
}

// newSession makes the session that a creation asks for.
func (s *Server) newSession(r *http.Request, c creation, token string) (store.Session, error) {
	ctx := r.Context()
	switch {
	case export.IsArchive(c.data):
		return s.importSession(r, c.data, token)
	case c.Example != "":
		return s.newFromExample(ctx, c, token)
	case c.Lesson != "":
		return s.newLesson(ctx, c.Lesson, token)
	case c.Kind == store.SourceScript:
		return s.newScript(r, c, token)
	case c.Kind == store.SourceDump:
		return s.newDump(r, c, token)
	case c.Kind != "" && c.Kind != store.SourceGallery:
		return store.Session{}, badRequest("kind is %.60q, want gallery, tvmscript or dump", c.Kind)
	case c.Gallery != "":
		m := s.cfg.Catalog.Model(c.Gallery)
		if m == nil {
			var names []string
			for _, m := range s.cfg.Catalog.Models {
				names = append(names, m.Name)
			}
			return store.Session{}, badRequest("there is no model %q in the gallery; there are %s", c.Gallery, strings.Join(names, ", "))
		}
		return session.FromGallery(ctx, s.cfg.Store, m.Name, m.Title, token)
	case len(c.data) > 0:
		return session.FromUpload(ctx, s.cfg.Store, c.file, c.data, token)
	case c.data != nil:
		return store.Session{}, badRequest("the file %q is empty", session.FileName(c.file))
	default:
		return store.Session{}, badRequest(`choose a model: "gallery" names one of the gallery, the file "model" contains an ONNX model, or "source" contains text with "kind" tvmscript`)
	}
}

// refused tells whether something was only not admitted now. Of a run: the session exists all the same.
func refused(err error) bool {
	var r *share.Refusal
	return errors.As(err, &r)
}

// editToken returns the edit token that a request carries, or "".
func (s *Server) editToken(r *http.Request) string {
	if auth, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if session.IsToken(auth) {
			return auth
		}
		return ""
	}
	if c, err := r.Cookie(s.cookieName(editCookie)); err == nil && session.IsToken(c.Value) {
		return c.Value
	}
	return ""
}

// theSession returns the session that a route names.
func (s *Server) theSession(r *http.Request) (store.Session, error) {
	return s.cfg.Store.Session(r.Context(), chi.URLParam(r, "session"))
}

// describe returns the JSON form of a session for whoever has the token.
func (s *Server) describe(ctx context.Context, sess store.Session, token string) (sessionJSON, error) {
	kin, err := s.kinOf(ctx, sess, token)
	if err != nil {
		return sessionJSON{}, err
	}
	return s.describeAmong(sess, kin, token)
}

// describeAmong returns the JSON form of a session whose kin are known.
func (s *Server) describeAmong(sess store.Session, kin kin, token string) (sessionJSON, error) {
	settings, err := s.settingsOf(sess)
	if err != nil {
		return sessionJSON{}, err
	}
	out := sessionJSON{
		ID: sess.ID, Title: sess.Title, Created: sess.Created, Settings: settings, Runs: all(sess.Runs), Children: []string{},
		Source: describeSource(sess.Source), Lesson: sess.Lesson, MayEdit: session.MayEdit(sess, token), Owner: session.Owns(sess, token),
		Shared: sess.Shared, Expires: when(sess.Expires),
	}
	for _, p := range kin.parent {
		out.Parent = p.ID
	}
	for _, c := range kin.children {
		out.Children = append(out.Children, c.ID)
	}
	return out, nil
}

// describeSource returns the JSON form of a source.
func describeSource(src store.Source) sourceJSON {
	out := sourceJSON{Kind: src.Kind, Name: src.Name, Arg: sourceArg(src)}
	if src.Kind == store.SourceScript {
		out.Text = src.Blob
	}
	return out
}

// settingsOf returns the latest settings of a session.
func (s *Server) settingsOf(sess store.Session) (run.Settings, error) {
	settings := s.defaults(sess)
	if len(sess.Settings) > 0 {
		settings = run.Settings{}
		if err := json.Unmarshal(sess.Settings, &settings); err != nil {
			return settings, fmt.Errorf("decode settings of session: %w", err)
		}
	}
	return settings, nil
}

// defaults returns the settings of the first run of a session.
func (s *Server) defaults(sess store.Session) run.Settings {
	if sess.Lesson != "" {
		return s.cfg.Catalog.LessonDefaults(sess.Source)
	}
	return s.cfg.Catalog.Defaults(sess.Source)
}

// sessionInfo answers with a session as JSON.
func (s *Server) sessionInfo(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	out, err := s.describe(r.Context(), sess, s.editToken(r))
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, map[string]any{"session": out})
}
