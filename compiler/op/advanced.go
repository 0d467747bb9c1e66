package op

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// advancedOps index by several tensors, look for elements, make grids and undo broadcasts.
func advancedOps() []*Op {
	data := Arg{Name: "data", Doc: "The input tensor."}
	indices := Arg{Name: "indices", Kind: Tensors, Doc: "The indices, a tensor for each axis."}
	prim := func(name, doc string) Arg { return Arg{Name: name, Kind: Prim, Doc: doc} }
	flagArg := func(name, doc string) Arg { return Arg{Name: name, Kind: Prim, Doc: doc, Optional: true} }
	return []*Op{
		{
			Name: "relax.index_put", Args: []Arg{data, indices, {Name: "values", Doc: "The values to write."}}, Infer: inferIndexPut, Pattern: Opaque,
			Attrs: []Attr{{Name: "accumulate", Type: BoolAttr, Default: false, Doc: "Whether values are added to what is there."}},
			Doc:   "Writes values at indices.",
		},
		{Name: "relax.index_tensor", Args: []Arg{data, indices}, Infer: inferIndexTensor, Pattern: Opaque, Doc: "Takes elements by indices that broadcast."},
		{
			Name: "relax.slice_scatter", Infer: inferSliceScatter, Pattern: Opaque, Doc: "Writes a tensor over a slice.",
			Args:  []Arg{data, {Name: "src", Doc: "What is written."}, prim("start", "The start."), prim("end", "The end."), prim("step", "The step.")},
			Attrs: []Attr{{Name: "axis", Type: IntAttr, Default: int64(0), Doc: "The axis of the slice."}},
		},
		{
			Name: "relax.median", Args: []Arg{data}, Infer: inferMedian, Pattern: Opaque, Doc: "The median, and where it stands for a single axis.",
			Attrs: []Attr{{Name: "axis", Type: OptIntsAttr, Doc: "The axes, all without."}, {Name: "keepdims", Type: BoolAttr, Default: false, Doc: "Whether axes stay with extent one."}},
		},
		{
			Name: "relax.meshgrid", Args: []Arg{{Name: "tensors", Kind: Tensors, Doc: "Tensors of one dimension."}}, Infer: inferMeshgrid, Pattern: Opaque,
			Attrs: []Attr{{Name: "indexing", Type: OptStringAttr, Default: "ij", Enum: []string{"ij", "xy"}, Doc: "The order of axes."}},
			Doc:   "Grids of coordinates.",
		},
		{Name: "relax.collapse_sum_like", Args: []Arg{data, {Name: "collapse_target", Doc: "The tensor of the shape to reduce to."}}, Infer: shapeAndType(1, 0), Pattern: Opaque, Doc: "Sums to the shape of another tensor."},
		{Name: "relax.collapse_sum_to", Args: []Arg{data, {Name: "shape", Kind: Shape, Doc: "The shape to reduce to."}}, Infer: inferBroadcastLike, Pattern: Opaque, Doc: "Sums to a shape."},
		{
			Name: "relax.multinomial_from_uniform", Infer: inferMultinomial, Pattern: Opaque, Doc: "Samples from distributions.",
			Args:  []Arg{{Name: "prob", Doc: "The probabilities."}, {Name: "uniform_sample", Doc: "Uniform samples."}, {Name: "sample_indices", Doc: "The rows of probabilities."}},
			Attrs: []Attr{dtypeDefault("dtype", "int64", "The type of the result.")},
		},
		{
			Name: "relax.unique", Infer: inferUnique, Pattern: Opaque, Doc: "The distinct elements.",
			Args: []Arg{
				{Name: "x", Doc: "The input tensor."},
				flagArg("sorted", "Whether they are sorted."), flagArg("return_index", "Whether places are returned."),
				flagArg("return_inverse", "Whether the inverse is returned."), flagArg("return_counts", "Whether counts are returned."), flagArg("axis", "The axis."),
			},
		},
		{Name: "relax.nonzero", Args: []Arg{{Name: "x", Doc: "The input tensor."}}, Infer: inferNonzero, Pattern: Opaque, Doc: "Where elements are not zero."},
		{
			Name: "relax.bucketize", Args: []Arg{{Name: "input_tensor", Doc: "The values."}, {Name: "boundaries", Doc: "The boundaries."}}, Infer: inferBucketize, Pattern: Opaque,
			Attrs: []Attr{{Name: "out_int32", Type: BoolAttr, Default: false, Doc: "Whether the result is int32."}, {Name: "right", Type: BoolAttr, Default: false, Doc: "Which boundary is open."}},
			Doc:   "The bucket of each value.",
		},
		{
			Name: "relax.hamming_window", Infer: inferHamming, Pattern: Opaque, Doc: "The Hamming window.",
			Args:  []Arg{prim("window_size", "The size."), prim("periodic", "Whether it is periodic."), prim("alpha", "The first coefficient."), prim("beta", "The second coefficient.")},
			Attrs: []Attr{dtypeDefault("dtype", "float32", "The type of the result.")},
		},
	}
}

