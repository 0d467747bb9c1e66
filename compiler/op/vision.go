package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// visionOps are named as in TVM's relax.op.vision.
func visionOps() []*Op {
	roi := []Arg{{Name: "data", Doc: "The images."}, {Name: "rois", Doc: "The regions, a row of five for each: the image, then the corners as x and y, twice."}}
	pooled := []Attr{
		{Name: "pooled_size", Type: IntsAttr, Required: true, Doc: "The height and width of the result."},
		{Name: "spatial_scale", Type: FloatAttr, Required: true, Doc: "What a coordinate of a region is multiplied by."},
	}
	idIndex := Attr{Name: "id_index", Type: IntAttr, Default: int64(0), Doc: "Where the class stands in a box, -1 for nowhere."}
	scoreIndex := Attr{Name: "score_index", Type: IntAttr, Default: int64(1), Doc: "Where the score stands in a box."}
	boxes := Arg{Name: "data", Doc: "The boxes: (batch, boxes, elements of a box)."}
	return []*Op{
		{
			Name: "relax.vision.roi_align", Args: roi, Infer: inferRegions, Pattern: OutEWiseFusable,
			Attrs: append(pooled[:2:2],
				Attr{Name: "sample_ratio", Type: IntAttr, Default: int64(-1), Doc: "How many samples a bin has in each direction, as many as it has elements if not positive."},
				Attr{Name: "aligned", Type: BoolAttr, Default: false, Doc: "Whether regions may be smaller than an element."},
				Attr{Name: "layout", Type: StringAttr, Default: "NCHW", Doc: "The layout of the input and the result.", Enum: []string{"NCHW", "NHWC"}},
				Attr{Name: "mode", Type: StringAttr, Default: "avg", Doc: "What becomes of the samples of a bin; max_weighted is ONNX's maximum, of the elements around them times their weights.", Enum: []string{"avg", "max", "max_weighted"}},
			),
			Doc: "Divides regions of images into bins, and reduces samples of each, interpolated linearly.",
		},
		{
			Name: "relax.vision.roi_pool", Args: roi, Infer: inferRegions, Pattern: OutEWiseFusable,
			Attrs: append(pooled[:2:2], Attr{Name: "layout", Type: StringAttr, Default: "NCHW", Doc: "The layout of the input and the result.", Enum: []string{"NCHW"}}),
			Doc:   "Divides regions of images into bins, and takes the greatest element of each.",
		},
		{
			Name: "relax.vision.all_class_non_max_suppression", Infer: inferAllClassNMS, Pattern: Opaque, Doc: "Suppresses boxes that overlap better ones of their class.",
			Args: []Arg{
				{Name: "boxes", Doc: "The boxes: (batch, boxes, 4)."},
				{Name: "scores", Doc: "The scores: (batch, classes, boxes)."},
				{Name: "max_output_boxes_per_class", Kind: AnyValue, Doc: "The most boxes of a class, a scalar."},
				{Name: "iou_threshold", Kind: AnyValue, Doc: "The part of their union that two boxes may have in common, a scalar."},
				{Name: "score_threshold", Kind: AnyValue, Doc: "The score that a box must be above, a scalar."},
			},
			Attrs: []Attr{{Name: "output_format", Type: StringAttr, Default: "onnx", Enum: []string{"onnx", "tensorflow"}, Doc: "The form of the result."}},
		},
		{
			Name: "relax.vision.get_valid_counts", Args: []Arg{boxes}, Infer: inferValidCounts, Pattern: Opaque,
			Attrs: []Attr{{Name: "score_threshold", Type: FloatAttr, Default: 0.0, Doc: "The score that a box must be above."}, idIndex, scoreIndex},
			Doc:   "Moves the boxes that count to the front: how many, the boxes, and where they stood.",
		},
		{
			Name: "relax.vision.non_max_suppression", Infer: inferNMS, Pattern: Opaque, Doc: "Suppresses boxes that overlap better ones.",
			Args: []Arg{boxes, {Name: "valid_count", Doc: "How many boxes count."}, {Name: "indices", Doc: "Where the boxes stood."}},
			Attrs: []Attr{
				{Name: "max_output_size", Type: IntAttr, Default: int64(-1), Doc: "The most boxes that are kept, -1 for all."},
				{Name: "iou_threshold", Type: FloatAttr, Default: 0.5, Doc: "The part of their union that two boxes may have in common."},
				{Name: "force_suppress", Type: BoolAttr, Default: false, Doc: "Whether boxes of different classes suppress each other."},
				{Name: "top_k", Type: IntAttr, Default: int64(-1), Doc: "How many of the best boxes are looked at, -1 for all."},
				{Name: "coord_start", Type: IntAttr, Default: int64(2), Doc: "Where the four coordinates start in a box."},
				scoreIndex, idIndex,
				{Name: "return_indices", Type: BoolAttr, Default: true, Doc: "Whether the result says where the boxes stood."},
				{Name: "invalid_to_bottom", Type: BoolAttr, Default: false, Doc: "Whether boxes that are kept move to the front, where the result is the boxes."},
				{Name: "soft_nms_sigma", Type: FloatAttr, Default: 0.0, Doc: "How slowly the scores of overlapping boxes decay, 0 for boxes that are suppressed at once."},
				{Name: "score_threshold", Type: FloatAttr, Default: 0.0, Doc: "The score that a box must be above where scores decay."},
			},
		},
		{
			Name: "relax.vision.multibox_transform_loc", Infer: inferMultibox, Pattern: Opaque,
			Args: []Arg{
				{Name: "cls_pred", Doc: "The logits: (batch, classes, anchors)."},
				{Name: "loc_pred", Doc: "Four numbers for each anchor, x, y, width and height: (batch, 4 * anchors)."},
				{Name: "anchor", Doc: "Left, top, right and bottom of each anchor: (1, anchors, 4)."},
			},
			Attrs: []Attr{
				{Name: "clip", Type: BoolAttr, Default: false, Doc: "Whether corners are kept from 0 to 1."},
				{Name: "threshold", Type: FloatAttr, Default: 0.0, Doc: "Scores below are zero."},
				{Name: "variances", Type: FloatsAttr, Default: ir.Normalize([]float64{1, 1, 1, 1}), Doc: "The scales of x, y, width and height."},
				{Name: "keep_background", Type: BoolAttr, Default: true, Doc: "Whether the first class keeps its scores."},
			},
			Doc: "Decodes boxes from anchors: the boxes as ymin, xmin, ymax, xmax, and the scores after a softmax.",
		},
	}
}

