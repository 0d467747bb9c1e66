package onnx

import (
	"fmt"
	"slices"

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

// minus is x - y in int32, x where y is nil.
func (n *node) minus(x, y relax.Expr) relax.Expr {
	if y == nil {
		return x
	}
	return n.emit("relax.subtract", args(x, y))
}

// byteMatmul is the product of operands a and b, of bytes, less their zero points za and zb. All sums are int32, modulo 2^32, so that the zero points may be taken off behind the product of
// bytes: of (a - za)(b - zb) with a depth of K it lacks za times the sums of b's columns and zb times those of a's rows, and has K za zb too many.
func (n *node) byteMatmul(a, b, za, zb int) relax.Expr {
	n.bytes(a, b)
	x, y := n.offset(za, ofRows), n.offset(zb, ofColumns)
	wide := func(i int) relax.Expr { return n.as(n.expr(i), dtype.Int32T) }
	left, right := n.dims(a), n.dims(b)
	if len(left) < 2 || len(right) < 2 {
		return n.emit("relax.matmul", args(n.minus(wide(a), x), n.minus(wide(b), y)))
	}
	depth, known := tir.AsInt(right[len(right)-2])
	if !known && x != nil && y != nil {
		return n.emit("relax.matmul", args(n.minus(wide(a), x), n.minus(wide(b), y)))
	}
	sum := n.emit("relax.matmul", args(n.expr(a), n.expr(b)), "out_dtype", dtype.Int32T)
	if x != nil {
		columns := n.emit("relax.sum", args(wide(b)), "axis", []int64{int64(len(right) - 2)}, "keepdims", true)
		if y != nil { // the columns less K zb
			columns = n.minus(columns, n.emit("relax.multiply", args(y, n.constant(dtype.Int32T, float64(depth)))))
		}
		sum = n.minus(sum, n.emit("relax.multiply", args(x, columns)))
	}
	if y != nil {
		rows := n.emit("relax.sum", args(wide(a)), "axis", []int64{int64(len(left) - 1)}, "keepdims", true)
		sum = n.minus(sum, n.emit("relax.multiply", args(rows, y)))
	}
	return sum
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

// byteConv is the convolution of operand 0 with the weights that are operand at, of bytes, less the zero points zx and zw. That of the data is taken off behind the convolution, as in byteMatmul; what
// is around the data then is filled with it. Zero points of weights, and one of the data that is not known where there is padding, are taken off before, which makes it a convolution of int32.
func (n *node) byteConv(at, zx, zw int) relax.Expr {
	n.bytes(0, at)
	if n.has(zx) {
		n.perTensor(zx)
	}
	r, kv := n.convolution(at)
	name := fmt.Sprintf("relax.nn.conv%dd", r)
	channels := func(c tir.Expr) []tir.Expr { return channelsAt(c, r+1) }
	x, w := n.offset(zx, channels), n.offset(zw, func(c tir.Expr) []tir.Expr { return channelsAt(c, r+2) })
	pads := kv.pads
	padded := slices.Max(pads) > 0
	data := n.expr(0)
	if w != nil || x != nil && padded && n.known(zx) == nil {
		data = n.minus(n.as(data, dtype.Int32T), x)
		return n.emit(name, args(data, n.minus(n.as(n.expr(at), dtype.Int32T), w)), kv.list(pads)...)
	}
	if x != nil && padded {
		value, _ := tir.AsInt(n.known(zx).elems[0])
		width := make([]int64, 2*(r+2))
		for i := range r {
			width[4+2*i], width[5+2*i] = pads[i], pads[r+i]
		}
		data = n.emit("relax.nn.pad", args(data), "pad_width", width, "pad_mode", "constant", "pad_value", float64(value))
		pads = make([]int64, 2*r)
	}
	sum := n.emit(name, args(data, n.expr(at)), append(kv.list(pads), "out_dtype", dtype.Int32T)...)
	if x == nil {
		return sum
	}
	var axes []int64
	for i := 1; i < r+2; i++ {
		axes = append(axes, int64(i))
	}
	all := n.emit("relax.sum", args(n.as(n.expr(at), dtype.Int32T)), "axis", axes, "keepdims", false)
	return n.minus(sum, n.emit("relax.multiply", args(n.reshape(all, channels(n.dims(at)[0])), x)))
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
