package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
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

// resizing says how a tensor is resized.
type resizing struct {
	out []tir.Expr
	// scales maps coordinates of the result to those of the input along an axis; 0 where that is the quotient of the extents.
	scales []float64

	// region is where the part of the input begins that tf_crop_and_resize takes, and where it ends, of each axis, relative to its extent. It is nil for other coordinates.
	region [][2]float64

	method, coordinates, rounding string
	cubic                         float64
	exclude, smooth               bool
}

func resize(n *node) {
	dims := n.dims(0)
	scalesAt, sizesAt := 1, -1
	if n.opset >= 11 {
		scalesAt, sizesAt = 2, 3
	}
	axes := allAxes(len(dims))
	if list := n.ints("axes"); list != nil {
		axes = n.axes(list, len(dims))
	}
	r := &resizing{out: slices.Clone(dims), scales: make([]float64, len(dims))}
	r.coordinates, r.rounding = "half_pixel", "round_prefer_floor"
	if n.opset < 11 {
		r.coordinates, r.rounding = "asymmetric", "floor"
	}
	r.coordinates = n.str("coordinate_transformation_mode", r.coordinates,
		"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize")
	if r.coordinates == "tf_crop_and_resize" {
		r.region = n.regionOperand(1, axes)
	}
	switch {
	case sizesAt > 0 && n.has(sizesAt) && !n.emptyOperand(sizesAt):
		n.sized(r, axes, n.sizesOperand(sizesAt, axes))
	case n.has(scalesAt) && n.known(scalesAt) == nil && len(axes) == len(dims):
		r.out = n.imageSizes(n.scaledExtents(scalesAt))
	case n.has(scalesAt):
		n.scaledBy(r, axes, n.floatsOperand(scalesAt, "scales"))
	default:
		n.fail("neither scales nor sizes are given")
	}
	r.rounding = n.str("nearest_mode", r.rounding, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
	r.smooth = n.bool("antialias", false)
	n.resized(r)
}

func upsample(n *node) {
	dims := n.dims(0)
	var scales []float64
	if a := n.pb.Attribute("scales"); a != nil {
		for _, f := range n.attr("scales", onnxpb.AttrFloats).Floats {
			scales = append(scales, float64(f))
		}
	} else {
		scales = n.floatsOperand(1, "scales")
	}
	axes := allAxes(len(dims))
	r := &resizing{out: slices.Clone(dims), scales: make([]float64, len(dims)), coordinates: "asymmetric", rounding: "floor"}
	n.scaledBy(r, axes, scales)
	n.resized(r)
}

// resized makes the resized operand 0 the result: by the operator of relax where that knows what is asked for, else axis by axis.
func (n *node) resized(r *resizing) {
	n.check(checkElements(r.out))
	from := n.dims(0)
	r.method = map[string]string{"nearest": "nearest_neighbor", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}[n.str("mode", "nearest", "nearest", "linear", "bilinear", "cubic")]
	if r.method == "nearest_neighbor" {
		r.smooth = false
	} else {
		r.rounding = ""
	}
	r.cubic, r.exclude = n.float("cubic_coeff_a", -0.75), n.bool("exclude_outside", false)
	spatial := len(from) - 2
	if r.region != nil { // coordinates do not depend on scales
		r.scales = make([]float64, len(from))
		if !sameDims(from[:2], r.out[:2]) {
			n.fail("coordinates tf_crop_and_resize with another batch or other channels than those of the input are not supported")
		}
	}
	if spatial < 1 || spatial > 3 || r.smooth || slices.ContainsFunc(r.scales, func(s float64) bool { return s != 0 }) || !sameDims(from[:2], r.out[:2]) {
		n.resizedByAxis(r)
		return
	}
	name, layout := "relax.image.resize2d", "NCHW"
	if spatial == 3 {
		name, layout = "relax.image.resize3d", "NCDHW"
	}
	x, size := n.expr(0), r.out[2:]
	if spatial == 1 { // an image of height 1
		x, size = n.reshape(x, []tir.Expr{from[0], from[1], tir.Int(1), from[2]}), []tir.Expr{tir.Int(1), r.out[2]}
	}
	as := args(x, shapeExpr(size))
	roi := make([]float64, 2*len(size))
	for k := range r.region[min(2, len(r.region)):] {
		at := len(size) - spatial + k // an image of height 1 is taken whole, by its first row
		roi[at], roi[len(size)+at] = r.region[2+k][0], r.region[2+k][1]
	}
	kv := []any{
		"roi", roi, "layout", layout, "method", r.method, "coordinate_transformation_mode", r.coordinates,
		"rounding_method", r.rounding, "cubic_alpha", r.cubic, "cubic_exclude", n.int("exclude_outside", 0), "extrapolation_value", n.float("extrapolation_value", 0),
	}
	if spatial == 1 {
		n.reshapeResult(n.emit(name, as, kv...), r.out)
		return
	}
	n.result(name, as, kv...)
}

// sizesOperand returns the elements of operand i, which are the sizes of axes.
func (n *node) sizesOperand(i int, axes []int) []tir.Expr {
	dims := n.dims(0)
	if n.known(i) != nil || len(dims) < 3 || len(axes) != len(dims) || n.vectorLength(i, "sizes") != len(dims) {
		return n.extentsOperand(i, "sizes")
	}
	n.wantDType(i, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	return n.imageSizes(n.expr(i))
}

// imageSizes reads sizes that are data. Those of the batch and the channels must be what the input has, which a run checks: images are resized, not what they are
// stacked by.
func (n *node) imageSizes(sizes relax.Expr) []tir.Expr {
	dims := n.dims(0)
	front := n.emit("relax.tensor_to_shape", args(n.part(sizes, 0, tir.Int(0), tir.Int(2))))
	_, err := n.g.bb.EmitMatchCast(front, relax.ShapeOf(dims[:2]...), n.g.names.fresh(n.base+"_fits"))
	n.check(err)
	rest := n.extentsOf(n.part(sizes, 0, tir.Int(2), tir.Int(int64(len(dims)))), len(dims)-2)
	return append(slices.Clone(dims[:2]), rest...)
}

// scaledExtents are the extents of operand 0 times operand i, scales that are data. A run checks that nothing is left over, so that the scales are the quotients of the extents.
func (n *node) scaledExtents(i int) relax.Expr {
	dims := n.dims(0)
	count := []tir.Expr{tir.Int(int64(len(dims)))}
	n.wantDType(i, "float32", func(d dtype.DType) bool { return d == dtype.Float32T })
	if !n.equal(product(n.ranked(i, 1, 1)), count[0]) || len(dims) < 3 {
		n.fail("the scales (input %d) depend on data and have shape %s, expected one for each of 3 axes or more", i, relax.FormatDims(n.dims(i)))
	}
	own := n.as(n.tensor(&value{known: vector(dtype.Int64T, dims)}), dtype.Float32T)
	out := n.emit("relax.multiply", args(own, n.reshape(n.expr(i), count)))
	whole := n.emit("relax.floor", args(out))
	left := n.emit("relax.max", args(n.emit("relax.subtract", args(out, whole))), "axis", []int64{0}, "keepdims", true)
	much := n.as(n.emit("relax.greater", args(left, n.constant(dtype.Float32T, maxLeft))), dtype.Int64T)
	_, err := n.g.bb.EmitMatchCast(n.emit("relax.tensor_to_shape", args(much)), relax.ShapeOf(tir.Int(0)), n.g.names.fresh(n.base+"_fits"))
	n.check(err)
	return n.as(whole, dtype.Int64T)
}

// maxLeft is how much of an element is taken to be the rounding of a scale.
const maxLeft = 1e-3

// regionOperand returns the starts and ends of operand i, which are those of axes, for each axis; others are taken whole.
func (n *node) regionOperand(i int, axes []int) [][2]float64 {
	rank := n.rank(0)
	if n.bool("antialias", false) || rank < 3 || rank > 5 {
		n.fail("coordinates tf_crop_and_resize are supported for one to three axes behind batch and channels, without antialias")
	}
	if !n.has(i) {
		n.fail("coordinates tf_crop_and_resize need the region (input %d)", i)
	}
	list := n.floatsOperand(i, "roi")
	if len(list) != 2*len(axes) {
		n.fail("roi (input %d) has %d elements, expected the starts and the ends of %d axes", i, len(list), len(axes))
	}
	out := make([][2]float64, rank)
	for a := range out {
		out[a] = [2]float64{0, 1}
	}
	for k, a := range axes {
		out[a] = [2]float64{list[k], list[len(axes)+k]}
		if a < 2 && out[a] != [2]float64{0, 1} {
			n.fail("roi (input %d) takes %g to %g of axis %d; a part of the batch or the channels is not supported", i, out[a][0], out[a][1], a)
		}
	}
	return out
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

// sized puts the extents that are given for some axes among the others. The policy may let them only bound a scale that all have.
func (n *node) sized(r *resizing, axes []int, given []tir.Expr) {
	if len(given) != len(axes) {
		n.fail("there are %d sizes for %d axes", len(given), len(axes))
	}
	policy := n.str("keep_aspect_ratio_policy", "stretch", "stretch", "not_larger", "not_smaller")
	scale := 0.0
	for i, a := range axes {
		size, ok := tir.AsInt(given[i])
		if ok && size < 1 {
			n.fail("size %d is %v, expected 1 or more", i, relax.FormatPrim(given[i]))
		}
		if policy == "stretch" {
			if _, known := tir.AsInt(r.out[a]); !known && ok && a < 2 && len(r.out) > 2 && n.equal(r.out[a], given[i]) {
				continue // images are resized, not what they are stacked by
			}
			r.out[a] = given[i]
			continue
		}
		extent, static := tir.AsInt(r.out[a])
		if !ok || !static || extent == 0 {
			n.fail("attribute \"keep_aspect_ratio_policy\" is %q, which needs fixed sizes and extents above 0", policy)
		}
		if s := float64(float32(size) / float32(extent)); i == 0 || policy == "not_larger" && s < scale || policy == "not_smaller" && s > scale {
			scale = s
		}
	}
	if policy == "stretch" {
		return
	}
	for _, a := range axes {
		extent, _ := tir.AsInt(r.out[a])
		out := math.Floor(float64(extent)*scale + .5)
		r.out[a] = tir.Int(int64(out))
		if float64(extent)*scale != out {
			r.scales[a] = scale
		}
	}
}

// scaledBy multiplies extents by scales and rounds down.
func (n *node) scaledBy(r *resizing, axes []int, scales []float64) {
	if len(scales) != len(axes) {
		n.fail("there are %d scales for %d axes", len(scales), len(axes))
	}
	for i, a := range axes {
		s := scales[i]
		if r.region != nil {
			s *= r.region[a][1] - r.region[a][0]
		}
		v, ok := tir.AsInt(r.out[a])
		whole := s * float64(v)
		if r := math.Round(whole); math.Abs(whole-r) < 1e-6*whole {
			whole = r // the scale is a rounded float32
		}
		switch {
		case s == 1:
		case !(s > 0) || s > 1<<20:
			n.fail("scale %d is %g, expected a number above 0", i, s)
		case !ok && s == math.Trunc(s):
			r.out[a] = tir.Mul(r.out[a], tir.Int(int64(s)))
		case !ok && r.region == nil && s*maxPart == math.Trunc(s*maxPart):
			r.out[a] = n.scaledExtent(r.out[a], int64(s*maxPart))
		case !ok:
			n.fail("scale %d is %g; a scale that is no whole number of %dths needs a fixed extent of axis %d", i, s, maxPart, a)
		case whole < 1 && v > 0:
			n.fail("scale %d is %g, which leaves nothing of extent %v", i, s, v)
		default:
			if r.out[a] = tir.Int(int64(whole)); whole != math.Trunc(whole) {
				r.scales[a] = s
			}
		}
	}
}

// maxPart is the largest divisor of the scales that symbolic extents take, a power of two.
const maxPart = 64

// scaledExtent is an extent times parts of maxPart. A run checks that nothing is left over, so that the scale is the quotient of the extents.
func (n *node) scaledExtent(extent tir.Expr, parts int64) tir.Expr {
	by := int64(maxPart)
	for parts%2 == 0 && by > 1 {
		parts, by = parts/2, by/2
	}
	whole := tir.Mul(extent, tir.Int(parts))
	out := tir.FloorDiv(whole, tir.Int(by))
	if !n.equal(tir.Mul(out, tir.Int(by)), whole) {
		n.fail("the extent %s times %d is no multiple of %d", relax.FormatPrim(extent), parts, by)
	}
	return out
}
