package artifact

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// runKernel calls the kernel of a signature whose inputs are checked, and downloads what it writes.
func (p *Program) runKernel(ctx context.Context, sig *Signature, inputs []*tensor.Tensor) (out []*tensor.Tensor, err error) {
	k := p.Kernel(sig.Name)
	if k == nil {
		return nil, fmt.Errorf("running %s: no module has this kernel", sig.Name)
	}
	args := make([]runtime.Value, len(inputs))
	defer func() {
		for _, a := range args {
			a.Release()
		}
	}()
	for i, h := range inputs {
		if sig.Params[i].Type.Kind == KindPrim {
			if args[i], err = number(h, sig.Params[i].Type.DType); err != nil {
				return nil, fmt.Errorf("running %s: input %s: %w", sig.Name, sig.Params[i].Name, err)
			}
			continue
		}
		t, err := p.dev.Upload(h)
		if err != nil {
			return nil, fmt.Errorf("running %s: input %s: %w", sig.Name, sig.Params[i].Name, err)
		}
		args[i] = runtime.TensorValue(t)
	}
	if _, err := k.Run(ctx, args...); err != nil {
		return nil, fmt.Errorf("running %s: %w", sig.Name, err)
	}
	for i, a := range args {
		if !sig.Params[i].Written {
			continue
		}
		t, _ := a.AsTensor()
		h, err := t.Download()
		if err != nil {
			return nil, fmt.Errorf("running %s: %w", sig.Name, err)
		}
		out = append(out, h)
	}
	return out, nil
}

// number returns the only element of h, which must be of type name, as the value of a scalar parameter.
func number(h *tensor.Tensor, name string) (runtime.Value, error) {
	if h.DType.String() != name {
		return runtime.Value{}, fmt.Errorf("the element types differ")
	}
	if h.Len() != 1 {
		return runtime.Value{}, fmt.Errorf("expected a tensor of one element for a number")
	}
	switch dt := h.DType; {
	case dt.IsFloat():
		return runtime.Float(h.Float(0)), nil
	case dt == dtype.BoolT:
		return runtime.Bool(h.Float(0) != 0), nil
	case dt.IsInteger():
		return runtime.Int(h.Ints()[0]), nil
	}
	return runtime.Value{}, fmt.Errorf("a %s is not a number", name)
}
