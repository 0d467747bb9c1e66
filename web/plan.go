package web

import (
	"context"
	"fmt"
	"net/http"

	"github.com/irscope/irscope/web/run"
)

// plan answers with the steps that settings stand for, where their order breaks a constraint
// and what is wrong with them, without running anything.
func (s *Server) plan(w http.ResponseWriter, r *http.Request) error {
	if ok, wait := s.checks.allow(visitor(r), checksPerMinute); !ok {
		return &httpError{status: http.StatusTooManyRequests, message: fmt.Sprintf("you may have %d texts or settings checked in a minute; try again later", checksPerMinute), retryAfter: wait}
	}
	if s.cfg.Planner == nil {
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
	planned, err := ask(s, r.Context(), func(ctx context.Context) (run.Planned, error) {
		return s.cfg.Planner.Plan(ctx, settings)
	})
	if err != nil {
		return err
	}
	planned.Steps, planned.Warnings, planned.Mistakes = all(planned.Steps), all(planned.Warnings), all(planned.Mistakes)
	return s.json(w, http.StatusOK, planned)
}
