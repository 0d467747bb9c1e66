package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// InferContext is what an inference rule may ask: about the surroundings of the call, as
// relax.InferContext says, and about the call's arguments and attributes.
type InferContext struct {
	*relax.InferContext
	// Op is the operator that is called.
	Op   *Op
	call *relax.Call
	// assumed collects assumptions where it is not nil.
	assumed *[]Assumption
}

// NumArgs is the number of arguments of the call.
func (c *InferContext) NumArgs() int { return len(c.call.Args) }

// HasArg reports whether argument i was given.
func (c *InferContext) HasArg(i int) bool { return i < len(c.call.Args) && c.call.Args[i] != nil }

// SInfo returns the struct info of argument i; Object where nothing is known.
func (c *InferContext) SInfo(i int) relax.StructInfo {
	if s := c.SInfoOf(c.call.Args[i]); s != nil {
		return s
	}
	return relax.Object()
}

// Tensor returns the struct info of argument i, which must be a tensor.
func (c *InferContext) Tensor(i int) (*relax.TensorStructInfo, error) {
	s := c.SInfo(i)
	if t, ok := s.(*relax.TensorStructInfo); ok {
		return t, nil
	}
	return nil, c.argErr(i, describe(s), "a tensor")
}

// ranked returns argument i, a tensor of ndim dimensions.
func (c *InferContext) ranked(i, ndim int) (*relax.TensorStructInfo, error) {
	t, err := c.Tensor(i)
	if err == nil && t.NDim >= 0 && t.NDim != ndim {
		return nil, c.argErr(i, describe(t), "a tensor of %d dimensions", ndim)
	}
	return t, err
}

// extent checks that axis k of t, argument i, can have an extent; those that are not known can.
func (c *InferContext) extent(i int, t *relax.TensorStructInfo, k int, want tir.Expr) error {
	d, known := c.dimsOf(t)
	if known && c.differ(d[k], want) {
		return c.argErr(i, describe(t), "%s as extent of axis %d", relax.FormatPrim(c.Simplify(want)), k)
	}
	return nil
}

// twoTensors are the first two arguments, which must be tensors.
func (c *InferContext) twoTensors() (first, second *relax.TensorStructInfo, err error) {
	if first, err = c.Tensor(0); err != nil {
		return nil, nil, err
	}
	second, err = c.Tensor(1)
	return first, second, err
}

// Tensors returns the fields of argument i, which must be a tuple of tensors.
func (c *InferContext) Tensors(i int) ([]*relax.TensorStructInfo, error) {
	s := c.SInfo(i)
	t, ok := s.(*relax.TupleStructInfo)
	if !ok {
		return nil, c.argErr(i, describe(s), "a tuple of tensors")
	}
	out := make([]*relax.TensorStructInfo, len(t.Fields))
	for j, f := range t.Fields {
		if out[j], ok = f.(*relax.TensorStructInfo); !ok {
			return nil, c.argErr(i, describe(f)+" as entry "+strconv.Itoa(j), "a tuple of tensors")
		}
	}
	return out, nil
}

// Shape returns the struct info of argument i, which must be a shape.
func (c *InferContext) Shape(i int) (*relax.ShapeStructInfo, error) {
	s := c.SInfo(i)
	if t, ok := s.(*relax.ShapeStructInfo); ok {
		return t, nil
	}
	return nil, c.argErr(i, describe(s), "a shape")
}

// Prim returns argument i, which must be a scalar known as an expression.
func (c *InferContext) Prim(i int) (tir.Expr, error) {
	s := c.SInfo(i)
	if p, ok := s.(*relax.PrimStructInfo); ok && p.Value != nil {
		return p.Value, nil
	}
	return nil, c.argErr(i, describe(s), "a scalar whose value is an expression")
}

// attr returns the value of an attribute, its default where the call leaves it out.
func (c *InferContext) attr(name string) ir.Value {
	if v, ok := c.call.Attrs.Get(name); ok {
		return v
	}
	if a := c.Op.Attr(name); a != nil {
		return a.Default
	}
	return nil
}

