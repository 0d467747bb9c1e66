package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// microsoftExpertRows are mixtures of experts: networks of two layers, of which each token takes the best by its scores.
func microsoftExpertRows() []operator {
	shared := []string{"activation_alpha", "activation_beta", "activation_type", "k", "normalize_routing_weights", "swiglu_fusion", "swiglu_limit", "use_sparse_mixer"}
	return []operator{
		{name: "MoE", minIn: 3, maxIn: 8, attrs: shared, convert: func(n *node) {
			n.experts([3]relax.Expr{n.expr(2), n.expr(4), n.optional(6)}, [3]int{3, 5, 7}, nil)
		}},
		{
			name: "QMoE", minIn: 3, maxIn: 21, attrs: append([]string{"accuracy_level", "block_size", "expert_weight_bits", "quant_type", "weights_prepacked"}, shared...),
			convert: qmoe,
		},
	}
}

// qmoe has weights of few bits, with scales for each row or each block of it.
func qmoe(n *node) {
	if kind := n.str("quant_type", "int", "int"); kind != "int" || n.int("weights_prepacked", -1) > 0 {
		n.fail("the weights are packed for a device")
	}
	for i := 15; i < 21; i++ {
		if n.has(i) {
			n.fail("input %d (%q) is a scale of another type of weights", i, n.pb.Inputs[i])
		}
	}
	var weights [3]relax.Expr
	for k, i := range []int{2, 5, 8} {
		if n.has(i) {
			weights[k] = n.expertWeights(i, i+1, 11+k)
		}
	}
	n.experts(weights, [3]int{4, 7, 10}, n.optional(14))
}

// expertWeights are the weights that operand i, of bytes, holds, with their scales and zero points.
func (n *node) expertWeights(i, scale, zero int) relax.Expr {
	bits := n.int("expert_weight_bits", 4)
	kind, ok := map[int64]onnxpb.DataType{2: onnxpb.Uint2, 4: onnxpb.Uint4, 8: onnxpb.Uint8}[bits]
	dims, known := relax.StaticInts(n.ranked(i, 3, 3))
	if !ok || !known {
		n.fail("the weights (input %d) have %d bits and shape %s, expected 2, 4, or 8 and constants", i, bits, relax.FormatDims(n.dims(i)))
	}
	all := []int64{dims[0], dims[1], dims[2] * 8 / bits}
	w := n.unpacked(i, kind, bits, all[2], all...)
	size := n.int("block_size", 0)
	if size <= 0 {
		size = all[2]
	}
	blocks := []int64{all[0], all[1], (all[2] + size - 1) / size}
	d, err := kind.DType()
	n.check(err)
	offset := n.splat(d, blocks, float64(int64(1)<<(bits-1)))
	if n.has(zero) {
		packed, known := relax.StaticInts(n.dims(zero))
		if !known {
			n.fail("the zero points (input %d) have shape %s, expected constants", zero, relax.FormatDims(n.dims(zero)))
		}
		last := len(packed) - 1
		count := packed[last] * 8 / bits
		offset = n.unpacked(zero, kind, bits, blocks[max(1, last)], append(packed[:last:last], count)...)
		offset = n.reshape(offset, relax.Ints(blocks))
	}
	scales := n.reshape(n.as(n.expr(scale), dtype.Float32T), relax.Ints(blocks))
	return n.tensor(n.apply("DequantizeLinear", values(w, scales, offset), intAttr("axis", 2), intAttr("block_size", size))[0])
}

// experts sends each token, a row of operand 0, through all experts, and adds what they make of it by its share of the best of the scores, operand 1. Weights, of the first
// layer, the second, and what the first is multiplied with, are by experts, outputs, and inputs; their biases are operands.
func (n *node) experts(weights [3]relax.Expr, biases [3]int, shares relax.Expr) {
	n.want("use_sparse_mixer", 0, "scores are compared as they are")
	elem, wide := n.dtype(0), dtype.Float32T
	dims := n.ranked(0, 2, 3)
	tokens, one := product(dims[:len(dims)-1]), tir.Int(1)
	x := n.reshape(n.as(n.floats(0), wide), []tir.Expr{one, tokens, dims[len(dims)-1]})
	layer := func(x relax.Expr, k int) relax.Expr {
		w := n.emit("relax.permute_dims", args(n.as(weights[k], wide)), "axes", []int64{0, 2, 1})
		y := n.emit("relax.matmul", args(x, w))
		if n.has(biases[k]) {
			y = n.emit("relax.add", args(y, n.emit("relax.expand_dims", args(n.as(n.expr(biases[k]), wide)), "axis", []int64{1})))
		}
		return y
	}
	h := layer(x, 0)
	switch kind := n.str("activation_type", "relu", "relu", "gelu", "silu", "swiglu", "identity"); kind {
	case "relu":
		h = n.emit("relax.nn.relu", args(h))
	case "gelu":
		h = n.emit("relax.nn.gelu_tanh", args(h))
	case "silu":
		h = n.emit("relax.nn.silu", args(h))
	case "swiglu":
		h = n.swiglu(h, func() relax.Expr { return layer(x, 2) })
	}
	if weights[2] != nil && n.str("activation_type", "relu") != "swiglu" {
		h = n.emit("relax.multiply", args(h, layer(x, 2)))
	}
	y := layer(h, 1)
	first, _ := relax.SInfoOf(weights[0]).(*relax.TensorStructInfo).Dims()
	share := n.emit("relax.permute_dims", args(n.shares(shares, tokens, first[0])), "axes", []int64{1, 0})
	share = n.reshape(share, []tir.Expr{first[0], tokens, one})
	zero := n.constant(wide, 0)
	y = n.emit("relax.where", args(n.emit("relax.equal", args(share, zero)), zero, n.emit("relax.multiply", args(y, share)))) // also where an expert overflows
	y = n.emit("relax.sum", args(y), "axis", []int64{0}, "keepdims", false)
	n.reshapeResult(n.as(y, elem), dims)
}

