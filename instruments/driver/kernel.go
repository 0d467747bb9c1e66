package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

// NothingToExecute says why a module has no entry: neither a public Relax function main
// nor a single PrimFunc. It is empty where there is one.
func NothingToExecute(m *ir.Module) string {
	if f, ok := m.Lookup(compiler.Entry).(*relax.Function); ok {
		if ir.GlobalSymbol(f) == "" {
			return "nothing to execute: the Relax function main is private"
		}
		return ""
	}
	if _, f := lonePrimFunc(m); f != nil {
		return ""
	}
	return "nothing to execute: no Relax function main"
}

// lonePrimFunc returns the PrimFunc of a module that consists of nothing else.
func lonePrimFunc(m *ir.Module) (name string, f *tir.PrimFunc) {
	for gv, fn := range m.Funcs() {
		p, ok := fn.(*tir.PrimFunc)
		if !ok || f != nil {
			return "", nil
		}
		name, f = gv.Name, p
	}
	return name, f
}

// executeKernel calls the only PrimFunc of a module with made-up arguments. What
// cannot be called is no failure of the run: a note says why.
func (t *Task) executeKernel(ctx context.Context) error {
	name, f := lonePrimFunc(t.Model.Module)
	res := t.Result
	if t.Job.Settings.Profile > 0 {
		if err := t.sink.Emit(note("%s was not profiled: only calls of a Relax function are measured one by one", name)); err != nil {
			return err
		}
	}
	if len(res.Artifact.Modules) != 1 || len(res.Kernels) != 1 {
		return t.sink.Emit(note("%s was not executed: it became %d kernels whose call order is unknown", name, len(res.Kernels)))
	}
	for _, b := range t.Job.bindings() {
		body, measured, err := t.callKernel(ctx, name, f, b)
		var unfit *unfitError
		var described *event.Error
		switch {
		case errors.As(err, &described):
			return err
		case errors.As(err, &unfit):
			return t.sink.Emit(note("%s was not executed: %v", name, unfit.err))
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return t.executeFault(err)
		}
		measured.At = time.Since(t.start).Nanoseconds()
		if err := t.sink.Emit(event.New("", "", body, measured)); err != nil {
			return err
		}
	}
	return nil
}

// unfitError says why arguments cannot be made up for a function.
type unfitError struct{ err error }

// Error implements error.
func (e *unfitError) Error() string { return e.err.Error() }

// argument is a made-up argument: a tensor on the host and on the device, or a scalar.
type argument struct {
	host    *tensor.Tensor
	device  *runtime.Tensor
	value   runtime.Value
	summary event.Tensor
}

// callKernel loads a kernel onto a device of its own and calls it, first for its results
// and then for its time.
func (t *Task) callKernel(ctx context.Context, name string, f *tir.PrimFunc, binding map[string]int64) (*event.Executed, *event.Measured, error) {
	measured := &event.Measured{}
	began := time.Now()
	dev, kernel, err := t.loadKernel(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dev.Close() }() // frees memory only; there is nothing to do about a failure
	measured.Compile = time.Since(began).Nanoseconds()
	args, err := t.makeArguments(dev, name, f, binding)
	if err != nil {
		return nil, nil, err
	}
	body := &event.Executed{Function: name, Bindings: binding}
	values := make([]runtime.Value, len(args))
	for i, a := range args {
		values[i] = a.value
		body.Inputs = append(body.Inputs, a.summary)
	}
	call := func() error {
		began := time.Now()
		_, err := kernel.Run(ctx, values...)
		measured.Latency = append(measured.Latency, time.Since(began).Nanoseconds())
		return err
	}
	if err := call(); err != nil {
		return nil, nil, err
	}
	written := writtenBuffers(f)
	for i, b := range f.Buffers {
		if b == nil || !written[b] {
			continue
		}
		out, err := args[i].device.Download()
		if err != nil {
			return nil, nil, err
		}
		body.Outputs = append(body.Outputs, describe(b.Name, out, ""))
		if want, ok := t.Job.Inputs.Expected[b.Name]; ok {
			body.Expected = append(body.Expected, distance(b.Name, out, want.Tensor))
		}
	}
	for begin := time.Now(); len(measured.Latency) < timedRuns && time.Since(begin) < timedFor; {
		if err := call(); err != nil {
			return nil, nil, err
		}
	}
	return body, measured, nil
}

