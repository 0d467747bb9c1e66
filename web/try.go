package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// Limits on what is tried.
const (
	// maxTrials is the number of passes of one request.
	maxTrials = 16
	// maxLiveRows is the number of rows of a difference that is shown while somebody types.
	maxLiveRows = 2000
)

// tryRequest asks what passes would do, and what of the settings of the run has changed since.
type tryRequest struct {
	run.Trial
	// Scripts are those that steps may name; absent means those of the run.
	Scripts *[]run.Script `json:"scripts"`
}

// triedJSON is what a pass would do, with the difference of the function that was asked for.
type triedJSON struct {
	run.Tried
	Diff json.RawMessage `json:"diff,omitempty"`
}

// tryPasses answers with what passes would do behind a step of a run, which stays as it is.
func (s *Server) tryPasses(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not run passes"}
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	var in tryRequest
	r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
	if err := decodeJSON(r.Body, &in); err != nil {
		return err
	}
	if err := request.ValidAfter(in.After); err != nil {
		return badRequest("%v", err)
	}
	in.After = strings.TrimSuffix(in.After, "#0")
	switch {
	case len(in.Steps) == 0 || len(in.Steps) > maxTrials:
		return badRequest("steps lists %d passes, want 1 to %d", len(in.Steps), maxTrials)
	case len(in.Function) > store.MaxField:
		return badRequest("function is limited to %d bytes", store.MaxField)
	}
	settings := info.Settings
	if in.Scripts != nil {
		settings.Scripts = *in.Scripts
	}
	if settings, err = settings.Normalize(); err != nil {
		return badRequest("%v", err)
	}
	req := run.Request{Source: info.Source, Settings: settings, Limits: s.cfg.Limits}
	out, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) ([]triedJSON, error) {
		found, err := s.cfg.Compiler.Try(ctx, req, in.Trial)
		if err != nil {
			return nil, err
		}
		list := make([]triedJSON, len(found))
		for i, x := range found {
			x.Changed = all(x.Changed)
			list[i] = triedJSON{Tried: x, Diff: liveDiff(x.Before, x.After)}
		}
		return list, nil
	})
	var known *event.Error
	if errors.As(err, &known) {
		return &httpError{status: http.StatusUnprocessableEntity, message: known.Message}
	}
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, map[string]any{"tried": out})
}

// liveDiff returns the first rows of the difference of two texts that nothing stores; nil where one is missing, both are
// the same, or they are too long.
func liveDiff(before, after string) json.RawMessage {
	if before == "" || after == "" || before == after || len(before)+len(after) > maxDiffText {
		return nil
	}
	d := highlight.NewDiff(highlight.NewDocument(event.LangTVMScript, before), highlight.NewDocument(event.LangTVMScript, after))
	return appendDiff(noText, noText, d.Read(highlight.Unified, 3, highlight.Compact), 0, maxLiveRows)
}
