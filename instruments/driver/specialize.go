package driver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

// Code for fixed sizes is made where the code for all sizes runs in less than fixedBelow and the run took less than fixedFor so far.
// Compiling and timing it may take as long again: the run has its result without it.
const (
	fixedBelow = time.Second
	fixedFor   = 4 * time.Second
)

// Specialized is what became of compiling the program for the sizes of one execution.
type Specialized struct {
	Sizes map[string]int64
	Took  time.Duration
	Err   error // nil where the code for these sizes runs
}

// sizes returns what the symbolic dimensions are in an execution: none where there are none, and where the passes are in part those of the user,
// which are written for the module with its symbols.
func (t *Task) sizes(sig *artifact.Signature, x *Execution) (map[string]int64, error) {
	sizes, err := sig.Sizes(x.Args)
	if err != nil || len(t.Job.Settings.Scripts)+len(t.Job.Settings.Patches)+len(t.Job.Settings.Schedules) > 0 {
		return nil, err
	}
	return sizes, nil
}

// instead returns the program to run an execution with, and what was kept of compiling it: where its sizes settle symbolic
// dimensions, one that is compiled for these, and where that fails the one for all sizes.
func (t *Task) instead(ctx context.Context, sig *artifact.Signature, x *Execution) (*artifact.Artifact, *kernelKeeper, error) {
	sizes, err := t.sizes(sig, x)
	if err != nil || len(sizes) == 0 {
		return t.Result.Artifact, t.kernels, err
	}
	began := time.Now()
	kept, watches := t.keepKernels()
	res, err := t.specialize(ctx, sizes, watches...)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	x.Specialized = &Specialized{Sizes: sizes, Took: time.Since(began), Err: err}
	if err != nil {
		return t.Result.Artifact, t.kernels, nil
	}
	return res.Artifact, kept, nil
}

// specialize compiles the module of the task for sizes.
func (t *Task) specialize(ctx context.Context, sizes map[string]int64, watches ...*pass.Instrument) (*compiler.Result, error) {
	return compiler.Specialize(ctx, t.Job.Compiler(t.Model.Module, t.pipeline, watches...), compiler.Entry, sizes)
}

// beside times an execution with code that is compiled for its sizes of symbolic dimensions, or was in an earlier run. It returns
// nil where there are none, and where it fails: the run itself went well.
func (t *Task) beside(ctx context.Context, sig *artifact.Signature, x *Execution) *event.Fixed {
	room := cmp.Or(t.hooks.FixedFor, fixedFor)
	if x.Measured.At > room.Nanoseconds() || x.Measured.Latency[0] > fixedBelow.Nanoseconds() {
		return nil
	}
	sizes, err := t.sizes(sig, x)
	if err != nil || len(sizes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, room)
	defer cancel()
	began := time.Now()
	art, known := t.fixedArtifact(ctx, sizes)
	if art == nil {
		return nil
	}
	prog, err := t.load(ctx, art)
	if err != nil {
		return nil
	}
	defer func() { _ = prog.Close() }() // frees memory only; there is nothing to do about a failure
	out := &event.Fixed{Sizes: sizes, Compile: time.Since(began).Nanoseconds(), Reused: known}
	if _, out.Latency, err = t.timed(ctx, prog, sig.Name, x.Args); err != nil {
		return nil
	}
	return out
}

// fixedArtifact returns the program for sizes, and whether it was known; nil where it cannot be compiled.
func (t *Task) fixedArtifact(ctx context.Context, sizes map[string]int64) (art *artifact.Artifact, known bool) {
	key := t.Job.Key(fmt.Sprintf("fixed %v of %s", sizes, t.Model.ID))
	if t.hooks.Programs != nil {
		if p, known := t.hooks.Programs.Code(key); known {
			return p.Artifact, true
		}
	}
	res, err := t.specialize(ctx, sizes)
	if err != nil {
		return nil, false
	}
	if t.hooks.Programs != nil {
		t.hooks.Programs.PutCode(key, Code{Artifact: res.Artifact})
	}
	return res.Artifact, false
}

// timed runs a program as often as the job says, or the bounds on timed executions allow. It returns the results of the last time.
func (t *Task) timed(ctx context.Context, prog *artifact.Program, fn string, args []*tensor.Tensor) (outs []*tensor.Tensor, took []int64, err error) {
	n, most := timedRuns, timedFor
	if t.Job.Inputs.Repeat > 0 {
		n, most = t.Job.Inputs.Repeat, math.MaxInt64
	}
	for begin := time.Now(); len(took) < n && (len(took) == 0 || time.Since(begin) < most); {
		began := time.Now()
		if outs, err = prog.Run(ctx, fn, args...); err != nil {
			return nil, nil, err
		}
		took = append(took, time.Since(began).Nanoseconds())
	}
	return outs, took, nil
}
