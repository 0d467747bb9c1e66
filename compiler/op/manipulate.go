package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func manipulateOps() []*Op {
	x := Arg{Name: "x", Doc: "The input tensor."}
	shape := Arg{Name: "shape", Kind: Shape, Doc: "The extents of the result."}
	return []*Op{
		{
			Name: "relax.broadcast_to", Args: []Arg{x, shape}, Infer: inferBroadcastTo, Pattern: Broadcast,
			Doc: "Repeats a tensor along axes of extent 1 and in front to give a shape.",
		},
		{
			Name: "relax.concat", Args: []Arg{{Name: "tensors", Kind: Tensors, Doc: "The tensors to join."}},
			Attrs: []Attr{{Name: "axis", Type: OptIntAttr, Default: int64(0), Doc: "The axis; None joins the flattened tensors."}},
			Infer: inferConcat, Pattern: Injective, Doc: "Joins tensors along an axis.",
		},
		{
			Name: "relax.expand_dims", Args: []Arg{x},
			Attrs: []Attr{{Name: "axis", Type: IntsAttr, Required: true, Doc: "Where in the result new axes of extent 1 stand."}},
			Infer: inferExpandDims, Pattern: Broadcast, Doc: "Inserts axes of extent 1.",
		},
		{Name: "relax.flatten", Args: []Arg{x}, Infer: inferFlatten, Pattern: Injective, Doc: "Reshapes a tensor to one dimension."},
		{
			Name: "relax.layout_transform", Args: []Arg{x},
			Attrs: []Attr{
				{Name: "index_map", Type: NodeAttr, Required: true, Doc: "Maps indices of the input to indices of the result."},
				{Name: "pad_value", Type: NodeAttr, Doc: "The value of elements that no input maps to; None if there are none."},
				{Name: "axis_separators", Type: OptIntsAttr, Default: ints(), Doc: "The axis separators of the result."},
				{Name: "input_axis_separators", Type: OptIntsAttr, Default: ints(), Doc: "The axis separators of the input."},
			},
			Infer: inferLayoutTransform, Pattern: Injective, complete: completeSeparators, Doc: "Changes the layout of a tensor.",
		},
		{
			Name: "relax.permute_dims", Args: []Arg{x},
			Attrs: []Attr{{Name: "axes", Type: OptIntsAttr, Doc: "For each axis of the result the axis of the input; None reverses them."}},
			Infer: inferPermuteDims, Pattern: Injective, Doc: "Permutes the axes of a tensor.",
		},
		{
			Name: "relax.reshape", Args: []Arg{x, shape}, Infer: inferReshape, Pattern: Injective,
			Normalize: normalizeReshape,
			Doc:       "Gives a tensor another shape with as many elements in the same order. An extent -1 follows from the others, 0 copies that of the input.",
		},
		{
			Name: "relax.split", Args: []Arg{x},
			Attrs: []Attr{
				{Name: "indices_or_sections", Type: IntOrIntsAttr, Required: true, Doc: "The number of parts, or the indices at which parts start."},
				{Name: "axis", Type: IntAttr, Default: int64(0), Doc: "The axis that is split."},
			},
			Infer: inferSplit, Pattern: Injective, Doc: "Splits a tensor along an axis into a tuple.",
		},
		{
			Name: "relax.squeeze", Args: []Arg{x},
			Attrs: []Attr{{Name: "axis", Type: OptIntsAttr, Doc: "The axes to drop, all of extent 1; None is all such axes."}},
			Infer: inferSqueeze, Pattern: Injective, Doc: "Drops axes of extent 1.",
		},
		{
			Name: "relax.stack", Args: []Arg{{Name: "tensors", Kind: Tensors, Doc: "The tensors, all of one shape."}},
			Attrs: []Attr{{Name: "axis", Type: OptIntAttr, Default: int64(0), Doc: "Where in the result the new axis stands."}},
			Infer: inferStack, Pattern: Injective, Doc: "Joins tensors along a new axis.",
		},
		{
			Name: "relax.repeat", Args: []Arg{x},
			Attrs: []Attr{
				{Name: "repeats", Type: IntAttr, Required: true, Doc: "How often each element is repeated."},
				{Name: "axis", Type: OptIntAttr, Doc: "The axis; None repeats in the flattened tensor."},
			},
			Infer: inferRepeat, Pattern: Broadcast, Doc: "Repeats each element along an axis.",
		},
		{
			Name: "relax.tile", Args: []Arg{x},
			Attrs: []Attr{{Name: "repeats", Type: IntsAttr, Required: true, Doc: "How often the tensor is repeated along each of the last axes."}},
			Infer: inferTile, Pattern: Broadcast, Doc: "Repeats a whole tensor along axes.",
		},
		{
			Name: "relax.flip", Args: []Arg{{Name: "data", Doc: "The input tensor."}},
			Attrs: []Attr{{Name: "axis", Type: IntAttr, Required: true, Doc: "The axis that is reversed."}},
			Infer: inferFlip, Pattern: Injective, Doc: "Reverses the elements along an axis.",
		},
		{
			Name: "relax.reverse_sequence", Infer: inferReverseSequence, Pattern: Injective,
			Args: []Arg{{Name: "data", Doc: "The input tensor."}, {Name: "seq_lengths", Doc: "How many elements are reversed, for each index of the batch axis."}},
			Attrs: []Attr{
				{Name: "seq_axis", Type: IntAttr, Default: int64(1), Doc: "The axis along which elements are reversed."},
				{Name: "batch_axis", Type: IntAttr, Default: int64(0), Doc: "The axis of the batch."},
			},
			Doc: "Reverses the first elements along an axis, as many for each index of a batch as a tensor says.",
		},
	}
}

