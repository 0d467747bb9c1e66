package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/lesson"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/session"
	"github.com/irscope/irscope/web/share"
	"github.com/irscope/irscope/web/store"
)

// maxAnswer is the length of the longest answer to a question, in bytes.
const maxAnswer = 2000

// lessonAnswer is what a student gives to a check: a run of the session, and a text where the step asks a question.
type lessonAnswer struct {
	Run    string `json:"run"`
	Answer string `json:"answer"`
}

// checkStep judges the answer to a step of a lesson. It reads the session and changes nothing.
func (s *Server) checkStep(w http.ResponseWriter, r *http.Request, t *share.Ticket) error {
	if s.cfg.Compiler == nil {
		return &httpError{status: http.StatusNotImplemented, message: "this server does not check answers"}
	}
	var given lessonAnswer
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := decodeJSON(r.Body, &given); err != nil {
		return err
	}
	sess, err := s.theSession(r)
	if err != nil {
		return err
	}
	l, step, err := s.theStep(r)
	switch {
	case err != nil:
		return err
	case step.Check == nil:
		return badRequest("this step has no check")
	case len(given.Answer) > maxAnswer:
		return badRequest("the answer has %d bytes; the limit is %d", len(given.Answer), maxAnswer)
	case !slices.Contains(sess.Runs, given.Run):
		return &httpError{status: http.StatusNotFound, message: "this run does not belong to this session"}
	}
	verdict, err := work(r.Context(), s, t, checkBytes, func(ctx context.Context) (run.Verdict, error) {
		return s.judge(ctx, sess, l, step, given)
	})
	var known *event.Error
	if errors.As(err, &known) {
		return &httpError{status: http.StatusUnprocessableEntity, message: "the check of this step failed, which is no fault of the answer: " + known.Message}
	}
	if err != nil {
		return err
	}
	if session.MayEdit(sess, s.editToken(r)) {
		// Where this is a student's session, the teacher of the class sees the answer.
		answer := given.Answer
		if answer == "" {
			info, err := s.manager.Run(r.Context(), given.Run)
			if err != nil {
				return err
			}
			answer = label(info.Settings)
		}
		if err := s.classes.Record(r.Context(), sess.ID, l.Title+", step "+chi.URLParam(r, "step"), answer, verdict.OK); err != nil {
			return err
		}
	}
	return s.json(w, http.StatusOK, verdict)
}

// judge has the compiler judge an answer.
func (s *Server) judge(ctx context.Context, sess store.Session, l *lesson.Lesson, step *lesson.Step, given lessonAnswer) (run.Verdict, error) {
	own, err := s.judged(ctx, given.Run)
	if err != nil {
		return run.Verdict{}, err
	}
	start, err := s.firstRun(ctx, sess, l)
	if err != nil {
		return run.Verdict{}, err
	}
	if says := l.Overreach(own.Request.Settings, start.Events.Planned(), own.Events.Planned()); says != "" {
		return run.Verdict{Says: "Not with this change: " + says + ". Undo it, or press Reset."}, nil
	}
	return s.cfg.Compiler.Judge(ctx, run.Question{Check: *step.Check, Run: own, Start: start, Answer: &given.Answer})
}

// judged reads a run that is over.
func (s *Server) judged(ctx context.Context, id string) (*run.Judged, error) {
	c, err := s.compared(ctx, id)
	if err != nil {
		return nil, err
	}
	if !c.sealed {
		return nil, &httpError{status: http.StatusConflict, message: "the run is not over; check again when it is"}
	}
	return &run.Judged{Request: run.Request{Source: c.info.Source, Settings: c.info.Settings, Limits: s.cfg.Limits}, Events: c.state}, nil
}

// firstRun finds the run of a session that has the settings of a lesson as they were at first.
func (s *Server) firstRun(ctx context.Context, sess store.Session, l *lesson.Lesson) (*run.Judged, error) {
	settings, err := s.lessonSettings(sess, l.Settings).Normalize()
	if err != nil {
		return nil, fmt.Errorf("settings of lesson %s: %w", l.Name, err)
	}
	want, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	for _, id := range sess.Runs {
		info, err := s.manager.Run(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue // it has expired
		}
		if err != nil {
			return nil, err
		}
		have, err := json.Marshal(info.Settings)
		if err != nil {
			return nil, fmt.Errorf("encode settings: %w", err)
		}
		if bytes.Equal(want, have) {
			return s.judged(ctx, id)
		}
	}
	return nil, &httpError{status: http.StatusConflict, message: "the session has no run as the lesson began any more; press Reset, wait for the run, and do the step again"}
}
