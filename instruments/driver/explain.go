package driver

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/rewrites"
)

// Explain runs a job up to one of its steps, which its path names, and returns what that step reports of its work; it is empty where the step reports nothing.
// A run that did not record it is explained so, step by step: what earlier runs left in the memory of the hooks is taken for
// the steps on the way, and only the step itself runs again. The error is described for an event, as that of Run.
func Explain(ctx context.Context, j *Job, path string, sink event.Sink, hooks Hooks) (*event.Rewrites, error) {
	hooks.Log = cmp.Or(hooks.Log, slog.Default())
	t := &Task{Job: j, hooks: hooks, sink: &tap{Sink: sink}}
	if err := t.read(ctx); err != nil {
		return nil, t.Describe(ctx, err)
	}
	watches, err := j.Watches(ctx, t.sink)
	if err != nil {
		return nil, t.Describe(ctx, err)
	}
	steps := hooks.Steps
	if len(watches) > 0 {
		steps = nil
	}
	re := newReuse(steps, t.sink, nil, t.Model)
	re.fresh = func(s *pass.Step) bool { return s.Path() == path || holds(s.Path(), path) }
	observer := &only{path: path}
	reached := false
	var out *event.Rewrites
	watch := &pass.Instrument{Name: "Explain", RunAfterPass: func(m *ir.Module, s *pass.Step) error {
		if s.Path() != path {
			return nil
		}
		reached, out = true, observer.Take(s, m)
		return errReached
	}}
	req := j.Compiler(t.Model.Module, re.wrap(t.pipeline), append(watches, watch)...)
	req.Observer = observer
	t.Result, err = compiler.Passes(ctx, req)
	switch {
	case reached && out != nil:
		return out, nil
	case reached:
		return &event.Rewrites{Names: []event.RuleCount{}, Rewrites: []event.Rewrite{}, Rules: []event.RuleCount{}, Decisions: []event.Decision{}}, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, t.Describe(ctx, err)
	}
	return nil, Input("no step %s runs with these settings", path)
}

// holds tells whether the step of a path is inside that of another: their numbers say so.
func holds(outer, inner string) bool {
	number, _, _ := strings.Cut(outer, "/")
	return strings.HasPrefix(inner, number+".")
}

// only is an observer that hears of one step.
type only struct {
	rewrites.Observer
	path string
}

// Rewrite implements pass.Observer.
func (o *only) Rewrite(s *pass.Step, r pass.Rewrite) {
	if s.Path() == o.path {
		o.Observer.Rewrite(s, r)
	}
}

// Decision implements pass.Observer.
func (o *only) Decision(s *pass.Step, d pass.Decision) {
	if s.Path() == o.path {
		o.Observer.Decision(s, d)
	}
}
