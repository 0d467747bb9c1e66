package driver

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/sch"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
)

// A measurement of two schedules ends after so long, or so many calls of each.
const (
	scheduleFor  = 1500 * time.Millisecond
	scheduleRuns = 200
)

// ScheduleTimes are the times of calls of a kernel.
type ScheduleTimes struct {
	Median, Best time.Duration
	Runs         int
	// CodeBytes is the size of its code.
	CodeBytes int
}

// MeasuredSchedule compares a schedule with the default one.
type MeasuredSchedule struct {
	Default, Own ScheduleTimes
	// Plain tells that the job schedules nothing by default, so that the default is the plain loops.
	Plain bool
	// Same tells that both computed the same, within the tolerance of sums in another order; Difference is the largest.
	Same       bool
	Difference float64
}

// MeasureSchedule compiles a kernel alone for the target of a job, once with the default schedule and once with that of a user, and calls both in
// turn. It changes nothing of the job.
func MeasureSchedule(ctx context.Context, j *Job, s request.Schedule, sink event.Sink, hooks Hooks) (*MeasuredSchedule, error) {
	m, f, err := unscheduled(ctx, j, s.Kernel, sink, hooks)
	if err != nil {
		return nil, err
	}
	var others []string
	for gv := range m.Funcs() {
		if gv.Name != s.Kernel {
			others = append(others, gv.Name)
		}
	}
	alone := m.Without(others...).With(s.Kernel, f.WithFuncAttrs(f.Attrs.With(ir.AttrGlobalSymbol, s.Kernel)))
	var both [2]*measuring
	for i, list := range [][]request.Schedule{nil, {s}} {
		if both[i], err = j.measuring(ctx, alone, s.Kernel, list, hooks); err != nil {
			return nil, err
		}
		defer both[i].close()
	}
	out, err := both[0].against(ctx, both[1])
	if err == nil {
		out.Plain = slices.Contains(j.passNames(j.Settings.Disabled), transform.ApplyDefaultSchedule.Name) || j.Settings.OptLevel < transform.ApplyDefaultSchedule.Level
	}
	return out, err
}

// measuring is a kernel that is ready to be called.
type measuring struct {
	call  func(context.Context) error
	close func()
	outs  func() ([]*tensor.Tensor, error)
	bytes int
	times []time.Duration
}

// measuring compiles a kernel that is alone in a module, with the schedules of users that are given, and makes up its arguments.
func (j *Job) measuring(ctx context.Context, m *ir.Module, kernel string, schedules []request.Schedule, hooks Hooks) (*measuring, error) {
	own := *j
	own.Settings.Schedules, own.Settings.Patches, own.Settings.Profile = schedules, nil, 0
	var err error
	if own.schedules, err = readSchedules(schedules, nil); err != nil {
		return nil, Input("%v", err)
	}
	t := &Task{Job: &own, Model: &Model{Module: m}, hooks: hooks, start: time.Now(), sink: &tap{Sink: &Log{}}}
	pl, _, err := own.Edited(m)
	if err != nil {
		return nil, err
	}
	if t.Result, err = compiler.Compile(ctx, own.Compiler(m, pl)); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if why := (*sch.Error)(nil); errors.As(err, &why) {
			return nil, Input("the schedule of %s cannot be applied: %s: %s", kernel, why.Primitive, why.Short())
		}
		return nil, Input("%s cannot be compiled alone: %v", kernel, err)
	}
	if len(t.Result.Artifact.Modules) != 1 || len(t.Result.Kernels) != 1 {
		return nil, Input("%s became %d kernels, which cannot be called one by one", kernel, len(t.Result.Kernels))
	}
	f := m.Lookup(kernel).(*tir.PrimFunc)
	binding := own.bindings()[0]
	dev, run, err := t.loadKernel(ctx)
	if err != nil {
		return nil, err
	}
	args, err := t.makeArguments(dev, kernel, f, binding)
	if err != nil {
		_ = dev.Close()
		var unfit *unfitError
		if errors.As(err, &unfit) {
			return nil, Input("%s cannot be measured alone: %v", kernel, unfit.err)
		}
		return nil, err
	}
	values := make([]runtime.Value, len(args))
	for i, a := range args {
		values[i] = a.value
	}
	written := writtenBuffers(f)
	return &measuring{
		bytes: len(t.Result.Artifact.Modules[0].Bytes), close: func() { _ = dev.Close() },
		call: func(ctx context.Context) error { _, err := run.Run(ctx, values...); return err },
		outs: func() (out []*tensor.Tensor, err error) {
			for i, b := range f.Buffers {
				if b == nil || !written[b] {
					continue
				}
				t, err := args[i].device.Download()
				if err != nil {
					return nil, err
				}
				out = append(out, t)
			}
			return out, nil
		},
	}, nil
}

// against calls both kernels in turn and compares what they compute and how long that takes.
func (a *measuring) against(ctx context.Context, b *measuring) (*MeasuredSchedule, error) {
	out := &MeasuredSchedule{}
	fail := func(who string, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return Input("the kernel with %s schedule failed: %v", who, err)
	}
	if err := a.call(ctx); err != nil {
		return nil, fail("the default", err)
	}
	if err := b.call(ctx); err != nil {
		return nil, fail("this", err)
	}
	x, err := a.outs()
	if err != nil {
		return nil, err
	}
	y, err := b.outs()
	if err != nil {
		return nil, err
	}
	out.Same = true
	for i, got := range y {
		d := distance("", got, x[i])
		out.Same, out.Difference = out.Same && d.Within, max(out.Difference, float64(d.MaxAbs))
	}
	for began := time.Now(); len(a.times) < 3 || len(a.times) < scheduleRuns && time.Since(began) < scheduleFor; {
		for _, k := range []*measuring{a, b} {
			start := time.Now()
			if err := k.call(ctx); err != nil {
				return nil, fail("one", err)
			}
			k.times = append(k.times, time.Since(start))
		}
	}
	out.Default, out.Own = a.spread(), b.spread()
	return out, nil
}

// spread sums up the times of a kernel.
func (a *measuring) spread() ScheduleTimes {
	median, best := event.Spread(a.times)
	return ScheduleTimes{Median: time.Duration(median), Best: time.Duration(best), Runs: len(a.times), CodeBytes: a.bytes}
}
