package starpass

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
	"github.com/irscope/irscope/runtime/dtype"
)

// kernels are the functions of topi that scripts have besides those by element, with their parameters.
var kernels = map[string]struct {
	params []string
	make   func(*te.Tensor, []starlark.Value) (*te.Tensor, error)
}{
	"cast": {[]string{"x", "dtype"}, func(x *te.Tensor, a []starlark.Value) (*te.Tensor, error) {
		d, err := dtypeOf(a[0])
		if err != nil {
			return nil, err
		}
		return topi.Cast(x, d), nil
	}},
	"expand_dims": {[]string{"a", "axis"}, onAxes(1, func(x *te.Tensor, axes []int) *te.Tensor { return topi.ExpandDims(x, axes) })},
	"log_softmax": {[]string{"x", "axis?"}, onAxis(topi.LogSoftmax)},
	"matmul":      {[]string{"a", "b"}, matmul},
	"reshape": {[]string{"a", "newshape"}, func(x *te.Tensor, a []starlark.Value) (*te.Tensor, error) {
		dims, err := shapeOf(a[0])
		if err != nil {
			return nil, err
		}
		if !sameElements(x.Shape, dims) {
			return nil, fmt.Errorf("the new shape has another number of elements")
		}
		return topi.Reshape(x, dims), nil
	}},
	"softmax":   {[]string{"x", "axis?"}, onAxis(topi.Softmax)},
	"transpose": {[]string{"a", "axes?"}, transpose},
}

func matmul(x *te.Tensor, a []starlark.Value) (*te.Tensor, error) {
	y, ok := a[0].(*Computed)
	if !ok {
		return nil, fmt.Errorf("expected a tensor, got %s", describe(a[0]))
	}
	if x.DType != y.t.DType {
		return nil, fmt.Errorf("tensors of %s and %s: cast one", x.DType, y.t.DType)
	}
	if x.NDim() == 0 || y.t.NDim() == 0 {
		return nil, errors.New("a tensor without dimensions")
	}
	if k, n := x.Shape[x.NDim()-1:], y.t.Shape[max(y.t.NDim()-2, 0):][:1]; !sameElements(k, n) {
		return nil, fmt.Errorf("%v columns and %v rows", &Node{k[0]}, &Node{n[0]})
	}
	return topi.Matmul(x, y.t, topi.MatmulOpts{})
}

func transpose(x *te.Tensor, a []starlark.Value) (*te.Tensor, error) {
	axes := make([]int, x.NDim())
	for i := range axes {
		axes[i] = x.NDim() - 1 - i
	}
	if a[0] != nil && a[0] != starlark.None {
		var err error
		if axes, err = axesOf(a[0], x.NDim()); err != nil {
			return nil, err
		}
		if len(axes) != x.NDim() {
			return nil, fmt.Errorf("expected %d axes, got %d", x.NDim(), len(axes))
		}
	}
	return topi.PermuteDims(x, axes), nil
}

// sameElements tells whether two static shapes have as many elements; of others it is not known and taken for granted.
func sameElements(a, b []tir.Expr) bool {
	n := [2]int64{1, 1}
	for i, dims := range [][]tir.Expr{a, b} {
		for _, d := range dims {
			x, ok := d.(*tir.IntImm)
			if !ok {
				return true
			}
			n[i] *= x.Value
		}
	}
	return n[0] == n[1]
}

// axesOf returns one or more different axes of n, counted from the end where they are negative.
func axesOf(v starlark.Value, n int) ([]int, error) {
	if _, ok := v.(starlark.Iterable); !ok {
		v = starlark.Tuple{v}
	}
	var out []int
	seen := map[int]bool{}
	err := eachOf(v, func(x starlark.Value) error {
		a, err := starlark.AsInt32(x)
		if err != nil {
			return fmt.Errorf("an axis is an integer, got %s", describe(x))
		}
		if a < 0 {
			a += n
		}
		if a < 0 || a >= n || seen[a] {
			return fmt.Errorf("axis %s is not one of %d, or is given twice", x, n)
		}
		seen[a] = true
		out = append(out, a)
		return nil
	})
	return out, err
}

func onAxis(f func(*te.Tensor, int) *te.Tensor) func(*te.Tensor, []starlark.Value) (*te.Tensor, error) {
	return func(x *te.Tensor, a []starlark.Value) (*te.Tensor, error) {
		if !x.DType.IsFloat() {
			return nil, fmt.Errorf("expected a tensor of floats, got %s", x.DType)
		}
		if a[0] == nil {
			a[0] = starlark.MakeInt(-1)
		}
		axes, err := axesOf(a[0], x.NDim())
		if err != nil {
			return nil, err
		}
		if len(axes) != 1 {
			return nil, errors.New("expected one axis")
		}
		return f(x, axes[0]), nil
	}
}

func onAxes(more int, f func(*te.Tensor, []int) *te.Tensor) func(*te.Tensor, []starlark.Value) (*te.Tensor, error) {
	return func(x *te.Tensor, a []starlark.Value) (*te.Tensor, error) {
		axes, err := axesOf(a[0], x.NDim()+more)
		if err != nil {
			return nil, err
		}
		return f(x, axes), nil
	}
}

// reductions are the reductions of topi.
var reductions = []string{"sum", "prod", "max", "min", "mean"}

