package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// microsoftNormRows are normalizations with what is in front of them.
func microsoftNormRows() []operator {
	return []operator{
		{name: "SkipLayerNormalization", minIn: 3, maxIn: 5, attrs: []string{"epsilon"}, convert: func(n *node) { n.skipNorm(false) }},
		{name: "SkipSimplifiedLayerNormalization", minIn: 3, maxIn: 4, attrs: []string{"epsilon"}, convert: func(n *node) { n.skipNorm(true) }},
		{name: "GroupNorm", minIn: 3, maxIn: 3, attrs: []string{"activation", "channels_last", "epsilon", "groups"}, convert: func(n *node) { n.set(0, n.groupNorm(n.expr(0))) }},
		{name: "SkipGroupNorm", minIn: 4, maxIn: 5, attrs: []string{"activation", "channels_last", "epsilon", "groups"}, convert: skipGroupNorm},
		{name: "EmbedLayerNormalization", minIn: 1, maxIn: 9, attrs: []string{"epsilon", "mask_index_type"}, convert: embedNorm},
		{name: "QEmbedLayerNormalization", minIn: 1, maxIn: 18, attrs: []string{"epsilon"}, convert: qEmbedNorm},
	}
}

// skipNorm normalizes input + skip + bias along the last axis: by mean and variance, or by the mean of squares. Output 3 is the sum.
func (n *node) skipNorm(simplified bool) {
	n.floats(0)
	n.sameDType(0, 1, 2, 3, 4)
	sum := n.emit("relax.add", args(n.expr(0), n.expr(1)))
	beta, bias := n.optional(3), n.optional(4)
	if simplified {
		beta, bias = nil, n.optional(3)
	}
	if bias != nil {
		sum = n.emit("relax.add", args(sum, bias))
	}
	n.set(3, sum)
	axis, eps := intAttr("axis", -1), floatAttr("epsilon", n.float("epsilon", 1e-12))
	op, in := "LayerNormalization", values(sum, n.expr(2), beta)
	if simplified {
		op, in = "RMSNormalization", in[:2]
	}
	n.setValue(0, n.apply(op, in, axis, eps)[0])
	if n.wants(1) || n.wants(2) {
		n.fail("the mean and the inverse of the deviation (outputs 1 and 2) are used, which is not supported")
	}
}

// groupNorm normalizes x, which has the shape of operand 0, in groups of channels, times operand 1 plus operand 2 for each channel, maybe through silu.
func (n *node) groupNorm(x relax.Expr) relax.Expr {
	elem, wide, last := n.dtype(0), dtype.Float32T, n.bool("channels_last", true)
	if x = n.as(x, wide); last {
		x = n.channelsFirst(x)
	}
	in := values(x, n.as(n.expr(1), wide), n.as(n.expr(2), wide))
	x = n.tensor(n.apply("GroupNormalization", in, intAttr("num_groups", n.int("groups", 0)), floatAttr("epsilon", n.float("epsilon", 1e-5)))[0])
	if n.bool("activation", false) {
		x = n.emit("relax.nn.silu", args(x))
	}
	if last {
		x = n.channelsLast(x)
	}
	return n.as(x, elem)
}

// skipGroupNorm is groupNorm of input + skip + bias, where the skip may be one of channels alone. Output 1 is the sum.
func skipGroupNorm(n *node) {
	n.floats(0)
	n.sameDType(0, 3, 4)
	channels := func(i int) relax.Expr { // behind the batch, which a bias lacks, where the channels are
		dims := slices.Clone(n.dims(i))
		if len(dims) == 1 {
			dims = []tir.Expr{tir.Int(1), dims[0]}
		}
		for len(dims) < n.rank(0) {
			at := len(dims) - 1
			if !n.bool("channels_last", true) {
				at++
			}
			dims = slices.Insert(dims, at, tir.Expr(tir.Int(1)))
		}
		return n.reshape(n.expr(i), dims)
	}
	sum := n.emit("relax.add", args(n.expr(0), channels(3)))
	if n.has(4) {
		sum = n.emit("relax.add", args(sum, channels(4)))
	}
	n.set(1, sum)
	n.set(0, n.groupNorm(sum))
}

// qEmbedNorm is embedNorm with tables and factors of bytes, operands 2 to 6, of which operands 8 to 12 are the scales and 13 to 17 the zero points.
func qEmbedNorm(n *node) {
	all := n.in
	n.in = make([]*value, 9)
	copy(n.in, all[:min(8, len(all))])
	floats := slices.Clone(n.in)
	n.in = all
	for i := 2; i < 7; i++ {
		if n.has(i) {
			n.bytes(i)
			x := n.emit("relax.subtract", args(n.as(n.expr(i), dtype.Float32T), n.as(n.oneNumber(i+11), dtype.Float32T)))
			floats[i] = &value{expr: n.emit("relax.multiply", args(x, n.scaleOf(i+6)))}
		}
	}
	n.in = floats
	embedNorm(n)
}

// embedNorm is the sum of the embeddings of words, positions, and segments, normalized. Output 1 is how many words of each sequence the mask keeps, output 2 the sum.
func embedNorm(n *node) {
	ids := n.ranked(0, 2, 2)
	sum := n.emit("relax.take", args(n.expr(2), n.expr(0)), "axis", int64(0))
	var at relax.Expr
	if n.has(8) {
		at = n.emit("relax.take", args(n.expr(3), n.expr(8)), "axis", int64(0))
	} else {
		at = n.part(n.expr(3), 0, tir.Int(0), ids[1])
	}
	sum = n.emit("relax.add", args(sum, at))
	if n.has(4) {
		n.value(1)
		sum = n.emit("relax.add", args(sum, n.emit("relax.take", args(n.expr(4), n.expr(1)), "axis", int64(0))))
	}
	n.setValue(0, n.apply("LayerNormalization", values(sum, n.expr(5), n.expr(6)), intAttr("axis", -1), floatAttr("epsilon", n.float("epsilon", 1e-12)))[0])
	n.set(2, sum)
	switch {
	case !n.wants(1):
	case n.has(7):
		n.set(1, n.emit("relax.sum", args(n.as(n.expr(7), dtype.Int32T)), "axis", []int64{1}, "keepdims", false))
	default:
		n.set(1, n.filled(dtype.Int32T, ids[:1], 0))
	}
}
