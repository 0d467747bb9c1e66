package inproc

import (
	"context"
	"errors"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/predicate"
	"github.com/irscope/irscope/web/run"
)

// CheckPredicate implements run.Compiler.
func (r *Runner) CheckPredicate(ctx context.Context, s run.Script) ([]event.Diagnostic, error) {
	err := predicate.Valid(ctx, s)
	var fault *predicate.Fault
	if errors.As(err, &fault) {
		return fault.Diagnostics(), nil
	}
	return []event.Diagnostic{}, err
}

// Judge implements run.Compiler. Modules that the check asks for come from the memory of earlier runs, or are made again.
func (r *Runner) Judge(ctx context.Context, q run.Question) (run.Verdict, error) {
	about := func(j *run.Judged) *predicate.Run {
		if j == nil {
			return nil
		}
		return &predicate.Run{Events: j.Events, Settings: j.Request.Settings, Module: func(ctx context.Context, after string) (*ir.Module, error) {
			m, _, err := r.behind(ctx, j.Request, after)
			return m, err
		}}
	}
	v, err := predicate.Judge(ctx, predicate.Question{Script: q.Check, Run: about(q.Run), Start: about(q.Start), Answer: q.Answer})
	var fault *predicate.Fault
	if errors.As(err, &fault) {
		return run.Verdict{}, driver.Input("%s", fault.Error())
	}
	return run.Verdict{OK: v.OK, Says: v.Says}, err
}
