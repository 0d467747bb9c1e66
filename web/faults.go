package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/fault"
	"github.com/irscope/irscope/instruments/whatif"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// keptRows is the number of rows of what-ifs that are kept.
const keptRows = 4096

// bisectLine is a line of the answer to a bisection: what is being done, and at the end what was found, or that the fault does not show.
type bisectLine struct {
	Doing   string         `json:"doing,omitempty"`
	Finding *fault.Finding `json:"finding,omitempty"`
	None    string         `json:"none,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// whatIfLine is a line of the answer to a what-if: a row and how many there will be, and at the end why there are no more, if so.
type whatIfLine struct {
	Row     *whatif.Row `json:"row,omitempty"`
	Total   int         `json:"total,omitempty"`
	Stopped string      `json:"stopped,omitempty"`
}

// working starts work of the share of checks of every pass on a run: what it may take, and for how long. done ends it.
func (s *Server) working(w http.ResponseWriter, r *http.Request, t *share.Ticket) (ctx context.Context, out *lines, req run.Request, done func(), err error) {
	if s.cfg.Compiler == nil {
		return nil, nil, req, nil, &httpError{status: http.StatusNotImplemented, message: "this server does not run passes"}
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return nil, nil, req, nil, err
	}
	limit := s.gates.everyPass.Class().Time
	ctx, cancel := context.WithTimeoutCause(r.Context(), limit, fmt.Errorf("it took longer than %g s, the limit of this server; the command line has none", limit.Seconds()))
	ended, err := t.Turn(ctx, everyPassBytes)
	if err != nil {
		cancel()
		return nil, nil, req, nil, err
	}
	req = run.Request{Source: info.Source, Settings: info.Settings, Limits: s.cfg.Limits}
	return ctx, newLines(w, limit), req, func() { ended(); cancel() }, nil
}

// bisect finds the pass at fault in a run. It works as long as the request is open.
func (s *Server) bisect(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	var p run.Predicate
	r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
	if err := decodeJSON(r.Body, &p); err != nil {
		return err
	}
	ctx, out, req, done, err := s.working(w, r, t)
	if err != nil {
		return err
	}
	defer done()
	out.write(bisectLine{Doing: "the passes"})
	last := ""
	found, err := s.cfg.Compiler.Bisect(ctx, req, p, func(doing string) {
		if doing != last && out.err == nil {
			last = doing
			out.write(bisectLine{Doing: doing})
		}
	})
	var none *run.NoFaultError
	switch {
	case r.Context().Err() != nil:
		return out.ended(s, r, context.Cause(r.Context()))
	case errors.As(err, &none):
		out.write(bisectLine{None: none.Message})
	case err != nil:
		out.write(bisectLine{Error: saying(err)})
	default:
		out.write(bisectLine{Finding: found})
	}
	return out.ended(s, r, out.err)
}

// saying returns what a visitor is told of an error of the compiler.
func saying(err error) string {
	var known *event.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// whatIf runs the variants of a run. Rows are kept, so that a request that was cut off goes on with the next.
func (s *Server) whatIf(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	ctx, out, req, done, err := s.working(w, r, t)
	if err != nil {
		return err
	}
	defer done()
	known := func(key string) *whatif.Row {
		if row, ok := s.rows.Get(key); ok {
			return &row
		}
		return nil
	}
	err = s.cfg.Compiler.WhatIf(ctx, req, known, func(row whatif.Row, total int) error {
		s.rows.Put(row.Key, row, 1)
		out.write(whatIfLine{Row: &row, Total: total})
		return out.err
	})
	switch {
	case r.Context().Err() != nil:
		return out.ended(s, r, context.Cause(r.Context()))
	case out.err != nil:
		return out.ended(s, r, out.err)
	case err != nil && out.kept == nil:
		return &httpError{status: http.StatusUnprocessableEntity, message: saying(err)}
	case err != nil:
		out.write(whatIfLine{Stopped: saying(err)})
	}
	return out.ended(s, r, out.err)
}

// reproducer answers with a file that shows the failure of a run.
func (s *Server) reproducer(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	ctx, _, req, done, err := s.working(w, r, t)
	if err != nil {
		return err
	}
	defer done()
	state, _, err := s.manager.State(ctx, chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	var data []byte
	if end := state.Finished; end != nil && end.Error != nil {
		data, err = s.cfg.Compiler.Reproduce(ctx, req, s.cfg.Version, end.Error)
	}
	switch {
	case err != nil:
		return &httpError{status: http.StatusUnprocessableEntity, message: saying(err)}
	case data == nil:
		return &httpError{status: http.StatusConflict, message: "no pass fails in this run, and it hits no limit of time or memory, so there is nothing to reproduce"}
	}
	w.Header().Set("Content-Type", "text/x-python; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="reproducer.py"`)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, err = w.Write(data)
	return err
}
