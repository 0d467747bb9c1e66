package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// microsoftRows are operators that ONNX Runtime adds to ONNX, and that it and its tools put into models when they fuse and quantize them. Their text is
// docs/ContribOperators.md of that project.
func microsoftRows() []operator {
	same := func(op string, minIn, maxIn int, attrs ...string) operator { // as the operator of the default domain
		return operator{name: op, minIn: minIn, maxIn: maxIn, attrs: attrs, convert: func(n *node) { n.out = n.apply(op, n.in, n.pb.Attributes...) }}
	}
	return slices.Concat([]operator{
		same("Gelu", 1, 1),
		same("GatherND", 2, 2),
		same("Pad", 2, 3, "mode"),
		same("Range", 3, 3),
		same("Trilu", 1, 2, "upper"),
		{name: "BiasGelu", minIn: 2, maxIn: 2, convert: func(n *node) {
			n.result("relax.nn.gelu", args(n.emit("relax.add", args(n.floats(0), n.expr(1)))))
		}},
		{name: "FastGelu", minIn: 1, maxIn: 2, convert: func(n *node) {
			x := n.floats(0)
			if n.has(1) {
				x = n.emit("relax.add", args(x, n.expr(1)))
			}
			n.result("relax.nn.gelu_tanh", args(x))
		}},
		{name: "QuickGelu", minIn: 1, maxIn: 1, attrs: []string{"alpha"}, convert: func(n *node) {
			x := n.floats(0)
			z := n.emit("relax.multiply", args(x, n.constant(n.dtype(0), n.float("alpha", 1.702))))
			n.result("relax.multiply", args(x, n.emit("relax.sigmoid", args(z))))
		}},
		{name: "FusedMatMul", minIn: 2, maxIn: 2, attrs: []string{"alpha", "transA", "transB", "transBatchA", "transBatchB"}, convert: fusedMatMul},
		{name: "TransposeMatMul", minIn: 2, maxIn: 2, attrs: []string{"alpha", "transA", "transB"}, convert: fusedMatMul},
		{
			name: "FusedMatMulActivation", minIn: 2, maxIn: 2, attrs: []string{"activation", "activation_alpha", "activation_axis", "activation_beta", "activation_gamma", "alpha", "transA", "transB", "transBatchA", "transBatchB"},
			convert: func(n *node) {
				fusedMatMul(n)
				n.set(0, n.activated(n.tensor(n.out[0]), n.activationParams()))
			},
		},
		{
			name: "FusedGemm", minIn: 2, maxIn: 3, attrs: []string{"alpha", "beta", "transA", "transB", "activation", "activation_alpha", "activation_beta", "activation_gamma"},
			convert: func(n *node) {
				y := n.apply("Gemm", n.in, n.kept("alpha", "beta", "transA", "transB")...)
				n.set(0, n.activated(n.tensor(y[0]), n.activationParams()))
			},
		},
		{name: "ExpandDims", minIn: 2, maxIn: 2, convert: func(n *node) { n.out = n.apply("Unsqueeze", n.in) }},
		{
			name: "GridSample", minIn: 2, maxIn: 2, attrs: []string{"align_corners", "mode", "padding_mode"},
			convert: func(n *node) {
				mode := map[string]string{"bilinear": "linear", "bicubic": "cubic", "nearest": "nearest"}[n.str("mode", "bilinear", "bilinear", "bicubic", "nearest")]
				attrs := append(n.kept("align_corners", "padding_mode"), onnxpb.Attribute{Name: "mode", Type: onnxpb.AttrString, S: []byte(mode)})
				n.out = n.apply("GridSample", n.in, attrs...)
			},
		},
		{name: "BiasSplitGelu", minIn: 2, maxIn: 2, convert: func(n *node) {
			x := n.emit("relax.add", args(n.floats(0), n.expr(1)))
			half := n.static(0, n.rank(0)-1) / 2
			p := n.lastParts(x, half, half)
			n.result("relax.multiply", args(p[0], n.emit("relax.nn.gelu", args(p[1]))))
		}},
		{name: "BiasAdd", minIn: 3, maxIn: 3, convert: func(n *node) {
			n.result("relax.add", args(n.emit("relax.add", args(n.floats(0), n.expr(1))), n.expr(2)))
		}},
		{name: "BiasSoftmax", minIn: 2, maxIn: 2, attrs: []string{"axis", "is_inner_broadcast"}, convert: biasSoftmax},
		{name: "CDist", minIn: 2, maxIn: 2, attrs: []string{"metric"}, convert: cdist},
	}, microsoftLayoutRows(), microsoftNormRows(), microsoftQuantizeRows(), microsoftAttentionRows(), microsoftPositionRows(), microsoftExpertRows())
}

