package web

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/compare"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// comparisonJSON is what two runs are and how they compare.
type comparisonJSON struct {
	A runJSON `json:"a"`
	B runJSON `json:"b"`
	// Sealed says that both runs are over: nothing will be added.
	Sealed bool `json:"sealed"`
	compare.Comparison
}

// functionsJSON lists the functions after a row of a comparison.
type functionsJSON struct {
	Functions []compare.Function `json:"functions"`
}

// compared is a run as far as its log was read.
type compared struct {
	info   run.Info
	log    *run.Follower
	sealed bool
}

// compareRuns answers with two runs side by side.
func (s *Server) compareRuns(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	answer, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (*comparisonJSON, error) {
		a, b, err := s.comparedRuns(ctx, r)
		if err != nil {
			return nil, err
		}
		return &comparisonJSON{
			A: runJSON{a.info, command(a.info)}, B: runJSON{b.info, command(b.info)},
			Sealed: a.sealed && b.sealed, Comparison: *compare.Runs(a.log.Run, b.log.Run),
		}, nil
	})
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, answer)
}

// compareFunctions answers with the functions of both runs after a row of their comparison.
func (s *Server) compareFunctions(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	row, err := number(r, "row", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	all := r.URL.Query().Get("all") != ""
	answer, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (*functionsJSON, error) {
		a, b, err := s.comparedRuns(ctx, r)
		if err != nil {
			return nil, err
		}
		functions := compare.Functions(a.log.Run, b.log.Run, row, all)
		if functions == nil {
			return nil, &httpError{status: http.StatusNotFound, message: "the comparison has no such row; the runs may be others by now"}
		}
		return &functionsJSON{functions}, nil
	})
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, answer)
}

// comparedRuns reads the logs of the two runs that a request names.
func (s *Server) comparedRuns(ctx context.Context, r *http.Request) (a, b compared, err error) {
	if a, err = s.compared(ctx, chi.URLParam(r, "a")); err != nil {
		return a, b, err
	}
	b, err = s.compared(ctx, chi.URLParam(r, "b"))
	return a, b, err
}

func (s *Server) compared(ctx context.Context, id string) (c compared, err error) {
	if c.info, err = s.manager.Run(ctx, id); err != nil {
		return c, err
	}
	log, err := s.manager.Log(ctx, id)
	if err != nil {
		return c, err
	}
	c.log = run.NewFollower()
	_, c.sealed, err = c.log.Read(ctx, log)
	return c, err
}
