package differ

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
)

func init() {
	for name, f := range map[string]func(*draw){
		"Clip": oldClip, "Pad": oldPad, "Slice": oldSlice, "TopK": oldTopK, "Squeeze": oldSqueeze, "Split": oldSplit, "Resize": oldResize, "Upsample": oldUpsample,
		"Gemm": oldGemm, "OneHot": oldOneHot, "ReduceSum": oldReduce, "Cast": oldCast, "Flatten": oldFlatten, "Softmax": oldSoftmax, "Constant": oldConstant,
	} {
		register(f, "old "+name)
	}
}

// Operators as they were: operands that are attributes, and rules that have changed since.

func oldClip(d *draw) {
	d.opset = d.between(7, 10)
	attrs := append(maybe(d, 0.7, ob.Float("min", float32(d.between(-3, 0)))), maybe(d, 0.7, ob.Float("max", float32(d.between(0, 3))))...)
	d.result("Clip", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, tame, d.shape(0, 3)...))}, attrs...)
}

func oldPad(d *draw) {
	d.opset = d.between(7, 10)
	dims := d.filled(1, 4)
	mode := pick(d, "constant", "reflect", "edge", "")
	pads := make([]int64, 2*len(dims))
	for i := range pads {
		pads[i] = d.between(0, min(2, dims[i%len(dims)]-truth(mode == "reflect")))
	}
	attrs := []onnxpb.Attribute{ob.IntList("pads", pads...)}
	if mode != "" {
		attrs = append(attrs, ob.Str("mode", mode))
	}
	if d.symbolic = d.symbolic && mode != "reflect"; mode == "constant" || mode == "" {
		attrs = append(attrs, maybe(d, 0.6, ob.Float("value", 1.5))...)
	}
	d.result("Pad", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, special, dims...))}, attrs...)
}

func oldSlice(d *draw) {
	d.opset = d.between(7, 9)
	dims := d.filled(1, 4)
	axes := d.axes(len(dims), 1)
	var starts, ends []int64
	for i, a := range axes {
		axes[i] = int64(at(a, len(dims)))
		starts, ends = append(starts, d.between(-9, 9)), append(ends, pick(d, d.between(-9, 9), 1<<31-1))
	}
	d.result("Slice", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, ob.IntList("axes", axes...), ob.IntList("starts", starts...), ob.IntList("ends", ends...))
}

func oldTopK(d *draw) {
	d.opset = d.between(7, 10)
	dims := d.filled(1, 3)
	axis := d.axis(len(dims))
	if d.opset < 10 {
		axis = int64(at(axis, len(dims)))
	}
	k := d.between(1, dims[at(axis, len(dims))])
	in, attrs := []val{d.input(d.values(onnxpb.Float, plain, dims...))}, []onnxpb.Attribute{ob.Int("axis", axis)}
	if d.opset < 10 {
		attrs = append(attrs, ob.Int("k", k))
	} else {
		in = append(in, d.list(k))
	}
	d.symbolic = false
	outs := d.nodes("TopK", 2, in, attrs...)
	d.out(outs[0], onnxpb.Float)
}

func oldSqueeze(d *draw) {
	d.opset = d.between(7, 12)
	dims := d.shape(1, 4)
	if d.chance(0.5) {
		axes := []int64{d.between(0, int64(len(dims)))}
		if d.opset >= 11 && d.chance(0.5) {
			axes[0] -= int64(len(dims)) + 1
		}
		d.result("Unsqueeze", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, ob.IntList("axes", axes...))
		return
	}
	a := d.IntN(len(dims))
	dims[a] = 1
	d.symbolic = false
	d.result("Squeeze", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, maybe(d, 0.7, ob.IntList("axes", int64(a)))...)
}

func oldSplit(d *draw) {
	d.opset = d.between(7, 12)
	dims := d.filled(1, 3)
	axis := d.Int64N(int64(len(dims)))
	parts := d.between(1, 3)
	var sizes []int64
	dims[axis] = 0
	for range parts {
		n := d.between(1, 4)
		if sizes != nil && d.chance(0.5) {
			n = sizes[0]
		}
		sizes = append(sizes, n)
		dims[axis] += n
	}
	attrs := []onnxpb.Attribute{ob.Int("axis", axis), ob.IntList("split", sizes...)}
	if dims[axis]%parts == 0 && d.chance(0.5) {
		attrs = attrs[:1]
	}
	d.symbolic = false
	for _, y := range d.nodes("Split", int(parts), []val{d.input(d.values(onnxpb.Float, plain, dims...))}, attrs...) {
		d.out(y, onnxpb.Float)
	}
}

