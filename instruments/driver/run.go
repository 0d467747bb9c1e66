package driver

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/instruments/event"
)

// Run does a job to its end: events go to the sink, artifact and results are in the task. A pipeline that promises no code, and a
// module without an entry, end early, with a note that says so. The error of a failure is an *event.Error, as run_finished has
// it, but for what the sink, a hook or the context said.
func Run(ctx context.Context, j *Job, sink event.Sink, hooks Hooks) (*Task, error) {
	t, err := Open(ctx, j, sink, hooks)
	if err != nil {
		return t, t.Describe(ctx, err)
	}
	if err := t.Compile(ctx); err != nil {
		var code *CodegenError
		if errors.As(err, &code) && j.Partial() && ctx.Err() == nil {
			return t, t.sink.Emit(note("nothing to execute: the pipeline %s produces no executable code: %s", j.Name, code))
		}
		return t, t.Describe(ctx, err)
	}
	if why := NothingToExecute(t.Model.Module); why != "" {
		return t, t.sink.Emit(note("%s", why))
	}
	return t, t.Execute(ctx)
}

// CodegenError is an error of making code of what the passes left.
type CodegenError struct{ Err error }

// Error implements error.
func (e *CodegenError) Error() string { return e.Err.Error() }

// Unwrap returns what was wrong.
func (e *CodegenError) Unwrap() error { return e.Err }

// Describe turns an error of a stage into one that an event describes, an *event.Error. Findings about the source and errors of scripts become
// events. What a sink or the context said stays as it is.
func (t *Task) Describe(ctx context.Context, err error) error {
	var known *event.Error
	var read *ReadError
	var edit *EditError
	var script *scriptError
	var code *CodegenError
	switch {
	case errors.As(err, &read):
		return t.readFault(ctx, read)
	case errors.As(err, &script):
		return scriptFault(ctx, t.sink, err)
	case errors.As(err, &known):
		return err
	case errors.As(err, &edit):
		return Input("%v", edit)
	case errors.As(err, &code):
		return nameMissing(fault(event.KindCodegen, err), t.Job.Settings.Disabled)
	case t.Result == nil:
		return err // of a hook
	}
	return nameMissing(passFault(err, t.hooks.Log), t.Job.Settings.Disabled)
}

// note is a message about the run as a whole.
func note(format string, args ...any) event.Event {
	return event.New("", "", &event.Diagnostic{Severity: event.SeverityNote, Code: "execute", Message: fmt.Sprintf(format, args...)}, nil)
}
