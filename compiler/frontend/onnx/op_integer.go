package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// integerRows are products and convolutions of bytes.
func integerRows() []operator {
	window := append(slices.Clone(windowAttrs), "group")
	return []operator{
		{name: "MatMulInteger", minIn: 2, maxIn: 4, convert: func(n *node) { n.setSum(n.byteMatmul(0, 1, 2, 3)) }},
		{name: "QLinearMatMul", minIn: 8, maxIn: 8, convert: qlinearMatMul},
		{name: "ConvInteger", minIn: 2, maxIn: 4, attrs: window, convert: func(n *node) { n.setSum(n.byteConv(1, 2, 3)) }},
		{name: "QLinearConv", minIn: 8, maxIn: 9, attrs: window, convert: qlinearConv},
	}
}

// setSum makes a sum the node's result.
func (n *node) setSum(sum relax.Expr) { n.set(0, sum) }

// bytes makes sure that operands are of bytes.
func (n *node) bytes(operands ...int) {
	for _, i := range operands {
		n.wantDType(i, "int8 or uint8", func(d dtype.DType) bool { return d == dtype.Int8T || d == dtype.UInt8T })
	}
}

// offset is operand i, a zero point, as int32 in the shape that shape makes of its extent where it is one for each index of an axis; nil where it is left out or zero.
func (n *node) offset(i int, shape func(extent tir.Expr) []tir.Expr) relax.Expr {
	if !n.has(i) || n.isZero(i) {
		return nil
	}
	return n.as(n.vector(i, shape), dtype.Int32T)
}

// vector is operand i, in the shape that shape makes of its extent where it has one axis of several elements.
func (n *node) vector(i int, shape func(extent tir.Expr) []tir.Expr) relax.Expr {
	switch d := n.dims(i); {
	case len(d) == 1 && tir.IsConst(d[0], 1):
		return n.reshape(n.expr(i), nil)
	case len(d) == 1:
		return n.reshape(n.expr(i), shape(d[0]))
	}
	return n.expr(i)
}

func ofColumns(n tir.Expr) []tir.Expr { return []tir.Expr{n} }
func ofRows(n tir.Expr) []tir.Expr    { return []tir.Expr{n, tir.Int(1)} }

// byteMatmul is the product of operands a and b, of bytes, less their zero points za and zb.
func (n *node) byteMatmul(a, b, za, zb int) relax.Expr {
	n.bytes(a, b)
	return op.ByteMatmul(n.emit, n.byteFactor(a, za, ofRows), n.byteFactor(b, zb, ofColumns))
}

// byteFactor is operand i with its zero point.
func (n *node) byteFactor(i, zero int, shape func(tir.Expr) []tir.Expr) op.ByteFactor {
	return op.ByteFactor{X: n.expr(i), Dims: n.dims(i), Zero: n.offset(zero, shape)}
}

// rescaled is a sum times the scales of its factors, through that of the result.
func (n *node) rescaled(sum, a, b relax.Expr, result int) relax.Expr {
	f := func(x relax.Expr) relax.Expr { return n.as(x, dtype.Float32T) }
	scale := n.emit("relax.divide", args(n.emit("relax.multiply", args(f(a), f(b))), f(n.vector(result, ofColumns))))
	return n.emit("relax.multiply", args(f(sum), scale))
}

func qlinearMatMul(n *node) {
	n.bytes(0, 3, 7)
	sum := n.byteMatmul(0, 3, 2, 5)
	y := n.rescaled(sum, n.vector(1, ofRows), n.vector(4, ofColumns), 6)
	n.perTensor(6, 7)
	n.requantized(y, 7, 0, n.dtype(7))
}

// perTensor makes sure that operands are one number each.
func (n *node) perTensor(operands ...int) {
	for _, i := range operands {
		for _, d := range n.dims(i) {
			if !tir.IsConst(d, 1) {
				n.fail("input %d has shape %s, supported is one number for the whole result", i, relax.FormatDims(n.dims(i)))
			}
		}
	}
}

// byteConv is the convolution of operand 0 with the weights that are operand at, of bytes, less the zero points zx and zw.
func (n *node) byteConv(at, zx, zw int) relax.Expr {
	n.bytes(0, at)
	if n.has(zx) {
		n.perTensor(zx)
	}
	zero, constant := int64(0), !n.has(zx)
	if k := n.known(zx); k != nil {
		zero, constant = tir.AsInt(k.elems[0])
	}
	if constant {
		n.padSame(n.kernelOf(at, n.spatialRank()), float64(zero))
	}
	r, kv := n.convolution(at)
	x := n.byteFactor(0, zx, func(c tir.Expr) []tir.Expr { return channelsAt(c, r+1) })
	w := n.byteFactor(at, zw, func(c tir.Expr) []tir.Expr { return channelsAt(c, r+2) })
	if x.Zero != nil {
		x.Value, x.Known = zero, constant
	}
	return op.ByteConv(n.emit, x, w, kv.groups, kv.pads, kv.list)
}

func qlinearConv(n *node) {
	n.bytes(0, 3, 7)
	n.perTensor(1, 6, 7)
	sum := n.byteConv(3, 2, 5)
	rank := n.rank(0)
	channels := func(c tir.Expr) []tir.Expr { return channelsAt(c, rank-1) }
	if n.has(8) {
		sum = n.emit("relax.add", args(sum, n.as(n.vector(8, channels), dtype.Int32T)))
	}
	n.requantized(n.rescaled(sum, n.vector(1, channels), n.vector(4, channels), 6), 7, 0, n.dtype(7))
}
