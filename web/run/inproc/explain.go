package inproc

import (
	"context"

	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// Explain implements run.Compiler.
func (r *Runner) Explain(ctx context.Context, req run.Request, step string) (*event.Rewrites, error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	return driver.Explain(ctx, job, step, silent{}, r.hooks(req, silent{}))
}
