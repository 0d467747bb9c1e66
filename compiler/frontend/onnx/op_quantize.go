package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// quantizeRows are conversions between floats and the integers that stand for them by a scale and a zero point.
func quantizeRows() []operator {
	return []operator{
		{
			name: "QuantizeLinear", minIn: 2, maxIn: 3,
			attrs: []string{"axis", "saturate", "block_size", "output_dtype", "precision"}, convert: quantizeLinear,
		},
		{name: "DequantizeLinear", minIn: 2, maxIn: 3, attrs: []string{"axis", "block_size", "output_dtype"}, convert: dequantizeLinear},
		{name: "DynamicQuantizeLinear", minIn: 1, maxIn: 1, convert: dynamicQuantizeLinear},
	}
}

// isQuantized reports whether quantized values may have type d: integers of 2 to 16 bits, and floats of 4 and 8.
func isQuantized(d dtype.DType) bool {
	return d.IsInteger() && d.Bits <= 16 || d.IsFloat() && d.Bits <= 8
}

// outputType is the type that the attribute output_dtype names, def where it does not.
func (n *node) outputType(def dtype.DType) dtype.DType {
	if n.int("output_dtype", 0) == 0 {
		return def
	}
	d, err := n.elemType("output_dtype")
	n.check(err)
	return d
}

// quantizeLinear is x / scale, rounded to even, plus the zero point, limited to the values of the result. It is computed in float32. Floats have no zero
// point, and are rounded as a conversion does.
func quantizeLinear(n *node) {
	d := dtype.UInt8T
	if n.has(2) {
		d = n.dtype(2)
	}
	d = n.outputType(d)
	if !isQuantized(d) {
		n.fail("the result has element type %s, supported are integers of 2 to 16 bits and floats of 4 and 8", d)
	}
	n.wantDType(0, "float32, float16 or int32", func(d dtype.DType) bool { return d.IsFloat() || d == dtype.Int32T })
	axis := n.int("axis", 1)
	y := n.emit("relax.divide", args(n.as(n.inBlocks(axis), dtype.Float32T), n.as(n.alongAxis(1, axis), dtype.Float32T)))
	if d.IsFloat() {
		n.set(0, n.reshape(n.converted(y, d, n.bool("saturate", true)), n.dims(0)))
		return
	}
	n.requantized(y, 2, axis, d)
}

// requantized rounds y, adds the zero point that is operand zero, and makes the node's result of it.
func (n *node) requantized(y relax.Expr, zero int, axis int64, d dtype.DType) {
	y = n.stepped(y, zero, func() relax.Expr { return n.alongAxis(zero, axis) }, d)
	n.outOfBlocks("relax.astype", args(y), "dtype", d)
}

// stepped is y rounded, plus the zero point that is operand zero, which shaped gives a shape, limited to the values of an integer type.
func (n *node) stepped(y relax.Expr, zero int, shaped func() relax.Expr, d dtype.DType) relax.Expr {
	y = n.emit("relax.round", args(y))
	if n.has(zero) && !n.isZero(zero) {
		y = n.emit("relax.add", args(y, n.as(shaped(), dtype.Float32T)))
	}
	return n.limited(y, d)
}

// limited is y, of type float32, limited to the values of an integer type of at most 16 bits.
func (n *node) limited(y relax.Expr, d dtype.DType) relax.Expr {
	lo, hi := 0.0, float64(int64(1)<<d.Bits-1)
	if d.IsInt() {
		lo, hi = -float64(int64(1)<<(d.Bits-1)), float64(int64(1)<<(d.Bits-1)-1)
	}
	return n.emit("relax.clip", args(y, primFloat(dtype.Float32T, lo), primFloat(dtype.Float32T, hi)))
}