func inferBroadcastTo(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	s, err := c.Shape(1)
	if err != nil {
		return nil, err
	}
	if s.NDim >= 0 && t.NDim > s.NDim {
		return nil, c.argErr(1, describe(s), "a shape of at least the %d dimensions of x", t.NDim)
	}
	if d, ok := c.dimsOf(t); ok && s.Values != nil {
		for i := 1; i <= len(d); i++ {
			from, to := d[len(d)-i], s.Values[len(s.Values)-i]
			if !tir.IsConst(from, 1) && c.Equal(from, to) == relax.False {
				return nil, c.argErr(1, dims(s.Values), "a shape that %s broadcasts to", dims(d))
			}
		}
	}
	return shapedBy(call.Args[1], s, t), nil
}

// shapedBy returns the struct info of a tensor like t whose shape is the expression e of
// struct info s.
func shapedBy(e relax.Expr, s *relax.ShapeStructInfo, t *relax.TensorStructInfo) relax.StructInfo {
	if s.Values != nil || s.NDim == 0 {
		return tensorOf(t.DType, s.Values, t)
	}
	if v, ok := e.(*relax.Var); ok {
		return &relax.TensorStructInfo{Shape: v, DType: t.DType, VDevice: t.VDevice, NDim: s.NDim}
	}
	return rankOf(t.DType, s.NDim, t)
}

func inferConcat(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, err := c.Tensors(0)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, c.argErr(0, "an empty tuple", "at least one tensor")
	}
	ndim := -1
	for _, t := range ts {
		if t.DType != ts[0].DType && !t.DType.IsVoid() && !ts[0].DType.IsVoid() {
			return nil, c.argErr(0, t.DType.String()+" and "+ts[0].DType.String(), "tensors of one element type")
		}
		if t.NDim >= 0 && ndim >= 0 && t.NDim != ndim {
			return nil, c.argErr(0, describe(t), "tensors of %d dimensions", ndim)
		}
		ndim = max(ndim, t.NDim)
	}
	dt := commonDType(ts)
	axis, given := c.Int("axis")
	if ndim < 0 {
		return rankOf(dt, -1, ts...), nil
	}
	if !given {
		if ndim != 1 {
			return nil, c.attrErr("axis", "None", "an axis, for tensors of more than one dimension")
		}
		axis = 0
	}
	a, err := c.axis("axis", axis, ndim)
	if err != nil {
		return nil, err
	}
	return c.concatDims(ts, a, ndim)
}

// isPlainSum reports whether e is the sum of a number and a variable.
func isPlainSum(e tir.Expr) bool {
	sum, ok := e.(*tir.Binary)
	if !ok || sum.Op != tir.OpAdd {
		return false
	}
	_, number := sum.A.(*tir.IntImm)
	_, symbol := sum.B.(*tir.Var)
	return number && symbol
}

func (c *InferContext) concatDims(ts []*relax.TensorStructInfo, axis, ndim int) (relax.StructInfo, error) {
	dt := commonDType(ts)
	var out []tir.Expr
	known := true
	for _, t := range ts {
		d, ok := c.dimsOf(t)
		if !ok {
			known = false
			continue
		}
		if out == nil {
			out = append([]tir.Expr{}, d...)
			continue
		}
		for i := range d {
			switch {
			case i == axis:
				out[i] = tir.Add(out[i], d[i])
			case c.differ(d[i], out[i]):
				return nil, c.argErr(0, dims(d), "extents like those of the first tensor, %s, but for axis %d", dims(out), axis)
			}
		}
	}
	if !known {
		return rankOf(dt, ndim, ts...), nil
	}
	if !isPlainSum(out[axis]) { // as it is written, as in TVM
		out[axis] = c.Simplify(out[axis])
	}
	return tensorOf(dt, out, ts...), nil
}

func inferReverseSequence(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	n, err := c.ranked(1, 1)
	if err != nil {
		return nil, err
	}
	if d := n.DType; !d.IsVoid() && d != dtype.Int32T && d != dtype.Int64T {
		return nil, c.argErr(1, d.String(), "elements of type int32 or int64")
	}
	if t.NDim < 0 {
		return t, nil
	}
	batch := 0
	for _, name := range []string{"seq_axis", "batch_axis"} {
		axis, _ := c.Int(name)
		if batch, err = c.axis(name, axis, t.NDim); err != nil {
			return nil, err
		}
	}
	if d, known := c.dimsOf(t); known {
		if err := c.extent(1, n, 0, d[batch]); err != nil {
			return nil, err
		}
	}
	return t, nil
}
