package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/irscope/irscope/instruments/event"
)

// Runner does the work of a run.
type Runner interface {
	// Run does what the request says and reports to the sink: everything but
	// run_finished, which the caller adds from the error. An error that wraps
	// *event.Error is reported with all its parts. When the context ends the runner
	// returns soon, well within a second; it may not use the sink after returning.
	Run(ctx context.Context, req Request, sink Sink) error
}

// Settler is a Runner of requests in which something stands for what its machine is: Settle puts that in its place, before the key of a run is made.
type Settler interface {
	Settle(s Settings) Settings
}

// Sink is what a Runner reports to.
type Sink interface {
	event.Sink
	// Keep makes the run keep texts that are already stored, and tells whether all
	// of them are; events that are copied from an earlier run name such texts.
	Keep(hashes []string) (bool, error)
	// Account adds to the accounted memory of the run (a negative number takes off).
	// Beyond the limit it returns an error with which the run is to end.
	Account(bytes int64) error
}

// The causes with which the context of a run ends.
var (
	errCanceled = errors.New("the run was canceled")
	errTimeout  = errors.New("the run exceeded its time limit")
	errDraining = errors.New("the server is shutting down")
)

// execute runs a request and returns how it ended. It recovers panics of the
// runner; everything that the runner reported stays in the log.
func execute(ctx context.Context, r Runner, req Request, rec *recorder, log *slog.Logger) *event.RunFinished {
	err := protect(func() error { return r.Run(ctx, req, rec) }, log)
	if ctx.Err() != nil && err != nil {
		// What a stopped run complains about is that it was stopped.
		err = context.Cause(ctx)
	}
	return outcome(err, req.Limits)
}

// errPanic marks a panic of the runner.
var errPanic = errors.New("internal error")

// protect calls f and turns a panic into an error.
func protect(f func() error, log *slog.Logger) (err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("run panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return f()
}

// outcome turns the error of a run into its last event.
func outcome(err error, limits Limits) *event.RunFinished {
	var detail *event.Error
	switch {
	case err == nil:
		return &event.RunFinished{Status: event.StatusOK}
	case errors.Is(err, errTimeout):
		return &event.RunFinished{Status: event.StatusTimeout, Error: &event.Error{
			Kind: event.KindTimeout, Limit: "time",
			Message: fmt.Sprintf("the run exceeded its time limit of %v", limits.Time.Round(time.Millisecond)),
		}}
	case errors.Is(err, errCanceled), errors.Is(err, errDraining), errors.Is(err, errAlone), errors.Is(err, context.Canceled):
		return &event.RunFinished{Status: event.StatusCanceled, Error: &event.Error{
			Kind: event.KindCanceled, Message: err.Error(),
		}}
	case errors.As(err, &detail):
		status := event.StatusFailed
		switch detail.Kind {
		case event.KindLimit:
			status = event.StatusLimit
		case event.KindTimeout:
			status = event.StatusTimeout
		case event.KindCanceled:
			status = event.StatusCanceled
		}
		copied := *detail
		return &event.RunFinished{Status: status, Error: &copied}
	case errors.Is(err, errPanic):
		return &event.RunFinished{Status: event.StatusFailed, Error: &event.Error{Kind: event.KindPanic, Message: err.Error()}}
	default:
		return &event.RunFinished{Status: event.StatusFailed, Error: &event.Error{Kind: event.KindPass, Message: err.Error()}}
	}
}