func inferRegions(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	l, err := c.layout("layout", "NCHW")
	if err != nil {
		return nil, err
	}
	t, d, err := c.layoutDims(0, l)
	if err != nil {
		return nil, err
	}
	rois, err := c.ranked(1, 2)
	if err != nil {
		return nil, err
	}
	if err := c.extent(1, rois, 1, tir.Int(5)); err != nil {
		return nil, err
	}
	size, err := c.positiveInts("pooled_size", 2)
	if err != nil {
		return nil, err
	}
	r, known := c.dimsOf(rois)
	if d == nil || !known {
		return rankOf(t.DType, 4, t), nil
	}
	d['N'], d['H'], d['W'] = r[0], tir.Int(size[0]), tir.Int(size[1])
	return tensorOf(t.DType, c.permuteTo(l, d), t), nil
}

func inferAllClassNMS(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	boxes, err := c.ranked(0, 3)
	if err != nil {
		return nil, err
	}
	scores, err := c.ranked(1, 3)
	if err != nil {
		return nil, err
	}
	if err := c.extent(0, boxes, 2, tir.Int(4)); err != nil {
		return nil, err
	}
	b, known := c.dimsOf(boxes)
	s, known2 := c.dimsOf(scores)
	known = known && known2
	if known {
		for i, j := range map[int]int{0: 0, 2: 1} {
			if err := c.extent(1, scores, i, b[j]); err != nil {
				return nil, err
			}
		}
	}
	field := func(dt dtype.DType, shape func() []tir.Expr, ndim int) relax.StructInfo {
		if !known {
			return rankOf(dt, ndim, boxes)
		}
		return tensorOf(dt, shape(), boxes)
	}
	one := func() []tir.Expr { return []tir.Expr{tir.Int(1)} }
	if c.Str("output_format") == "onnx" {
		return tupleOf(
			field(dtype.Int64T, func() []tir.Expr { return []tir.Expr{c.product([]tir.Expr{b[0], s[1], b[1]}), tir.Int(3)} }, 2),
			tensorOf(dtype.Int64T, one(), boxes),
		), nil
	}
	per := func() tir.Expr { return c.Simplify(tir.Mul(s[1], b[1])) }
	return tupleOf(
		field(dtype.Int64T, func() []tir.Expr { return []tir.Expr{b[0], per(), tir.Int(2)} }, 3),
		field(dtype.Float32T, func() []tir.Expr { return []tir.Expr{b[0], per()} }, 2),
		field(dtype.Int64T, func() []tir.Expr { return []tir.Expr{b[0]} }, 1),
	), nil
}

