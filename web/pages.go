package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/irscope/irscope/static"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// sessionPage shows a session with the run that the query names, or its latest.
func (s *Server) sessionPage(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	v, err := work(r.Context(), s, t, pageBytes, func(context.Context) (templates.SessionView, error) { return s.sessionView(r) })
	if errors.Is(err, store.ErrNotFound) {
		return &httpError{status: http.StatusNotFound, message: noSession}
	}
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, templates.Session(v))
}

// noSession says what became of a session that is not there, and what to do.
var noSession = fmt.Sprintf("no session has this address: it is mistyped, or the session was deleted or has expired. A session that is not shared "+
	"expires %d days after its last run. Ask for a new link where you got this one; the start page lists your own sessions", session.Lifetime/(24*time.Hour))

// sessionView returns what the page of a session shows.
func (s *Server) sessionView(r *http.Request) (v templates.SessionView, err error) {
	sess, err := s.theSession(r)
	if err != nil {
		return v, err
	}
	settings, err := s.settingsOf(sess)
	if err != nil {
		return v, err
	}
	v = templates.SessionView{
		Assets: assets("sessionpage"), Session: sess.ID, Title: sess.Title,
		Compiler: s.cfg.Compiler != nil && sess.Source.Kind != store.SourceDump, Dump: sess.Source.Kind == store.SourceDump,
		MayEdit: session.MayEdit(sess, s.editToken(r)), Shared: sess.Shared, Expires: sess.Expires, Owner: session.Owns(sess, s.editToken(r)),
		Targets: s.targets(settings.Target), Target: settings.Target, OptLevel: settings.OptLevel, Pipeline: orDefault(settings.Pipeline, "default"),
		Command: command(run.Info{Source: sess.Source, Settings: settings}),
	}
	v.Embed = len(s.cfg.Embed) > 0
	if v.Lesson = s.lessonView(sess); v.Lesson != nil {
		v.Assets.OwnCSS = static.URL("lesson.css")
	}
	_, _, v.Class = s.classes.Seat(sess.ID)
	v.Class = v.Class && v.MayEdit
	v.Reason = whyNot(v.MayEdit, v.Shared)
	if v.Compiler {
		v.CodeMirrorJS = static.URL("codemirror.js")
	}
	if sess.Source.Kind == store.SourceScript {
		v.SourceText = sess.Source.Blob
	}
	kin, err := s.kinOf(r.Context(), sess, s.editToken(r))
	if err != nil {
		return v, err
	}
	v.Parent, v.Forks = links(kin.parent), links(kin.children[max(0, len(kin.children)-maxForks):])
	id := r.URL.Query().Get("run")
	if id == "" && len(sess.Runs) > 0 {
		id = sess.Runs[len(sess.Runs)-1]
	}
	info, err := s.manager.Run(r.Context(), id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		// The session is there although its run has expired; the page can start another.
	case err != nil:
		return v, err
	case info.Source != sess.Source:
		return v, &httpError{status: http.StatusNotFound, message: "this run does not belong to this session"}
	default:
		v.Run, v.Status, v.Command = info.ID, info.State, command(info)
		v.Targets = s.targets(info.Settings.Target)
		v.Target, v.OptLevel, v.Pipeline = info.Settings.Target, info.Settings.OptLevel, orDefault(info.Settings.Pipeline, "default")
		if err := s.fillRun(r, &v, sess, kin, info); err != nil {
			return v, err
		}
	}
	return v, nil
}

// whyNot says why a visitor may change nothing in a session.
func whyNot(mayEdit, shared bool) string {
	switch {
	case mayEdit:
		return ""
	case shared:
		return "This session is shared and cannot be changed; fork it to continue"
	default:
		return "Only the creator of this session can change it; fork it to continue"
	}
}

// targets lists the targets of the catalogue, and the chosen one where that has options of its own.
func (s *Server) targets(chosen string) []templates.TargetOption {
	var out []templates.TargetOption
	known := false
	for _, t := range s.cfg.Catalog.Targets {
		out = append(out, templates.TargetOption{Name: t.Name, Label: t.Name, Doc: t.Doc, StandIn: t.StandIn})
		known = known || t.Name == chosen
	}
	if !known && chosen != "" {
		out = append(out, templates.TargetOption{Name: chosen, Label: targetWord(chosen), Doc: chosen})
	}
	return out
}

// links returns links to sessions.
func links(list []store.Session) []templates.SessionLink {
	var out []templates.SessionLink
	for _, x := range list {
		out = append(out, templates.SessionLink{ID: x.ID, Title: x.Title, Shared: x.Shared})
	}
	return out
}

// maxForks is how many forks the page of a session links, the latest ones; shownSessions is
// how many sessions of a visitor the gallery lists unless asked for all, and shownLessons how many lessons.
const (
	maxForks      = 20
	shownSessions = 5
	shownLessons  = 5
)

// fillSessions lists the newest sessions of a visitor, or all where the query asks for them.
func (s *Server) fillSessions(r *http.Request, v *templates.GalleryView) error {
	list, err := session.List(r.Context(), s.cfg.Store, s.editToken(r))
	if err != nil {
		return err
	}
	v.AllSessions = len(list)
	if r.URL.Query().Get("sessions") != "all" {
		list = list[:min(len(list), shownSessions)]
	}
	for _, x := range list {
		whole, err := s.cfg.Store.Session(r.Context(), x.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		v.Sessions = append(v.Sessions, templates.SessionRow{
			ID: x.ID, Title: x.Title, Model: x.Source.Name, Created: x.Created, Shared: x.Shared, Forked: x.Parent != "", Runs: len(whole.Runs),
		})
	}
	return nil
}

// depth counts how deep a step is nested: "2.1/FuseOps" is in one other.
func depth(step string) int {
	path, _, _ := strings.Cut(step, "/")
	return strings.Count(path, ".")
}

// printDuration prints nanoseconds for people.
func printDuration(ns int64) string {
	switch d := time.Duration(ns); {
	case ns == 0:
		return ""
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(ns)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
	default:
		return fmt.Sprintf("%.2f s", float64(ns)/1e9)
	}
}
