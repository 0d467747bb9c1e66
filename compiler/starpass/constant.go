package starpass

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// constBuiltin is relax.const(value, dtype=None, shape=None): a number, or a list of numbers,
// nested as the shape is or flat with a shape.
func constBuiltin(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v, dt, shape starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "value", &v, "dtype?", &dt, "shape?", &shape); err != nil {
		return nil, err
	}
	if x, ok := v.(*Tensor); ok && dt == nil {
		return &Node{&relax.Constant{Data: x.b}}, nil
	}
	c := &constant{}
	if err := c.read(v, 0); err != nil {
		return nil, fmt.Errorf("const: %w", err)
	}
	d := c.dtype()
	if dt != nil && dt != starlark.None {
		var err error
		if d, err = dtypeOf(dt); err != nil {
			return nil, fmt.Errorf("const: %w", err)
		}
	}
	if shape != nil && shape != starlark.None {
		c.shape = []int64{}
		err := eachOf(shape, func(x starlark.Value) error {
			n, err := starlark.AsInt32(x)
			c.shape = append(c.shape, int64(n))
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("const: shape: %w", err)
		}
	}
	blob, err := c.blob(d)
	if err != nil {
		return nil, fmt.Errorf("const: %w", err)
	}
	return &Node{&relax.Constant{Data: blob}}, runOf(t).alloc(int64(len(blob.Stored())))
}

// constant collects the elements of a new tensor.
type constant struct {
	vals  []starlark.Value
	shape []int64
	float bool
	ints  bool
}

func (c *constant) read(v starlark.Value, depth int) error {
	switch x := v.(type) {
	case starlark.Bool:
		c.vals = append(c.vals, x)
	case starlark.Int:
		c.ints = true
		c.vals = append(c.vals, x)
	case starlark.Float:
		c.float = true
		c.vals = append(c.vals, x)
	case *Node:
		s, ok := scalarOf(x.n)
		if !ok {
			return fmt.Errorf("expected numbers, got %s", describe(v))
		}
		return c.read(s, depth)
	case *starlark.List, starlark.Tuple:
		n := shallow(v)
		switch {
		case depth == len(c.shape) && len(c.vals) == 0:
			c.shape = append(c.shape, int64(n))
		case depth >= len(c.shape) || c.shape[depth] != int64(n):
			return errors.New("the lists are nested unevenly")
		}
		if depth > maxNested {
			return fmt.Errorf("the lists are nested more than %d deep", maxNested)
		}
		before := len(c.vals)
		err := eachOf(v, func(e starlark.Value) error { return c.read(e, depth+1) })
		if err == nil && n > 0 && depth == len(c.shape)-1 && len(c.vals) != before+n {
			err = errors.New("the lists are nested unevenly")
		}
		return err
	default:
		return fmt.Errorf("expected numbers, got %s", describe(v))
	}
	if depth != len(c.shape) {
		return errors.New("the lists are nested unevenly")
	}
	if len(c.vals) > maxValues {
		return &LimitError{fmt.Sprintf("more than the limit of %d elements", maxValues)}
	}
	return nil
}

// dtype is TVM's choice for numbers of Python.
func (c *constant) dtype() dtype.DType {
	switch {
	case c.float:
		return dtype.Float32T
	case c.ints:
		return dtype.Int32T
	case len(c.vals) > 0:
		return dtype.BoolT
	}
	return dtype.Float32T
}

func (c *constant) blob(d dtype.DType) (*ir.Blob, error) {
	if d.Lanes != 1 || !d.IsInteger() && !d.IsFloat() && !d.IsBool() {
		return nil, fmt.Errorf("elements cannot be of type %s", d)
	}
	n, err := ir.CheckedElements(c.shape)
	if err != nil {
		return nil, err
	}
	splat := len(c.vals) == 1 && n > 1
	if !splat && n != int64(len(c.vals)) {
		return nil, fmt.Errorf("%d elements do not fill the shape %v", len(c.vals), c.shape)
	}
	x, err := tensor.New(d, []int64{int64(len(c.vals))})
	if err != nil {
		return nil, err
	}
	for i, v := range c.vals {
		if err := store(x, i, v); err != nil {
			return nil, err
		}
	}
	if splat {
		return ir.NewSplat(d, c.shape, x.Data)
	}
	if c.shape == nil {
		c.shape = []int64{}
	}
	return ir.NewBlob(d, c.shape, x.Data)
}

func store(x *tensor.Tensor, i int, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Bool:
		if x.DType.IsFloat() {
			x.SetFloat(i, map[starlark.Bool]float64{true: 1}[v])
		} else {
			x.SetInt(i, map[starlark.Bool]int64{true: 1}[v])
		}
	case starlark.Int:
		if x.DType.IsFloat() {
			f, _ := starlark.AsFloat(v)
			x.SetFloat(i, f)
			return nil
		}
		n, ok := v.Int64()
		if u, unsigned := v.Uint64(); !ok && unsigned && x.DType.IsUInt() {
			n, ok = int64(u), true
		}
		if !ok {
			return fmt.Errorf("%s does not fit %s", v, x.DType)
		}
		x.SetInt(i, n)
		if got := x.Int(i); got != n {
			return fmt.Errorf("%s does not fit %s", v, x.DType)
		}
	case starlark.Float:
		if !x.DType.IsFloat() {
			return fmt.Errorf("%s is not of type %s: convert it with int()", v, x.DType)
		}
		x.SetFloat(i, float64(v))
	}
	return nil
}
