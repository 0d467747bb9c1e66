package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

func imageOps() []*Op {
	return []*Op{{
		Name: "relax.image.resize2d",
		Args: []Arg{{Name: "data", Doc: "The images."}, {Name: "size", Kind: Shape, Doc: "The height and width of the result."}},
		Attrs: []Attr{
			{Name: "roi", Type: FloatsAttr, Default: ir.Normalize([]float64{0, 0, 0, 0}), Doc: "The region of interest, for tf_crop_and_resize."},
			{Name: "layout", Type: StringAttr, Default: "NCHW", Doc: "The layout of the input and the result."},
			{Name: "method", Type: StringAttr, Default: "linear", Doc: "How elements are interpolated.", Enum: []string{"nearest_neighbor", "linear", "cubic"}},
			{
				Name: "coordinate_transformation_mode", Type: StringAttr, Default: "half_pixel", Doc: "How coordinates of the result map to the input.",
				Enum: []string{"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"},
			},
			{Name: "rounding_method", Type: StringAttr, Default: "round", Doc: "How coordinates are rounded, for nearest_neighbor.", Enum: []string{"", "round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}},
			{Name: "cubic_alpha", Type: FloatAttr, Default: -0.75, Doc: "The spline coefficient, for cubic."},
			{Name: "cubic_exclude", Type: IntAttr, Default: int64(0), Doc: "Whether the weights of elements outside are left out, for cubic."},
			{Name: "extrapolation_value", Type: FloatAttr, Default: 0.0, Doc: "The value outside of the region of interest."},
			{Name: "out_dtype", Type: DTypeAttr, Default: dtype.Void, Doc: "The element type of the result; void is that of the input."},
		},
		Infer: inferResize2D, Pattern: Injective, Doc: "Resizes images.",
	}}
}

func inferResize2D(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	l, err := c.layout("layout", "NCHW")
	if err != nil {
		return nil, err
	}
	t, d, err := c.layoutDims(0, l)
	if err != nil {
		return nil, err
	}
	size, err := c.Shape(1)
	if err != nil {
		return nil, err
	}
	if size.NDim >= 0 && size.NDim != 2 {
		return nil, c.argErr(1, describe(size), "a shape of two extents, height and width")
	}
	dt := c.resultDType([]*relax.TensorStructInfo{t})
	if d == nil || size.Values == nil {
		return rankOf(dt, len(l), t), nil
	}
	d['H'], d['W'] = size.Values[0], size.Values[1]
	return tensorOf(dt, c.permuteTo(l, d), t), nil
}
