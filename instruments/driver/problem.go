package driver

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// The fields of a request that a Problem may be about, as in its JSON form.
const (
	FieldTarget    = "target"
	FieldPipeline  = "pipeline"
	FieldPasses    = "passes"
	FieldSteps     = "steps"
	FieldScripts   = "scripts"
	FieldRequired  = "required"
	FieldDisabled  = "disabled"
	FieldConfig    = "config"
	FieldPatches   = "patches"
	FieldSchedules = "schedules"
)

// Problem is something in a request that the compiler does not take. What does not apply is empty.
type Problem struct {
	Field string
	// Step is the number of a step, such as "1.10.2", and Option one of its options.
	Step, Option string
	// Config is a key of the config, Pass a name among those that are required or disabled.
	Config, Pass string
	// Message says what is wrong, for a reader who sees the place.
	Message string
	// Err says it for a reader who sees the field alone.
	Err error
	// Fatal marks what keeps a job from being made, where the field does not say so.
	Fatal bool
}

// Problems are those of a request.
type Problems []Problem

// fatal are the fields without which there is no job, in the order in which they are complained about.
var fatal = []string{FieldTarget, FieldScripts, FieldSchedules, FieldPipeline, FieldPasses, FieldSteps, FieldConfig}

// Fatal returns the problem for which there is no job, nil where there is one. Of the rest the compiler complains where it
// comes to it, or not at all: that a pass is unknown that is not to run does no harm.
func (p Problems) Fatal() *Problem {
	for _, field := range fatal {
		i := slices.IndexFunc(p, func(x Problem) bool { return x.Field == field && (x.Fatal || field != FieldConfig) })
		if i >= 0 {
			return &p[i]
		}
	}
	return nil
}

// Refuse reports a problem for which a run ends before it begins: the errors of a script become events, and what is returned describes it
// for run_finished.
func (p *Problem) Refuse(ctx context.Context, sink event.Sink) error {
	switch p.Field {
	case FieldScripts, FieldSchedules:
		return scriptFault(ctx, sink, p.Err)
	case FieldTarget, FieldConfig:
		return Input("%s: %v", named(p.Field, p.Config), p.Err)
	}
	return Input("%v", p.Err)
}

// named returns a field with the key that is meant in it.
func named(field, key string) string {
	if key == "" {
		return field
	}
	return field + " " + key
}

// scriptFault describes an error of reading scripts: their errors become events of the
// run, with their places.
func scriptFault(ctx context.Context, sink event.Sink, err error) error {
	var wrong *scriptError
	if !errors.As(err, &wrong) {
		return err
	}
	for _, d := range wrong.script.said(ctx, wrong.err) {
		if err := sink.Emit(event.New("", "", Diagnostic(d), nil)); err != nil {
			return err
		}
	}
	var known *event.Error
	if errors.As(err, &known) {
		return known
	}
	if name, ok := strings.CutPrefix(wrong.script.source.Name, request.SchedulePrefix); ok {
		return Input("the schedule of %s cannot be used: %v", name, err)
	}
	return Input("the script %s cannot be used: %v", wrong.script.source.Name, err)
}
