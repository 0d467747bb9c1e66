package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/irscope/irscope/web/present"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/stream"
)

// presentSession connects the page that presents a session: it sends places and is told how many follow. Only who made a session presents it.
func (s *Server) presentSession(w http.ResponseWriter, r *http.Request, _ *share.Ticket) error {
	sess, err := s.mySession(r)
	if err != nil {
		return err
	}
	if !stream.Wants(r) {
		return badRequest("a session is presented over a websocket")
	}
	p := s.stages.Present(sess.ID)
	p.Leave(s.hub.Converse(w, r, p, 0, p))
	return nil
}

// presentation sends where the presenter of a session is: over a websocket, or once as one answer.
func (s *Server) presentation(w http.ResponseWriter, r *http.Request, _ *share.Ticket) error {
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	if !stream.Wants(r) {
		return s.json(w, http.StatusOK, json.RawMessage(s.stages.Scene(sess.ID)))
	}
	f, leave, err := s.stages.Follow(sess.ID)
	switch {
	case errors.Is(err, present.ErrNone):
		return &httpError{status: http.StatusNotFound, message: err.Error()}
	case err != nil:
		return &httpError{status: http.StatusServiceUnavailable, message: err.Error() + "; try again later", retryAfter: 10 * time.Second}
	}
	defer leave()
	s.hub.Serve(w, r, f, 0)
	return nil
}
