package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/stream"
)

// Limits of reading events without a websocket.
const (
	maxWait   = 30 * time.Second
	maxEvents = 4 << 20 // bytes in one answer, beyond the first event
)

// events sends the events of a run: over a websocket, or as one answer.
func (s *Server) events(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	from, err := number(r, "from", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	id := chi.URLParam(r, "run")
	log, err := work(r.Context(), s, t, logBytes, func(ctx context.Context) (*run.Log, error) { return s.manager.Log(ctx, id) })
	if err != nil {
		return err
	}
	// The log of a run that goes on is there anyway; that of another may be there for this request
	// only, which takes as long as its client likes to read.
	if _, sealed := log.Len(); sealed {
		t.Hold(log.Bytes())
	}
	defer s.manager.Watch(id, stream.Wants(r))()
	if stream.Wants(r) {
		s.hub.Serve(w, r, log, from)
		return nil
	}
	wait, err := number(r, "wait", 0, 0, int(maxWait/time.Second))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Duration(wait)*time.Second)
	defer cancel()
	lines, sealed, err := log.Next(ctx, from)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	body := []byte(`{"events":[`)
	next := from
	for i, line := range lines {
		if i > 0 {
			if len(body)+len(line) > maxEvents {
				sealed = false // there is more to read
				break
			}
			body = append(body, ',')
		}
		body = append(body, line...)
		next++
	}
	body = append(body, `],"next":`...)
	body = strconv.AppendInt(body, int64(next), 10)
	body = append(body, `,"sealed":`...)
	body = strconv.AppendBool(body, sealed)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(append(body, "}\n"...))
	return ignore(err)
}

// sessionChanges sends what a session shows, and again whenever that has changed: over a websocket, or once as one answer.
func (s *Server) sessionChanges(w http.ResponseWriter, r *http.Request, _ *share.Ticket) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	changes, leave := s.live.Follow(sess.ID)
	defer leave()
	if stream.Wants(r) {
		s.hub.Serve(w, r, changes, 0)
		return nil
	}
	state, err := changes.State(r.Context())
	if err != nil {
		return err
	}
	return s.json(w, http.StatusOK, json.RawMessage(state))
}

// streamError answers a request that the websocket library refuses.
func (s *Server) streamError(w http.ResponseWriter, r *http.Request, status int, message string) {
	e := &httpError{status: status, message: message}
	if status == http.StatusServiceUnavailable {
		e.retryAfter = 10 * time.Second
	}
	s.renderError(w, r, e)
}

// number returns a parameter of the query as a number within bounds, or its default.
func number(r *http.Request, name string, def, least, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badRequest("%s is %q, want a number from %d to %d", name, text, least, most)
	}
	return n, nil
}
