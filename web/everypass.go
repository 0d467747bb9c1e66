package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
)

// checkedCache is what the reports of checks may hold in memory.
const checkedCache = 16 << 20

// checkLine is a line of the answer to a check of every pass: a step, or the report at the end.
type checkLine struct {
	Step   *check.Step   `json:"step,omitempty"`
	Report *check.Report `json:"report,omitempty"`
}

// checkEveryPass runs the module of a run behind each of its passes, and answers with a line of JSON for each as it is checked, and the
// report as the last line. It works as long as the request is open. A report of all passes is kept for others who ask.
func (s *Server) checkEveryPass(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not run passes"}
	}
	info, err := s.manager.Run(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	if lines, ok := s.keptCheck(r.Context(), info); ok {
		t.Hold(int64(len(lines)))
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, err := w.Write(lines)
		return ignore(err)
	}
	limit := s.gates.everyPass.Class().Time
	ctx, cancel := context.WithTimeoutCause(r.Context(), limit, fmt.Errorf("it took longer than %g s, the limit of this server; the command line has none", limit.Seconds()))
	defer cancel()
	done, err := t.Turn(ctx, everyPassBytes)
	if err != nil {
		return err
	}
	defer done()
	out := newLines(w, limit)
	report, err := s.cfg.Compiler.CheckEveryPass(ctx, run.Request{Source: info.Source, Settings: info.Settings, Limits: s.cfg.Limits}, func(step check.Step) {
		out.write(checkLine{Step: &step})
	})
	switch {
	case r.Context().Err() != nil:
		return out.ended(s, r, context.Cause(r.Context()))
	case report == nil:
		var known *event.Error
		if errors.As(err, &known) {
			err = &httpError{status: http.StatusUnprocessableEntity, message: known.Message}
		}
		return out.ended(s, r, err)
	}
	out.write(checkLine{Report: report})
	if out.err == nil && report.Stopped == "" {
		s.checked.Put(info.Key, out.kept, int64(len(out.kept)))
		// The answer is out: a store without room only means that the next server does this again.
		if err := s.cfg.Store.PutReport(r.Context(), info.ID, out.kept); err != nil {
			s.cfg.Log.Warn("the report of a check is not kept", "run", info.ID, "error", err)
		}
	}
	return out.ended(s, r, out.err)
}

// keptCheck returns the lines of a check of a run that was made before, also by a server before this one. What came with an imported run holds for this
// run alone, whatever its request: who wrote the archive may have made it up.
func (s *Server) keptCheck(ctx context.Context, info run.Info) ([]byte, bool) {
	if lines, ok := s.checked.Get(info.ID); ok {
		return lines, true
	}
	lines, err := s.cfg.Store.Report(ctx, info.ID)
	if err != nil { // there is none, or it is damaged: the check of another run of the request will do, or it is made again
		return s.checked.Get(info.Key)
	}
	s.checked.Put(info.ID, lines, int64(len(lines)))
	return lines, true
}

// checkOf returns the report of a check of a run, nil where none was made.
func (s *Server) checkOf(ctx context.Context, info run.Info) *check.Report {
	lines, ok := s.keptCheck(ctx, info)
	if !ok {
		return nil
	}
	lines = bytes.TrimSpace(lines)
	var last checkLine
	if err := json.Unmarshal(lines[bytes.LastIndexByte(lines, '\n')+1:], &last); err != nil {
		return nil
	}
	return last.Report
}

// lines writes lines of JSON at once, and keeps them.
type lines struct {
	w    http.ResponseWriter
	kept []byte
	err  error
	gone bool // nobody takes them any more
}

// newLines returns the lines of an answer that may take so long to be made.
func newLines(w http.ResponseWriter, limit time.Duration) *lines {
	patient(w, limit)
	return &lines{w: w}
}

// patient keeps a connection open for an answer that may take so long to be made.
func patient(w http.ResponseWriter, limit time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + 10*time.Second)) // a recorder in tests has none
}

// ended returns an error that ends the answer as long as no line of it is sent. Behind lines no status can follow: the answer breaks off, so that whoever reads it does not take it for
// the whole.
func (l *lines) ended(s *Server, r *http.Request, err error) error {
	switch {
	case err == nil || l.kept == nil:
		return err
	case l.gone || r.Context().Err() != nil: // nobody reads it
		return nil
	}
	s.cfg.Log.Error("an answer breaks off", "method", r.Method, "path", r.URL.Path, "err", err)
	panic(http.ErrAbortHandler)
}

func (l *lines) write(v any) {
	data, err := json.Marshal(v)
	if l.err != nil || err != nil {
		l.err = errors.Join(l.err, err)
		return
	}
	data = append(data, '\n')
	if l.kept == nil {
		l.w.Header().Set("Content-Type", "application/x-ndjson")
		l.w.Header().Set("X-Accel-Buffering", "no") // nginx passes each line on
	}
	l.kept = append(l.kept, data...)
	_, l.err = l.w.Write(data)
	if l.gone = l.err != nil; !l.gone {
		_ = http.NewResponseController(l.w).Flush() // what cannot be flushed arrives at the end
	}
}
