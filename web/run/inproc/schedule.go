package inproc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/looptree"
	"github.com/irscope/irscope/instruments/looptree/fromir"
	"github.com/irscope/irscope/web/run"
)

// Loops implements run.Compiler. It reads the text back.
func (r *Runner) Loops(ctx context.Context, text string) (*looptree.Tree, error) {
	whole, stubs := withCalled(text)
	m, found := parse.Module("function", whole, parse.Options{AllowMissingConstants: true})
	for _, d := range found {
		if d.Severity == ir.Error {
			return nil, fmt.Errorf("the text does not parse: %s", d.Format())
		}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for gv, fn := range m.Funcs() {
		f, ok := fn.(*tir.PrimFunc)
		if !ok || stubs[gv.Name] {
			continue
		}
		printed := script.Function(gv.Name, f, script.Options{})
		if strings.Count(printed.Source, "\n") != strings.Count(text, "\n") {
			printed = nil // a text that was not printed here: its lines are not known
		}
		return fromir.Of(gv.Name, f, printed), nil
	}
	return nil, errors.New("the text is not that of a PrimFunc")
}

// CheckSchedule implements run.Compiler.
func (r *Runner) CheckSchedule(ctx context.Context, req run.Request, s run.Schedule) (run.CheckedSchedule, error) {
	out := run.CheckedSchedule{Diagnostics: []event.Diagnostic{}, Steps: []run.ScheduleStep{}}
	req.Settings.Schedules = nil
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return out, err
	}
	found, err := driver.CheckSchedule(ctx, job, s, silent{}, r.hooks(req, silent{}))
	if err != nil {
		return out, err
	}
	out.Diagnostics = driver.Diagnostics(found.Found)
	for _, x := range found.Steps {
		out.Steps = append(out.Steps, run.ScheduleStep(x))
	}
	out.Before = script.Function(s.Kernel, found.Before, script.Options{}).Source
	after := script.Function(s.Kernel, found.After, script.Options{})
	out.After, out.Loops = after.Source, fromir.Of(s.Kernel, found.After, after)
	if strings.TrimSpace(s.Source) == "" {
		out.Start = fromir.Start(s.Kernel, found.Before)
	}
	return out, nil
}

// MeasureSchedule implements run.Compiler.
func (r *Runner) MeasureSchedule(ctx context.Context, req run.Request, s run.Schedule) (run.MeasuredSchedule, error) {
	req.Settings.Schedules = nil
	job, err := r.resolve(ctx, req, silent{})
	if err != nil {
		return run.MeasuredSchedule{}, err
	}
	got, err := driver.MeasureSchedule(ctx, job, s, silent{}, r.hooks(req, silent{}))
	if err != nil {
		return run.MeasuredSchedule{}, err
	}
	times := func(t driver.ScheduleTimes) run.ScheduleTimes {
		return run.ScheduleTimes{Median: t.Median.Nanoseconds(), Best: t.Best.Nanoseconds(), Runs: t.Runs, Bytes: t.CodeBytes}
	}
	return run.MeasuredSchedule{
		Target: job.Target.String(), Default: times(got.Default), Own: times(got.Own), Plain: got.Plain, Same: got.Same, Difference: event.Float(got.Difference),
	}, nil
}
