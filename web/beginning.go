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
		_, sealed, err := f.ReadUpTo(ctx, log, tableEvents)
		if err != nil || sealed || f.Events == tableEvents || firstStep(f.Run, "") != nil {
			return err
		}
		if _, _, err = log.Next(ctx, f.Events); errors.Is(err, context.DeadlineExceeded) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// firstStep returns the step that the page shows first: the one that the reader asked for, or else the one that the run failed in, or the first that
// changed something; nil where there is none yet.
func firstStep(r *event.Run, path string) *event.Step {
	if path == "" {
		if s := r.FailedStep(); s != nil {
			return s
		}
	}
	for _, s := range r.All() {
		if s.Path == path || path == "" && s.Kind != event.PassSequential && s.Status == event.StepChanged {
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
func (s *Server) begin(r *http.Request, v *templates.SessionView, sess store.Session, kin kin, info run.Info, log *run.Log, at *event.Run) error {
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
	described, err := s.describeAmong(sess, kin, s.editToken(r))
	if err != nil {
		return err
	}
	for path, answer := range map[string]any{"/api/sessions/" + sess.ID: map[string]any{"session": described}, "/api/runs/" + info.ID: describeRun(info)} {
		if out.Answers[path], err = json.Marshal(answer); err != nil {
			return fmt.Errorf("encode %s: %w", path, err)
		}
	}
	q := r.URL.Query()
	v.Beginning = out
	step := firstStep(at, q.Get("pass"))
	change := firstChange(step, q.Get("function"))
	o, err := s.openingOf(r, q, change)
	if err != nil || o == nil {
		return err
	}
	out.Answers[o.path] = o.answer
	if len(o.code.Rows) > 0 {
		v.Code = o.code
		v.Code.Title = step.Name + " › " + change.Name
	}
	return nil
}

// openingCache is what openings may hold, in bytes: a class opens on the same few.
const openingCache = 16 << 20

// opening is the diff that a page opens on: what its script asks for, and of the unified view the first rows as elements.
type opening struct {
	path   string
	answer []byte
	code   templates.CodeBlock // without a title
}

// openingOf returns the diff of a change in the view that the reader asked for; nil where there is none, or where it cannot be had now
// and the script has to ask for it.
func (s *Server) openingOf(r *http.Request, q url.Values, c *event.FunctionChange) (*opening, error) {
	view := highlight.View(orDefault(q.Get("view"), string(highlight.Unified)))
	form := highlight.Form(orDefault(q.Get("form"), string(highlight.Compact)))
	if c == nil || view != highlight.Unified && view != highlight.Split || form != highlight.Exact && form != highlight.Compact {
		return nil, nil
	}
	before, after := orDefault(c.Before, noText), orDefault(c.After, noText)
	path := fmt.Sprintf("/diff/%s/%s?view=%s&form=%s&context=3&from=0&count=%d", before, after, view, form, firstRows)
	if o, ok := s.texts.openings.Get(path); ok {
		return o, nil
	}
	d, ok := s.texts.diffs.Get([2]string{before, after})
	if !ok {
		var err error
		d, err = within(s, r, s.gates.diffs, diffBytes, func(ctx context.Context) (*highlight.Diff, error) { return s.texts.diff(ctx, before, after) })
		if errors.Is(err, store.ErrNotFound) || refused(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	l := d.Read(view, 3, form)
	o := &opening{path: path, answer: appendDiff(before, after, l, 0, firstRows)}
	if view == highlight.Unified {
		var err error
		if o.code, err = diffBlock("", l, plainRows); err != nil {
			return nil, err
		}
	}
	// The rows as elements take about as much as the answer, of which they are a part, three times over.
	s.texts.openings.Put(path, o, int64(4*len(o.answer)))
	return o, nil
}
