package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/store"
)

// runJSON is a run as visitors see it.
type runJSON struct {
	run.Info
	// Label says its settings in short, such as "O2 −FuseOps".
	Label string `json:"label"`
	// Command is the command line that does the same.
	Command string `json:"command"`
}

func describe(i run.Info) runJSON {
	return runJSON{i, labelOf(i.Source, i.Settings), command(i)}
}

func describeRun(i run.Info) map[string]any {
	return map[string]any{"run": describe(i)}
}

// startRun starts a run with the settings in the body.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	if !session.MayEdit(sess, s.editToken(r)) {
		return &httpError{status: http.StatusForbidden, message: "only the creator of this session can start runs; fork it or start a session from the gallery"}
	}
	if sess.Source.Kind == store.SourceDump {
		return &httpError{status: http.StatusConflict, message: "this session shows what another compiler printed; there is nothing to run"}
	}
	settings, err := s.readSettings(w, r, sess)
	if err != nil {
		return err
	}
	info, err := s.start(r, sess, settings)
	if err != nil {
		return err
	}
	if wantsHTML(r) {
		http.Redirect(w, r, "/s/"+sess.ID+"?run="+url.QueryEscape(info.ID), http.StatusSeeOther)
		return nil
	}
	status := http.StatusAccepted
	if info.Shared {
		status = http.StatusOK
	}
	return s.json(w, status, describeRun(info))
}

// start starts a run of a session and notes it there.
func (s *Server) start(r *http.Request, sess store.Session, settings run.Settings) (run.Info, error) {
	ctx := r.Context()
	settings, err := settings.Normalize()
	if err != nil {
		return run.Info{}, badRequest("%v", err)
	}
	if err := s.locked(ctx, sess, settings); err != nil {
		return run.Info{}, err
	}
	info, err := s.manager.Start(ctx, s.visitor(r), sess.ID, run.Request{Source: sess.Source, Settings: settings})
	if err != nil {
		return run.Info{}, err
	}
	if err := s.cfg.Store.AddRun(ctx, sess.ID, info.ID); err != nil {
		// Nobody could find the run, and nobody stop it.
		_, stopped := s.manager.Cancel(context.WithoutCancel(ctx), info.ID, sess.ID)
		return run.Info{}, errors.Join(err, stopped)
	}
	s.classes.Ran(sess.ID, label(settings))
	// The run keeps what it was given, as long as it is kept itself, and so does the session, whose settings name it: files may have been given to another.
	if blobs := settings.Blobs(); len(blobs) > 0 {
		for _, owner := range []string{info.ID, sess.ID} {
			if err := s.cfg.Store.KeepBlob(ctx, owner, blobs...); err != nil && !errors.Is(err, store.ErrNotFound) {
				return run.Info{}, err
			}
		}
	}
	data, err := json.Marshal(settings)
	if err != nil {
		return run.Info{}, fmt.Errorf("encode settings: %w", err)
	}
	if err := s.cfg.Store.SaveSettings(ctx, sess.ID, data); err != nil {
		return run.Info{}, err
	}
	return info, session.Touch(ctx, s.cfg.Store, sess)
}

// decodeSettings reads JSON over settings. What is there is taken whole: decoding into the map
// or slice of a default would add to it, or write to what is shared.
func decodeSettings(r io.Reader, settings *run.Settings) error {
	defaults := *settings
	settings.Config = nil
	settings.Bindings = nil
	if err := decodeJSON(r, settings); err != nil {
		return err
	}
	if settings.Config == nil {
		settings.Config = defaults.Config
	}
	if settings.Bindings == nil {
		settings.Bindings = defaults.Bindings
	}
	return nil
}

// readSettings reads settings from JSON or from a form. What is absent has its default.
func (s *Server) readSettings(w http.ResponseWriter, r *http.Request, sess store.Session) (run.Settings, error) {
	settings := s.defaults(sess)
	r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" {
		if err := decodeSettings(r.Body, &settings); err != nil {
			return settings, err
		}
		return settings, fits(settings)
	}
	if err := r.ParseForm(); err != nil {
		return settings, formError(err)
	}
	form := r.PostForm
	if text := form.Get("settings_json"); text != "" {
		if err := decodeSettings(strings.NewReader(text), &settings); err != nil {
			return settings, err
		}
		return settings, fits(settings)
	}
	// The form shows none of these, so they stay.
	last, err := s.settingsOf(sess)
	if err != nil {
		return settings, err
	}
	settings.Steps, settings.Scripts, settings.Patches, settings.Schedules = last.Steps, last.Scripts, last.Patches, last.Schedules
	settings.Inputs, settings.Expected = last.Inputs, last.Expected
	if v := form.Get("target"); v != "" {
		settings.Target = v
	}
	if v := form.Get("pipeline"); v != "" {
		settings.Pipeline = v
	}
	settings.Disabled = form["disabled"]
	if v := form.Get("opt_level"); v != "" {
		if settings.OptLevel, err = strconv.Atoi(v); err != nil {
			return settings, badRequest("opt_level is %q, want a number from 0 to %d", v, request.MaxOptLevel)
		}
	}
	if v := form.Get("seed"); v != "" {
		if settings.Seed, err = strconv.ParseInt(v, 10, 64); err != nil {
			return settings, badRequest("seed is %q, want a number", v)
		}
	}
	return settings, nil
}

// fits checks the size of settings. Edits of the IR have a limit of their own.
func fits(s run.Settings) error {
	s.Patches = nil
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if len(data) > maxBody {
		return &http.MaxBytesError{Limit: maxBody}
	}
	return nil
}

// runInfo answers with a run as JSON.
func (s *Server) runInfo(w http.ResponseWriter, r *http.Request) error {
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, describeRun(info))
}

// cancelRun cancels a run for all sessions of whoever asks.
func (s *Server) cancelRun(w http.ResponseWriter, r *http.Request) error {
	ctx, id, token := r.Context(), chi.URLParam(r, "run"), s.editToken(r)
	info, err := s.manager.Run(ctx, id)
	if err != nil {
		return err
	}
	holders, mine := s.manager.Holders(id), 0
	for _, holder := range holders {
		sess, err := s.cfg.Store.Session(ctx, holder)
		if err != nil || !session.MayEdit(sess, token) {
			continue
		}
		mine++
		if info, err = s.manager.Cancel(ctx, id, holder); err != nil {
			return err
		}
	}
	if len(holders) > 0 && mine == 0 {
		return &httpError{status: http.StatusForbidden, message: "only the person who started this run can cancel it"}
	}
	if back := ownPage(r); wantsHTML(r) && back != "" {
		http.Redirect(w, r, back, http.StatusSeeOther)
		return nil
	}
	return s.json(w, http.StatusAccepted, describeRun(info))
}

// ownPage returns the path of the session page from which a request came, or "". What follows the host of a Referer may
// be anything, such as //evil.example, which a browser would take for another host.
func ownPage(r *http.Request) string {
	u, err := url.Parse(r.Header.Get("Referer"))
	if err != nil || u.Host != r.Host {
		return ""
	}
	if id, ok := strings.CutPrefix(u.Path, "/s/"); ok && id != "" && !strings.ContainsAny(id, "/\\") {
		return "/s/" + url.PathEscape(id)
	}
	return ""
}
