package inproc

import (
	"context"
	"errors"

	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/fault"
	"github.com/irscope/irscope/instruments/whatif"
	"github.com/irscope/irscope/web/run"
)

// Bisect implements run.Compiler.
func (r *Runner) Bisect(ctx context.Context, req run.Request, p run.Predicate, each func(string)) (*fault.Finding, error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	var pred *bisect.Predicate
	if p.Script != "" {
		pred = &bisect.Predicate{Kind: bisect.Script, Name: "predicate.star", Text: p.Script}
	} else if pred, err = bisect.Parse(p.Predicate); err != nil {
		return nil, driver.Input("%v", err)
	}
	f, err := driver.Bisect(ctx, job, pred, r.hooks(req, silent{}), bisect.Options{Progress: each})
	var not *bisect.NotHeldError
	switch {
	case errors.As(err, &not):
		return nil, &run.NoFaultError{Message: not.Error()}
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, driver.Input("%v", err)
	}
	return &f.Finding, nil
}

// WhatIf implements run.Compiler.
func (r *Runner) WhatIf(ctx context.Context, req run.Request, known func(key string) *whatif.Row, each func(row whatif.Row, total int) error) error {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return err
	}
	hooks := r.hooks(req, silent{})
	return driver.WhatIf(ctx, job, hooks, driver.WhatIfOptions{
		Known: known, Each: func(row whatif.Row, _ bool, total int) error { return each(row, total) },
	})
}

// Reproduce implements run.Compiler.
func (r *Runner) Reproduce(ctx context.Context, req run.Request, program string, failed *event.Error) ([]byte, error) {
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return nil, err
	}
	data, err := r.read(ctx, req.Source)
	if err != nil {
		return nil, err
	}
	job.Source = sourceOf(req, data)
	return driver.Reproduce(ctx, job, program, failed, req.Limits.Time, r.hooks(req, silent{}))
}
