package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// editRequest is an edited text, and what of the settings of its run has changed since.
type editRequest struct {
	run.Edit
	// Patches are the edits that are there already; absent means those of the run.
	Patches *[]run.Patch `json:"patches"`
	// Was is the text before it was edited; absent means that nobody looks at the difference.
	Was string `json:"was"`
}

// editAnswer is what the editor is told about an edit.
type editAnswer struct {
	run.CheckedEdit
	OK bool `json:"ok"`
	// Diff is what the edit changes in the text that was there, at most its first rows.
	Diff json.RawMessage `json:"diff,omitempty"`
}

// checkEdit answers with what is wrong with an edit of the IR behind a step of a run, and with
// the patch that it makes.
func (s *Server) checkEdit(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not accept edits of the IR"}
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	var in editRequest
	r.Body = http.MaxBytesReader(w, r.Body, maxEditBody)
	if err := decodeJSON(r.Body, &in); err != nil {
		return err
	}
	if err := request.ValidAfter(in.After); err != nil {
		return badRequest("%v", err)
	}
	in.After = strings.TrimSuffix(in.After, "#0")
	for _, text := range []string{in.Text, in.Was} {
		if err := validScript(text); err != nil {
			return err
		}
	}
	settings := info.Settings
	if in.Patches != nil {
		settings.Patches = *in.Patches
		if settings, err = settings.Normalize(); err != nil {
			return badRequest("%v", err)
		}
	}
	req := run.Request{Source: info.Source, Settings: settings, Limits: s.cfg.Limits}
	var diff json.RawMessage
	found, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (run.CheckedEdit, error) {
		diff = liveDiff(in.Was, in.Text)
		return s.cfg.Compiler.CheckEdit(ctx, req, in.Edit)
	})
	var known *event.Error
	if errors.As(err, &known) {
		return &httpError{status: http.StatusUnprocessableEntity, message: known.Message}
	}
	if err != nil {
		return err
	}
	found.Diagnostics, found.Functions = all(found.Diagnostics), all(found.Functions)
	return s.json(w, http.StatusOK, editAnswer{found, !run.Failed(found.Diagnostics), diff})
}

// patchFile answers with an edit of the IR of a run as a file for the command line.
func (s *Server) patchFile(w http.ResponseWriter, r *http.Request) error {
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	name := chi.URLParam(r, "file")
	i := slices.IndexFunc(info.Settings.Patches, func(p run.Patch) bool { return patchFileName(p) == name })
	if i < 0 || s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotFound, message: "this run has no such edit of the IR"}
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	h.Set("Cache-Control", "private, max-age=3600")
	_, err = w.Write([]byte(s.cfg.Compiler.PatchFile(info.Settings.Patches[i])))
	return ignore(err)
}

// patchFileName returns the name of the file of an edit: letters, digits and _ . - only.
func patchFileName(p run.Patch) string {
	return request.EditPrefix + strings.ReplaceAll(p.After, "#", "-") + ".py"
}

// patchFlags returns the flags for the edits of settings that are not turned off.
func patchFlags(s run.Settings) []string {
	var out []string
	for _, p := range s.Patches {
		if !off(s, request.EditPrefix+p.After) {
			out = append(out, "--patch", p.After+"="+patchFileName(p))
		}
	}
	return out
}

// off tells whether a pass is turned off.
func off(s run.Settings, name string) bool { return slices.Contains(s.Disabled, name) }

// ofUser tells whether a step applies an edit or a schedule of a user, which no other run has.
func ofUser(name string) bool {
	return strings.HasPrefix(name, request.EditPrefix) || strings.HasPrefix(name, request.SchedulePrefix)
}
