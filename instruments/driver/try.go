package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// Tried is what a pass would do behind a step.
type Tried struct {
	Name string
	// Functions counts those of the module, and Changed names those that the pass would change, add, or remove.
	Functions int
	Changed   []string
	// Skipped says why the pass would not run, and Error why it would fail; both are empty otherwise.
	Skipped, Error string
	// Before and After are the modules; After is nil for a pass that does not end well.
	Before, After *ir.Module
}

// Try runs passes on the module that a step of a job leaves behind, each by itself and none for longer than so long, and keeps nothing of
// that. When the context ends it returns what it has found out. The error is that of Behind.
func Try(ctx context.Context, j *Job, after string, steps []request.Step, each time.Duration, sink event.Sink, hooks Hooks) ([]Tried, error) {
	m, _, err := Behind(ctx, j, after, sink, hooks)
	if err != nil {
		return nil, err
	}
	var out []Tried
	for _, step := range steps {
		tried := tryOne(ctx, j, m, step, each)
		if ctx.Err() != nil {
			break
		}
		out = append(out, tried)
	}
	return out, nil
}

// tryOne runs a pass on a module.
func tryOne(ctx context.Context, j *Job, m *ir.Module, step request.Step, each time.Duration) Tried {
	out := Tried{Name: step.Name, Functions: m.Len(), Before: m}
	list, wrong := chosenSteps([]request.Step{step}, j.registry, "", "1")
	if len(wrong) > 0 {
		out.Error = wrong[0].Message
		return out
	}
	watch := &pass.Instrument{Name: "Try", PassSkipped: func(_ *ir.Module, s *pass.Step, r pass.SkipReason) {
		if s.Pass.Name == list[0].Name {
			out.Skipped = r.Text
		}
	}}
	within, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	res, err := compiler.Passes(within, j.Compiler(m, pass.NewSequential("try", list...), watch))
	switch {
	case err == nil:
	case errors.Is(within.Err(), context.DeadlineExceeded):
		out.Error = fmt.Sprintf("it took longer than %g s", each.Seconds())
		return out
	default:
		var failed *pass.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		out.Error = err.Error()
		return out
	}
	out.After = res.Module
	res.Module.EachChange(m, func(name string, _, _ ir.Function) { out.Changed = append(out.Changed, name) })
	return out
}
