package differ

import (
	"slices"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	register(resize, "Resize")
	register(upsample, "Upsample")
	register(gridSample, "GridSample")
	register(affineGrid, "AffineGrid")
	register(roiAlign, "RoiAlign")
	register(maxRoiPool, "MaxRoiPool")
	register(nms, "NonMaxSuppression")
}

func resize(d *draw) {
	d.opset = pick(d, int64(11), 13, 18, 19)
	mode := pick(d, "nearest", "nearest", "linear", "cubic")
	coordinate := pick(d, "half_pixel", "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
	if d.opset >= 19 {
		coordinate = pick(d, coordinate, "half_pixel_symmetric")
	}
	dims := []int64{d.between(1, 2), d.between(1, 3)}
	spatial := d.filled(2, 2)
	if mode != "cubic" && d.chance(0.3) {
		spatial = d.filled(1, 3)
	}
	for i := range spatial {
		if spatial[i] = min(spatial[i], 14); d.symbolic { // parts of it are whole
			spatial[i] = max(spatial[i]/4, 1) * 4
		}
	}
	dims = append(dims, spatial...)
	scales := slices.Repeat([]float32{1}, len(dims))
	sizes := slices.Clone(dims)
	for i := 2; i < len(dims); i++ {
		scales[i] = pick(d, float32(2), 3, 0.5, 1, 0.25, 1.5, float32(0.4+2*d.Float64()))
		if sizes[i] = d.between(1, 2*dims[i]+1); mode == "nearest" && onEdges(dims[i], sizes[i]) {
			sizes[i] = 2 * dims[i]
		}
		if mode == "nearest" && coordinate == "half_pixel_symmetric" && scales[i] != float32(int64(scales[i]*4))/4 { // the one in the middle is between two elements
			scales[i] = 1.5
		}
		if n := float32(dims[i]) * scales[i]; n < 1 || int64(n) == dims[i] {
			scales[i] = 1
		}
	}
	attrs := []onnxpb.Attribute{ob.Str("mode", mode), ob.Str("coordinate_transformation_mode", coordinate)}
	if mode == "nearest" {
		attrs = append(attrs, maybe(d, 0.8, ob.Str("nearest_mode", pick(d, "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")))...)
	}
	if mode == "cubic" {
		attrs = append(attrs, maybe(d, 0.5, ob.Float("cubic_coeff_a", pick(d, float32(-0.5), -0.75)))...)
		attrs = append(attrs, maybe(d, 0.5, ob.Int("exclude_outside", d.Int64N(2)))...)
	}
	var axes []int64
	if d.opset >= 18 {
		if mode != "nearest" {
			attrs = append(attrs, maybe(d, 0.4, ob.Int("antialias", d.Int64N(2)))...)
		}
		if d.chance(0.4) { // the axes of space alone
			for i := 2; i < len(dims); i++ {
				axes = append(axes, int64(i))
			}
			scales, sizes = scales[2:], sizes[2:]
			attrs = append(attrs, ob.IntList("axes", axes...))
		}
	}
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Uint8)
	if mode != "nearest" {
		dt = onnxpb.Float
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-4}
	in := []val{d.input(d.values(dt, plain, dims...)), none}
	if d.chance(0.2) { // a part, or more than the whole
		attrs = []onnxpb.Attribute{ob.Str("mode", mode), ob.Str("coordinate_transformation_mode", "tf_crop_and_resize"), ob.Float("extrapolation_value", pick(d, float32(0), -7, 2.5))}
		roi := make([]float32, 2*len(dims))
		sizes = slices.Clone(dims)
		for i := range dims {
			if roi[len(dims)+i] = 1; i >= 2 {
				roi[i], roi[len(dims)+i] = float32(d.Float64()*0.9-0.2), float32(d.Float64()*0.9+0.3)
				if sizes[i] = d.between(1, 2*dims[i]+1); sizes[i] == dims[i] {
					sizes[i]++
				}
			}
		}
		in[1] = d.constant(tensor.MustOf([]int64{int64(len(roi))}, roi))
		in = append(in, none, d.list(sizes...))
		if d.opset < 13 {
			in[2] = d.constant(tensor.MustOf([]int64{0}, []float32{}))
		}
		d.result("Resize", dt, in, attrs...)
		return
	}
	if d.opset < 13 {
		in[1] = d.constant(tensor.MustOf([]int64{0}, []float32{}))
	}
	if d.chance(0.5) {
		whole := axes == nil // where they are data
		for i, v := range scales {
			whole = whole && float32(int64(float32(dims[min(i, len(dims)-1)])*v)) == float32(dims[min(i, len(dims)-1)])*v
		}
		in = append(in, d.either(1-0.4*float64(truth(whole)), tensor.MustOf([]int64{int64(len(scales))}, scales)))
	} else {
		in = append(in, none, d.list(sizes...))
		if d.opset < 13 {
			in[2] = in[1]
		}
		if d.opset >= 18 && axes != nil {
			attrs = append(attrs, maybe(d, 0.5, ob.Str("keep_aspect_ratio_policy", pick(d, "stretch", "not_larger", "not_smaller")))...)
		}
	}
	d.result("Resize", dt, in, attrs...)
}