// dequantizeLinear is (x - zero) * scale, computed in int32 and float32.
func dequantizeLinear(n *node) {
	n.wantDType(0, "an integer of at most 16 bits or of 32, or a float of 4 or 8", func(d dtype.DType) bool { return isQuantized(d) || d == dtype.Int32T })
	axis := n.int("axis", 1)
	d := n.outputType(n.dtype(1))
	if !d.IsFloat() || d.Bits < 16 {
		n.fail("the result has element type %s, supported are floats of 16 bits and more", d)
	}
	between := dtype.Int32T
	if n.dtype(0).IsFloat() { // whose zero point is 0
		between = dtype.Float32T
	}
	x := n.as(n.inBlocks(axis), between)
	if n.has(2) && between == dtype.Int32T && !n.isZero(2) {
		x = n.emit("relax.subtract", args(x, n.as(n.alongAxis(2, axis), dtype.Int32T)))
	}
	y, scale := n.as(x, dtype.Float32T), n.as(n.alongAxis(1, axis), dtype.Float32T)
	if d == dtype.Float32T {
		n.outOfBlocks("relax.multiply", args(y, scale))
		return
	}
	n.outOfBlocks("relax.astype", args(n.emit("relax.multiply", args(y, scale))), "dtype", d)
}

// dynamicQuantizeLinear takes scale and zero point from the range of the values, which contains zero. A range of zero alone has the scale 1, as in ONNX Runtime.
func dynamicQuantizeLinear(n *node) {
	n.wantDType(0, "float32", func(d dtype.DType) bool { return d == dtype.Float32T })
	x, zero := n.expr(0), n.constant(dtype.Float32T, 0)
	lo := n.emit("relax.minimum", args(n.emit("relax.min", args(x)), zero))
	hi := n.emit("relax.maximum", args(n.emit("relax.max", args(x)), zero))
	scale := n.emit("relax.divide", args(n.emit("relax.subtract", args(hi, lo)), n.constant(dtype.Float32T, 255)))
	none := n.emit("relax.equal", args(scale, zero))
	scale = n.resultAt(1, "relax.where", args(none, n.constant(dtype.Float32T, 1), scale))
	at := n.emit("relax.divide", args(n.emit("relax.negative", args(lo)), scale))
	at = n.emit("relax.round", args(n.limited(at, dtype.UInt8T)))
	n.resultAt(2, "relax.astype", args(at), "dtype", dtype.UInt8T)
	y := n.emit("relax.add", args(n.emit("relax.round", args(n.emit("relax.divide", args(x, scale)))), at))
	n.resultAt(0, "relax.astype", args(n.limited(y, dtype.UInt8T)), "dtype", dtype.UInt8T)
}

// resultAt makes a call the node's result i, if the node has so many.
func (n *node) resultAt(i int, name string, as []relax.Expr, kv ...any) relax.Expr {
	if i >= len(n.pb.Outputs) || n.pb.Outputs[i] == "" {
		return n.emit(name, as, kv...)
	}
	v := n.bind(n.call(name, as, kv), n.pb.Outputs[i], n.isOutput(i))
	n.set(i, v)
	return v
}

// isZero reports whether operand i is known to be zeros.
func (n *node) isZero(i int) bool {
	k := n.known(i)
	return k != nil && !slices.ContainsFunc(k.elems, func(e tir.Expr) bool { return !tir.IsConst(e, 0) })
}

// scaleBlock is how many indices of an axis have a scale and a zero point in common, 0 where the node has none for blocks.
func (n *node) scaleBlock() int64 {
	if !slices.Contains(n.row.attrs, "block_size") {
		return 0
	}
	size := n.int("block_size", 0)
	if size < 0 {
		n.fail("attribute \"block_size\" is %d, expected 0 or more", size)
	}
	return size
}

