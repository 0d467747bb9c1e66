package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func inferExpandDims(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	list, _ := c.Ints("axis")
	if t.NDim < 0 {
		return rankOf(t.DType, -1, t), nil
	}
	ndim := t.NDim + len(list)
	axes, err := c.axes("axis", list, ndim)
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, ndim, t), nil
	}
	out := make([]tir.Expr, ndim)
	for _, a := range axes {
		out[a] = tir.Int(1)
	}
	next := 0
	for i := range out {
		if out[i] == nil {
			out[i] = d[next]
			next++
		}
	}
	return tensorOf(t.DType, out, t), nil
}

func inferFlatten(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return c.flat(t, t.DType), nil
}

// completeSeparators writes no separators for None.
func completeSeparators(a *ir.Attrs) *ir.Attrs {
	for _, name := range []string{"axis_separators", "input_axis_separators"} {
		if v, given := a.Get(name); given && v == nil {
			a = a.With(name, []int64{})
		}
	}
	return a
}

func inferLayoutTransform(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	v, _ := call.Attrs.Get("index_map")
	m, ok := v.(*tir.IndexMap)
	if !ok {
		return nil, c.attrErr("index_map", formatValue(v), "an index map")
	}
	if t.NDim >= 0 && t.NDim != len(m.Initial) {
		return nil, c.argErr(0, describe(t), "a tensor of %d dimensions, as the index map says", len(m.Initial))
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, len(m.Final), t), nil
	}
	// The largest index of the result is at the largest of the input: index maps of layouts
	// do not decrease along any axis.
	last := make([]tir.Expr, len(d))
	for i, e := range d {
		last[i] = tir.Sub(e, tir.Int(1))
	}
	out, err := c.mapExtents(m, d, last)
	if err != nil {
		return nil, err
	}
	return tensorOf(t.DType, out, t), nil
}

func inferPermuteDims(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	list, given := c.Ints("axes")
	if t.NDim < 0 {
		if given {
			return rankOf(t.DType, len(list), t), nil
		}
		return rankOf(t.DType, -1, t), nil
	}
	if !given {
		for i := t.NDim - 1; i >= 0; i-- {
			list = append(list, int64(i))
		}
	}
	if len(list) != t.NDim {
		return nil, c.attrErr("axes", formatInts(list), "one axis for each of the %d dimensions of x", t.NDim)
	}
	axes, err := c.axes("axes", list, t.NDim)
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	if !ok {
		return rankOf(t.DType, t.NDim, t), nil
	}
	out := make([]tir.Expr, len(d))
	for i, a := range axes {
		out[i] = d[a]
	}
	return tensorOf(t.DType, out, t), nil
}
