package web

import (
	"context"
	"net/http"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// plan answers with the steps that settings stand for, where their order breaks a constraint
// and what is wrong with them, without running anything.
func (s *Server) plan(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not plan pipelines"}
	}
	var settings run.Settings
	r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
	if err := decodeJSON(r.Body, &settings); err != nil {
		return err
	}
	settings, err := settings.Normalize()
	if err != nil {
		return badRequest("%v", err)
	}
	planned, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (run.Planned, error) {
		return s.cfg.Compiler.Plan(ctx, settings)
	})
	if err != nil {
		return err
	}
	planned.Steps, planned.Warnings, planned.Problems = all(planned.Steps), all(planned.Warnings), all(planned.Problems)
	return s.json(w, http.StatusOK, planned)
}
