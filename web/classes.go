package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/class"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
	"github.com/irscope/irscope/web/stream"
)

// classJSON is a class as everybody sees it who knows its link.
type classJSON struct {
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Locked  bool      `json:"locked"`
	Expires time.Time `json:"expires"`
	Owner   bool      `json:"owner"`
}

// createClass opens a class on the visitor's session: its students begin with a snapshot of it.
func (s *Server) createClass(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	var in struct {
		Locked bool `json:"locked"`
	}
	if err := fields(w, r, &in, func(f url.Values) error { in.Locked = f.Get("locked") != ""; return nil }); err != nil {
		return err
	}
	id := s.classes.Of(sess.ID)
	if id == "" {
		begin := sess
		if !sess.Shared {
			if begin, err = s.snapshot(r, sess.ID, nil); err != nil {
				return err
			}
		}
		one, err := s.classes.Create(r.Context(), class.Class{
			ID: session.NewID(), Title: sess.Title, From: sess.ID, Session: begin.ID, Locked: in.Locked,
		}, s.editToken(r), s.visitor(r))
		if err != nil {
			return classError(err)
		}
		id = one.ID
	}
	w.Header().Set("Location", "/class/"+id)
	if wantsHTML(r) {
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	return s.classAnswer(w, r, http.StatusCreated, id)
}

// classAnswer answers with a class as JSON.
func (s *Server) classAnswer(w http.ResponseWriter, r *http.Request, status int, id string) error {
	one, err := s.classes.Class(id)
	if err != nil {
		return classError(err)
	}
	return s.json(w, status, map[string]any{"class": classJSON{ID: one.ID, Title: one.Title, Locked: one.Locked, Expires: one.Expires, Owner: one.Owns(s.editToken(r))}})
}

// classInfo answers with a class as JSON.
func (s *Server) classInfo(w http.ResponseWriter, r *http.Request) error {
	return s.classAnswer(w, r, http.StatusOK, chi.URLParam(r, "class"))
}

// myClass returns the class that a route names, for its teacher. For everybody else it does not exist.
func (s *Server) myClass(r *http.Request) (class.Class, error) {
	one, err := s.classes.Class(chi.URLParam(r, "class"))
	if err == nil && !one.Owns(s.editToken(r)) {
		err = class.ErrNone
	}
	if err != nil {
		return one, classError(err)
	}
	return one, nil
}

// classPage shows a class to its teacher, and asks others for a nickname.
func (s *Server) classPage(w http.ResponseWriter, r *http.Request) error {
	return s.showClass(w, r, http.StatusOK, "", "")
}

func (s *Server) showClass(w http.ResponseWriter, r *http.Request, status int, name, problem string) error {
	one, err := s.classes.Class(chi.URLParam(r, "class"))
	if err != nil {
		return classError(err)
	}
	return s.page(w, r, status, templates.Class(templates.ClassView{
		Assets: assets("classpage"), ID: one.ID, Title: one.Title, Locked: one.Locked, Expires: one.Expires, Teacher: one.Owns(s.editToken(r)),
		From: one.From, Name: name, Problem: problem,
	}))
}

// joinClass takes a visitor in under a nickname, with a session of their own.
func (s *Server) joinClass(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := fields(w, r, &in, func(f url.Values) error { in.Name = f.Get("name"); return nil }); err != nil {
		return err
	}
	ctx, token := r.Context(), s.editToken(r)
	if token == "" {
		token = session.NewToken()
	}
	begin := func(one class.Class) (string, error) {
		from, err := s.cfg.Store.Session(ctx, one.Session)
		if err != nil {
			return "", err
		}
		from.Parent = from.ID
		made, err := session.Copy(ctx, s.cfg.Store, from, nil, token)
		return made.ID, err
	}
	id, err := s.classes.Join(ctx, chi.URLParam(r, "class"), token, in.Name, begin)
	if err == nil {
		id, err = s.sessionOf(ctx, chi.URLParam(r, "class"), token, id, begin)
	}
	var known *httpError
	if err = classError(err); errors.As(err, &known) && wantsHTML(r) && known.status != http.StatusNotFound {
		return s.showClass(w, r, known.status, in.Name, known.message)
	}
	if err != nil {
		return err
	}
	link := "/s/" + id
	s.giveToken(w, token)
	w.Header().Set("Location", link)
	if wantsHTML(r) {
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	return s.json(w, http.StatusCreated, map[string]any{"session": id, "link": link, "edit_token": token})
}

// sessionOf returns the session of a student who has joined: the one with the id, or another where they have deleted that.
func (s *Server) sessionOf(ctx context.Context, id, token, sess string, begin func(class.Class) (string, error)) (string, error) {
	if _, err := s.cfg.Store.Session(ctx, sess); !errors.Is(err, store.ErrNotFound) {
		return sess, err
	}
	one, err := s.classes.Class(id)
	if err != nil {
		return "", err
	}
	made, err := begin(one)
	if err != nil {
		return "", err
	}
	return made, s.classes.Move(ctx, id, token, made)
}

// classRoster sends the teacher who is at which step and what was answered: over a websocket whenever it changes, or once.
func (s *Server) classRoster(w http.ResponseWriter, r *http.Request, _ *share.Ticket) error {
	one, err := s.myClass(r)
	if err != nil {
		return err
	}
	if !stream.Wants(r) {
		roster, err := s.classes.Roster(one.ID)
		if err != nil {
			return classError(err)
		}
		return s.json(w, http.StatusOK, roster)
	}
	watch, err := s.classes.Watch(one.ID)
	if err != nil {
		return classError(err)
	}
	s.hub.Serve(w, r, watch, 0)
	return nil
}

// askClass asks the students something.
func (s *Server) askClass(w http.ResponseWriter, r *http.Request) error {
	one, err := s.myClass(r)
	if err != nil {
		return err
	}
	var in struct {
		Text    string   `json:"text"`
		Options []string `json:"options"`
	}
	if err := fields(w, r, &in, func(f url.Values) error { in.Text, in.Options = f.Get("text"), f["option"]; return nil }); err != nil {
		return err
	}
	if err := s.classes.Ask(r.Context(), one.ID, in.Text, in.Options); err != nil {
		return classError(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// endClass ends a class. The sessions of its students stay theirs.
func (s *Server) endClass(w http.ResponseWriter, r *http.Request) error {
	one, err := s.myClass(r)
	if err == nil {
		err = classError(s.classes.End(r.Context(), one.ID))
	}
	if err != nil {
		return err
	}
	if wantsHTML(r) {
		http.Redirect(w, r, "/s/"+one.From, http.StatusSeeOther)
		return nil
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// classDesk connects a page of a student: it says at which step it is, and is told what the teacher asks.
func (s *Server) classDesk(w http.ResponseWriter, r *http.Request, _ *share.Ticket) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	if !stream.Wants(r) {
		return badRequest("the page of a student connects over a websocket")
	}
	desk, leave, err := s.classes.Enter(sess.ID)
	if err != nil {
		return classError(err)
	}
	defer leave()
	s.hub.Converse(w, r, desk, 0, desk)
	return nil
}

// answerClass notes what a student answers to the question that is asked.
func (s *Server) answerClass(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	var in struct {
		Question string `json:"question"`
		Option   int    `json:"option"`
	}
	if err := fields(w, r, &in, func(url.Values) error { return badRequest("an answer is JSON") }); err != nil {
		return err
	}
	if err := s.classes.Choose(r.Context(), sess.ID, in.Question, in.Option); err != nil {
		return classError(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// classError gives an error of a class its status.
func classError(err error) error {
	status := 0
	switch {
	case errors.Is(err, class.ErrNone):
		return &httpError{status: http.StatusNotFound, message: class.ErrNone.Error()}
	case errors.Is(err, class.ErrTaken), errors.Is(err, class.ErrFull):
		status = http.StatusConflict
	case errors.Is(err, class.ErrForm):
		status = http.StatusBadRequest
	case errors.Is(err, class.ErrMany):
		status = http.StatusServiceUnavailable
	default:
		return err
	}
	return &httpError{status: status, message: err.Error()}
}

// locked returns an error where a session is a student's of a class whose pipeline is locked, and settings change more of it than
// which passes run.
func (s *Server) locked(ctx context.Context, sess store.Session, settings run.Settings) error {
	one, _, ok := s.classes.Seat(sess.ID)
	if !ok || !one.Locked {
		return nil
	}
	begin, err := s.cfg.Store.Session(ctx, one.Session)
	if err != nil {
		return fmt.Errorf("read the beginning of a class: %w", err)
	}
	base, err := s.settingsOf(begin)
	if err != nil {
		return err
	}
	if base, err = base.Normalize(); err != nil {
		return fmt.Errorf("read the pipeline of a class: %w", err)
	}
	base.Disabled, base.Required, base.OptLevel = settings.Disabled, settings.Required, settings.OptLevel
	base.Seed, base.Profile, base.Rewrites = settings.Seed, settings.Profile, settings.Rewrites
	base.Pipeline, settings.Pipeline = orDefault(base.Pipeline, "default"), orDefault(settings.Pipeline, "default")
	want, err := json.Marshal(base)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	got, err := json.Marshal(settings)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if string(got) != string(want) {
		return &httpError{status: http.StatusForbidden, message: "the pipeline of this class is locked: passes can be turned off and on, and opt_level can be changed, but nothing else; fork the session to try more"}
	}
	return nil
}
