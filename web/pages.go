package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// sessionPage shows a session with the run that the query names, or its latest.
func (s *Server) sessionPage(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	settings, err := s.settingsOf(sess)
	if err != nil {
		return err
	}
	v := templates.SessionView{
		Assets: assets(), Session: sess.ID, Title: sess.Title, MayEdit: session.MayEdit(sess, editToken(r)),
		Target: settings.Target, OptLevel: settings.OptLevel, Pipeline: orDefault(settings.Pipeline, "default"),
		Command: command(run.Info{Source: sess.Source, Settings: settings}),
	}
	if sess.Source.Kind == store.SourceScript {
		v.SourceText = sess.Source.Blob
	}
	id := r.URL.Query().Get("run")
	if id == "" && len(sess.Runs) > 0 {
		id = sess.Runs[len(sess.Runs)-1]
	}
	info, err := s.manager.Run(r.Context(), id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		// The session is there although its run has expired; the page can start another.
	case err != nil:
		return err
	case info.Source != sess.Source:
		return &httpError{status: http.StatusNotFound, message: "this run is not one of this session"}
	default:
		v.Run, v.Status, v.Command = info.ID, info.State, command(info)
		v.Target, v.OptLevel, v.Pipeline = info.Settings.Target, info.Settings.OptLevel, orDefault(info.Settings.Pipeline, "default")
		if err := s.fillPasses(r.Context(), &v); err != nil {
			return err
		}
	}
	return s.page(w, r, http.StatusOK, templates.Session(v))
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