func tupleOf(fields ...relax.StructInfo) *relax.TupleStructInfo {
	return &relax.TupleStructInfo{Fields: fields}
}

// boxes returns the first argument, boxes of which the attributes name elements, and its extents; they are nil where they are not known.
func (c *InferContext) boxes(attrs ...string) (*relax.TensorStructInfo, []tir.Expr, error) {
	t, err := c.ranked(0, 3)
	if err != nil {
		return nil, nil, err
	}
	if !t.DType.IsVoid() && !t.DType.IsFloat() {
		return nil, nil, c.argErr(0, t.DType.String(), "a tensor of a floating-point type")
	}
	d, _ := c.dimsOf(t)
	for _, name := range attrs {
		i, _ := c.Int(name)
		least, width := int64(0), int64(1)
		switch name {
		case "id_index":
			least = -1
		case "coord_start":
			width = 4
		}
		if i < least {
			return nil, nil, c.attrErr(name, formatValue(i), "at least %d", least)
		}
		if d == nil {
			continue
		}
		if n, known := tir.AsInt(d[2]); known && i > n-width {
			return nil, nil, c.attrErr(name, formatValue(i), "an index into the %d elements of a box, of which it takes %d", n, width)
		}
	}
	return t, d, nil
}

func inferValidCounts(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, d, err := c.boxes("score_index", "id_index")
	if err != nil {
		return nil, err
	}
	if d == nil {
		return tupleOf(rankOf(dtype.Int32T, 1, t), rankOf(t.DType, 3, t), rankOf(dtype.Int32T, 2, t)), nil
	}
	return tupleOf(tensorOf(dtype.Int32T, d[:1:1], t), tensorOf(t.DType, d, t), tensorOf(dtype.Int32T, d[:2:2], t)), nil
}

func inferNMS(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, d, err := c.boxes("score_index", "id_index", "coord_start")
	if err != nil {
		return nil, err
	}
	for i := 1; i < 3; i++ {
		x, err := c.ranked(i, i)
		if err != nil {
			return nil, err
		}
		if !x.DType.IsVoid() && x.DType != dtype.Int32T {
			return nil, c.argErr(i, x.DType.String(), "elements of type int32")
		}
		for k := 0; d != nil && k < i; k++ {
			if err := c.extent(i, x, k, d[k]); err != nil {
				return nil, err
			}
		}
	}
	indices, count := rankOf(dtype.Int32T, 2, t), rankOf(dtype.Int32T, 2, t)
	if d != nil {
		indices, count = tensorOf(dtype.Int32T, d[:2:2], t), tensorOf(dtype.Int32T, []tir.Expr{d[0], tir.Int(1)}, t)
	}
	sigma, _ := c.attr("soft_nms_sigma").(float64)
	switch {
	case !c.Bool("return_indices"):
		return t, nil
	case sigma > 0:
		return tupleOf(t, indices, count), nil
	}
	return tupleOf(indices, count), nil
}

func inferMultibox(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	var ts [3]*relax.TensorStructInfo
	for i, ndim := range []int{3, 2, 3} {
		t, err := c.ranked(i, ndim)
		if err != nil {
			return nil, err
		}
		if ts[i] = t; i > 0 && !t.DType.IsVoid() && !ts[0].DType.IsVoid() && t.DType != ts[0].DType {
			return nil, c.argErr(i, t.DType.String(), "elements of type %s, like those of cls_pred", ts[0].DType)
		}
	}
	if v, _ := c.attr("variances").([]ir.Value); len(v) != 4 {
		return nil, c.attrErr("variances", formatValue(c.attr("variances")), "four numbers")
	}
	if err := c.extent(2, ts[2], 0, tir.Int(1)); err != nil {
		return nil, err
	}
	if err := c.extent(2, ts[2], 2, tir.Int(4)); err != nil {
		return nil, err
	}
	d, known := c.dimsOf(ts[0])
	if !known {
		return tupleOf(rankOf(ts[0].DType, 3, ts[0]), rankOf(ts[0].DType, 3, ts[0])), nil
	}
	if err := c.extent(1, ts[1], 0, d[0]); err != nil {
		return nil, err
	}
	if err := c.extent(1, ts[1], 1, tir.Mul(d[2], tir.Int(4))); err != nil {
		return nil, err
	}
	if err := c.extent(2, ts[2], 1, d[2]); err != nil {
		return nil, err
	}
	return tupleOf(tensorOf(ts[0].DType, []tir.Expr{d[0], d[2], tir.Int(4)}, ts[0]), tensorOf(ts[0].DType, d, ts[0])), nil
}
