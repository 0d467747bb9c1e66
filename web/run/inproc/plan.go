package inproc

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/web/run"
)

// Plan implements run.Compiler.
func (r *Runner) Plan(ctx context.Context, s run.Settings) (run.Planned, error) {
	out := run.Planned{Steps: []event.PlanStep{}, Warnings: []run.OrderWarning{}, Problems: []run.Problem{}}
	job, problems, err := driver.Resolve(ctx, driver.Request{Settings: s})
	if err != nil {
		return out, err
	}
	for _, p := range problems {
		out.Problems = append(out.Problems, run.Problem{Step: p.Step, Option: p.Option, Config: p.Config, Pass: p.Pass, Message: p.Message})
	}
	if job == nil || job.Pipeline == nil {
		return out, nil
	}
	edited, _, err := job.Edited(nil)
	if err != nil {
		out.Problems = append(out.Problems, run.Problem{Message: err.Error()})
		edited = job.Pipeline
	}
	out.Steps = instruments.Plan(edited)
	c, err := pass.NewContext(ctx, pass.OptLevel(s.OptLevel), pass.RequirePass(s.Required...), pass.DisablePass(s.Disabled...), pass.WithRegistry(job.Registry))
	if err != nil {
		return out, err
	}
	pl := job.Pipeline
	for _, p := range pipeline.Check(pl, c) {
		out.Warnings = append(out.Warnings, run.OrderWarning{Step: stepPath(pl, p.Path), Other: stepPath(pl, p.OtherPath), Message: p.Message})
	}
	return out, nil
}

// stepPath returns the path in events of the pass that numbers of children lead to; "" for
// nil.
func stepPath(pl *pass.Pass, path []int) string {
	if path == nil {
		return ""
	}
	at, id := pl, "1"
	for _, i := range path {
		at = at.Children[i]
		id += fmt.Sprintf(".%d", i+1)
	}
	return id + "/" + at.Name
}
