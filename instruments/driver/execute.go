package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/instruments/check/execute"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// Bounds on the timed executions: as many as fit in timedFor, but at least one and at
// most timedRuns.
const (
	timedRuns = 5
	timedFor  = 300 * time.Millisecond
)

// firstElements is the number of elements of a tensor that an event shows.
const firstElements = 16

// Execution is one execution of the program: what it was given, and what became of it.
type Execution struct {
	Args []*tensor.Tensor
	// MadeUp are the parameters whose arguments were not given, and what was taken for granted about each.
	MadeUp  []MadeUp
	Outputs []*tensor.Tensor
	// Specialized is set where code for fixed sizes runs in place of the program, or failed to.
	Specialized *Specialized

	Body     *event.Executed
	Measured *event.Measured
	// Profile says what the program calls, and ProfileTimes how long that took; nil where nobody asked.
	Profile      *event.Profiled
	ProfileTimes *event.ProfileTimes
	profiledAt   int64 // nanoseconds since the start of the task
}

// MadeUp is an input that was not given.
type MadeUp struct {
	Name string
	As   string // "random, seed 3", or what a PrimFunc gets: "zeros", or a number
	// Ones are the symbolic dimensions that are 1 since nothing says what they are.
	Ones []string
}

// deviceBytes is the memory of a device of a run; 0 is that of any device.
func deviceBytes(limit int64) uint64 {
	if limit <= 0 {
		return 0
	}
	return uint64(max(limit, 1<<20))
}

// Execute runs the program of a module with an entry: once for each binding of symbolic dimensions. The error is described for an
// event, but for what the sink or the context said.
func (t *Task) Execute(ctx context.Context) error {
	if t.Model != nil {
		if _, f := lonePrimFunc(t.Model.Module); f != nil {
			return t.executeKernel(ctx)
		}
	}
	name := cmp.Or(t.Job.Inputs.Function, compiler.Entry)
	sig := t.Result.Artifact.Function(name)
	if sig == nil {
		return &event.Error{Kind: event.KindExecute, Message: "the program has no public function " + name, Function: name}
	}
	failed := t.executeAll(ctx, sig)
	if failed != nil && ctx.Err() != nil {
		failed = context.Cause(ctx)
	}
	for _, x := range t.Executions {
		if x.Measured.Latency == nil { // it failed
			break
		}
		if failed == nil && t.Job.Fixed == FixedBeside {
			x.Measured.Fixed = t.beside(ctx, sig, x)
		}
		if err := t.sink.Emit(event.New("", "", x.Body, x.Measured)); err != nil {
			return err
		}
		if x.Profile == nil {
			continue
		}
		if err := t.sink.Emit(event.New("", "", x.Profile, &event.Measured{At: x.profiledAt, Profile: x.ProfileTimes})); err != nil {
			return err
		}
	}
	return failed
}

// bindings are the values of symbolic dimensions that the program runs with.
func (j *Job) bindings() []map[string]int64 {
	switch {
	case len(j.Settings.Bindings) == 0:
		return []map[string]int64{nil}
	case len(j.Inputs.Named) > 0:
		return j.Settings.Bindings[:1] // the inputs have the sizes that they have
	}
	return j.Settings.Bindings
}

// executeAll loads the program, executes it for each binding, and frees its device. Code for the sizes of the first execution takes the place
// of the program where the job says so.
func (t *Task) executeAll(ctx context.Context, sig *artifact.Signature) error {
	art, kept, bindings := t.Result.Artifact, t.kernels, t.Job.bindings()
	var next *Execution
	var err error
	if t.Job.Fixed == FixedInstead {
		if next, err = t.prepare(sig, bindings[0]); err != nil {
			return err
		}
		if art, kept, err = t.instead(ctx, sig, next); err != nil {
			return err
		}
	}
	began := time.Now()
	prog, err := t.load(ctx, art)
	if err != nil {
		return fault(event.KindExecute, fmt.Errorf("load the program: %w", err))
	}
	defer func() { _ = prog.Close() }() // frees memory only; there is nothing to do about a failure
	t.Loaded = time.Since(began)
	for _, b := range bindings {
		x := next
		if next = nil; x == nil {
			if x, err = t.prepare(sig, b); err != nil {
				return err
			}
		}
		if err := t.executeOnce(ctx, prog, sig, x); err != nil {
			return err
		}
		x.Measured.At, x.Measured.Compile = time.Since(t.start).Nanoseconds(), t.Loaded.Nanoseconds()
		for _, p := range t.Prepared {
			x.Measured.Once += p.Took.Nanoseconds()
		}
		if kept != nil && !sig.Kernel {
			if err := t.profile(ctx, prog, sig, x, kept); err != nil {
				return err
			}
		}
	}
	return nil
}

