package execute

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/runtime/tensor"
)

// What the interpreter runs of a kernel, in elements that are stored: all of it up to quick, else a sample that is meant to take sampleSteps and may take sampleMost
// iterations of loops, or one in samplePart of those of the kernel: what leads to its most expensive part is not cut.
const (
	quick       = 1 << 19
	sampleSteps = 1 << 17
	sampleMost  = 1 << 22
	samplePart  = 8
)

// compute runs a function that depends on its arguments only, which share no memory, and says who computed what it wrote to them.
func (k *kernels) compute(ctx context.Context, name string, fn *tir.PrimFunc, p *interp.Program, args []graphrun.Value, key uint64) (graphrun.Value, by, error) {
	known := bound(fn, args)
	if k.codes == nil || launchesThreads(fn) { // generated code knows no barriers
		v, err := k.interpret(ctx, name, known, p, args)
		return v, byInterpreter, err
	}
	if !k.large[name] && costOf(known.Body) <= quick {
		out := cloned(args)
		v, err := p.WithMaxSteps(min(quick, k.maxSteps)).Call(ctx, out)
		if !errors.Is(err, interp.ErrSteps) {
			assign(args, out)
			return v, byInterpreter, err
		}
		k.large[name] = true // the extents of its loops are not known
	}
	v, outs, err := k.confirmed(ctx, name, fn, known, args, key)
	switch {
	case err == nil:
		assign(args, outs)
		return v, byCode, nil
	case ctx.Err() != nil:
		return nil, byInterpreter, context.Cause(ctx)
	}
	v, err = k.interpret(ctx, name, known, p, args)
	if outs != nil && err == nil && !alike(outs, args) {
		return v, byInterpreterAgainstCode, nil
	}
	return v, byInterpreter, err
}

// interpret has the interpreter run all of a kernel. That it takes more steps than a kernel may take is a fault of the program only where the extents of its
// loops, known, do not say so.
func (k *kernels) interpret(ctx context.Context, name string, known *tir.PrimFunc, p *interp.Program, args []graphrun.Value) (graphrun.Value, error) {
	n := costOf(known.Body)
	if n/most > k.maxSteps {
		return nil, tooLong(name, n, k.maxSteps)
	}
	v, err := p.Call(ctx, args)
	if errors.Is(err, interp.ErrSteps) && n > k.maxSteps {
		err = tooLong(name, n, k.maxSteps)
	}
	return v, err
}

// most is how much more costOf may say than the iterations of loops that there are: it counts what they store, too, and both branches of a condition.
const most = 4

func tooLong(name string, n, limit int64) error {
	return &NotRunnableError{fmt.Sprintf("%s takes the interpreter some %.1g steps, more than the %.1g that one kernel may take", name, float64(n), float64(limit))}
}

// errRefuted says that the interpreter found something else in its sample than generated code: one of them is wrong, or the sample has not what the whole has.
var errRefuted = errors.New("generated code gives something else than the interpreter")

// confirmed returns what generated code makes of arguments, which stay as they are; known is fn with the extents that they have. The error is nil if the interpreter finds the same in a sample, and errRefuted if
// it does not.
func (k *kernels) confirmed(ctx context.Context, name string, fn, known *tir.PrimFunc, args []graphrun.Value, key uint64) (graphrun.Value, []graphrun.Value, error) {
	part, ok := sampled(known, sampleSteps)
	if !ok {
		return nil, nil, errNoCode
	}
	p, err := interp.Compile(part, &interp.Options{Name: name, MaxSteps: min(max(sampleMost, costOf(known.Body)/samplePart), k.maxSteps), MaxBytes: k.maxBytes})
	if err != nil {
		return nil, nil, err
	}
	sample := cloned(args)
	v, err := p.Call(ctx, sample)
	if err != nil {
		return nil, nil, err
	}
	if v != nil && v != int64(0) { // what the whole returns is not known
		return nil, nil, errNoCode
	}
	outs, err := k.codes.run(ctx, name, fn, args, key)
	if err != nil {
		return nil, nil, err
	}
	seen, refuted := 0, false
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok {
			n, agree := agrees(t, sample[i].(*tensor.Tensor), outs[i].(*tensor.Tensor))
			seen, refuted = seen+n, refuted || !agree
		}
	}
	if refuted {
		return nil, outs, errRefuted
	}
	if seen == 0 {
		return nil, nil, errNoCode
	}
	return v, outs, nil
}

// agrees compares those elements that the sample wrote, which are those that differ from what was there before, within the tolerance of their type.
// It returns their number.
func agrees(before, sample, whole *tensor.Tensor) (seen int, ok bool) {
	size := before.DType.Bytes()
	var got, want []byte
	for at := 0; at+size <= len(before.Data); at += size {
		if s := sample.Data[at : at+size]; !bytes.Equal(s, before.Data[at:at+size]) {
			got, want = append(got, whole.Data[at:at+size]...), append(want, s...)
		}
	}
	n := int64(len(got) / size)
	if n == 0 {
		return 0, true
	}
	g, w := &tensor.Tensor{DType: before.DType, Shape: []int64{n}, Data: got}, &tensor.Tensor{DType: before.DType, Shape: []int64{n}, Data: want}
	return int(n), Compare([]*tensor.Tensor{g}, []*tensor.Tensor{w}, nil, nil).Status() != check.Wrong
}

func cloned(args []graphrun.Value) []graphrun.Value {
	out := make([]graphrun.Value, len(args))
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok {
			a = t.Clone()
		}
		out[i] = a
	}
	return out
}

// alike tells whether the tensors of two lists of values are equal within the tolerances of their types.
func alike(got, want []graphrun.Value) bool {
	var g, w []*tensor.Tensor
	for i, x := range want {
		if t, ok := x.(*tensor.Tensor); ok {
			g, w = append(g, got[i].(*tensor.Tensor)), append(w, t)
		}
	}
	return Compare(g, w, nil, nil).Status() != check.Wrong
}

// assign writes the data of tensors to those of arguments.
func assign(args, from []graphrun.Value) {
	for i, a := range args {
		if t, ok := a.(*tensor.Tensor); ok {
			copy(t.Data, from[i].(*tensor.Tensor).Data)
		}
	}
}