func oldScales(d *draw) (x val, scales []float32) {
	d.symbolic = false
	dims := []int64{1, d.between(1, 2), d.between(1, 6), d.between(1, 6)}
	scales = []float32{1, 1, pick(d, float32(1), 2, 3, 1.5), pick(d, float32(1), 2, 2.5)}
	return floatsIn(d, dims...), scales
}

func oldResize(d *draw) {
	d.opset = 10
	x, scales := oldScales(d)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result("Resize", onnxpb.Float, []val{x, d.constant(tensor.MustOf([]int64{4}, scales))}, ob.Str("mode", pick(d, "nearest", "linear")))
}

func oldUpsample(d *draw) {
	d.opset = pick(d, int64(7), 8, 9)
	x, scales := oldScales(d)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	mode := ob.Str("mode", pick(d, "nearest", "linear"))
	if d.opset == 9 {
		d.result("Upsample", onnxpb.Float, []val{x, d.constant(tensor.MustOf([]int64{4}, scales))}, mode)
		return
	}
	d.result("Upsample", onnxpb.Float, []val{x}, mode, ob.FloatList("scales", scales...))
}

func oldGemm(d *draw) {
	d.opset = d.between(7, 10)
	m, k, n := d.between(1, 7), d.between(1, 7), d.between(1, 7)
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5}
	d.result("Gemm", onnxpb.Float, []val{floatsIn(d, m, k), floatsIn(d, n, k), floatsIn(d, d.broadcast([]int64{m, n})...)}, ob.Int("transB", 1), ob.Float("alpha", 0.5), ob.Float("beta", 2))
}

func oldOneHot(d *draw) {
	d.opset = d.between(9, 10)
	dims := d.filled(1, 3)
	depth := d.between(1, 6)
	d.result("OneHot", onnxpb.Float, []val{d.input(d.below(onnxpb.Int64, 0, depth, dims...)), d.scalar(depth), d.constant(tensor.MustOf([]int64{2}, []float32{-1, 3}))}, ob.Int("axis", d.between(-1, int64(len(dims)))))
}

func oldReduce(d *draw) {
	op := pick(d, "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare")
	d.opset = d.between(7, 12)
	dims := d.filled(1, 4)
	axes := d.axes(len(dims), 1)
	for i, a := range axes {
		if d.opset < 11 {
			axes[i] = int64(at(a, len(dims)))
		}
	}
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5, abs: 1e-6}
	attrs := append(maybe(d, 0.8, ob.IntList("axes", axes...)), maybe(d, 0.6, ob.Int("keepdims", d.Int64N(2)))...)
	d.result(op, onnxpb.Float, []val{d.input(d.values(onnxpb.Float, above, dims...))}, attrs...)
}

func oldCast(d *draw) {
	d.opset = d.between(7, 12)
	from, to := pick(d, onnxpb.Float, onnxpb.Int32, onnxpb.Int64, onnxpb.Bool, onnxpb.Uint8), pick(d, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64, onnxpb.Bool)
	d.result("Cast", to, []val{d.input(d.values(from, small, d.shape(0, 3)...))}, ob.Int("to", int64(to)))
}

func oldFlatten(d *draw) {
	d.opset = d.between(7, 12)
	dims := d.shape(1, 4)
	axis := d.between(0, int64(len(dims)))
	if d.opset >= 11 && axis > 0 && d.chance(0.4) {
		axis -= int64(len(dims))
		if axis == 0 {
			axis = -1
		}
	}
	d.result("Flatten", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, maybe(d, 0.8, ob.Int("axis", axis))...)
}

// oldSoftmax counts all axes from the given one on as one.
func oldSoftmax(d *draw) {
	d.opset = d.between(7, 12)
	dims := d.filled(1, 4)
	axis := d.Int64N(int64(len(dims)))
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-5, abs: 1e-6}
	d.result(pick(d, "Softmax", "LogSoftmax", "Hardmax"), onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, maybe(d, 0.8, ob.Int("axis", axis))...)
}

// oldConstant adds a constant that is an attribute in one of its forms.
func oldConstant(d *draw) {
	d.opset = d.between(12, 20)
	form := pick(d, ob.FloatList("value_floats", 1, 2.5, -3), ob.Float("value_float", 7))
	c := d.node("Constant", nil, form)
	d.result("Add", onnxpb.Float, []val{floatsIn(d, 2, 3), {name: c}})
}
