package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/looptree"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// scheduleAnswer is what the editor is told about a schedule.
type scheduleAnswer struct {
	run.CheckedSchedule
	OK bool `json:"ok"`
	// Diff is what the schedule changes in the kernel, at most its first rows.
	Diff json.RawMessage `json:"diff,omitempty"`
}

// readSchedule reads a schedule for a kernel of a run, and the request of the run.
func (s *Server) readSchedule(w http.ResponseWriter, r *http.Request) (req run.Request, x run.Schedule, err error) {
	if s.cfg.Compiler == nil {
		return req, x, &httpError{status: http.StatusNotImplemented, message: "this server does not schedule kernels"}
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return req, x, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxScriptBody)
	if err := decodeJSON(r.Body, &x); err != nil {
		return req, x, err
	}
	if x.Kernel == "" {
		return req, x, badRequest("kernel is missing: the name of the PrimFunc that the schedule is for")
	}
	if _, err := (request.Settings{Schedules: []run.Schedule{x}}).Normalize(); err != nil {
		return req, x, badRequest("%v", err)
	}
	return run.Request{Source: info.Source, Settings: info.Settings, Limits: s.cfg.Limits}, x, nil
}

// checkSchedule answers with what a schedule does to its kernel, as a run comes to it.
func (s *Server) checkSchedule(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	req, x, err := s.readSchedule(w, r)
	if err != nil {
		return err
	}
	var diff json.RawMessage
	found, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (run.CheckedSchedule, error) {
		found, err := s.cfg.Compiler.CheckSchedule(ctx, req, x)
		diff = liveDiff(found.Before, found.After)
		return found, err
	})
	if err != nil {
		return answered(err)
	}
	found.Diagnostics, found.Steps = all(found.Diagnostics), all(found.Steps)
	return s.json(w, http.StatusOK, scheduleAnswer{found, !run.Failed(found.Diagnostics), diff})
}

// measureSchedule answers with the times of a kernel with the default schedule and with another one.
func (s *Server) measureSchedule(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	req, x, err := s.readSchedule(w, r)
	if err != nil {
		return err
	}
	limit := s.gates.everyPass.Class().Time
	patient(w, limit)
	ctx, cancel := context.WithTimeoutCause(r.Context(), limit, &httpError{
		status:  http.StatusUnprocessableEntity,
		message: fmt.Sprintf("the measurement took longer than %g s, the limit of this server: does the kernel end?", limit.Seconds()),
	})
	defer cancel()
	done, err := t.Turn(ctx, everyPassBytes)
	if err != nil {
		return err
	}
	defer done()
	got, err := guarded(s, func() (run.MeasuredSchedule, error) { return s.cfg.Compiler.MeasureSchedule(ctx, req, x) })
	if err != nil {
		return answered(err)
	}
	return s.json(w, http.StatusOK, got)
}

// answered returns the error of a question whose answer is that it cannot be done.
func answered(err error) error {
	var known *event.Error
	if errors.As(err, &known) {
		return &httpError{status: http.StatusUnprocessableEntity, message: known.Message}
	}
	return err
}

// loops answers with the loops and blocks of a PrimFunc.
func (s *Server) loops(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not list loops; see the text of the function"}
	}
	hash := chi.URLParam(r, "hash")
	tree, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (*looptree.Tree, error) {
		doc, err := s.texts.document(ctx, hash)
		if err != nil {
			return nil, err
		}
		text := doc.Text()
		if doc.Language() != event.LangTVMScript {
			return nil, badRequest("text %s is %s, want the TVMScript of a PrimFunc", hash, doc.Language())
		}
		if len(text) > maxGraphText {
			return nil, &httpError{
				status:  http.StatusRequestEntityTooLarge,
				message: fmt.Sprintf("the function has %d bytes of text; lists of loops are limited to %s: see the text instead", len(text), size(maxGraphText)),
			}
		}
		tree, err := s.cfg.Compiler.Loops(ctx, text)
		if err != nil && ctx.Err() == nil {
			return nil, &httpError{status: http.StatusUnprocessableEntity, message: fmt.Sprintf("text %s has no loops: %v; see the text instead", hash, err)}
		}
		return tree, err
	})
	if err != nil {
		return err
	}
	body, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", strconv.Quote(hash[:24]))
	return keptJSON(w, append(body, '\n'), immutable)
}

// scheduleFile answers with a schedule of a run as a file for the command line.
func (s *Server) scheduleFile(w http.ResponseWriter, r *http.Request) error {
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	name := chi.URLParam(r, "file")
	for _, x := range info.Settings.Schedules {
		if scheduleFileName(x) == name {
			h := w.Header()
			h.Set("Content-Type", "text/x-python; charset=utf-8")
			h.Set("Content-Disposition", `attachment; filename="`+downloadName(name)+`"`)
			h.Set("Content-Security-Policy", downloadPolicy)
			_, err = w.Write([]byte(x.Source))
			return ignore(err)
		}
	}
	return &httpError{status: http.StatusNotFound, message: fmt.Sprintf("this run has no schedule %.80s", name)}
}

// scheduleFileName returns the name of the file of a schedule.
func scheduleFileName(x run.Schedule) string { return x.Step() + ".py" }

// scheduleFlags returns the flags for the schedules of settings that are not turned off.
func scheduleFlags(s run.Settings) []string {
	var out []string
	for _, x := range s.Schedules {
		if off(s, x.Step()) {
			continue
		}
		value := scheduleFileName(x)
		if x.Kernel != "" {
			value = x.Kernel + "=" + value
		}
		out = append(out, "--schedule", value)
	}
	return out
}
