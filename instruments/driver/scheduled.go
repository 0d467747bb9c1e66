package driver

import (
	"context"
	"errors"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// ScheduleStep is a primitive that a schedule called.
type ScheduleStep struct {
	// Call is the line of the script that called it, and Line its number.
	Name, Call string
	Line       int
	Changed    bool
	// Error says why it cannot be applied; it is empty for one that was.
	Error string
}

// CheckedSchedule is what a schedule does to its kernel.
type CheckedSchedule struct {
	Found []ir.Diagnostic
	Steps []ScheduleStep
	// Before is the kernel without a schedule, After what the schedule makes of it, as far as it went.
	Before, After *tir.PrimFunc
}

// CheckSchedule applies a schedule to its kernel as a job would come to it, without running what comes after. What is wrong with the schedule
// is in the answer; the error says that there is no such kernel, or is that of Behind.
func CheckSchedule(ctx context.Context, j *Job, s request.Schedule, sink event.Sink, hooks Hooks) (*CheckedSchedule, error) {
	m, f, err := unscheduled(ctx, j, s.Kernel, sink, hooks)
	if err != nil {
		return nil, err
	}
	out := &CheckedSchedule{Before: f, After: f}
	list, err := readSchedules([]request.Schedule{s}, nil)
	var unread *scriptError
	if errors.As(err, &unread) {
		out.Found = unread.script.said(ctx, unread.err)
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	watch := &pass.Instrument{
		Name: "Schedule",
		RunAfterPass: func(m *ir.Module, step *pass.Step) error {
			if step.Pass.Title != "" { // the schedule as a whole adds that there is one
				out.After, _ = m.Lookup(s.Kernel).(*tir.PrimFunc)
				out.Steps = append(out.Steps, ScheduleStep{Name: step.Pass.Name, Call: step.Pass.Title, Line: step.Pass.Line, Changed: m != step.Input})
			}
			return nil
		},
		PassFailed: func(_ *ir.Module, step *pass.Step, err error) {
			if step.Pass.Title != "" {
				var failed *pass.Error
				if errors.As(err, &failed) {
					err = failed.Err
				}
				message := err.Error()
				if why := (*sch.Error)(nil); errors.As(err, &why) {
					message = why.Short()
				}
				out.Steps = append(out.Steps, ScheduleStep{Name: step.Pass.Name, Call: step.Pass.Title, Line: step.Pass.Line, Error: message})
			}
		},
	}
	res, err := compiler.Passes(ctx, j.Compiler(m, pass.NewSequential("schedule", list...), watch))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out.Found = res.Diagnostics
	if err != nil && len(out.Found) == 0 {
		out.Found = append(out.Found, ir.Diagnostic{Severity: ir.Error, Code: codeSchedule, Message: err.Error()})
	}
	return out, nil
}

// unscheduled returns a kernel as a job comes to schedule it, with the module that it is in.
func unscheduled(ctx context.Context, j *Job, kernel string, sink event.Sink, hooks Hooks) (*ir.Module, *tir.PrimFunc, error) {
	bare := *j
	bare.Settings.Schedules, bare.schedules = nil, nil
	m, _, err := reach(ctx, &bare, "before schedules", "schedules", sink, hooks, func(pl, probe *pass.Pass) (*pass.Pass, error) {
		out, ok := starpass.AddSchedules(pl, probe)
		if !ok {
			return nil, errors.New("the pipeline has no ApplyDefaultSchedule, before which schedules of users run; put it back, turned off if nothing else is to be scheduled")
		}
		return out, nil
	})
	if err != nil {
		return nil, nil, err
	}
	f, ok := m.Lookup(kernel).(*tir.PrimFunc)
	if !ok {
		return nil, nil, Input("the module has no PrimFunc %s where kernels are scheduled", kernel)
	}
	return m, f, nil
}
