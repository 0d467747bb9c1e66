package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/tir"
)

func poolRows() []operator {
	global := func(name string) func(*node) {
		return func(n *node) { n.result(name, args(n.expr(0)), "axis", n.spatialAxes(), "keepdims", true) }
	}
	return []operator{
		{
			name: "MaxPool", minIn: 1, maxIn: 1,
			attrs: append(slices.Clone(windowAttrs), "ceil_mode", "storage_order"), convert: maxPool,
		},
		{
			name: "AveragePool", minIn: 1, maxIn: 1,
			attrs: append(slices.Clone(windowAttrs), "ceil_mode", "count_include_pad"), convert: averagePool,
		},
		{name: "MaxUnpool", minIn: 2, maxIn: 3, attrs: []string{"kernel_shape", "pads", "strides"}, convert: maxUnpool},
		{name: "GlobalAveragePool", minIn: 1, maxIn: 1, convert: global("relax.mean")},
		{name: "GlobalMaxPool", minIn: 1, maxIn: 1, convert: global("relax.max")},
	}
}

// spatialAxes are those of operand 0 behind batch and channels.
func (n *node) spatialAxes() []int64 {
	var axes []int64
	for i := range n.rank(0) - 2 {
		axes = append(axes, int64(i+2))
	}
	if axes == nil {
		n.fail("input 0 has %d dimensions, expected at least 3", n.rank(0))
	}
	return axes
}

// pooling reads the window of a pooling. With ceil_mode it also returns the padding at the
// ends that rounding up takes.
func (n *node) pooling() (w *window, r int, extra []int64) {
	r = n.spatialRank()
	spatial := n.dims(0)[2:]
	kernel := n.ints("kernel_shape")
	if len(kernel) != r {
		n.fail("attribute \"kernel_shape\" has %d numbers, expected %d", len(kernel), r)
	}
	w = n.window(spatial, kernel)
	extra = make([]int64, r)
	if n.bool("ceil_mode", false) {
		extra = n.roundUp(w, spatial)
	} else {
		n.fits(w, spatial)
	}
	return w, r, extra
}

func (w *window) padded(extra []int64) []int64 {
	out := slices.Clone(w.pads)
	for i, e := range extra {
		out[len(extra)+i] += e
	}
	return out
}

// maxPool ignores padding, so rounding up is more padding.
func maxPool(n *node) {
	if !n.wants(1) {
		least := math.Inf(-1)
		if d := n.dtype(0); d.IsInteger() {
			lo, _ := d.IntLimits()
			least = float64(lo)
		}
		n.padSame(n.ints("kernel_shape"), least)
	}
	w, r, extra := n.pooling()
	n.result(fmt.Sprintf("relax.nn.max_pool%dd", r), args(n.expr(0)),
		"pool_size", w.kernel, "strides", w.strides, "dilation", w.dilations, "padding", w.padded(extra))
	if n.wants(1) {
		n.set(1, n.maximaAt(w, w.padded(extra)))
	}
}

// averagePool leaves padding out of the mean unless count_include_pad is set; what rounding
// up adds is left out always.
func averagePool(n *node) {
	include := n.bool("count_include_pad", false)
	if n.symbolicSame(n.ints("kernel_shape")) && !include { // the sum of what is there over how much that is
		attrs := append(slices.DeleteFunc(slices.Clone(n.pb.Attributes), func(a onnxpb.Attribute) bool { return a.Name == "count_include_pad" }), intAttr("count_include_pad", 1))
		ones := n.filled(n.dtype(0), append([]tir.Expr{tir.Int(1), tir.Int(1)}, n.dims(0)[2:]...), 1)
		n.result("relax.divide", args(n.applyTo(n.expr(0), "AveragePool", attrs...), n.applyTo(ones, "AveragePool", attrs...)))
		return
	}
	n.padSame(n.ints("kernel_shape"), 0)
	w, r, extra := n.pooling()
	x, pads := n.expr(0), w.padded(extra)
	if include && slices.Max(extra) > 0 {
		width := make([]int64, 4, 2*(r+2))
		for i := range r {
			width = append(width, w.pads[i], w.pads[r+i])
		}
		x = n.emit("relax.nn.pad", args(x), "pad_width", width, "pad_mode", "constant", "pad_value", 0.0)
		pads, include = append(make([]int64, r), extra...), false
	}
	n.result(fmt.Sprintf("relax.nn.avg_pool%dd", r), args(x), "pool_size", w.kernel, "strides", w.strides,
		"dilation", w.dilations, "padding", pads, "count_include_pad", include)
}

// lrn divides by a power of the mean square over neighbouring channels. The mean is a
// pooling over channels, of the image seen as one channel of height C.
func lrn(n *node) {
	dims, elem := n.ranked(0, 3, anyRank), n.dtype(0)
	x, d := n.widened(n.floats(0), elem), elem.Accumulator()
	size := n.int("size", 0)
	if size < 1 || size > 1<<20 {
		n.fail("attribute \"size\" is %d, expected 1 or more", size)
	}
	alpha, beta, bias := n.float("alpha", 1e-4), n.float("beta", 0.75), n.float("bias", 1)
	y := n.emit("relax.multiply", args(x, x))
	y = n.reshape(y, []tir.Expr{dims[0], tir.Int(1), dims[1], product(dims[2:])})
	// Outside the channels the square counts as 0, so the mean times size is the sum.
	y = n.emit("relax.nn.avg_pool2d", args(y), "pool_size", []int64{size, 1}, "strides", []int64{1, 1}, "dilation", []int64{1, 1},
		"padding", []int64{(size - 1) / 2, 0, size / 2, 0}, "count_include_pad", true)
	y = n.reshape(y, dims)
	y = n.emit("relax.multiply", args(y, n.constant(d, alpha)))
	y = n.emit("relax.add", args(y, n.constant(d, bias)))
	y = n.emit("relax.power", args(y, n.constant(d, beta)))
	n.roundedResult(elem, "relax.divide", args(x, y))
}