// onEdges says that an axis of so many elements has coordinates between two elements, or at one, for some of the elements of the result, and that the quotient of the extents is
// rounded: which element is taken is then up to how it is computed.
func onEdges(in, out int64) bool {
	a, b := in, out
	for b != 0 {
		a, b = b, a%b
	}
	if whole := in / a; whole&(whole-1) == 0 {
		return false
	}
	for x := range out {
		if (2*x+1)*in%out == 0 {
			return true
		}
	}
	return false
}

func upsample(d *draw) {
	d.opset = 9
	d.tol.rel, d.tol.ofMax = 1e-4, 1e-4
	dims := d.filled(4, 4)
	dims[3] += dims[3] % 2 * truth(d.symbolic)
	scales := []float32{1, 1, pick(d, float32(1), 2, 3), pick(d, float32(1), 2, 2.5)}
	d.result("Upsample", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...)), d.constant(tensor.MustOf([]int64{4}, scales))}, ob.Str("mode", pick(d, "nearest", "linear")))
}

func gridSample(d *draw) {
	d.opset = pick(d, int64(16), 20)
	modes := []string{"bilinear", "nearest", "bicubic"}
	if d.opset >= 20 {
		modes = []string{"linear", "nearest", "cubic"}
	}
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	n := d.between(1, 2)
	x, to := []int64{n, d.between(1, 3), d.between(1, 7), d.between(1, 7)}, []int64{n, d.between(1, 5), d.between(1, 5), 2}
	mode := pick(d, modes...)
	if d.opset >= 20 && mode != "cubic" && d.chance(0.3) {
		x, to = append(x, d.between(1, 5)), []int64{n, d.between(1, 3), d.between(1, 5), d.between(1, 5), 3}
	}
	grid := d.values(onnxpb.Float, plain, to...)
	for i := range grid.Len() {
		grid.SetFloat(i, grid.Float(i)*0.7+0.00013)
	}
	attrs := []onnxpb.Attribute{ob.Str("mode", mode)}
	attrs = append(attrs, maybe(d, 0.7, ob.Str("padding_mode", pick(d, "zeros", "border", "reflection")))...)
	attrs = append(attrs, maybe(d, 0.7, ob.Int("align_corners", d.Int64N(2)))...)
	d.result("GridSample", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, x...)), d.input(grid)}, attrs...)
}

func affineGrid(d *draw) {
	d.opset = 20
	n, corners := d.between(1, 2), d.Int64N(2)
	least := 1 + corners
	theta, size := []int64{n, 2, 3}, []int64{n, d.between(1, 3), d.between(least, 5), d.between(least, 5)}
	if d.chance(0.4) {
		theta, size = []int64{n, 3, 4}, append(size, d.between(least, 4))
	}
	d.result("AffineGrid", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, theta...)), d.list(size...)}, maybe(d, float64(max(corners, d.Int64N(2))), ob.Int("align_corners", corners))...)
}

