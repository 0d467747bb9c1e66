package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func resizeRows() []operator {
	return []operator{
		{
			name: "Resize", minIn: 1, maxIn: 4, attrs: []string{
				"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
				"extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode",
			}, convert: resize,
		},
		{name: "Upsample", minIn: 1, maxIn: 2, attrs: []string{"mode", "scales"}, convert: upsample},
	}
}

// resize changes height and width of NCHW images. The result's extents are given, or follow
// from scales; a scale that does not give a whole number of elements is refused, because
// relax derives the scale from the extents.
func resize(n *node) {
	dims := n.image()
	scalesAt, sizesAt := 1, -1
	if n.opset >= 11 {
		scalesAt, sizesAt = 2, 3
	}
	var out []tir.Expr
	switch {
	case sizesAt > 0 && n.has(sizesAt) && !n.emptyOperand(sizesAt):
		out = n.spread(n.shapeOperand(sizesAt, "sizes"), dims)
	case n.has(scalesAt):
		out = n.scaledDims(n.floatsOperand(scalesAt, "scales"), dims)
	default:
		n.fail("neither scales nor sizes are given")
	}
	n.want("antialias", 0, "smoothing is not supported")
	n.str("keep_aspect_ratio_policy", "stretch", "stretch")
	coordinates, rounding := "half_pixel", "round_prefer_floor"
	if n.opset < 11 {
		coordinates, rounding = "asymmetric", "floor"
	}
	coordinates = n.str("coordinate_transformation_mode", coordinates,
		"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric", "tf_half_pixel_for_nn")
	rounding = n.str("nearest_mode", rounding, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
	n.resized(dims, out, coordinates, rounding)
}

func upsample(n *node) {
	dims := n.image()
	var scales []float64
	if a := n.pb.Attribute("scales"); a != nil {
		for _, f := range n.attr("scales", onnxpb.AttrFloats).Floats {
			scales = append(scales, float64(f))
		}
	} else {
		scales = n.floatsOperand(1, "scales")
	}
	n.resized(dims, n.scaledDims(scales, dims), "asymmetric", "floor")
}

func (n *node) resized(from, to []tir.Expr, coordinates, rounding string) {
	if !sameDims(from[:2], to[:2]) {
		n.fail("batch or channels are resized; only height and width can be")
	}
	n.check(checkElements(to))
	method := map[string]string{"nearest": "nearest_neighbor", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}[n.str("mode", "nearest", "nearest", "linear", "bilinear", "cubic")]
	if method != "nearest_neighbor" {
		rounding = ""
	}
	n.result("relax.image.resize2d", args(n.expr(0), shapeExpr(to[2:])),
		"roi", []float64{0, 0, 0, 0}, "layout", "NCHW", "method", method, "coordinate_transformation_mode", coordinates,
		"rounding_method", rounding, "cubic_alpha", n.float("cubic_coeff_a", -0.75), "cubic_exclude", n.int("exclude_outside", 0),
		"extrapolation_value", n.float("extrapolation_value", 0))
}

// emptyOperand reports whether operand i is a tensor of no elements, as scales and sizes are
// where the other is given.
func (n *node) emptyOperand(i int) bool {
	k := n.known(i)
	return k != nil && len(k.elems) == 0
}

func (n *node) floatsOperand(i int, what string) []float64 {
	k := n.known(i)
	if k == nil {
		n.fail("%s (input %d) must be constant", what, i)
	}
	out := make([]float64, len(k.elems))
	for j, e := range k.elems {
		f, ok := e.(*tir.FloatImm)
		if !ok {
			n.fail("%s (input %d) must hold floating-point constants", what, i)
		}
		out[j] = f.Value
	}
	return out
}

// spread puts extents given for the attribute "axes" among the others.
func (n *node) spread(given, dims []tir.Expr) []tir.Expr {
	out := append([]tir.Expr{}, dims...)
	axes := []int{0, 1, 2, 3}
	if list := n.ints("axes"); list != nil {
		axes = n.axes(list, len(dims))
	}
	if len(given) != len(axes) {
		n.fail("there are %d sizes for %d axes", len(given), len(axes))
	}
	for i, a := range axes {
		if out[a] = given[i]; !mayBePositive(given[i]) {
			n.fail("size %d is %v, expected 1 or more", i, relax.FormatPrim(given[i]))
		}
	}
	return out
}

func mayBePositive(e tir.Expr) bool {
	v, ok := tir.AsInt(e)
	return !ok || v > 0
}

func (n *node) scaledDims(scales []float64, dims []tir.Expr) []tir.Expr {
	axes := []int{0, 1, 2, 3}
	if list := n.ints("axes"); list != nil {
		axes = n.axes(list, len(dims))
	}
	if len(scales) != len(axes) {
		n.fail("there are %d scales for %d axes", len(scales), len(axes))
	}
	out := append([]tir.Expr{}, dims...)
	for i, a := range axes {
		s := scales[i]
		v, ok := tir.AsInt(dims[a])
		whole := s * float64(v)
		if r := math.Round(whole); math.Abs(whole-r) < 1e-6*whole {
			whole = r // the scale is a rounded float32
		}
		switch {
		case s == 1:
		case !(s > 0) || s > 1<<20:
			n.fail("scale %d is %g, expected a number above 0", i, s)
		case !ok && s == math.Trunc(s):
			out[a] = tir.Mul(dims[a], tir.Int(int64(s)))
		case !ok || whole != math.Trunc(whole) || whole < 1:
			n.fail("scale %d is %g, which does not make a whole number of elements of extent %v", i, s, v)
		default:
			out[a] = tir.Int(int64(whole))
		}
	}
	return out
}
