package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func gatherOps() []*Op {
	data := Arg{Name: "data", Doc: "The input tensor."}
	indices := Arg{Name: "indices", Doc: "The indices, of an integer type."}
	updates := Arg{Name: "updates", Doc: "The values to write."}
	axis := Attr{Name: "axis", Type: IntAttr, Default: int64(0), Doc: "The axis that is indexed."}
	reductions := []string{"update", "add", "mul", "min", "max"}
	reduction := Attr{Name: "reduction", Type: StringAttr, Default: "update", Doc: "How a value is combined with the one that is there.", Enum: append(reductions, "mean")}
	return []*Op{
		{
			Name: "relax.gather_elements", Args: []Arg{data, indices}, Attrs: []Attr{axis},
			Infer: inferGatherElements, Pattern: Injective, Doc: "Takes elements along an axis, each by an index of its own.",
		},
		{
			Name: "relax.gather_nd", Args: []Arg{data, indices},
			Attrs: []Attr{{Name: "batch_dims", Type: IntAttr, Default: int64(0), Doc: "How many leading axes both tensors share."}},
			Infer: inferGatherND, Pattern: Injective, Doc: "Takes slices by tuples of indices, which stand along the last axis.",
		},
		{
			Name: "relax.scatter_elements", Args: []Arg{data, indices, updates}, Attrs: []Attr{axis, reduction},
			Infer: inferScatterElements, Pattern: Opaque, Doc: "Writes elements along an axis, each at an index of its own.",
		},
		{
			Name: "relax.scatter_nd", Args: []Arg{data, indices, updates},
			Attrs: []Attr{{Name: "reduction", Type: StringAttr, Default: "update", Doc: reduction.Doc, Enum: reductions}},
			Infer: inferScatterND, Pattern: Opaque, Doc: "Writes slices at tuples of indices.",
		},
		{
			Name: "relax.one_hot",
			Args: []Arg{indices, {Name: "on_value", Kind: Prim, Doc: "The value at the index."}, {Name: "off_value", Kind: Prim, Doc: "The value elsewhere."}},
			Attrs: []Attr{
				{Name: "depth", Type: IntAttr, Required: true, Doc: "The extent of the new axis."},
				{Name: "axis", Type: IntAttr, Default: int64(-1), Doc: "Where in the result the new axis stands."},
			},
			Infer: inferOneHot, Pattern: Injective, Doc: "Writes each index as a vector that has one value at the index and another elsewhere.",
		},
	}
}

func inferGatherElements(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	idx, err := c.integerTensor(1)
	if err != nil {
		return nil, err
	}
	if t.NDim >= 0 && idx.NDim >= 0 && t.NDim != idx.NDim {
		return nil, c.argErr(1, describe(idx), "as many dimensions as data, %d", t.NDim)
	}
	if a, _ := c.Int("axis"); t.NDim >= 0 {
		at, err := c.axis("axis", a, t.NDim)
		if err != nil {
			return nil, err
		}
		if c.reaches(idx, t, at) {
			return nil, c.argErr(1, describe(idx), "no larger extents than data, %s, but for axis %d", describe(t), at)
		}
	}
	return idx.WithDType(t.DType).WithVDevice(t.VDevice), nil
}

func inferGatherND(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	idx, err := c.integerTensor(1)
	if err != nil {
		return nil, err
	}
	batch, _ := c.Int("batch_dims")
	if batch < 0 || (t.NDim >= 0 && batch > int64(t.NDim)) || (idx.NDim >= 0 && batch >= int64(idx.NDim)) {
		return nil, c.attrErr("batch_dims", formatValue(batch), "a number of axes that both tensors have, and one more of indices")
	}
	d, ok := c.dimsOf(t)
	id, ok2 := c.dimsOf(idx)
	if !ok || !ok2 {
		return rankOf(t.DType, -1, t), nil
	}
	if c.dimsDiffer(id[:batch], d[:batch]) {
		return nil, c.argErr(1, dims(id), "the extents of data, %s, along the axes of the batch", dims(d[:batch]))
	}
	depth, ok := tir.AsInt(id[len(id)-1])
	if !ok {
		return rankOf(t.DType, -1, t), nil
	}
	if depth < 0 || batch+depth > int64(len(d)) {
		return nil, c.argErr(1, dims(id), "at most %d as last extent, the axes of data after the batch", int64(len(d))-batch)
	}
	out := append(append([]tir.Expr{}, id[:len(id)-1]...), d[batch+depth:]...)
	return tensorOf(t.DType, out, t), nil
}

