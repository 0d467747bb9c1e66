package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// explainedCache is what the reports of steps may hold in memory.
const explainedCache = 16 << 20

// explained names a step of a run by the key of that, which all runs have that do the same.
type explained struct{ key, step string }

// runRewrites answers with the rewrites and decisions of a step of a run. The step runs again for that, on what the run left behind.
func (s *Server) runRewrites(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not run passes"}
	}
	step := r.URL.Query().Get("step")
	if step == "" || len(step) > store.MaxField {
		return badRequest("step is %.60q, want the path of a step of up to %d bytes", step, store.MaxField)
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	key := explained{info.Key, step}
	if body, ok := s.explained.Get(key); ok {
		return immutableJSON(w, body)
	}
	req := run.Request{Source: info.Source, Settings: info.Settings, Limits: s.cfg.Limits}
	body, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) ([]byte, error) {
		found, err := s.cfg.Compiler.Explain(ctx, req, step)
		if err != nil {
			return nil, err
		}
		return json.Marshal(found)
	})
	var known *event.Error
	if errors.As(err, &known) {
		return &httpError{status: http.StatusUnprocessableEntity, message: known.Message}
	}
	if err != nil {
		return err
	}
	t.Hold(int64(len(body)))
	s.explained.Put(key, body, int64(len(body)))
	return immutableJSON(w, body)
}