// activated is y through the function that the attribute activation names, with its parameters in the order of its text.
func (n *node) activated(y relax.Expr, params []float64) relax.Expr {
	a := n.attr("activation", onnxpb.AttrString)
	if a == nil || len(a.S) == 0 {
		return y
	}
	names, ok := map[string][]string{
		"Relu": nil, "Sigmoid": nil, "Tanh": nil, "Softplus": nil, "Softsign": nil, "LeakyRelu": {"alpha"}, "Elu": {"alpha"}, "ThresholdedRelu": {"alpha"},
		"HardSigmoid": {"alpha", "beta"}, "HardSwish": nil, "Clip": {"min", "max"}, "Gelu": nil,
	}[string(a.S)]
	if !ok || len(params) > len(names) {
		n.fail("attribute \"activation\" is %q with %d parameters, which is not supported", a.S, len(params))
	}
	if string(a.S) == "Clip" {
		d := relax.SInfoOf(y).(*relax.TensorStructInfo).DType
		lo, hi := -math.MaxFloat32, math.MaxFloat32
		for i, p := range params {
			*[]*float64{&lo, &hi}[i] = p
		}
		return n.emit("relax.clip", args(y, primFloat(d, lo), primFloat(d, hi)))
	}
	var attrs []onnxpb.Attribute
	for i, p := range params {
		attrs = append(attrs, floatAttr(names[i], p))
	}
	return n.applyTo(y, string(a.S), attrs...)
}

// activationParams are the parameters of an activation that attributes of their own name.
func (n *node) activationParams() (params []float64) {
	for _, name := range []string{"activation_alpha", "activation_beta"} {
		if a := n.attr(name, onnxpb.AttrFloat); a != nil {
			params = append(params, float64(a.F))
		}
	}
	return params
}

// biasSoftmax is the softmax of a sum over all axes from the given one on.
func biasSoftmax(n *node) {
	n.floats(0)
	n.sameDType(0, 1)
	dims := n.dims(0)
	axis := n.axis(n.int("axis", 1), len(dims))
	flat := n.reshape(n.emit("relax.add", args(n.expr(0), n.expr(1))), []tir.Expr{product(dims[:axis]), product(dims[axis:])})
	n.reshapeResult(n.emit("relax.nn.softmax", args(flat), "axis", int64(1)), dims)
}

// fusedMatMul is alpha * A' * B', where the last two axes of a factor may be exchanged, and its first be in front of the last but one.
func fusedMatMul(n *node) {
	n.sameDType(0, 1)
	factor := func(i int, trans, batch string) relax.Expr {
		x, rank := n.expr(i), n.rank(i)
		axes := allAxes(rank)
		if n.bool(batch, false) && rank > 2 {
			axes = append(slices.Clone(axes[1:rank-1]), 0, rank-1)
		}
		if n.bool(trans, false) && rank > 1 {
			axes[rank-1], axes[rank-2] = axes[rank-2], axes[rank-1]
		}
		if slices.IsSorted(axes) {
			return x
		}
		list := make([]int64, rank)
		for k, a := range axes {
			list[k] = int64(a)
		}
		return n.emit("relax.permute_dims", args(x), "axes", list)
	}
	factors := args(factor(0, "transA", "transBatchA"), factor(1, "transB", "transBatchB"))
	alpha, elem := n.float("alpha", 1), n.dtype(0)
	if alpha == 1 {
		n.result("relax.matmul", factors)
		return
	}
	wide := elem.Accumulator()
	var out []any
	if wide != elem {
		out = []any{"out_dtype", wide}
	}
	n.roundedResult(elem, "relax.multiply", args(n.emit("relax.matmul", factors, out...), n.constant(wide, alpha)))
}

// cdist are the distances of each row of a matrix from each of another.
func cdist(n *node) {
	n.floats(0)
	n.sameDType(0, 1)
	metric := n.str("metric", "sqeuclidean", "sqeuclidean", "euclidean")
	n.ranked(0, 2, 2)
	n.ranked(1, 2, 2)
	x := n.emit("relax.expand_dims", args(n.expr(0)), "axis", []int64{1})
	y := n.emit("relax.expand_dims", args(n.expr(1)), "axis", []int64{0})
	d := n.emit("relax.subtract", args(x, y))
	d = n.emit("relax.sum", args(n.emit("relax.multiply", args(d, d))), "axis", []int64{2}, "keepdims", false)
	if metric == "euclidean" {
		d = n.emit("relax.sqrt", args(d))
	}
	n.set(0, d)
}
