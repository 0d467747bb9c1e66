package interp

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
)

// entry is a kernel that the interpreter runs.
type entry struct{ prog *interp.Program }

// Call implements runtime.Entry. Tensors are handed to the interpreter as the bytes of the device that they
// are; what it allocates is host memory, as much as is left on the device.
func (e *entry) Call(s *runtime.Session, args []runtime.Value) (runtime.Value, error) {
	if err := s.CheckArgs(args); err != nil {
		return runtime.Value{}, err
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = argument(s, a)
	}
	stats := s.Device().Stats()
	out, err := e.prog.WithMaxBytes(int64(stats.Limit-min(stats.Used, stats.Limit))).Call(s.Context(), list)
	if err != nil {
		return runtime.Value{}, failed(s, err)
	}
	return result(out)
}

func argument(s *runtime.Session, a runtime.Value) any {
	switch a.Kind() {
	case runtime.KindTensor:
		t, _ := a.AsTensor()
		return &tensor.Tensor{DType: t.DType(), Shape: t.Shape(), Data: t.Bytes(s)}
	case runtime.KindInt:
		n, _ := a.AsInt()
		return n
	case runtime.KindBool:
		n, _ := a.AsInt()
		return n != 0
	case runtime.KindFloat:
		f, _ := a.AsFloat()
		return f
	}
	return nil
}

func result(out any) (runtime.Value, error) {
	switch x := out.(type) {
	case nil:
		return runtime.Null(), nil
	case int64:
		return runtime.Int(x), nil
	case bool:
		return runtime.Bool(x), nil
	case float64:
		return runtime.Float(x), nil
	}
	return runtime.Value{}, fmt.Errorf("result is a %T, expected none or a number", out)
}

// failed turns an error of the interpreter into what kernels of every kind give.
func failed(s *runtime.Session, err error) error {
	var a *interp.Assertion
	switch ctx := s.Context(); {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", runtime.ErrStopped, context.Cause(ctx))
	case errors.As(err, &a):
		return &runtime.KernelError{Kind: "RuntimeError", Message: a.Message}
	case errors.Is(err, interp.ErrMemory):
		return &runtime.KernelError{Kind: "RuntimeError", Message: err.Error(), Cause: runtime.ErrDeviceMemory}
	}
	return err
}
