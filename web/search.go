package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/search"
	"github.com/irscope/irscope/web/share"
)

// newSearcher returns the searcher of a server; results come from the texts that are open anyway.
func newSearcher(t *texts, m *run.Manager) *search.Searcher {
	return search.New(search.Config{Blob: t.store.Blob, Document: t.document, State: m.State})
}

// searchRun answers with the lines of a run that a query finds.
func (s *Server) searchRun(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	params := r.URL.Query()
	query, err := search.Parse(params.Get("q"))
	if err != nil {
		return wrongQuery(err)
	}
	kinds := []string{search.KindRelax, search.KindPrimFunc, search.KindExtern, search.KindCode}
	kind := params.Get("kind")
	if kind != "" && !slices.Contains(kinds, kind) {
		return badRequest("kind is %.60q, want one of %s, or empty for all", kind, strings.Join(kinds, ", "))
	}
	count, err := number(r, "count", search.DefaultCount, 1, search.MaxCount)
	if err != nil {
		return err
	}
	id := chi.URLParam(r, "run")
	answer, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (*search.Answer, error) {
		log, err := s.manager.Log(ctx, id)
		if err != nil {
			return nil, err
		}
		return s.search.Search(ctx, id, log, search.Request{Query: query, Kind: kind, Count: count, Cursor: params.Get("cursor")})
	})
	switch {
	case errors.Is(err, search.ErrBusy):
		return &httpError{status: http.StatusServiceUnavailable, message: err.Error(), retryAfter: time.Second}
	case errors.Is(err, search.ErrCursor):
		return badRequest("%v; want the value of next from an answer for this run and query", err)
	case err != nil:
		return err
	}
	return s.json(w, http.StatusOK, answer)
}

// wrongQuery says what is wrong with a query, and where for those who mark it.
func wrongQuery(err error) error {
	e := &httpError{status: http.StatusUnprocessableEntity, message: err.Error()}
	var wrong *search.SyntaxError
	if errors.As(err, &wrong) {
		e.found = []event.Diagnostic{{
			Severity: event.SeverityError, Message: wrong.Message, Code: "query",
			Span: &event.Span{Source: "q", Line: 1, Column: wrong.Pos + 1, EndLine: 1, EndColumn: wrong.Pos + 2},
		}}
	}
	return e
}
