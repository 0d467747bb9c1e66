package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func normRows() []operator {
	return []operator{
		{
			name: "BatchNormalization", minIn: 5, maxIn: 5,
			attrs: []string{"epsilon", "momentum", "spatial", "training_mode"}, convert: batchNorm,
		},
		{name: "LayerNormalization", minIn: 2, maxIn: 3, attrs: []string{"axis", "epsilon", "stash_type"}, convert: layerNorm},
		{name: "SimplifiedLayerNormalization", minIn: 2, maxIn: 2, attrs: []string{"axis", "epsilon", "stash_type"}, convert: rmsNorm}, // of ONNX Runtime
		{name: "RMSNormalization", minIn: 2, maxIn: 2, attrs: []string{"axis", "epsilon", "stash_type"}, convert: rmsNorm},
		{name: "InstanceNormalization", minIn: 3, maxIn: 3, attrs: []string{"epsilon"}, convert: instanceNorm},
		{name: "GroupNormalization", minIn: 3, maxIn: 3, attrs: []string{"epsilon", "num_groups", "stash_type"}, convert: groupNorm},
		{name: "MeanVarianceNormalization", minIn: 1, maxIn: 1, attrs: []string{"axes"}, convert: meanVarianceNormalization},
		{name: "LRN", minIn: 1, maxIn: 1, attrs: []string{"alpha", "beta", "bias", "size"}, convert: lrn},
	}
}

// batchNorm uses the stored statistics; DecomposeOps turns it into elementary operators. In training, since operator set 14, it uses those of the input, and
// results 1 and 2 are the stored ones moved towards them.
func batchNorm(n *node) {
	n.want("spatial", 1, "statistics for each element are not supported")
	n.sameDType(0, 1, 2, 3, 4)
	x := n.floats(0)
	channels := n.ranked(0, 2, anyRank)[1]
	for i := 1; i < 5; i++ {
		d := n.dims(i)
		if len(d) != 1 || !mayEqual(d[0], channels) {
			n.fail("input %d has shape %s, expected (%s,) for the channels of input 0", i, relax.FormatDims(d), relax.FormatPrim(channels))
		}
		if _, ok := tir.AsInt(channels); !ok {
			channels = d[0] // a number, where there is one
		}
	}
	// What is not known to have as many channels as the rest is checked at run time.
	as := args(x)
	if dims := slices.Clone(n.dims(0)); !sameDims(dims[1:2], []tir.Expr{channels}) {
		dims[1] = channels
		as[0] = n.matchCast(x, dims)
	}
	for i := 1; i < 5; i++ {
		p := n.expr(i)
		if of := []tir.Expr{channels}; !sameDims(n.dims(i), of) {
			p = n.matchCast(p, of)
		}
		as = append(as, p)
	}
	momentum := n.float("momentum", 0.9)
	if n.bool("training_mode", false) {
		axes := []int64{0}
		for a := 2; a < n.rank(0); a++ {
			axes = append(axes, int64(a))
		}
		d := n.dtype(0)
		for i, name := range []string{"relax.mean", "relax.variance"} {
			now := n.emit(name, args(as[0]), "axis", axes, "keepdims", false)
			if n.wants(1 + i) {
				stored := n.emit("relax.multiply", args(as[3+i], n.constant(d, momentum)))
				n.set(1+i, n.emit("relax.add", args(stored, n.emit("relax.multiply", args(now, n.constant(d, 1-momentum))))))
			}
			as[3+i] = now
		}
	}
	t := n.emit("relax.nn.batch_norm", as, "axis", int64(1), "epsilon", n.float("epsilon", 1e-5),
		"center", true, "scale", true, "momentum", momentum, "training", false)
	n.resultField(t, 0)
}

// mayEqual is false for two different constants only.
func mayEqual(a, b tir.Expr) bool {
	x, xok := tir.AsInt(a)
	y, yok := tir.AsInt(b)
	return !xok || !yok || x == y
}

// lastAxes are the axes from the given one on.
func (n *node) lastAxes() []int64 {
	rank := n.rank(0)
	var axes []int64
	for a := n.axis(n.int("axis", -1), rank); a < rank; a++ {
		axes = append(axes, int64(a))
	}
	return axes
}

func layerNorm(n *node) {
	n.want("stash_type", 1, "statistics are computed in float32")
	n.sameDType(0, 1, 2)
	x, axes, eps := n.floats(0), n.lastAxes(), n.float("epsilon", 1e-5)
	normal := n.dims(0)[axes[0]:]
	statistics := n.wants(1) || n.wants(2)
	if !statistics && sameDims(n.dims(1), normal) && (!n.has(2) || sameDims(n.dims(2), normal)) {
		beta := relax.Expr(nil)
		if n.has(2) {
			beta = n.expr(2)
		} else if shape, ok := relax.StaticInts(normal); ok {
			beta = n.splat(n.dtype(0), shape, 0)
		}
		if beta != nil {
			n.result("relax.nn.layer_norm", args(x, n.expr(1), beta), "axes", axes, "epsilon", eps, "center", true, "scale", true)
			return
		}
	}
	// Scale and bias may be of any shape that broadcasts.
	y, mean, root := n.normalized(x, axes, eps)
	n.scaled(y, n.expr(1), n.optional(2))
	if statistics { // in the type of the computation, float32 for halves
		n.set(1, mean)
		n.set(2, n.emit("relax.divide", args(n.constant(n.dtype(0).Accumulator(), 1), root)))
	}
}

