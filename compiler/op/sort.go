package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func sortOps() []*Op {
	data := []Arg{{Name: "data", Doc: "The input tensor."}}
	axis := Attr{Name: "axis", Type: IntAttr, Default: int64(-1), Doc: "The axis that is sorted."}
	down := Attr{Name: "descending", Type: BoolAttr, Default: false, Doc: "Whether the largest element comes first."}
	return []*Op{
		{Name: "relax.sort", Args: data, Attrs: []Attr{axis, down}, Infer: inferSort, Pattern: Opaque, Doc: "Sorts along an axis; equal elements keep their order."},
		{
			Name: "relax.argsort", Args: data,
			Attrs: []Attr{axis, down, {Name: "dtype", Type: DTypeAttr, Default: dtype.Int32T, Doc: "The type of the indices."}},
			Infer: inferSort, Pattern: Opaque, Doc: "The indices that sort along an axis.",
		},
		{
			Name: "relax.topk", Args: data,
			Attrs: []Attr{
				{Name: "k", Type: IntAttr, Default: int64(1), Doc: "How many elements are taken; below 1 is all."},
				axis,
				{Name: "ret_type", Type: StringAttr, Default: "both", Doc: "What is yielded.", Enum: []string{"both", "values", "indices"}},
				{Name: "largest", Type: BoolAttr, Default: true, Doc: "Whether the largest elements are taken."},
				{Name: "dtype", Type: DTypeAttr, Default: dtype.Int32T, Doc: "The type of the indices."},
			},
			Infer: inferTopK, Pattern: Opaque, Doc: "The largest or smallest elements along an axis, in order, and their indices.",
		},
	}
}

func inferSort(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	if a, _ := c.Int("axis"); t.NDim >= 0 {
		if _, err := c.axis("axis", a, t.NDim); err != nil {
			return nil, err
		}
	}
	if dt := c.DType("dtype"); !dt.IsVoid() {
		return withDType(t, dt), nil
	}
	return t, nil
}

func inferTopK(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	var out relax.StructInfo = rankOf(t.DType, t.NDim, t)
	if t.NDim >= 0 {
		axis, _ := c.Int("axis")
		a, err := c.axis("axis", axis, t.NDim)
		if err != nil {
			return nil, err
		}
		if d, ok := c.dimsOf(t); ok {
			shape := append([]tir.Expr{}, d...)
			k, _ := c.Int("k")
			n, sized := tir.AsInt(d[a])
			if k >= 1 && (!sized || k < n) {
				shape[a] = tir.Int(k)
			}
			out = tensorOf(t.DType, shape, t)
		}
	}
	values := out.(*relax.TensorStructInfo)
	indices := withDType(values, c.DType("dtype"))
	switch c.Str("ret_type") {
	case "values":
		return values, nil
	case "indices":
		return indices, nil
	}
	return &relax.TupleStructInfo{Fields: []relax.StructInfo{values, indices}}, nil
}