// elementwise are the best known of the functions by element, for messages.
var elementwise = []string{"add", "divide", "exp", "maximum", "minimum", "multiply", "power", "relu", "sigmoid", "sqrt", "subtract", "tanh"}

// topiFunctions is topi: functions by element and with broadcasting, reductions, and the table kernels.
type topiFunctions struct{ nn bool }

var _ starlark.HasAttrs = topiFunctions{}

func (topiFunctions) String() string        { return "<module topi>" }
func (topiFunctions) Type() string          { return "module" }
func (topiFunctions) Freeze()               {}
func (topiFunctions) Truth() starlark.Bool  { return true }
func (topiFunctions) Hash() (uint32, error) { return 0, errors.New("a module cannot be a key") }

// AttrNames returns names of functions, not of all by element.
func (topiFunctions) AttrNames() []string {
	return slices.Concat(sortedKeys(kernels), elementwise, reductions, []string{"nn"})
}

// Attr returns a function.
func (f topiFunctions) Attr(name string) (starlark.Value, error) {
	k, table := kernels[name]
	switch {
	case name == "nn" && !f.nn:
		return topiFunctions{nn: true}, nil
	case table:
		return topiFunction(name, k.params, k.make), nil
	case topi.IsUnary(name):
		return topiFunction(name, []string{"x"}, func(x *te.Tensor, _ []starlark.Value) (*te.Tensor, error) { return topi.Unary(name, x) }), nil
	case topi.IsUnary("nn." + name):
		return topiFunction(name, []string{"x"}, func(x *te.Tensor, _ []starlark.Value) (*te.Tensor, error) { return topi.Unary("nn."+name, x) }), nil
	case topi.IsBinary(name):
		return builtin("topi."+name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var x, y starlark.Value
			if err := starlark.UnpackArgs(b.Name(), args, kwargs, "lhs", &x, "rhs", &y); err != nil {
				return nil, err
			}
			a, c, err := operandsOf(x, y)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			out, err := fitting(func() (*te.Tensor, error) { return topi.Binary(name, a, c) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.Name(), err)
			}
			return &Computed{out}, nil
		}), nil
	}
	for _, r := range reductions {
		if r == name {
			return builtin("topi."+name, reduceTopi(name)), nil
		}
	}
	return nil, nil
}

// operandsOf returns two operands, at least one of which is a tensor. A number takes the type of the tensor.
func operandsOf(x, y starlark.Value) (a, b topi.Operand, err error) {
	s, sok := x.(*Computed)
	t, tok := y.(*Computed)
	if !sok && !tok {
		return a, b, fmt.Errorf("expected a tensor, got %s and %s", describe(x), describe(y))
	}
	scalar := func(v starlark.Value, like dtype.DType) (topi.Operand, error) {
		e, err := exprOf(v, like)
		if err == nil && e.DType() != like {
			err = fmt.Errorf("a %s and a tensor of %s", e.DType(), like)
		}
		return topi.Operand{Scalar: e}, err
	}
	switch {
	case !sok:
		a, err = scalar(x, t.t.DType)
		return a, topi.T(t.t), err
	case !tok:
		b, err = scalar(y, s.t.DType)
		return topi.T(s.t), b, err
	case s.t.DType != t.t.DType:
		return a, b, fmt.Errorf("tensors of %s and %s: cast one", s.t.DType, t.t.DType)
	}
	return topi.T(s.t), topi.T(t.t), nil
}

func topiFunction(name string, params []string, f func(*te.Tensor, []starlark.Value) (*te.Tensor, error)) *starlark.Builtin {
	return builtin("topi."+name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		vals := make([]starlark.Value, len(params))
		var pairs []any
		for i, p := range params {
			pairs = append(pairs, p, &vals[i])
		}
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, pairs...); err != nil {
			return nil, err
		}
		x, ok := vals[0].(*Computed)
		if !ok {
			return nil, fmt.Errorf("%s: expected a tensor, got %s", b.Name(), describe(vals[0]))
		}
		out, err := fitting(func() (*te.Tensor, error) { return f(x.t, vals[1:]) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return &Computed{out}, nil
	})
}

// fitting makes a kernel. The functions of package topi rely on arguments that were checked by the operator that they are of, and panic at
// others: here that is an error.
func fitting(f func() (*te.Tensor, error)) (out *te.Tensor, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("the arguments do not fit: %v", p)
		}
	}()
	return f()
}

// reduceTopi is sum(x, axis=None, keepdims=False) and the like.
func reduceTopi(kind string) builtinFunc {
	return func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v, axis starlark.Value
		keep := false
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "data", &v, "axis?", &axis, "keepdims?", &keep); err != nil {
			return nil, err
		}
		x, ok := v.(*Computed)
		if !ok {
			return nil, fmt.Errorf("%s: expected a tensor, got %s", b.Name(), describe(v))
		}
		var axes []int
		var err error
		if axis == nil || axis == starlark.None {
			for i := range x.t.NDim() {
				axes = append(axes, i)
			}
		} else if axes, err = axesOf(axis, x.t.NDim()); err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		out, err := fitting(func() (*te.Tensor, error) { return topi.Reduce(kind, x.t, axes, keep) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return &Computed{out}, nil
	}
}