// wholeBlocks is the shape of operand 0 with an axis as one of blocks and one of the indices in a block, nil where there are none or not known to be whole.
func (n *node) wholeBlocks(axis int64) []tir.Expr {
	size := n.scaleBlock()
	if size == 0 {
		return nil
	}
	dims, at := n.dims(0), n.axis(axis, n.rank(0))
	extent, known := tir.AsInt(dims[at])
	if !known || extent%size != 0 {
		return nil
	}
	return slices.Replace(slices.Clone(dims), at, at+1, tir.Expr(tir.Int(extent/size)), tir.Expr(tir.Int(size)))
}

// inBlocks is operand 0, seen as whole blocks where it has some.
func (n *node) inBlocks(axis int64) relax.Expr {
	x, apart := n.expr(0), n.wholeBlocks(axis)
	if apart == nil {
		return x
	}
	if c, ok := x.(*relax.Constant); ok {
		x = n.readable(c)
	}
	return n.reshape(x, apart)
}

// outOfBlocks makes a call, of what inBlocks and alongAxis gave, the node's result, in the shape of operand 0.
func (n *node) outOfBlocks(name string, as []relax.Expr, kv ...any) {
	if n.scaleBlock() == 0 {
		n.result(name, as, kv...)
		return
	}
	n.reshapeResult(n.emit(name, as, kv...), n.dims(0))
}

// alongAxis is operand i, a scalar or one with an element for each index of an axis of operand 0, or for each block of such indices, in a shape that
// broadcasts to that of inBlocks.
func (n *node) alongAxis(i int, axis int64) relax.Expr {
	dims := n.dims(i)
	switch size := n.scaleBlock(); {
	case size > 0:
		return n.blocks(i, axis, size)
	case len(dims) == 0:
		return n.expr(i)
	case len(dims) == 1 && tir.IsConst(dims[0], 1):
		return n.reshape(n.expr(i), nil)
	case len(dims) > 1:
		n.fail("input %d has %d dimensions, supported are scalars and an element for each index of an axis, and with attribute \"block_size\" for each block", i, len(dims))
	}
	rank := n.rank(0)
	at := n.axis(axis, rank)
	if !n.equal(dims[0], n.dims(0)[at]) {
		n.fail("input %d has %s elements for %s of axis %d", i, relax.FormatPrim(dims[0]), relax.FormatPrim(n.dims(0)[at]), at)
	}
	return n.reshape(n.expr(i), channelsAt(dims[0], rank-at))
}

// blocks has an element of operand i for each block of so many elements of operand 0 along an axis. Whole blocks share it; where the last may be smaller, it is repeated for each
// element.
func (n *node) blocks(i int, axis, size int64) relax.Expr {
	want, at := slices.Clone(n.dims(0)), n.axis(axis, n.rank(0))
	extent := want[at]
	count := tir.FloorDiv(tir.Add(extent, tir.Int(size-1)), tir.Int(size))
	want[at] = count
	n.expectShape(i, []string{"", "scale", "zero_point"}[i], want...)
	if _, ok := tir.AsInt(count); !ok {
		count = n.dims(i)[at]
	}
	split := func(inner int64) []tir.Expr {
		return slices.Replace(slices.Clone(want), at, at+1, count, tir.Expr(tir.Int(inner)))
	}
	x := n.expr(i)
	if c, ok := x.(*relax.Constant); ok {
		x = n.readable(c)
	}
	x = n.reshape(x, split(1))
	if n.wholeBlocks(axis) != nil {
		return x
	}
	repeated := n.emit("relax.broadcast_to", args(x, shapeExpr(split(size))))
	want[at] = tir.Mul(count, tir.Int(size))
	x = n.reshape(repeated, want)
	if sameDims(want, n.dims(0)) {
		return x
	}
	return n.matchCast(n.part(x, at, tir.Int(0), extent), n.dims(0))
}

// channelsAt is the shape of n elements along the first of so many axes.
func channelsAt(n tir.Expr, rank int) []tir.Expr {
	out := []tir.Expr{n}
	for len(out) < rank {
		out = append(out, tir.Int(1))
	}
	return out
}
