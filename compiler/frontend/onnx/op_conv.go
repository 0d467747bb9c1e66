package onnx

import (
	"fmt"
	"math"
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
		{name: "Col2Im", minIn: 3, maxIn: 3, attrs: []string{"dilations", "pads", "strides"}, convert: col2im},
		{
			name: "DeformConv", minIn: 3, maxIn: 5, convert: deformConv,
			attrs: []string{"dilations", "group", "kernel_shape", "offset_group", "pads", "strides"},
		},
	}
}

// kernelOf returns the spatial extents of the weights, operand at.
func (n *node) kernelOf(at, r int) []int64 {
	w := n.dims(at)
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
	n.padSame(n.kernelOf(1, n.spatialRank()), 0)
	r, w := n.convolution(1)
	n.biased(fmt.Sprintf("relax.nn.conv%dd", r), n.dims(1)[0], r+2, make([]int64, r), w.list(w.pads)...)
}

// convolution is what attributes say of a convolution.
type convolution struct {
	*window
	groups int64
}

// list is the attributes of the operator, with other pads.
func (w *convolution) list(pads []int64) []any {
	return []any{"strides", w.strides, "padding", pads, "dilation", w.dilations, "groups", w.groups}
}

// convolution checks a convolution of operand 0 by the weights that are operand at. It returns the number of spatial axes, and the attributes.
func (n *node) convolution(at int) (r int, c *convolution) {
	r = n.spatialRank()
	dims := n.dims(0)
	w := n.window(dims[2:], n.kernelOf(at, r))
	n.fits(w, dims[2:])
	groups := n.int("group", 1)
	if groups < 1 {
		n.fail("attribute \"group\" is %d, expected 1 or more", groups)
	}
	weights := n.dims(at)
	if c, ok := tir.AsInt(dims[1]); ok && !tir.IsConst(tir.Mul(weights[1], tir.Int(groups)), c) {
		n.fail("the input has %d channels, but the weights of shape %s in %d groups take %s",
			c, relax.FormatDims(weights), groups, relax.FormatPrim(tir.Mul(weights[1], tir.Int(groups))))
	}
	if o, ok := tir.AsInt(weights[0]); ok && o%groups != 0 {
		n.fail("%d output channels cannot be split into %d groups", o, groups)
	}
	return r, &convolution{w, groups}
}

// biased emits a convolution, appends zeros to its spatial axes, and adds the bias, operand
// 2, if there is one.
func (n *node) biased(name string, channels tir.Expr, rank int, zeros []int64, kv ...any) {
	if n.has(2) {
		if b := n.dims(2); len(b) != 1 || !sameDims(b, []tir.Expr{channels}) {
			n.fail("the bias has shape %s, expected (%s,)", relax.FormatDims(b), relax.FormatPrim(channels))
		}
	}
	call, padded := args(n.expr(0), n.expr(1)), slices.Max(zeros) > 0
	if !padded && !n.has(2) {
		n.result(name, call, kv...)
		return
	}
	d := n.dtype(0)
	if w := d.Accumulator(); n.has(2) && w != d { // rounded behind the bias
		kv = append(kv, "out_dtype", w)
	}
	y := n.emit(name, call, kv...)
	if padded {
		width := make([]int64, 2*rank)
		for i, z := range zeros {
			width[2*(2+i)+1] = z
		}
		pad := []any{"pad_width", width, "pad_mode", "constant", "pad_value", 0.0}
		if !n.has(2) {
			n.result("relax.nn.pad", args(y), pad...)
			return
		}
		y = n.emit("relax.nn.pad", args(y), pad...)
	}
	bias := n.reshape(n.widened(n.expr(2), d), channelShape(channels, rank))
	n.roundedResult(d, "relax.add", args(y, bias))
}

// convTranspose spreads the input by the strides and convolves. output_shape, if given,
// decides the pads: what the full result has too much is cut off at both sides, what it
// lacks are zeros at the end, as in ONNX Runtime.
func convTranspose(n *node) {
	n.sameDType(0, 1, 2)
	r := n.spatialRank()
	dims := n.dims(0)
	kernel := n.kernelOf(1, r)
	auto := n.autoPad()
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
	for i := range r {
		if extra[i] < 0 || extra[i] >= max(w.strides[i], w.dilations[i]) {
			n.fail("attribute \"output_padding\" is %v, expected numbers from 0 to below the stride or the dilation", extra)
		}
	}
	shape := n.ints("output_shape")
	if len(shape) == r+2 {
		shape = shape[2:]
	}
	if shape != nil && len(shape) != r {
		n.fail("attribute \"output_shape\" has %d numbers, expected %d", len(shape), r)
	}
	lacks := make([]int64, r)
	for i := range r {
		if shape == nil && (auto == "NOTSET" || auto == "VALID") {
			continue
		}
		v, ok := tir.AsInt(dims[2+i]) // on which the pads depend where a shape is given
		if !ok && shape != nil {
			n.fail("the pads depend on spatial axis %d, whose extent is symbolic", i)
		}
		want := v * w.strides[i]
		if shape != nil {
			if want = shape[i]; want < 1 || want > math.MaxInt32 {
				n.fail("attribute \"output_shape\" is %v, expected numbers of 1 or more", shape)
			}
		}
		total := w.strides[i]*(v-1) + extra[i] + w.reach(i) - want
		total, lacks[i] = max(total, 0), max(-total, 0)
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
	name, channels := fmt.Sprintf("relax.nn.conv%dd_transpose", r), tir.Mul(n.dims(1)[1], tir.Int(groups))
	n.biased(name, channels, r+2, lacks,
		"strides", w.strides, "padding", w.pads, "output_padding", extra, "dilation", w.dilations, "groups", groups)
}
