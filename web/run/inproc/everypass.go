package inproc

import (
	"context"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/web/run"
)

// CheckEveryPass implements run.Compiler.
func (r *Runner) CheckEveryPass(ctx context.Context, req run.Request, each func(check.Step)) (*check.Report, error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	return driver.Check(ctx, job, driver.Checked{Each: each}, silent{}, r.hooks(req, silent{}))
}