// swiglu is G * sigmoid(alpha * G) * (L + beta) of two halves of h, or of h and what is computed beside it.
func (n *node) swiglu(h relax.Expr, beside func() relax.Expr) relax.Expr {
	wide := dtype.Float32T
	dims, _ := relax.SInfoOf(h).(*relax.TensorStructInfo).Dims()
	var g, l relax.Expr
	switch fusion := n.int("swiglu_fusion", 0); fusion {
	case 0:
		g, l = h, beside()
	case 1, 2:
		both, ok := tir.AsInt(dims[2])
		if !ok || both%2 != 0 {
			n.fail("the first layer has %s outputs, expected an even number", relax.FormatPrim(dims[2]))
		}
		half := []tir.Expr{dims[0], dims[1], tir.Int(both / 2)}
		if fusion == 1 {
			pairs := n.reshape(h, append(half[:3:3], tir.Int(2)))
			g, l = n.reshape(n.part(pairs, 3, tir.Int(0), tir.Int(1)), half), n.reshape(n.part(pairs, 3, tir.Int(1), tir.Int(2)), half)
			break
		}
		p := n.lastParts(h, both/2, both/2)
		g, l = p[0], p[1]
	default:
		n.fail("attribute \"swiglu_fusion\" is %d, expected 0 to 2", fusion)
	}
	if a := n.attr("swiglu_limit", onnxpb.AttrFloat); a != nil && !math.IsInf(float64(a.F), 0) {
		limit := n.constant(wide, float64(a.F))
		g = n.emit("relax.minimum", args(g, limit))
		l = n.emit("relax.maximum", args(n.emit("relax.minimum", args(l, limit)), n.constant(wide, -float64(a.F))))
	}
	gate := n.emit("relax.sigmoid", args(n.emit("relax.multiply", args(g, n.constant(wide, n.float("activation_alpha", 1))))))
	l = n.emit("relax.add", args(l, n.constant(wide, n.float("activation_beta", 0))))
	return n.emit("relax.multiply", args(n.emit("relax.multiply", args(g, gate)), l))
}

// shares is how much of each token each expert has, (tokens, experts): for the best k scores, or those of shares in their places, their softmax or their part of that of all.
func (n *node) shares(of relax.Expr, tokens, count tir.Expr) relax.Expr {
	wide := dtype.Float32T
	k := n.int("k", 1)
	if all, ok := tir.AsInt(count); !ok || k < 1 || k > all {
		n.fail("attribute \"k\" is %d, expected 1 to the number of experts, which is %s", k, relax.FormatPrim(count))
	}
	if own := n.ranked(1, 2, 2)[1]; !n.equal(own, count) {
		n.fail("the scores (input 1) are of %s experts, but the weights are of %s", relax.FormatPrim(own), relax.FormatPrim(count))
	}
	scores := n.reshape(n.as(n.expr(1), wide), []tir.Expr{tokens, count})
	index := n.emit("relax.topk", args(scores), "k", k, "axis", int64(1), "ret_type", "indices", "largest", true, "dtype", dtype.Int64T)
	best := func(x relax.Expr) relax.Expr {
		return n.emit("relax.gather_elements", args(x, index), "axis", int64(1))
	}
	softmax := func(x relax.Expr) relax.Expr { return n.emit("relax.nn.softmax", args(x), "axis", int64(1)) }
	var share relax.Expr
	switch normal := n.bool("normalize_routing_weights", false); {
	case of != nil && normal:
		share = best(n.as(of, wide))
		share = n.emit("relax.divide", args(share, n.emit("relax.sum", args(share), "axis", []int64{1}, "keepdims", true)))
	case of != nil:
		share = best(n.as(of, wide))
	case normal:
		share = softmax(best(scores))
	default:
		share = best(softmax(scores))
	}
	empty := n.filled(wide, []tir.Expr{tokens, count}, 0)
	return n.tensor(n.apply("ScatterElements", values(empty, index, share), intAttr("axis", 1))[0])
}
