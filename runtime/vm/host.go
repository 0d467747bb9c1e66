package vm

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
)

// Run invokes a function with host tensors: it uploads the arguments, runs, downloads
// the results and leaves nothing on the device. A tuple gives one tensor for each leaf, in
// order; numbers and shapes become int64, float64 or bool tensors.
func (m *Machine) Run(ctx context.Context, name string, inputs ...*tensor.Tensor) ([]*tensor.Tensor, error) {
	s, err := m.dev.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", name, err)
	}
	defer s.End()
	args := make([]runtime.Value, 0, len(inputs))
	defer func() {
		for _, a := range args {
			a.Release()
		}
	}()
	for i, h := range inputs {
		t, err := m.dev.Upload(h)
		if err != nil {
			return nil, fmt.Errorf("running %s: input %d: %w", name, i, err)
		}
		args = append(args, runtime.TensorValue(t))
	}
	v, err := m.InvokeIn(s, name, args...)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	out, err := Download(nil, v)
	if err != nil {
		return nil, fmt.Errorf("running %s: result: %w", name, err)
	}
	return out, nil
}

// Download appends v to out as host tensors, as Run returns them.
func Download(out []*tensor.Tensor, v runtime.Value) ([]*tensor.Tensor, error) {
	switch v.Kind() {
	case runtime.KindTensor:
		t, _ := v.AsTensor()
		h, err := t.Download()
		if err != nil {
			return nil, err
		}
		return append(out, h), nil
	case runtime.KindTuple:
		tup, _ := v.AsTuple()
		for i, f := range tup.Fields {
			var err error
			if out, err = Download(out, f); err != nil {
				return nil, fmt.Errorf("field %d: %w", i, err)
			}
		}
		return out, nil
	case runtime.KindInt:
		n, _ := v.AsInt()
		return append(out, tensor.MustOf(nil, []int64{n})), nil
	case runtime.KindBool:
		n, _ := v.AsInt()
		return append(out, tensor.MustOf(nil, []bool{n != 0})), nil
	case runtime.KindFloat:
		f, _ := v.AsFloat()
		return append(out, tensor.MustOf(nil, []float64{f})), nil
	case runtime.KindShape:
		dims, _ := v.AsShape()
		return append(out, tensor.MustOf([]int64{int64(len(dims))}, append([]int64{}, dims...))), nil
	}
	return nil, fmt.Errorf("a %v is not a tensor", v.Kind())
}
