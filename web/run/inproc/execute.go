package inproc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/web/run"
)

// entry is the function that runs.
const entry = "main"

// Bounds on the timed executions: as many as fit in timedFor, but at least one and at
// most timedRuns.
const (
	timedRuns = 5
	timedFor  = 300 * time.Millisecond
)

// firstElements is the number of elements of a tensor that an event shows.
const firstElements = 16

// execution is one execution of the program, and what it was given.
type execution struct {
	args     []*tensor.Tensor
	body     *event.Executed
	measured *event.Measured
}

// deviceBytes is the memory of a device of a run.
func deviceBytes(l run.Limits) uint64 { return uint64(max(l.Memory, 1<<20)) }

// execute runs the program once for each binding of symbolic dimensions.
func (r *Runner) execute(ctx context.Context, req run.Request, res *compiler.Result, p *prepared, sink run.Sink, start time.Time) error {
	sig := res.Artifact.Function(entry)
	if sig == nil {
		return &event.Error{Kind: event.KindExecute, Message: "the program has no public function " + entry, Function: entry}
	}
	done, failed := r.executeAll(ctx, req, res.Artifact, sig, start)
	for _, x := range done {
		if failed == nil {
			x.measured.Fixed = r.fixed(ctx, p, sig, x, req.Limits)
		}
		if err := sink.Emit(event.New("", "", x.body, x.measured)); err != nil {
			return err
		}
	}
	return failed
}

// executeAll loads the program, executes it for each binding, and frees its device. With an error come the executions before it.
func (r *Runner) executeAll(ctx context.Context, req run.Request, art *artifact.Artifact, sig *artifact.Signature, start time.Time) ([]*execution, error) {
	began := time.Now()
	prog, err := art.Open(ctx, r.cfg.Engine, runtime.DeviceOptions{MaxBytes: deviceBytes(req.Limits)}, vm.Options{})
	if err != nil {
		return nil, fault(event.KindExecute, fmt.Errorf("load the program: %w", err))
	}
	defer func() { _ = prog.Close() }() // frees memory only; there is nothing to do about a failure
	compiled := time.Since(began)
	bindings := req.Settings.Bindings
	if len(bindings) == 0 {
		bindings = []map[string]int64{nil}
	}
	var done []*execution
	for _, b := range bindings {
		x, err := executeOnce(ctx, prog, sig, b, req)
		if err != nil {
			return done, err
		}
		x.measured.At, x.measured.Compile = time.Since(start).Nanoseconds(), compiled.Nanoseconds()
		done = append(done, x)
	}
	return done, nil
}

// executeOnce runs the program with one binding and times it.
func executeOnce(ctx context.Context, prog *artifact.Program, sig *artifact.Signature, binding map[string]int64, req run.Request) (*execution, error) {
	x := &execution{body: &event.Executed{Function: entry, Bindings: binding}, measured: &event.Measured{}}
	for i, p := range sig.Params {
		t, err := randomInput(p, binding, req.Limits.Memory, uint64(req.Settings.Seed)+uint64(i))
		if err != nil {
			return nil, input("input %s: %v", p.Name, err)
		}
		x.args = append(x.args, t)
		x.body.Inputs = append(x.body.Inputs, describe(p.Name, t, fmt.Sprintf("seed %d", req.Settings.Seed)))
	}
	outs, took, err := timed(ctx, prog, x.args)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, executeFault(err)
	}
	x.measured.Latency = took
	for i, t := range outs {
		name := fmt.Sprintf("output %d", i)
		if i < len(sig.Outputs) {
			name = sig.Outputs[i]
		}
		x.body.Outputs = append(x.body.Outputs, describe(name, t, ""))
	}
	return x, nil
}

// executeFault describes an error of a run of the program.
func executeFault(err error) error {
	e := &event.Error{Kind: event.KindExecute, Message: err.Error(), Function: entry}
	var call *vm.CallError
	if errors.As(err, &call) {
		e.Function, e.Op = call.Func, call.Callee
	}
	if errors.Is(err, runtime.ErrDeviceMemory) {
		e.Kind, e.Limit = event.KindLimit, "memory"
	}
	return e
}

// randomInput makes a seeded random tensor for a parameter.
func randomInput(p artifact.Param, binding map[string]int64, limit int64, seed uint64) (*tensor.Tensor, error) {
	if p.Type.Kind != artifact.KindTensor || p.Type.DType == "" {
		return nil, fmt.Errorf("its type is %s; only tensors of a known element type can be made up", p.Type)
	}
	dt, err := dtype.Parse(p.Type.DType)
	if err != nil {
		return nil, err
	}
	if p.Type.Shape == nil && p.Type.NDim != nil && *p.Type.NDim > 0 {
		return nil, errors.New("its shape is not known; set it in shapes")
	}
	var shape []int64
	for _, d := range p.Type.Shape {
		n := d.Value
		if d.Expr != "" {
			var ok bool
			if n, ok = binding[d.Expr]; !ok {
				if strings.ContainsAny(d.Expr, " ()*+-/") {
					return nil, fmt.Errorf("its dimension %s is computed from others; set the shape in shapes", d.Expr)
				}
				n = 1
			}
		}
		if n < 0 {
			return nil, fmt.Errorf("dimension %s is %d", d, n)
		}
		shape = append(shape, n)
	}
	size, err := tensor.ByteSize(dt, shape)
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, fmt.Errorf("it takes %d MiB, a run may have %d MiB", size>>20, limit>>20)
	}
	t, err := tensor.New(dt, shape)
	if err != nil {
		return nil, err
	}
	t.Random(seed)
	return t, nil
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