// Int returns the integer attribute called name; ok is false for None.
func (c *InferContext) Int(name string) (n int64, ok bool) {
	switch v := c.attr(name).(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// Bool returns the truth of the attribute called name.
func (c *InferContext) Bool(name string) bool { n, _ := c.Int(name); return n != 0 }

// Str returns the string attribute called name, "" for None.
func (c *InferContext) Str(name string) string { s, _ := c.attr(name).(string); return s }

// DType returns the element type attribute called name, Void for None.
func (c *InferContext) DType(name string) dtype.DType { d, _ := c.attr(name).(dtype.DType); return d }

// Ints returns the list attribute called name; ok is false for None.
func (c *InferContext) Ints(name string) (list []int64, ok bool) {
	switch v := c.attr(name).(type) {
	case []ir.Value:
		out := make([]int64, len(v))
		for i, x := range v {
			n, ok := x.(int64)
			if !ok {
				return nil, false
			}
			out[i] = n
		}
		return out, true
	case int64:
		return []int64{v}, true
	}
	return nil, false
}

// fixedInts returns a list attribute that must have n entries.
func (c *InferContext) fixedInts(name string, n int) ([]int64, error) {
	list, ok := c.Ints(name)
	if !ok || len(list) != n {
		return nil, c.attrErr(name, formatInts(list), "a list of %d integers", n)
	}
	return list, nil
}

// positiveInts is fixedInts for entries above zero.
func (c *InferContext) positiveInts(name string, n int) ([]int64, error) {
	list, err := c.fixedInts(name, n)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		if x <= 0 || x > maxStep {
			return nil, c.attrErr(name, formatInts(list), "integers above zero, at most %d", maxStep)
		}
	}
	return list, nil
}

// maxStep bounds strides, dilations, windows and padding, so that what is computed from them
// and an extent of at most ir.MaxElements stays below 1<<63.
const maxStep = 1 << 22

// times multiplies an extent by a factor that attribute attr gives.
func (c *InferContext) times(attr string, e tir.Expr, n int64) (tir.Expr, error) {
	if v, ok := tir.AsInt(e); (ok && v > 0 && n > ir.MaxElements/v) || n > ir.MaxElements {
		return nil, c.attrErr(attr, strconv.FormatInt(n, 10), "a factor that gives at most %d elements", int64(ir.MaxElements))
	}
	return c.Simplify(tir.Mul(e, tir.Int(n))), nil
}

func formatInts(list []int64) string {
	s := "["
	for i, x := range list {
		if i > 0 {
			s += ", "
		}
		s += strconv.FormatInt(x, 10)
	}
	return s + "]"
}

// axis returns axis reduced to 0..ndim-1.
func (c *InferContext) axis(attr string, axis int64, ndim int) (int, error) {
	n := int64(ndim)
	if axis < -n || axis >= n {
		return 0, c.attrErr(attr, strconv.FormatInt(axis, 10), "an axis from %d to %d of a tensor of %d dimensions", -n, n-1, ndim)
	}
	if axis < 0 {
		axis += n
	}
	return int(axis), nil
}

// axes is axis for a list, in which no axis may occur twice.
func (c *InferContext) axes(attr string, list []int64, ndim int) ([]int, error) {
	out := make([]int, len(list))
	seen := make([]bool, ndim)
	for i, a := range list {
		n, err := c.axis(attr, a, ndim)
		if err != nil {
			return nil, err
		}
		if seen[n] {
			return nil, c.attrErr(attr, formatInts(list), "axes that differ from one another")
		}
		seen[n] = true
		out[i] = n
	}
	return out, nil
}

// sameVDevice returns the virtual device that the tensors agree on, nil if none has one or
// they differ.
func sameVDevice(ts ...*relax.TensorStructInfo) *relax.VDevice {
	var out *relax.VDevice
	for _, t := range ts {
		switch {
		case t.VDevice == nil:
		case out == nil || out == t.VDevice || ir.StructuralEqual(out, t.VDevice, ir.EqualOpts{}):
			out = t.VDevice
		default:
			return nil
		}
	}
	return out
}

// tensorOf returns the struct info of a tensor of the given extents on like's device.
func tensorOf(dt dtype.DType, shape []tir.Expr, like ...*relax.TensorStructInfo) *relax.TensorStructInfo {
	return &relax.TensorStructInfo{Shape: &relax.ShapeExpr{Values: shape}, DType: dt, VDevice: sameVDevice(like...), NDim: len(shape)}
}

// rankOf returns the struct info of a tensor of ndim dimensions (-1: unknown) on like's device.
func rankOf(dt dtype.DType, ndim int, like ...*relax.TensorStructInfo) *relax.TensorStructInfo {
	return &relax.TensorStructInfo{DType: dt, VDevice: sameVDevice(like...), NDim: ndim}
}

// withDType returns t with another element type.
func withDType(t *relax.TensorStructInfo, dt dtype.DType) *relax.TensorStructInfo {
	if t.DType == dt {
		return t
	}
	return t.WithDType(dt)
}

// product multiplies extents.
func (c *InferContext) product(es []tir.Expr) tir.Expr {
	var out tir.Expr = tir.Int(1)
	for _, e := range es {
		out = tir.Mul(out, e)
	}
	return c.Simplify(out)
}
