package op

// foreignTensorOps compute tensors, but have no kernel.
func foreignTensorOps() []*Op {
	data := Arg{Name: "data", Doc: "The input tensor."}
	indices := Arg{Name: "indices", Kind: Tensors, Doc: "The indices, a tensor for each axis."}
	scale := Arg{Name: "scale", Doc: "The scale."}
	zero := Arg{Name: "zero_point", Doc: "The value that stands for zero."}
	qdq := func(dt string) []Attr {
		return []Attr{
			{Name: "axis", Type: IntAttr, Default: int64(-1), Doc: "The axis of the scales."},
			dtypeDefault("out_dtype", dt, "The type of the result."),
		}
	}
	prim := func(name, doc string) Arg { return Arg{Name: name, Kind: Prim, Doc: doc} }
	flagArg := func(name, doc string) Arg { return Arg{Name: name, Kind: Prim, Doc: doc, Optional: true} }
	return []*Op{
		{Name: "relax.quantize", Args: []Arg{data, scale, zero}, Attrs: qdq("int8"), Infer: inferCastTo, Pattern: Opaque, Doc: "Quantizes by a scale and a zero point."},
		{Name: "relax.dequantize", Args: []Arg{data, scale, zero}, Attrs: qdq("float32"), Infer: inferCastTo, Pattern: Opaque, Doc: "Undoes quantize."},
		{
			Name: "relax.index_put", Args: []Arg{data, indices, {Name: "values", Doc: "The values to write."}}, Infer: like(0), Pattern: Opaque,
			Attrs: []Attr{{Name: "accumulate", Type: BoolAttr, Default: false, Doc: "Whether values are added to what is there."}},
			Doc:   "Writes values at indices.",
		},
		{Name: "relax.index_tensor", Args: []Arg{data, indices}, Infer: inferIndexTensor, Pattern: Opaque, Doc: "Takes elements by indices that broadcast."},
		{
			Name: "relax.slice_scatter", Infer: like(0), Pattern: Opaque, Doc: "Writes a tensor over a slice.",
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
		{
			Name: "relax.image.grid_sample", Args: []Arg{data, {Name: "grid", Doc: "The places to sample."}}, Infer: inferGridSample, Pattern: Opaque, Doc: "Samples an image.",
			Attrs: []Attr{
				{Name: "method", Type: StringAttr, Default: "bilinear", Doc: "The interpolation."},
				{Name: "layout", Type: StringAttr, Default: "NCHW", Doc: "The layout."},
				{Name: "padding_mode", Type: StringAttr, Default: "zeros", Doc: "What is outside."},
				{Name: "align_corners", Type: BoolAttr, Default: false, Doc: "Whether corners are aligned."},
			},
		},
		{
			Name: "relax.nn.attention_var_len", Infer: like(0), Pattern: Opaque, Doc: "Attention over sequences of different lengths.",
			Args: []Arg{
				{Name: "queries", Doc: "The queries."},
				{Name: "keys", Doc: "The keys."},
				{Name: "values", Doc: "The values."},
				{Name: "seqstart_q", Doc: "Where queries start."},
				{Name: "max_seqlen_q", Doc: "The longest sequence of queries."},
				{Name: "seqstart_k", Doc: "Where keys start."},
				{Name: "max_seqlen_k", Doc: "The longest sequence of keys."},
			},
			Attrs: []Attr{
				{Name: "scale", Type: OptFloatAttr, Doc: "The scale."}, {Name: "causal_mask", Type: OptStringAttr, Doc: "The mask."}, {Name: "window_size", Type: OptIntAttr, Doc: "The window."},
			},
		},
		{
			Name: "relax.vision.all_class_non_max_suppression", Infer: inferAllClassNMS, Pattern: Opaque, Doc: "Suppresses boxes that overlap better ones.",
			Args: []Arg{
				{Name: "boxes", Doc: "The boxes."},
				{Name: "scores", Doc: "The scores."},
				{Name: "max_output_boxes_per_class", Kind: AnyValue, Doc: "The most boxes of a class."},
				{Name: "iou_threshold", Kind: AnyValue, Doc: "The overlap."},
				{Name: "score_threshold", Kind: AnyValue, Doc: "The least score."},
			},
			Attrs: []Attr{{Name: "output_format", Type: StringAttr, Default: "onnx", Enum: []string{"onnx", "tensorflow"}, Doc: "The form of the result."}},
		},
	}
}

// inspectOps read the header of a tensor.
func inspectOps() []*Op {
	t := Arg{Name: "tensor", Doc: "The tensor."}
	axis := Arg{Name: "axis", Kind: Prim, Doc: "The axis."}
	var out []*Op
	for _, x := range []struct{ name, doc string }{
		{"dtype_code", "The kind of the element type."},
		{"dtype_bits", "The bits of an element."},
		{"dtype_lanes", "The lanes of an element."},
		{"ndim", "The number of dimensions."},
		{"byte_offset", "Where the data starts, in bytes."},
		{"elem_offset", "Where the data starts, in elements."},
	} {
		out = append(out, &Op{Name: "relax.inspect.tensor_" + x.name, Args: []Arg{t}, Infer: inferInspect, Pattern: Opaque, Doc: x.doc})
	}
	for _, x := range []struct{ name, doc string }{{"shape_i", "An extent."}, {"stride_i", "A stride."}} {
		out = append(out, &Op{Name: "relax.inspect.tensor_" + x.name, Args: []Arg{t, axis}, Infer: inferInspect, Pattern: Opaque, Doc: x.doc})
	}
	return out
}