// boxes are corners within an image, with the first before the second.
func (d *draw) boxes(n int64, h, w float64) *tensor.Tensor {
	t := empty(onnxpb.Float, []int64{n, 4})
	for i := range int(n) {
		x0, y0 := d.Float64()*w*0.8, d.Float64()*h*0.8
		t.SetFloat(4*i, x0)
		t.SetFloat(4*i+1, y0)
		t.SetFloat(4*i+2, x0+d.Float64()*w)
		t.SetFloat(4*i+3, y0+d.Float64()*h)
	}
	return t
}

func roiAlign(d *draw) {
	d.opset = pick(d, int64(10), 16)
	n, h, w, rois := d.between(1, 3), d.between(2, 9), d.between(2, 9), d.between(1, 4)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	attrs := maybe(d, 0.7, ob.Int("output_height", d.between(1, 4)))
	attrs = append(attrs, maybe(d, 0.7, ob.Int("output_width", d.between(1, 4)))...)
	attrs = append(attrs, maybe(d, 0.7, ob.Int("sampling_ratio", d.between(0, 3)))...)
	attrs = append(attrs, maybe(d, 0.7, ob.Float("spatial_scale", float32(0.3+d.Float64())))...)
	attrs = append(attrs, maybe(d, 0.5, ob.Str("mode", pick(d, "avg", "max")))...)
	if d.opset >= 16 {
		attrs = append(attrs, maybe(d, 0.7, ob.Str("coordinate_transformation_mode", pick(d, "half_pixel", "output_half_pixel")))...)
	}
	d.result("RoiAlign", onnxpb.Float, []val{
		d.input(d.values(onnxpb.Float, plain, n, d.between(1, 3), h, w)), d.input(d.boxes(rois, float64(h), float64(w))), d.input(d.below(onnxpb.Int64, 0, n, rois)),
	}, attrs...)
}

func maxRoiPool(d *draw) {
	n, h, w, rois := d.between(1, 3), d.between(2, 9), d.between(2, 9), d.between(1, 4)
	boxes, of := empty(onnxpb.Float, []int64{rois, 5}), d.boxes(rois, float64(h), float64(w))
	for i := range int(rois) {
		boxes.SetFloat(5*i, float64(d.Int64N(n)))
		for k := range 4 {
			boxes.SetFloat(5*i+1+k, of.Float(4*i+k))
		}
	}
	d.result("MaxRoiPool", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, n, d.between(1, 3), h, w)), d.input(boxes)},
		ob.IntList("pooled_shape", d.between(1, 4), d.between(1, 4)), ob.Float("spatial_scale", pick(d, float32(1), 0.5, 0.3)))
}

func nms(d *draw) {
	n, c, m := d.between(1, 2), d.between(1, 3), d.between(1, 12)
	boxes := empty(onnxpb.Float, []int64{n, m, 4})
	for b := range int(n) {
		of := d.boxes(m, 1, 1)
		for i := range of.Len() {
			boxes.SetFloat(b*of.Len()+i, of.Float(i))
		}
	}
	scores := d.values(onnxpb.Float, pick(d, unit, small), n, c, m)
	in := []val{d.input(boxes), d.input(scores), d.constant(tensor.MustOf([]int64{1}, []int64{d.between(0, 5)})), none, none}
	if d.chance(0.7) {
		in[3] = d.constant(tensor.MustOf([]int64{1}, []float32{float32(d.Float64())}))
	}
	if d.chance(0.6) {
		in[4] = d.constant(tensor.MustOf([]int64{1}, []float32{float32(d.Float64() - 0.5)}))
	}
	d.result("NonMaxSuppression", onnxpb.Int64, in, maybe(d, 0.5, ob.Int("center_point_box", d.Int64N(2)))...)
}