func rmsNorm(n *node) {
	n.want("stash_type", 1, "statistics are computed in float32")
	n.sameDType(0, 1)
	d := n.dtype(0)
	x := n.widened(n.floats(0), d)
	square := n.emit("relax.multiply", args(x, x))
	mean := n.emit("relax.mean", args(square), "axis", n.lastAxes(), "keepdims", true)
	root := n.emit("relax.sqrt", args(n.emit("relax.add", args(mean, n.constant(d.Accumulator(), n.float("epsilon", 1e-5))))))
	n.result("relax.multiply", args(n.rounded(n.emit("relax.divide", args(x, root)), d), n.expr(1)))
}

func instanceNorm(n *node) {
	n.sameDType(0, 1, 2)
	x, dims := n.floats(0), n.ranked(0, 3, anyRank)
	var axes []int64
	for i := 2; i < len(dims); i++ {
		axes = append(axes, int64(i))
	}
	shape := channelShape(dims[1], len(dims))
	y, _, _ := n.normalized(x, axes, n.float("epsilon", 1e-5))
	n.scaled(y, n.reshape(n.expr(1), shape), n.reshape(n.expr(2), shape))
}

// groupNorm normalises groups of channels. Scale and bias are for each group up to operator
// set 20, for each channel since.
func groupNorm(n *node) {
	n.want("stash_type", 1, "statistics are computed in float32")
	n.sameDType(0, 1, 2)
	x, dims := n.floats(0), n.ranked(0, 3, anyRank)
	groups := n.int("num_groups", 0)
	if groups < 1 {
		n.fail("attribute \"num_groups\" is %d, expected 1 or more", groups)
	}
	per := n.divided(dims[1], groups, 1)
	y := n.reshape(x, []tir.Expr{dims[0], tir.Int(groups), tir.Mul(per, product(dims[2:]))})
	y, _, _ = n.normalized(y, []int64{2}, n.float("epsilon", 1e-5))
	if n.opset < 21 {
		shape := channelShape(tir.Int(groups), 3)
		y = n.emit("relax.multiply", args(y, n.reshape(n.expr(1), shape)))
		y = n.emit("relax.add", args(y, n.reshape(n.expr(2), shape)))
		n.reshapeResult(y, dims)
		return
	}
	shape := channelShape(dims[1], len(dims))
	n.scaled(n.reshape(y, dims), n.reshape(n.expr(1), shape), n.reshape(n.expr(2), shape))
}

// meanVarianceNormalization subtracts the mean over axes and divides by the standard deviation.
func meanVarianceNormalization(n *node) {
	elem := n.dtype(0)
	x := n.widened(n.floats(0), elem)
	list := n.ints("axes")
	if list == nil {
		list = []int64{0, 2, 3}
	}
	var axes []int64
	for _, a := range n.axes(list, n.rank(0)) {
		axes = append(axes, int64(a))
	}
	mean := n.emit("relax.mean", args(x), "axis", axes, "keepdims", true)
	d := n.emit("relax.subtract", args(x, mean))
	variance := n.emit("relax.mean", args(n.emit("relax.multiply", args(d, d))), "axis", axes, "keepdims", true)
	deviation := n.emit("relax.sqrt", args(variance))
	deviation = n.emit("relax.add", args(deviation, n.constant(elem.Accumulator(), 1e-9)))
	n.roundedResult(elem, "relax.divide", args(d, deviation))
}

// normalized is (x - mean) / root over axes, where root is sqrt(variance + eps), for x of the
// type of operand 0. Halves are computed in float32, which mean and root stay in.
func (n *node) normalized(x relax.Expr, axes []int64, eps float64) (y, mean, root relax.Expr) {
	dt := n.dtype(0)
	x = n.widened(x, dt)
	mean = n.emit("relax.mean", args(x), "axis", axes, "keepdims", true)
	d := n.emit("relax.subtract", args(x, mean))
	v := n.emit("relax.mean", args(n.emit("relax.multiply", args(d, d))), "axis", axes, "keepdims", true)
	root = n.emit("relax.sqrt", args(n.emit("relax.add", args(v, n.constant(dt.Accumulator(), eps)))))
	return n.rounded(n.emit("relax.divide", args(d, root)), dt), mean, root
}

// scaled makes x * scale + bias the result; bias may be nil.
func (n *node) scaled(x, scale, bias relax.Expr) {
	if bias == nil {
		n.result("relax.multiply", args(x, scale))
		return
	}
	n.result("relax.add", args(n.emit("relax.multiply", args(x, scale)), bias))
}

// optional returns operand i, nil if it is left out.
func (n *node) optional(i int) relax.Expr {
	if !n.has(i) {
		return nil
	}
	return n.expr(i)
}
