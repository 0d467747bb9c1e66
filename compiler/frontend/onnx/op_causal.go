package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// causalConv convolves each channel (batch, channels, length) with a kernel of its own that ends at the element in question. In front of the first one
// stand the last elements of an earlier call, or zeros; the second result is what the next call takes for them.
func causalConv(n *node) {
	x, dims := n.floats(0), n.dims(0)
	n.sameDType(0, 1, 2, 3)
	weights := n.dims(1)
	if len(dims) != 3 || len(weights) != 3 {
		n.fail("input (0) and weight (1) have %d and %d dimensions, expected 3 of both", len(dims), len(weights))
	}
	channels, ok := tir.AsInt(weights[0])
	k, ok2 := tir.AsInt(weights[2])
	if !ok || !ok2 || channels < 1 || k < 1 || !tir.IsConst(weights[1], 1) || !n.equal(weights[0], dims[1]) {
		n.fail("weight (input 1) has shape %s, expected constants (%s, 1, 1 or more), as many kernels as the input has channels", relax.FormatDims(weights), relax.FormatPrim(dims[1]))
	}
	n.expectShape(2, "bias", weights[0])
	state := []tir.Expr{dims[0], weights[0], tir.Int(k - 1)}
	n.expectShape(3, "past_state", state...)
	elem := n.dtype(0)
	var past relax.Expr
	if n.has(3) {
		past = n.expr(3)
	} else {
		past = n.filled(elem, state, 0)
	}
	if k > 1 {
		x = n.emit("relax.concat", args(tuple(args(past, x))), "axis", int64(2))
		past = n.part(x, 2, dims[2], tir.Add(dims[2], tir.Int(k-1)))
	}
	n.set(1, past)
	y := n.emit("relax.nn.conv1d", args(n.widened(x, elem), n.widened(n.expr(1), elem)), "groups", channels)
	if n.has(2) {
		b := n.reshape(n.widened(n.expr(2), elem), channelShape(weights[0], 3))
		y = n.emit("relax.add", args(y, b))
	}
	if n.str("activation", "none", "none", "silu", "swish") != "none" {
		y = n.emit("relax.nn.silu", args(y))
	}
	n.set(0, n.rounded(y, elem))
}

// expectShape makes sure that operand i, if it is given, has a shape.
func (n *node) expectShape(i int, what string, want ...tir.Expr) {
	if !n.has(i) {
		return
	}
	got := n.dims(i)
	fits := len(got) == len(want)
	for k := 0; fits && k < len(want); k++ {
		fits = n.equal(got[k], want[k])
	}
	if !fits {
		n.fail("%s (input %d) has shape %s, expected %s", what, i, relax.FormatDims(got), relax.FormatDims(want))
	}
}
