package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// imageOps are named as in TVM's relax.op.image.
func imageOps() []*Op {
	resize := func(name, layout, size, what string, infer InferFunc, roi int) *Op {
		return &Op{
			Name: "relax.image." + name,
			Args: []Arg{{Name: "data", Doc: "The " + what + "."}, {Name: "size", Kind: Shape, Doc: "The " + size + " of the result."}},
			Attrs: []Attr{
				{Name: "roi", Type: FloatsAttr, Default: ir.Normalize(make([]float64, roi)), Doc: "The region of interest, for tf_crop_and_resize."},
				{Name: "layout", Type: StringAttr, Default: layout, Doc: "The layout of the input and the result."},
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
			Infer: infer, Pattern: Injective, Doc: "Resizes " + what + ".",
		}
	}
	corners := Attr{Name: "align_corners", Type: BoolAttr, Default: false, Doc: "Whether -1 and 1 are the centers of the first and the last element, not their edges."}
	aligned := corners
	aligned.Default = true // as in TVM, for affine_grid alone
	return []*Op{
		resize("resize2d", "NCHW", "height and width", "images", inferResize("HW"), 4),
		resize("resize3d", "NCDHW", "depth, height and width", "volumes", inferResize("DHW"), 6),
		{
			Name: "relax.image.grid_sample", Infer: inferGridSample, Pattern: Injective,
			Args: []Arg{
				{Name: "data", Doc: "The images or volumes."},
				{Name: "grid", Doc: "The places to sample, from -1 to 1: (batch, 2, height, width) with x and y, or (batch, 3, depth, height, width) with x, y and z."},
			},
			Attrs: []Attr{
				{Name: "method", Type: StringAttr, Default: "bilinear", Doc: "The interpolation.", Enum: []string{"nearest", "bilinear", "bicubic"}},
				{Name: "layout", Type: StringAttr, Default: "NCHW", Doc: "The layout of the input and the result.", Enum: []string{"NCHW", "NHWC", "NCDHW"}},
				{Name: "padding_mode", Type: StringAttr, Default: "zeros", Doc: "What is outside.", Enum: []string{"zeros", "border", "reflection"}},
				corners,
			},
			Doc: "Samples images at the places that a grid says.",
		},
		{
			Name: "relax.image.affine_grid", Infer: inferAffineGrid, Pattern: CommReduce,
			Args: []Arg{
				{Name: "data", Doc: "The affine matrices: (batch, 2, 3), or (batch, 3, 4) for volumes."},
				{Name: "size", Kind: Shape, Doc: "The height and width of the grid, or its depth, height and width."},
			},
			Attrs: []Attr{aligned},
			Doc:   "Makes the grids of places that grid_sample takes.",
		},
	}
}

// inferResize is the rule of resizing along the axes of those letters.
func inferResize(axes string) InferFunc {
	return func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
		l, err := c.layout("layout", "NC"+axes)
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
		if size.NDim >= 0 && size.NDim != len(axes) {
			return nil, c.argErr(1, describe(size), "a shape of %d extents", len(axes))
		}
		dt := c.resultDType([]*relax.TensorStructInfo{t})
		if d == nil || size.Values == nil {
			return rankOf(dt, len(l), t), nil
		}
		for i := range len(axes) {
			d[axes[i]] = size.Values[i]
		}
		return tensorOf(dt, c.permuteTo(l, d), t), nil
	}
}

func inferGridSample(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	axes := "HW"
	if len(c.Str("layout")) == 5 {
		axes = "DHW"
	}
	l, err := c.layout("layout", "NC"+axes)
	if err != nil {
		return nil, err
	}
	t, d, err := c.layoutDims(0, l)
	if err != nil {
		return nil, err
	}
	grid, err := c.ranked(1, len(l))
	if err != nil {
		return nil, err
	}
	g, known := c.dimsOf(grid)
	if known {
		if err := c.extent(1, grid, 1, tir.Int(int64(len(axes)))); err != nil {
			return nil, err
		}
	}
	if d == nil || !known {
		return rankOf(t.DType, len(l), t), nil
	}
	if err := c.extent(1, grid, 0, d['N']); err != nil {
		return nil, err
	}
	for i := range len(axes) {
		d[axes[i]] = g[2+i]
	}
	return tensorOf(t.DType, c.permuteTo(l, d), t), nil
}

func inferAffineGrid(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	t, err := c.ranked(0, 3)
	if err != nil {
		return nil, err
	}
	size, err := c.Shape(1)
	if err != nil {
		return nil, err
	}
	n := size.NDim
	switch {
	case n < 0:
		return rankOf(t.DType, -1, t), nil
	case n != 2 && n != 3:
		return nil, c.argErr(1, describe(size), "a shape of two or three extents")
	}
	d, known := c.dimsOf(t)
	for i := 1; known && i < 3; i++ {
		if err := c.extent(0, t, i, tir.Int(int64(n+i-1))); err != nil {
			return nil, err
		}
	}
	if !known || size.Values == nil {
		return rankOf(t.DType, n+2, t), nil
	}
	return tensorOf(t.DType, append([]tir.Expr{d[0], tir.Int(int64(n))}, size.Values...), t), nil
}
