package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/ui/templates"
	"github.com/irscope/irscope/web/highlight"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// The page of a session brings along what its script would ask for first: the beginning of the log, the session, the run, and the
// diff that the page opens on. It paints that without another request, and follows the log from there.
const (
	// beginWait is how long the page waits for the first diff of a run that has just begun, which takes some 15 ms.
	beginWait = 60 * time.Millisecond
	// maxBeginning is the number of bytes of events that come along, beyond the first.
	maxBeginning = 128 << 10
	// firstRows is the number of rows of a diff that the script asks for.
	firstRows = 400
)

// waitForDiff returns when a run that goes on has something to show, or soon.
func waitForDiff(ctx context.Context, log *run.Log) error {
	ctx, cancel := context.WithTimeout(ctx, beginWait)
	defer cancel()
	f := run.NewFollower()
	for {
		_, sealed, err := f.Read(ctx, log)
		if err != nil || sealed || firstStep(f.Run, "") != nil {
			return err
		}
		if _, _, err = log.Next(ctx, f.Events); errors.Is(err, context.DeadlineExceeded) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// firstStep returns the step that the page shows first: the one that the reader asked for, or else the first that changed
// something; nil where there is none yet.
func firstStep(r *event.Run, path string) *event.Step {
	for _, s := range r.All() {
		if s.Path == path || path == "" && s.Kind != event.PassSequential && (s.Status == event.StepChanged || s.Status == event.StepFailed) {
			return s
		}
	}
	return nil
}

// firstChange returns the change of a step that the page shows first: that of the function that the reader asked for, or else the
// largest of a function that was there before and after.
func firstChange(s *event.Step, function string) *event.FunctionChange {
	if s == nil || s.Finished == nil || len(s.Finished.Functions) == 0 {
		return nil
	}
	list := s.Finished.Functions
	first := &list[0]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == function {
			return &list[i]
		}
		if list[i].Change == event.FunctionChanged {
			first = &list[i]
		}
	}
	return first
}

// begin fills what the page brings along.
func (s *Server) begin(r *http.Request, v *templates.SessionView, sess store.Session, info run.Info, log *run.Log, at *event.Run) error {
	ctx := r.Context()
	out := &templates.Beginning{Run: info.ID, Events: []json.RawMessage{}, Answers: map[string]json.RawMessage{}}
	lines, _, err := log.Next(ctx, 0)
	if err != nil {
		return err
	}
	size := 0
	for _, line := range lines {
		if size += len(line); size > maxBeginning && len(out.Events) > 0 {
			break
		}
		out.Events = append(out.Events, line)
	}
	described, err := s.describe(ctx, sess, s.editToken(r))
	if err != nil {
		return err
	}
	for path, answer := range map[string]any{"/api/sessions/" + sess.ID: map[string]any{"session": described}, "/api/runs/" + info.ID: describeRun(info)} {
		if out.Answers[path], err = json.Marshal(answer); err != nil {
			return fmt.Errorf("encode %s: %w", path, err)
		}
	}
	q := r.URL.Query()
	if err := s.beginDiff(r, out, q, firstChange(firstStep(at, q.Get("pass")), q.Get("function"))); err != nil {
		return err
	}
	v.Beginning = out
	return nil
}

// beginDiff adds the diff of a change in the view that the reader asked for. One that cannot be had now the script asks for.
func (s *Server) beginDiff(r *http.Request, out *templates.Beginning, q url.Values, c *event.FunctionChange) error {
	view := highlight.View(orDefault(q.Get("view"), string(highlight.Unified)))
	form := highlight.Form(orDefault(q.Get("form"), string(highlight.Compact)))
	if c == nil || view != highlight.Unified && view != highlight.Split || form != highlight.Exact && form != highlight.Compact {
		return nil
	}
	before, after := orDefault(c.Before, noText), orDefault(c.After, noText)
	d, ok := s.texts.diffs.Get([2]string{before, after})
	if !ok {
		var err error
		d, err = within(s, r, s.gates.diffs, diffBytes, func(ctx context.Context) (*highlight.Diff, error) { return s.texts.diff(ctx, before, after) })
		if errors.Is(err, store.ErrNotFound) || refused(err) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	path := fmt.Sprintf("/diff/%s/%s?view=%s&form=%s&context=3&from=0&count=%d", before, after, view, form, firstRows)
	out.Answers[path] = appendDiff(before, after, d.Read(view, 3, form), 0, firstRows)
	return nil
}