// scatterArgs checks the three arguments of a scatter and returns them.
func (c *InferContext) scatterArgs() (t, idx, upd *relax.TensorStructInfo, err error) {
	if t, err = c.Tensor(0); err != nil {
		return nil, nil, nil, err
	}
	if idx, err = c.integerTensor(1); err != nil {
		return nil, nil, nil, err
	}
	if upd, err = c.Tensor(2); err != nil {
		return nil, nil, nil, err
	}
	if !t.DType.IsVoid() && !upd.DType.IsVoid() && t.DType != upd.DType {
		return nil, nil, nil, c.argErr(2, upd.DType.String(), "elements of type %s, like those of data", t.DType)
	}
	return t, idx, upd, nil
}

func inferScatterElements(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, idx, upd, err := c.scatterArgs()
	if err != nil {
		return nil, err
	}
	if t.NDim >= 0 && idx.NDim >= 0 && t.NDim != idx.NDim {
		return nil, c.argErr(1, describe(idx), "as many dimensions as data, %d", t.NDim)
	}
	if c.shapesDiffer(idx, upd) {
		return nil, c.argErr(2, describe(upd), "the shape of indices, %s", describe(idx))
	}
	if a, _ := c.Int("axis"); t.NDim >= 0 {
		at, err := c.axis("axis", a, t.NDim)
		if err != nil {
			return nil, err
		}
		if c.reaches(idx, t, at) {
			return nil, c.argErr(1, describe(idx), "no larger extents than data, %s, but for axis %d", describe(t), at)
		}
	}
	return t, nil
}

func inferScatterND(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, idx, upd, err := c.scatterArgs()
	if err != nil {
		return nil, err
	}
	d, ok := c.dimsOf(t)
	id, ok2 := c.dimsOf(idx)
	ud, ok3 := c.dimsOf(upd)
	if !ok || !ok2 || !ok3 {
		return t, nil
	}
	if len(id) == 0 {
		return nil, c.argErr(1, dims(id), "at least one dimension")
	}
	depth, ok := tir.AsInt(id[len(id)-1])
	if !ok {
		return t, nil
	}
	if depth < 0 || depth > int64(len(d)) {
		return nil, c.argErr(1, dims(id), "at most %d as last extent, the dimensions of data", len(d))
	}
	want := append(append([]tir.Expr{}, id[:len(id)-1]...), d[depth:]...)
	if c.dimsDiffer(ud, want) {
		return nil, c.argErr(2, dims(ud), "the shape %s", dims(want))
	}
	return t, nil
}

func inferOneHot(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	idx, err := c.integerTensor(0)
	if err != nil {
		return nil, err
	}
	on, ok := c.SInfo(1).(*relax.PrimStructInfo)
	if !ok {
		return nil, c.argErr(1, describe(c.SInfo(1)), "a scalar")
	}
	off, ok := c.SInfo(2).(*relax.PrimStructInfo)
	if !ok || off.DType != on.DType {
		return nil, c.argErr(2, describe(c.SInfo(2)), "a scalar of type %s, like on_value", on.DType)
	}
	depth, _ := c.Int("depth")
	if depth <= 0 {
		return nil, c.attrErr("depth", formatValue(depth), "a number above zero")
	}
	if idx.NDim < 0 {
		return rankOf(on.DType, -1, idx), nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, idx.NDim+1)
	if err != nil {
		return nil, err
	}
	d, known := c.dimsOf(idx)
	if !known {
		return rankOf(on.DType, idx.NDim+1, idx), nil
	}
	out := append(append([]tir.Expr{}, d[:a]...), tir.Int(depth))
	return tensorOf(on.DType, append(out, d[a:]...), idx), nil
}
