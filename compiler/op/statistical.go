package op

import (
	"strings"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func statisticalOps() []*Op {
	var ops []*Op
	x := []Arg{{Name: "x", Doc: "The input tensor."}}
	docs := map[string]string{
		"sum": "The sum", "mean": "The mean", "max": "The maximum", "min": "The minimum", "prod": "The product",
		"std": "The standard deviation", "variance": "The variance",
	}
	for _, n := range strings.Fields("max mean min prod std sum variance") {
		ops = append(ops, &Op{
			Name: "relax." + n, Args: x,
			Attrs: []Attr{
				{Name: "axis", Type: OptIntsAttr, Doc: "The axes that are reduced; None is all."},
				{Name: "keepdims", Type: BoolAttr, Default: false, Doc: "Whether reduced axes stay with extent 1."},
			},
			Infer: inferReduce, Pattern: CommReduce, Doc: docs[n] + " over axes.",
		})
	}
	for _, n := range []string{"argmax", "argmin"} {
		ops = append(ops, &Op{
			Name: "relax." + n, Args: x,
			Attrs: []Attr{
				{Name: "axis", Type: OptIntAttr, Doc: "The axis that is searched; None is the flattened tensor."},
				{Name: "keepdims", Type: BoolAttr, Default: false, Doc: "Whether the axis stays with extent 1."},
			},
			Infer: inferArgReduce, Pattern: CommReduce, Doc: "The index of the first " + n[3:] + "imum along an axis.",
		})
	}
	for _, n := range []string{"cumsum", "cumprod"} {
		ops = append(ops, &Op{
			Name: "relax." + n, Args: []Arg{{Name: "data", Doc: "The input tensor."}},
			Attrs: []Attr{
				{Name: "axis", Type: OptIntAttr, Doc: "The axis; None is the flattened tensor."},
				{Name: "dtype", Type: DTypeAttr, Default: dtype.Void, Doc: "The element type of the result; void is that of the input."},
				{Name: "exclusive", Type: BoolAttr, Default: false, Doc: "Whether each element leaves out itself."},
			},
			Infer: inferScan, Pattern: Opaque, Doc: "The running " + map[string]string{"cumsum": "sum", "cumprod": "product"}[n] + " along an axis.",
		})
	}
	return ops
}

// reduced returns t without the given axes, or with extent 1 there.
func (c *InferContext) reduced(t *relax.TensorStructInfo, dt dtype.DType, axes []int, all, keep bool) relax.StructInfo {
	if t.NDim < 0 {
		if all && !keep {
			return tensorOf(dt, nil, t)
		}
		return rankOf(dt, -1, t)
	}
	drop := make([]bool, t.NDim)
	for _, a := range axes {
		drop[a] = true
	}
	d, known := c.dimsOf(t)
	shape, written := []tir.Expr{}, true
	for i := range t.NDim {
		switch gone := all || drop[i]; {
		case gone && !keep:
		case gone:
			shape = append(shape, tir.Int(1))
		case known:
			shape = append(shape, d[i])
		default:
			shape, written = append(shape, nil), false
		}
	}
	if !written {
		return rankOf(dt, len(shape), t)
	}
	return tensorOf(dt, shape, t)
}

func inferReduce(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	list, given := c.Ints("axis")
	if t.NDim < 0 {
		return c.reduced(t, t.DType, nil, !given, c.Bool("keepdims")), nil
	}
	axes, err := c.axes("axis", list, t.NDim)
	if err != nil {
		return nil, err
	}
	return c.reduced(t, t.DType, axes, !given, c.Bool("keepdims")), nil
}

func inferArgReduce(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	axis, given := c.Int("axis")
	var axes []int
	if given && t.NDim >= 0 {
		a, err := c.axis("axis", axis, t.NDim)
		if err != nil {
			return nil, err
		}
		axes = []int{a}
	}
	return c.reduced(t, dtype.Int64T, axes, !given, c.Bool("keepdims")), nil
}

func inferScan(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	dt := c.DType("dtype")
	if dt.IsVoid() {
		dt = t.DType
	}
	axis, given := c.Int("axis")
	if given {
		if t.NDim >= 0 {
			if _, err := c.axis("axis", axis, t.NDim); err != nil {
				return nil, err
			}
		}
		return withDType(t, dt), nil
	}
	return c.flat(t, dt), nil
}

// flat returns t flattened to one dimension.
func (c *InferContext) flat(t *relax.TensorStructInfo, dt dtype.DType) relax.StructInfo {
	if d, ok := c.dimsOf(t); ok {
		return tensorOf(dt, []tir.Expr{c.product(d)}, t)
	}
	return rankOf(dt, 1, t)
}