func inferIndexTensor(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	idx, err := c.Tensors(1)
	if err != nil {
		return nil, err
	}
	if len(idx) == 0 || t.NDim >= 0 && len(idx) > t.NDim {
		return nil, c.argErr(1, formatValue(int64(len(idx))), "from one to %d tensors", t.NDim)
	}
	d, ok := c.dimsOf(t)
	var out []tir.Expr
	for _, x := range idx {
		if !x.DType.IsVoid() && !x.DType.IsInteger() {
			return nil, c.argErr(1, x.DType.String(), "tensors of an integer type")
		}
		xd, known := c.dimsOf(x)
		if !known || !ok {
			ok = false
			continue
		}
		next, fits, bad := broadcastDims(c.InferContext, out, xd)
		if bad >= 0 {
			return nil, c.argErr(1, dims(xd), "shapes that broadcast with %s", dims(out))
		}
		if ok = fits; ok {
			out = next
		}
	}
	if !ok {
		return rankOf(t.DType, -1, t), nil
	}
	return tensorOf(t.DType, append(append([]tir.Expr{}, out...), d[len(idx):]...), t), nil
}

// inferIndexPut checks that indices broadcast, and that the values do to the shape of what they index.
func inferIndexPut(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	at, err := inferIndexTensor(call, c)
	if err != nil {
		return nil, err
	}
	values, err := c.Tensor(2)
	if err != nil {
		return nil, err
	}
	if !values.DType.IsVoid() && !t.DType.IsVoid() && values.DType != t.DType {
		return nil, c.argErr(2, values.DType.String(), "elements of type %s, like those of the tensor", t.DType)
	}
	to, known := c.dimsOf(at.(*relax.TensorStructInfo))
	from, known2 := c.dimsOf(values)
	if known && known2 {
		if out, fits, bad := broadcastDims(c.InferContext, to, from); bad >= 0 || len(from) > len(to) || fits && c.dimsDiffer(out, to) {
			return nil, c.argErr(2, dims(from), "a shape that broadcasts to %s", dims(to))
		}
	}
	return t, nil
}

// inferSliceScatter checks that the second tensor is as large as the slice that it takes the place of.
func inferSliceScatter(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, src, err := c.twoTensors()
	if err != nil {
		return nil, err
	}
	var slice [3]tir.Expr
	for i := range slice {
		p, ok := c.SInfo(2 + i).(*relax.PrimStructInfo)
		if !ok || !p.DType.IsVoid() && !p.DType.IsInteger() {
			return nil, c.argErr(2+i, describe(c.SInfo(2+i)), "an integer")
		}
		slice[i] = p.Value
	}
	if t.NDim < 0 {
		return t, nil
	}
	axis, _ := c.Int("axis")
	a, err := c.axis("axis", axis, t.NDim)
	if err != nil {
		return nil, err
	}
	if src.NDim >= 0 && src.NDim != t.NDim {
		return nil, c.argErr(1, describe(src), "a tensor of %d dimensions", t.NDim)
	}
	if !src.DType.IsVoid() && !t.DType.IsVoid() && src.DType != t.DType {
		return nil, c.argErr(1, src.DType.String(), "elements of type %s, like those of the tensor", t.DType)
	}
	step, constant := int64(0), false
	if slice[2] != nil {
		step, constant = tir.AsInt(slice[2])
	}
	if constant && step < 1 {
		return nil, c.argErr(4, formatValue(step), "a step above zero")
	}
	d, known := c.dimsOf(t)
	for k := range d {
		want := d[k]
		if k == a {
			if !constant || slice[0] == nil || slice[1] == nil {
				continue
			}
			want = c.sliceLength(slice[0], slice[1], step, d[k], false)
		}
		if err := c.extent(1, src, k, want); known && err != nil {
			return nil, err
		}
	}
	return t, nil
}

