package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
)

// microsoftLayoutRows work on images whose channels are the last axis; weights are as in the default domain.
func microsoftLayoutRows() []operator {
	window := append(slices.Clone(windowAttrs), "group")
	fused := append(slices.Clone(window), "activation", "activation_params")
	as := func(op string, last func(n *node) bool) func(*node) {
		return func(n *node) {
			attrs := slices.DeleteFunc(slices.Clone(n.pb.Attributes), func(a onnxpb.Attribute) bool { return a.Name == "channels_last" })
			n.set(0, n.onChannelsFirst(op, n.in, last(n), attrs...))
		}
	}
	always := func(*node) bool { return true }
	return []operator{
		{name: "NhwcConv", minIn: 2, maxIn: 3, attrs: window, convert: as("Conv", always)},
		{name: "NhwcMaxPool", minIn: 1, maxIn: 1, attrs: append(slices.Clone(windowAttrs), "ceil_mode", "storage_order"), convert: as("MaxPool", always)},
		{
			name: "QLinearConv", minIn: 8, maxIn: 9, attrs: append(slices.Clone(window), "channels_last"),
			convert: as("QLinearConv", func(n *node) bool { return n.bool("channels_last", false) }),
		},
		{name: "FusedConv", minIn: 2, maxIn: 4, attrs: fused, convert: func(n *node) { n.fusedConv(false) }},
		{name: "NhwcFusedConv", minIn: 2, maxIn: 4, attrs: fused, convert: func(n *node) { n.fusedConv(true) }},
	}
}

// onChannelsFirst is an operator of the default domain on operands of which the first, as the result, has its channels last here, if last is true.
func (n *node) onChannelsFirst(op string, in []*value, last bool, attrs ...onnxpb.Attribute) relax.Expr {
	if !last {
		return n.tensor(n.apply(op, in, attrs...)[0])
	}
	in = slices.Clone(in)
	in[0] = &value{expr: n.channelsFirst(n.expr(0))}
	return n.channelsLast(n.tensor(n.apply(op, in, attrs...)[0]))
}

// fusedConv is a convolution, to which operand 3 is added, through a function.
func (n *node) fusedConv(last bool) {
	y := n.onChannelsFirst("Conv", n.in[:min(3, len(n.in))], last, n.kept(append(slices.Clone(windowAttrs), "group")...)...)
	if n.has(3) {
		y = n.emit("relax.add", args(y, n.expr(3)))
	}
	var params []float64
	if a := n.attr("activation_params", onnxpb.AttrFloats); a != nil {
		for _, f := range a.Floats {
			params = append(params, float64(f))
		}
	}
	n.set(0, n.activated(y, params))
}

// channelsFirst is x with its last axis as the second.
func (n *node) channelsFirst(x relax.Expr) relax.Expr {
	return n.moved(x, func(axes []int64) []int64 {
		last := len(axes) - 1
		return slices.Insert(axes[:last:last], 1, axes[last])
	})
}

// channelsLast is x with its second axis as the last.
func (n *node) channelsLast(x relax.Expr) relax.Expr {
	return n.moved(x, func(axes []int64) []int64 { return append(slices.Delete(axes, 1, 2), 1) })
}

// moved is x, which has channels and axes of space, with its axes in another order.
func (n *node) moved(x relax.Expr, order func(axes []int64) []int64) relax.Expr {
	rank := relax.SInfoOf(x).(*relax.TensorStructInfo).NDim
	if rank < 3 {
		return x
	}
	axes := make([]int64, rank)
	for i := range axes {
		axes[i] = int64(i)
	}
	return n.emit("relax.permute_dims", args(x), "axes", order(axes))
}
