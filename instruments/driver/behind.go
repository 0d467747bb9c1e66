package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// errReached ends a run at the step that is asked for.
var errReached = errors.New("the step is reached")

// Behind returns the module that a step of a job leaves behind, named as in request.Patch, and the model. It takes from the memory of the
// hooks what earlier runs left there, and remembers the module: the same one is asked for while a text is edited. The error is
// described for an event, as that of Run.
func Behind(ctx context.Context, j *Job, after string, sink event.Sink, hooks Hooks) (m *ir.Module, model *Model, err error) {
	return reach(ctx, j, fmt.Sprintf("behind %q", after), request.EditPrefix+after, sink, hooks, func(pl, probe *pass.Pass) (*pass.Pass, error) {
		return patch.Insert(pl, after, probe)
	})
}

// reach returns the module as it is where insert puts a pass of that name into the pipeline.
func reach(ctx context.Context, j *Job, what, name string, sink event.Sink, hooks Hooks, insert func(pl, probe *pass.Pass) (*pass.Pass, error)) (m *ir.Module, model *Model, err error) {
	hooks.Log = cmp.Or(hooks.Log, slog.Default())
	t := &Task{Job: j, hooks: hooks, sink: &tap{Sink: sink}}
	if err := t.read(ctx); err != nil {
		return nil, nil, t.Describe(ctx, err)
	}
	key := j.Key(fmt.Sprintf("%s of %s", what, t.Model.ID))
	if hooks.Steps != nil {
		if found, ok := hooks.Steps.Step(key); ok {
			return found.Module, t.Model, nil
		}
	}
	probe := &pass.Pass{Name: name, Kind: pass.Module, Run: func(_ *pass.Context, at *ir.Module) (*ir.Module, error) {
		m = at
		return nil, errReached
	}}
	pl, err := insert(t.pipeline, probe)
	if err != nil {
		return nil, nil, Input("%v", err)
	}
	watches, err := j.Watches(ctx, t.sink)
	if err != nil {
		return nil, nil, t.Describe(ctx, err)
	}
	steps := hooks.Steps
	if len(watches) > 0 {
		steps = nil
	}
	req := j.Compiler(t.Model.Module, newReuse(steps, t.sink, nil, t.Model).wrap(pl), watches...)
	req.Disabled = slices.DeleteFunc(slices.Clone(req.Disabled), func(name string) bool { return name == probe.Name })
	t.Result, err = compiler.Passes(ctx, req)
	switch {
	case m != nil:
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		return nil, nil, t.Describe(ctx, err)
	default:
		return nil, nil, Input("no step %s runs with these settings", strings.TrimPrefix(name, request.EditPrefix))
	}
	if hooks.Steps != nil {
		hooks.Steps.PutStep(key, Snapshot{Module: m})
	}
	return m, t.Model, nil
}