// inferMedian is the reduced tensor, and where the medians stand if there is a single axis.
func inferMedian(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	s, err := inferReduce(call, c)
	if err != nil {
		return nil, err
	}
	axes, given := c.Ints("axis")
	if !given || len(axes) != 1 {
		return s, nil
	}
	t := s.(*relax.TensorStructInfo)
	return &relax.TupleStructInfo{Fields: []relax.StructInfo{t, withDType(t, dtype.Int64T)}}, nil
}

func inferMeshgrid(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	ts, err := c.Tensors(0)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, c.argErr(0, "an empty tuple", "at least one tensor")
	}
	var shape []tir.Expr
	known := true
	for _, t := range ts {
		if t.NDim >= 0 && t.NDim != 1 {
			return nil, c.argErr(0, describe(t), "tensors of one dimension")
		}
		d, ok := c.dimsOf(t)
		known = known && ok
		shape = append(shape, d...)
	}
	if known && len(shape) > 1 && c.Str("indexing") == "xy" {
		shape[0], shape[1] = shape[1], shape[0]
	}
	out := &relax.TupleStructInfo{}
	for range ts {
		if known {
			out.Fields = append(out.Fields, tensorOf(commonDType(ts), shape, ts...))
		} else {
			out.Fields = append(out.Fields, rankOf(commonDType(ts), len(ts), ts...))
		}
	}
	return out, nil
}

func inferBroadcastLike(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	s, err := c.Shape(1)
	if err != nil {
		return nil, err
	}
	return shapedBy(call.Args[1], s, t), nil
}

// inferMultinomial follows the call of TVM: probabilities are (batch, classes), the samples and the rows that they are of (n, 1).
func inferMultinomial(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	var ts [3]*relax.TensorStructInfo
	for i := range ts {
		t, err := c.ranked(i, 2)
		if err != nil {
			return nil, err
		}
		switch ts[i] = t; {
		case t.DType.IsVoid():
		case i < 2 && !t.DType.IsFloat():
			return nil, c.argErr(i, t.DType.String(), "a tensor of a floating-point type")
		case i == 2 && !t.DType.IsInteger():
			return nil, c.argErr(i, t.DType.String(), "a tensor of an integer type")
		}
		if i == 0 {
			continue
		}
		if err := c.extent(i, t, 1, tir.Int(1)); err != nil {
			return nil, err
		}
	}
	d, known := c.dimsOf(ts[1])
	if !known {
		return rankOf(c.DType("dtype"), 2, ts[0]), nil
	}
	if err := c.extent(2, ts[2], 0, d[0]); err != nil {
		return nil, err
	}
	return tensorOf(c.DType("dtype"), d, ts[0]), nil
}

func inferUnique(call *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	ndim := 1
	if c.HasArg(5) {
		ndim = t.NDim
	}
	out := []relax.StructInfo{rankOf(t.DType, ndim, t)}
	for i := 2; i < 5; i++ {
		if !c.HasArg(i) {
			continue
		}
		p, ok := call.Args[i].(*relax.PrimValue)
		if !ok {
			return nil, c.argErr(i, describe(c.SInfo(i)), "a constant truth value")
		}
		if !tir.IsConst(p.Value, 0) {
			out = append(out, rankOf(dtype.Int64T, 1, t))
		}
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return &relax.TupleStructInfo{Fields: out}, nil
}

func inferNonzero(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	return rankOf(dtype.Int64T, 2, t), nil
}

func inferBucketize(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.Tensor(0)
	if err != nil {
		return nil, err
	}
	b, err := c.ranked(1, 1)
	if err != nil {
		return nil, err
	}
	if !b.DType.IsVoid() && !t.DType.IsVoid() && b.DType != t.DType {
		return nil, c.argErr(1, b.DType.String(), "elements of type %s, like those of the values", t.DType)
	}
	if c.Bool("out_int32") {
		return withDType(t, dtype.Int32T), nil
	}
	return withDType(t, dtype.Int64T), nil
}

func inferHamming(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	n, err := c.Prim(0)
	if err != nil {
		return nil, err
	}
	if !n.DType().IsInteger() {
		return nil, c.argErr(0, n.DType().String(), "an integer")
	}
	return tensorOf(c.DType("dtype"), []tir.Expr{tir.CastTo(dtype.Int64T, n)}), nil
}
