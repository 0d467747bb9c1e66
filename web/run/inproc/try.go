package inproc

import (
	"context"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/web/run"
)

// tryFor is how long a pass may take that is tried.
const tryFor = 2 * time.Second

// Try implements run.Compiler.
func (r *Runner) Try(ctx context.Context, req run.Request, t run.Trial) ([]run.Tried, error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	found, err := driver.Try(ctx, job, t.After, t.Steps, tryFor, silent{}, r.hooks(req, silent{}))
	if err != nil {
		return nil, err
	}
	out := make([]run.Tried, len(found))
	for i, x := range found {
		out[i] = run.Tried{Name: x.Name, Functions: x.Functions, Changed: x.Changed, Skipped: x.Skipped, Error: x.Error}
		if t.Function != "" {
			out[i].Before, out[i].After = printed(x.Before, t.Function), printed(x.After, t.Function)
		}
	}
	return out, nil
}

// printed returns the text of a function of a module, "" where there is none.
func printed(m *ir.Module, name string) string {
	if m == nil || m.Lookup(name) == nil {
		return ""
	}
	return script.Function(name, m.Lookup(name), script.Options{}).Source
}
