package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// experimentalRows are operators that ONNX had as experiments until version 1.5, which exporters of that time wrote (CoreML's, Caffe2's), and which
// ONNX Runtime still has. Experiments had no versions.
func experimentalRows() []operator {
	row := func(name string, convert func(*node), attrs ...string) operator {
		return operator{name: name, minIn: 1, maxIn: 1, attrs: attrs, convert: convert}
	}
	return []operator{
		row("Affine", func(n *node) { // alpha * x + beta
			x := n.emit("relax.multiply", args(n.floats(0), n.constant(n.dtype(0), n.float("alpha", 1))))
			n.result("relax.add", args(x, n.constant(n.dtype(0), n.float("beta", 0))))
		}, "alpha", "beta"),
		row("Scale", func(n *node) {
			n.result("relax.multiply", args(n.floats(0), n.constant(n.dtype(0), n.float("scale", 1))))
		}, "scale"),
		row("ScaledTanh", scaledOf("Tanh"), "alpha", "beta"),
		row("ParametricSoftplus", scaledOf("Softplus"), "alpha", "beta"),
		row("ImageScaler", imageScaler, "scale", "bias"),
		row("Crop", crop, "border", "scale"),
		{name: "DynamicSlice", minIn: 3, maxIn: 4, convert: func(n *node) { n.setValue(0, n.apply("Slice", n.in)[0]) }},
	}
}

// scaledOf converts alpha * f(beta * x). The text gives neither factor a default.
func scaledOf(f string) func(*node) {
	return func(n *node) {
		factor := func(name string) relax.Expr {
			if n.attr(name, onnxpb.AttrFloat) == nil {
				n.fail("attribute %q is missing", name)
			}
			return n.constant(n.dtype(0), n.float(name, 1))
		}
		y := n.applyTo(n.emit("relax.multiply", args(n.floats(0), factor("beta"))), f)
		n.result("relax.multiply", args(y, factor("alpha")))
	}
}

// imageScaler is scale * x, and for each channel of an image a number more.
func imageScaler(n *node) {
	x, dims, bias := n.floats(0), n.ranked(0, 4, 4), n.floatList("bias")
	if c := int64(len(bias)); !tir.IsConst(dims[1], c) {
		n.fail("attribute \"bias\" has %d elements for %s channels, expected one for each", c, relax.FormatPrim(dims[1]))
	}
	x = n.emit("relax.multiply", args(x, n.constant(n.dtype(0), n.float("scale", 1))))
	n.result("relax.add", args(x, n.as(n.float32s([]int64{1, int64(len(bias)), 1, 1}, bias), n.dtype(0))))
}

// crop leaves out what the border says of the left, the top, the right and the bottom of an image, or takes as many rows and columns behind its left
// and top as the scale says.
func crop(n *node) {
	dims, border, scale := n.ranked(0, 4, 4), n.ints("border"), n.ints("scale")
	if len(border) != 4 || len(scale) != 0 && len(scale) != 2 {
		n.fail("attributes \"border\" and \"scale\" are %v and %v, expected four numbers, and none or two", border, scale)
	}
	var cut sliceOperands
	for i := range 2 { // rows, columns
		lo, beside := border[1-i], border[3-i]
		hi := tir.Sub(dims[2+i], tir.Int(beside))
		if len(scale) == 2 {
			beside = scale[i]
			hi = tir.Int(lo + beside)
		}
		if e, ok := tir.AsInt(dims[2+i]); min(lo, beside) < 0 || max(lo, beside) > math.MaxInt32 || ok && lo+beside > e {
			n.fail("attributes \"border\" and \"scale\" are %v and %v, which do not fit an image of %s rows and %s columns", border, scale, relax.FormatPrim(dims[2]), relax.FormatPrim(dims[3]))
		}
		cut.add(2+i, tir.Int(lo), hi, 1)
	}
	n.result("relax.strided_slice", cut.of(n.expr(0)))
}