// load loads a program onto a device of its own.
func (t *Task) load(ctx context.Context, art *artifact.Artifact) (*artifact.Program, error) {
	p, err := art.Open(ctx, t.hooks.Engine, runtime.DeviceOptions{MaxBytes: deviceBytes(t.Job.Memory)}, vm.Options{Output: t.Job.Print})
	if err == nil {
		t.PassedOver, t.Prepared = p.PassedOver(), p.Prepared()
	}
	return p, err
}

// executeOnce runs the program and times it.
func (t *Task) executeOnce(ctx context.Context, prog *artifact.Program, sig *artifact.Signature, x *Execution) error {
	outs, took, err := t.timed(ctx, prog, sig.Name, x.Args)
	if err != nil {
		return t.executeFault(err)
	}
	x.Measured.Latency, x.Outputs = took, outs
	for i, out := range outs {
		name := fmt.Sprintf("output %d", i)
		if i < len(sig.Outputs) {
			name = sig.Outputs[i]
		}
		x.Body.Outputs = append(x.Body.Outputs, describe(name, out, ""))
		if want, ok := t.Job.Inputs.Expected[name]; ok {
			x.Body.Expected = append(x.Body.Expected, distance(name, out, want.Tensor))
		}
	}
	return nil
}

// distance compares an output with what is expected of it, within the tolerance for values that were computed elsewhere. What is of another type or shape
// is infinitely far off.
func distance(name string, got, want *tensor.Tensor) event.Comparison {
	tol := execute.ExpectedTolerance(want.DType)
	out := event.Comparison{Output: name, RTol: event.Float(tol.RTol), ATol: event.Float(tol.ATol), MaxAbs: event.Float(math.Inf(1)), MaxRel: event.Float(math.Inf(1))}
	d := execute.Compare([]*tensor.Tensor{got}, []*tensor.Tensor{want}, nil, execute.ExpectedTolerance)
	if d.Message == "" {
		out.MaxAbs, out.MaxRel, out.Within = d.MaxAbs, d.MaxRel, !d.Status().Bad()
	}
	return out
}

// executeFault describes an error of a run of the program of the task.
func (t *Task) executeFault(err error) error {
	e := &event.Error{Kind: event.KindExecute, Message: err.Error(), Function: compiler.Entry}
	var call *vm.CallError
	if errors.As(err, &call) {
		e.Function, e.Op = call.Func, call.Callee
	}
	if errors.Is(err, runtime.ErrDeviceMemory) {
		e.Kind, e.Limit = event.KindLimit, "memory"
	}
	var m *ir.Module // a program that was loaded has none
	if t.Result != nil {
		m = t.Result.Module
	}
	e.Accesses = accessesOf(m, err)
	return e
}

// accessesOf returns what threads did that ended a run with err, of a module or, where that is nil, of a program, with their lines; nil if it was something else.
func accessesOf(m *ir.Module, err error) (out []event.Access) {
	var f *interp.ThreadFault
	if !errors.As(err, &f) {
		return nil
	}
	found := execute.ThreadFault(m, err)
	for i, a := range found.Accesses {
		x := event.Access{Thread: a.Thread, Does: a.Does, Function: found.Function, Line: a.Line, Code: a.Code}
		if span := []interp.Access{f.First, f.Second}[i].Span; span != nil {
			x.Span = Diagnostic(ir.Diagnostic{Span: span}).Span
		}
		out = append(out, x)
	}
	return out
}

// describe summarises a tensor.
func describe(name string, t *tensor.Tensor, source string) event.Tensor {
	s := t.Summarize(0)
	out := event.Tensor{
		Name: name, DType: t.DType.String(), Shape: append([]int64{}, t.Shape...), First: []event.Float{},
		Min: event.Float(s.Min), Max: event.Float(s.Max), Mean: event.Float(s.Mean), NaNs: int64(s.NaNs), Source: source,
	}
	for i := range min(t.Len(), firstElements) {
		out.First = append(out.First, event.Float(t.Float(i)))
	}
	return out
}