// loadKernel loads the only kernel of the program onto a device of its own, which the caller closes.
func (t *Task) loadKernel(ctx context.Context) (*runtime.Device, *runtime.Kernel, error) {
	dev, err := t.hooks.Engine.NewDevice(runtime.DeviceOptions{MaxBytes: deviceBytes(t.Job.Memory)})
	if err != nil {
		return nil, nil, err
	}
	code := t.Result.Artifact.Modules[0]
	mod, err := dev.Load(ctx, code.Format, code.Bytes)
	if err != nil {
		_ = dev.Close()
		return nil, nil, err
	}
	return dev, mod.Kernel(mod.Names()[0]), nil
}

// makeArguments returns the tensors and numbers that are given for the parameters of a function. For the others it makes random tensors, and ones, or what the
// binding says, for numbers.
func (t *Task) makeArguments(dev *runtime.Device, name string, f *tir.PrimFunc, binding map[string]int64) ([]argument, error) {
	given, binding, err := t.givenToKernel(name, binding)
	if err != nil {
		return nil, err
	}
	out := make([]argument, len(f.Params))
	for i, p := range f.Params {
		if i >= len(f.Buffers) || f.Buffers[i] == nil {
			a, err := scalar(p, binding)
			if err != nil {
				return nil, &unfitError{err}
			}
			out[i] = a
			if x := given[p.Name]; x.Tensor != nil {
				if out[i], err = givenScalar(p, x); err != nil {
					return nil, &unfitError{err}
				}
			}
			continue
		}
		b := f.Buffers[i]
		if x := given[b.Name]; x.Tensor != nil {
			device, err := dev.Upload(x.Tensor)
			if err != nil {
				return nil, err
			}
			out[i] = argument{x.Tensor, device, runtime.TensorValue(device), describe(b.Name, x.Tensor, x.From)}
			continue
		}
		host, _, err := randomInput(bufferParam(b), binding, t.Job.Memory, uint64(t.Job.Settings.Seed)+uint64(i), false)
		if err != nil {
			return nil, &unfitError{fmt.Errorf("buffer %s: %w", b.Name, err)}
		}
		device, err := dev.Upload(host)
		if err != nil {
			return nil, err
		}
		out[i] = argument{host, device, runtime.TensorValue(device), describe(b.Name, host, fmt.Sprintf("seed %d", t.Job.Settings.Seed))}
	}
	return out, nil
}

// bufferParam describes a buffer as the runtime knows parameters.
func bufferParam(b *tir.Buffer) artifact.Param {
	rank := len(b.Shape)
	t := artifact.Type{Kind: artifact.KindTensor, DType: b.DType.String(), NDim: &rank}
	for _, e := range b.Shape {
		if n, ok := tir.AsInt(e); ok {
			t.Shape = append(t.Shape, artifact.Dim{Value: n})
		} else {
			t.Shape = append(t.Shape, artifact.Dim{Expr: relax.FormatPrim(e)})
		}
	}
	return artifact.Param{Name: b.Name, Type: t}
}

// scalar makes up a scalar: the binding of its name, else 1.
func scalar(p *tir.Var, binding map[string]int64) (argument, error) {
	n, ok := binding[p.Name]
	if !ok {
		n = 1
	}
	dt := p.DType()
	a := argument{summary: event.Tensor{
		Name: p.Name, DType: dt.String(), Shape: []int64{}, First: []event.Float{event.Float(n)},
		Min: event.Float(n), Max: event.Float(n), Mean: event.Float(n), Source: "a scalar",
	}}
	switch {
	case dt.IsFloat():
		a.value = runtime.Float(float64(n))
	case dt.IsBool():
		a.value = runtime.Bool(n != 0)
	case dt.IsInteger():
		a.value = runtime.Int(n)
	default:
		return argument{}, fmt.Errorf("parameter %s is a %s without a buffer; only numbers and buffers can be generated", p.Name, dt)
	}
	return a, nil
}

// writtenBuffers returns the buffers that a function stores to.
func writtenBuffers(f *tir.PrimFunc) map[*tir.Buffer]bool {
	out := map[*tir.Buffer]bool{}
	ir.Walk(f.Body, func(n ir.Node) bool {
		if s, ok := n.(*tir.BufferStore); ok {
			out[s.Buffer] = true
		}
		return true
	})
	return out
}
