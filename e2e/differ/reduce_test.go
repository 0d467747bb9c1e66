package differ

import (
	"slices"
	"strings"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

func init() {
	for _, op := range strings.Fields("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare") {
		register(func(d *draw) { reduce(d, op) }, op)
	}
	for _, op := range []string{"ArgMax", "ArgMin"} {
		register(func(d *draw) { arg(d, op) }, op)
	}
	for _, op := range []string{"Softmax", "LogSoftmax", "Hardmax"} {
		register(func(d *draw) { softmax(d, op) }, op)
	}
	register(cumulate, "CumSum")
	register(topK, "TopK")
	register(unique, "Unique")
	register(nonZero, "NonZero")
	register(lpNorm, "LpNormalization")
	register(mvn, "MeanVarianceNormalization")
	register(normalize, "LayerNormalization", "InstanceNormalization", "GroupNormalization", "BatchNormalization", "RMSNormalization", "LRN")
	register(losses, "SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss")
}

func reduce(d *draw, op string) {
	d.old(8)
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64)
	k := pick(d, plain, small)
	switch op {
	case "ReduceMax", "ReduceMin":
		k = pick(d, plain, small, infinite)
		dt = pick(d, dt, onnxpb.Int8, onnxpb.Uint8)
		if d.opset >= 20 {
			dt = pick(d, dt, onnxpb.Bool)
		}
	case "ReduceLogSum":
		k = above
	case "ReduceProd":
		k = small
	case "ReduceLogSumExp":
		k = pick(d, plain, infinite)
	}
	if strings.HasPrefix(op, "ReduceLog") || op == "ReduceL2" {
		dt = pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	}
	dims := d.shape(0, 5)
	if d.chance(0.05) {
		dims = append(dims[:min(len(dims), 3)], d.between(100, 700))
	}
	var attrs []onnxpb.Attribute
	attrs = append(attrs, maybe(d, 0.7, ob.Int("keepdims", d.Int64N(2)))...)
	axes := d.axes(len(dims), 0)
	if count(dims) == 0 && op == "ReduceMean" {
		dims = []int64{}
		axes = nil
	}
	if count(dims) == 0 {
		for i, a := range axes {
			axes[i] = int64(at(a, len(dims)))
		}
		slices.Sort(axes)
	}
	in := []val{d.either(0.05, d.values(dt, k, dims...))}
	operand := d.opset >= 18 || op == "ReduceSum" && d.opset >= 13
	if operand {
		attrs = append(attrs, maybe(d, 0.4, ob.Int("noop_with_empty_axes", d.Int64N(2)))...)
		if d.chance(0.8) {
			in = append(in, d.list(axes...))
		}
	} else if len(axes) > 0 {
		attrs = append(attrs, maybe(d, 0.8, ob.IntList("axes", axes...))...)
	}
	d.tol.ofMax = 1e-5
	d.result(op, dt, in, attrs...)
}

func arg(d *draw, op string) {
	dims := d.filled(1, 4)
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double, onnxpb.Int32, onnxpb.Int64, onnxpb.Int8, onnxpb.Uint8)
	d.old(12)
	attrs := maybe(d, 0.8, ob.Int("axis", d.axis(len(dims))))
	attrs = append(attrs, maybe(d, 0.7, ob.Int("keepdims", d.Int64N(2)))...)
	attrs = append(attrs, maybe(d, 0.7, ob.Int("select_last_index", d.Int64N(2)))...)
	d.result(op, onnxpb.Int64, []val{d.input(d.values(dt, small, dims...))}, attrs...)
}

func softmax(d *draw, op string) {
	if d.chance(0.3) {
		d.opset = d.between(9, 12)
	}
	dims := d.shape(1, 4)
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	k := plain
	if op == "Hardmax" {
		k = small
		dt = onnxpb.Float
	}
	d.result(op, dt, []val{d.input(d.values(dt, k, dims...))}, maybe(d, 0.8, ob.Int("axis", d.axis(len(dims))))...)
}

func cumulate(d *draw) {
	dims := d.shape(1, 4)
	dt := pick(d, common...)
	attrs := maybe(d, 0.6, ob.Int("exclusive", d.Int64N(2)))
	attrs = append(attrs, maybe(d, 0.6, ob.Int("reverse", d.Int64N(2)))...)
	x := d.input(d.values(dt, plain, dims...))
	d.result("CumSum", dt, []val{x, d.scalar(d.axis(len(dims)))}, attrs...)
}

func topK(d *draw) {
	dims := d.filled(1, 4)
	if d.chance(0.2) {
		dims[d.IntN(len(dims))] = d.between(20, 300)
	}
	dt := pick(d, common...)
	axis := d.axis(len(dims))
	attrs := []onnxpb.Attribute{ob.Int("axis", axis)}
	attrs = append(attrs, maybe(d, 0.6, ob.Int("largest", d.Int64N(2)))...)
	attrs = append(attrs, maybe(d, 0.3, ob.Int("sorted", 1))...)
	x := d.input(d.values(dt, pick(d, plain, small), dims...))
	n := d.between(0, dims[at(axis, len(dims))])
	k := d.list(n)
	if d.chance(0.15) {
		k = d.input(d.below(onnxpb.Int64, n, n+1, 1))
	}
	ys := d.nodes("TopK", 2, []val{x, k}, attrs...)
	d.out(ys[0], dt)
	d.out(ys[1], onnxpb.Int64)
}

