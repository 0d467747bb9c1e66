package onnx

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func convRows() []operator {
	return []operator{
		{name: "Conv", minIn: 2, maxIn: 3, attrs: append(slices.Clone(windowAttrs), "group"), convert: conv},
		{
			name: "ConvTranspose", minIn: 2, maxIn: 3,
			attrs: append(slices.Clone(windowAttrs), "group", "output_padding", "output_shape"), convert: convTranspose,
		},
	}
}

// kernelOf returns the spatial extents of the weights, operand 1.
func (n *node) kernelOf(r int) []int64 {
	w := n.dims(1)
	if len(w) != r+2 {
		n.fail("the weights have %d dimensions, expected %d like the input", len(w), r+2)
	}
	kernel, ok := relax.StaticInts(w[2:])
	if !ok {
		n.fail("the weights have symbolic extents")
	}
	if k := n.ints("kernel_shape"); k != nil && !slices.Equal(k, kernel) {
		n.fail("attribute \"kernel_shape\" is %v, but the weights have %v", k, kernel)
	}
	return kernel
}

// spatialRank is the number of spatial axes of operand 0: 1, 2 or 3.
func (n *node) spatialRank() int {
	r := n.rank(0) - 2
	if r < 1 || r > 3 {
		n.fail("input 0 has %d dimensions, supported are 3 to 5 (a batch, channels and one to three spatial axes)", r+2)
	}
	return r
}

func conv(n *node) {
	n.sameDType(0, 1, 2)
	r := n.spatialRank()
	dims := n.dims(0)
	w := n.window(dims[2:], n.kernelOf(r))
	n.fits(w, dims[2:])
	groups := n.int("group", 1)
	if groups < 1 {
		n.fail("attribute \"group\" is %d, expected 1 or more", groups)
	}
	weights := n.dims(1)
	if c, ok := tir.AsInt(dims[1]); ok && !tir.IsConst(tir.Mul(weights[1], tir.Int(groups)), c) {
		n.fail("the input has %d channels, but the weights of shape %s in %d groups take %s",
			c, relax.FormatDims(weights), groups, relax.FormatPrim(tir.Mul(weights[1], tir.Int(groups))))
	}
	if o, ok := tir.AsInt(weights[0]); ok && o%groups != 0 {
		n.fail("%d output channels cannot be split into %d groups", o, groups)
	}
	n.biased(fmt.Sprintf("relax.nn.conv%dd", r), weights[0], r+2,
		"strides", w.strides, "padding", w.pads, "dilation", w.dilations, "groups", groups)
}

// biased emits a convolution and adds the bias, operand 2, if there is one.
func (n *node) biased(name string, channels tir.Expr, rank int, kv ...any) {
	call := args(n.expr(0), n.expr(1))
	if !n.has(2) {
		n.result(name, call, kv...)
		return
	}
	if b := n.dims(2); len(b) != 1 || !sameDims(b, []tir.Expr{channels}) {
		n.fail("the bias has shape %s, expected (%s,)", relax.FormatDims(b), relax.FormatPrim(channels))
	}
	bias := n.reshape(n.expr(2), channelShape(channels, rank))
	n.result("relax.add", args(n.emit(name, call, kv...), bias))
}

// convTranspose spreads the input by the strides and convolves. output_shape, if given,
// decides the pads.
func convTranspose(n *node) {
	n.sameDType(0, 1, 2)
	r := n.spatialRank()
	dims := n.dims(0)
	kernel := n.kernelOf(r)
	auto := n.str("auto_pad", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
	w := &window{kernel: kernel, strides: n.spatial("strides", r), dilations: n.spatial("dilations", r), pads: n.ints("pads")}
	extra := n.ints("output_padding")
	if extra == nil {
		extra = make([]int64, r)
	}
	if w.pads == nil || auto != "NOTSET" {
		w.pads = make([]int64, 2*r)
	}
	if len(extra) != r || len(w.pads) != 2*r {
		n.fail("attributes \"output_padding\" and \"pads\" have %d and %d numbers, expected %d and %d", len(extra), len(w.pads), r, 2*r)
	}
	shape := n.ints("output_shape")
	if len(shape) > r {
		shape = shape[len(shape)-r:]
	}
	if shape != nil && len(shape) != r {
		n.fail("attribute \"output_shape\" has %d numbers, expected %d", len(shape), r)
	}
	for i := range r {
		if shape == nil && (auto == "NOTSET" || auto == "VALID") {
			continue
		}
		v, ok := tir.AsInt(dims[2+i])
		if !ok {
			n.fail("the pads depend on spatial axis %d, whose extent is symbolic", i)
		}
		want := v * w.strides[i]
		if shape != nil {
			want = shape[i]
		}
		total := max(0, w.strides[i]*(v-1)+extra[i]+w.reach(i)-want)
		lo, hi := total/2, total-total/2
		if auto == "SAME_LOWER" || shape != nil && auto != "SAME_UPPER" {
			lo, hi = hi, lo
		}
		w.pads[i], w.pads[r+i] = lo, hi
	}
	groups := n.int("group", 1)
	if groups < 1 {
		n.fail("attribute \"group\" is %d, expected 1 or more", groups)
	}
	n.biased(fmt.Sprintf("relax.nn.conv%dd_transpose", r), tir.Mul(n.dims(1)[1], tir.Int(groups)), r+2,
		"strides", w.strides, "padding", w.pads, "output_padding", extra, "dilation", w.dilations, "groups", groups)
}
