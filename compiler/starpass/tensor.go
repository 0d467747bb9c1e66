package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir/interp"
)

// maxValues bounds the elements of a constant that a script reads or makes.
const maxValues = 1 << 16

// Tensor is the value of a constant: the field data of relax.Constant.
type Tensor struct{ b *ir.Blob }

var _ starlark.HasAttrs = (*Tensor)(nil)

// String describes the tensor without its elements.
func (t *Tensor) String() string {
	return fmt.Sprintf("Tensor(shape=%v, dtype=%s)", t.b.Shape(), t.b.DType())
}

// Type is "Tensor".
func (*Tensor) Type() string { return "Tensor" }

// Freeze does nothing: tensors never change.
func (*Tensor) Freeze() {}

// Truth is true.
func (*Tensor) Truth() starlark.Bool { return true }

// Hash fails: tensors are no keys.
func (*Tensor) Hash() (uint32, error) { return 0, errors.New("a Tensor cannot be a key") }

// AttrNames returns the fields and methods.
func (*Tensor) AttrNames() []string {
	return []string{"shape", "dtype", "size", "item", "numpy", "values"}
}

// Attr returns shape, dtype, size, or the methods values (all elements in one list, row-major),
// item (the only element), and numpy (the tensor itself: scripts have no other arrays).
func (t *Tensor) Attr(name string) (starlark.Value, error) {
	switch name {
	case "shape":
		return value(t.b.Shape()), nil
	case "dtype":
		return value(t.b.DType()), nil
	case "size":
		return starlark.MakeInt64(t.b.NumElements()), nil
	case "numpy":
		return builtin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return t, starlark.UnpackArgs(b.Name(), args, kwargs)
		}), nil
	case "values", "item":
		return builtin(name, func(th *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
				return nil, err
			}
			return t.elements(runOf(th), name)
		}), nil
	}
	return nil, nil
}

func (t *Tensor) elements(r *run, name string) (starlark.Value, error) {
	n := t.b.NumElements()
	switch {
	case name == "item" && n != 1:
		return nil, fmt.Errorf("item: the tensor has %d elements, expected one", n)
	case n > maxValues:
		return nil, &LimitError{fmt.Sprintf("values: the tensor has %d elements, more than the limit of %d", n, maxValues)}
	}
	x, err := interp.FromBlob(t.b)
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, n)
	for i := range out {
		switch d := x.DType; {
		case d.IsBool():
			out[i] = starlark.Bool(x.Int(i) != 0)
		case d.IsUInt():
			out[i] = starlark.MakeUint64(uint64(x.Int(i)))
		case d.IsInteger():
			out[i] = starlark.MakeInt64(x.Int(i))
		case d.IsFloat():
			out[i] = starlark.Float(x.Float(i))
		default:
			return nil, fmt.Errorf("%s: elements of type %s cannot be read", name, d)
		}
	}
	if name == "item" {
		return out[0], nil
	}
	return r.result(starlark.NewList(out))
}