func unique(d *draw) {
	dims := d.filled(1, 3)
	dt := pick(d, onnxpb.Float, onnxpb.Int64, onnxpb.Double, onnxpb.Int8)
	attrs := maybe(d, 0.5, ob.Int("axis", d.axis(len(dims))))
	attrs = append(attrs, maybe(d, 0.6, ob.Int("sorted", d.Int64N(2)))...)
	ys := d.nodes("Unique", 4, []val{d.input(d.values(dt, small, dims...))}, attrs...)
	d.out(ys[0], dt)
	for _, y := range ys[1:] {
		d.out(y, onnxpb.Int64)
	}
}

func nonZero(d *draw) {
	dt := pick(d, onnxpb.Float, onnxpb.Bool, onnxpb.Int32, onnxpb.Int64, onnxpb.Uint8)
	d.result("NonZero", onnxpb.Int64, []val{d.either(0.2, d.values(dt, small, d.shape(1, 4)...))})
}

func lpNorm(d *draw) {
	dims := d.filled(1, 4)
	attrs := maybe(d, 0.8, ob.Int("axis", d.axis(len(dims))))
	attrs = append(attrs, maybe(d, 0.7, ob.Int("p", d.between(1, 2)))...)
	d.result("LpNormalization", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, attrs...)
}

func mvn(d *draw) {
	dims := d.filled(4, 4)
	d.tol = tolerance{rel: 1e-3, ofMax: 1e-3}
	x := d.input(d.values(onnxpb.Float, plain, append(dims[:3], d.between(3, 9))...))
	d.result("MeanVarianceNormalization", onnxpb.Float, []val{x}, maybe(d, 0.5, ob.IntList("axes", append([]int64{3}, d.perm(3)[:d.IntN(3)]...)...))...)
}

func normalize(d *draw) {
	dims := d.filled(2, 4)
	dt := pick(d, onnxpb.Float, onnxpb.Float, onnxpb.Double)
	attrs := maybe(d, 0.7, ob.Float("epsilon", float32(d.Float64()*0.1+1e-3)))
	d.tol = tolerance{rel: 1e-4, ofMax: 1e-4}
	param := func(k kind, dims ...int64) val { return d.weight(0.6, d.values(dt, k, dims...)) }
	switch d.IntN(6) {
	case 0:
		d.opset = max(d.opset, 17)
		axis := d.axis(len(dims))
		tail := dims[at(axis, len(dims)):]
		in := []val{d.input(d.values(dt, plain, dims...)), param(plain, tail...)}
		if d.chance(0.6) {
			in = append(in, param(plain, tail...))
		}
		attrs = append(attrs, ob.Int("axis", axis))
		n := 1
		if dt == onnxpb.Float { // of others ONNX Runtime has no mean and deviation
			n += d.IntN(3)
		}
		for i, y := range d.nodes("LayerNormalization", n, in, attrs...) {
			if i == 0 {
				d.out(y, dt)
			} else {
				d.out(y, onnxpb.Float)
			}
		}
	case 1:
		dims = append(dims, 3)
		x := d.input(d.values(dt, plain, dims...))
		d.result("InstanceNormalization", dt, []val{x, param(plain, dims[1]), param(plain, dims[1])}, attrs...)
	case 2:
		d.opset = pick(d, int64(18), 21)
		groups := d.between(1, 3)
		dims[1] = groups * d.between(1, 4)
		n := dims[1]
		if d.opset < 21 {
			n = groups
		}
		dims = append(dims, 2)
		x := d.input(d.values(dt, plain, dims...))
		d.result("GroupNormalization", dt, []val{x, param(plain, n), param(plain, n)}, append(attrs, ob.Int("num_groups", groups))...)
	case 3:
		d.opset = pick(d, int64(9), 14, 15)
		x, c := d.input(d.values(dt, plain, dims...)), dims[1]
		d.result("BatchNormalization", dt, []val{x, param(plain, c), param(plain, c), param(plain, c), param(above, c)}, attrs...)
	case 4:
		d.opset = 23
		axis := d.axis(len(dims))
		x := d.input(d.values(dt, plain, dims...))
		d.result("RMSNormalization", dt, []val{x, param(plain, dims[at(axis, len(dims)):]...)}, append(attrs, ob.Int("axis", axis))...)
	default:
		dims = d.filled(4, 4)
		attrs := []onnxpb.Attribute{ob.Int("size", pick(d, int64(1), 3, 5, 7, 2, 4))}
		attrs = append(attrs, maybe(d, 0.6, ob.Float("alpha", float32(d.Float64())))...)
		attrs = append(attrs, maybe(d, 0.6, ob.Float("beta", float32(d.Float64())))...)
		attrs = append(attrs, maybe(d, 0.6, ob.Float("bias", float32(d.Float64()+0.5)))...)
		d.result("LRN", onnxpb.Float, []val{d.input(d.values(onnxpb.Float, plain, dims...))}, attrs...)
	}
}

func losses(d *draw) {
	n, c := d.between(1, 4), d.between(1, 6)
	rest := d.filled(0, 2)
	labels := d.input(d.below(onnxpb.Int64, 0, c, append([]int64{n}, rest...)...))
	x := d.input(d.values(onnxpb.Float, plain, append([]int64{n, c}, rest...)...))
	in := []val{x, labels}
	if d.chance(0.5) {
		in = append(in, d.either(0.5, d.values(onnxpb.Float, above, c)))
	}
	attrs := maybe(d, 0.7, ob.Str("reduction", pick(d, "none", "mean", "sum")))
	attrs = append(attrs, maybe(d, 0.5, ob.Int("ignore_index", d.between(-1, c)))...)
	op := pick(d, "SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss")
	outs := 1
	if op == "SoftmaxCrossEntropyLoss" { // and the logarithms of the probabilities
		outs += d.IntN(2)
	}
	for _, y := range d.nodes(op, outs, in, attrs...) {
		d.out(y, onnxpb.Float)
	}
}
