package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// fewBits is the width that attribute "bits" gives the elements of packed weights, one of those supported, and their type.
func (n *node) fewBits(supported ...int64) (bits int64, kind onnxpb.DataType) {
	if bits = n.int("bits", 4); !slices.Contains(supported, bits) {
		n.fail("attribute \"bits\" is %d, supported are %d", bits, supported)
	}
	return bits, map[int64]onnxpb.DataType{2: onnxpb.Uint2, 4: onnxpb.Uint4, 8: onnxpb.Uint8}[bits]
}

// matMulNBits multiplies with weights of 2, 4, or 8 bits, packed by rows, whose blocks have scales and zero points.
func matMulNBits(n *node) {
	rows, extent, size := n.int("N", 0), n.int("K", 0), n.int("block_size", 0)
	bits, kind := n.fewBits(2, 4, 8)
	switch {
	case min(rows, extent, size) < 1 || max(rows, extent, size) > maxPackedExtent:
		n.fail("attributes \"N\", \"K\" and \"block_size\" are %d, %d and %d, expected 1 to %d", rows, extent, size, maxPackedExtent)
	case n.bool("weight_prepacked", false):
		n.fail("attribute \"weight_prepacked\" is 1: the weights are in the order of a device")
	}
	a := n.floats(0)
	blocks := (extent + size - 1) / size
	packed := func(i int, columns, from int64) relax.Expr { // bytes of an operand as a matrix of so many columns, of which each row has from
		return n.unpacked(i, kind, bits, columns, rows, from)
	}
	whole := blocks * size
	if whole*bits%8 != 0 {
		n.fail("blocks of %d elements of %d bits are no whole bytes", size, bits)
	}
	w := packed(1, whole, whole)
	perByte, table := 8/bits, []tir.Expr{tir.Int(rows), tir.Int(blocks)}
	var zero relax.Expr
	switch {
	case n.has(3) && n.dtype(3) == dtype.UInt8T:
		zero = packed(3, blocks, (blocks+perByte-1)/perByte*perByte)
	case n.has(3):
		n.wantDType(3, "uint8, packed as the weights are, or that of the data", func(d dtype.DType) bool { return d == n.dtype(0) })
		zero = n.reshape(n.expr(3), table)
	default:
		d, err := kind.DType()
		n.check(err)
		zero = n.splat(d, []int64{rows, blocks}, float64(int64(1)<<(bits-1)))
	}
	scales := n.reshape(n.expr(2), table)
	var weights relax.Expr
	switch {
	case n.has(4): // the block of each column
		of := func(x relax.Expr) relax.Expr {
			return n.as(n.emit("relax.take", args(x, n.expr(4)), "axis", int64(1)), dtype.Float32T)
		}
		columns, known := tir.AsInt(n.ranked(4, 1, 1)[0])
		if !known || columns < extent || columns > whole {
			n.fail("the blocks of columns (g_idx, input 4) have shape %s, expected one for each of %d columns", relax.FormatDims(n.dims(4)), extent)
		}
		w = n.as(n.part(w, 1, tir.Int(0), tir.Int(columns)), dtype.Float32T)
		weights, whole = n.emit("relax.multiply", args(n.emit("relax.subtract", args(w, of(zero))), of(scales))), columns
	case n.has(3) && n.dtype(3) != dtype.UInt8T:
		each := func(x relax.Expr, inner int64) relax.Expr {
			return n.as(n.reshape(x, append(slices.Clone(table), tir.Int(inner))), dtype.Float32T)
		}
		weights = n.emit("relax.multiply", args(n.emit("relax.subtract", args(each(w, size), each(zero, 1))), each(scales, 1)))
		weights = n.reshape(weights, []tir.Expr{tir.Int(rows), tir.Int(whole)})
	default:
		weights = n.tensor(n.apply("DequantizeLinear", values(w, scales, zero), intAttr("axis", 1), intAttr("block_size", size))[0])
	}
	if whole > extent {
		weights = n.part(weights, 1, tir.Int(0), tir.Int(extent))
	}
	weights = n.as(weights, n.dtype(0))
	y := n.emit("relax.matmul", args(a, n.emit("relax.permute_dims", args(weights), "axes", []int64{1, 0})))
	if n.has(5) {
		y = n.emit("relax.add", args(y, n.expr(5)))
	}
	n.set(0, y)
}

// bnbTables are the numbers that four bits stand for in the formats of bitsandbytes, by quant_type: floats of four bits, and places of a normal distribution.
var bnbTables = [2][16]float64{
	{0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25, 0, -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25},
	{
		-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0,
		0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
	},
}

// matMulBnb4 multiplies with weights of four bits by a table, whose blocks, of consecutive elements of all rows, have scales. Of a byte the upper half is the first.
func matMulBnb4(n *node) {
	rows, extent, size, kind := n.int("N", 0), n.int("K", 0), n.int("block_size", 0), n.int("quant_type", 1)
	switch {
	case min(rows, extent, size) < 1 || max(rows, extent, size) > maxPackedExtent || rows*extent > math.MaxInt32:
		n.fail("attributes \"N\", \"K\" and \"block_size\" are %d, %d and %d, expected 1 to %d", rows, extent, size, maxPackedExtent)
	case kind != 0 && kind != 1:
		n.fail("attribute \"quant_type\" is %d, expected 0 or 1", kind)
	case !n.bool("transB", true):
		n.fail("attribute \"transB\" is 0, expected rows of weights for each column of the result")
	}
	elements := rows * extent
	bytes := (elements + 1) / 2
	swapped := slices.Clone(n.constantBytes(1, bytes))
	for i, b := range swapped {
		swapped[i] = b<<4 | b>>4
	}
	blob, err := blobOf(&onnxpb.Tensor{Type: onnxpb.Uint4, Dims: []int64{2 * bytes}, Data: swapped})
	n.check(err)
	blocks := (elements + size - 1) / size
	w := n.as(n.readable(&relax.Constant{Base: ir.Base{Origin: n.origin}, Data: blob}), dtype.Int32T)
	numbers := make([]byte, 0, 64)
	for _, v := range bnbTables[kind] {
		raw, err := ir.EncodeFloat(dtype.Float32T, v)
		n.check(err)
		numbers = append(numbers, raw...)
	}
	table, err := ir.NewBlob(dtype.Float32T, []int64{16}, numbers)
	n.check(err)
	w = n.emit("relax.take", args(&relax.Constant{Base: ir.Base{Origin: n.origin}, Data: table}, w), "axis", int64(0))
	each := n.emit("relax.broadcast_to", args(n.reshape(n.as(n.expr(2), dtype.Float32T), relax.Ints([]int64{blocks, 1})), shapeExpr(relax.Ints([]int64{blocks, size}))))
	each = n.part(n.reshape(each, relax.Ints([]int64{blocks * size})), 0, tir.Int(0), tir.Int(elements))
	w = n.emit("relax.multiply", args(n.part(w, 0, tir.Int(0), tir.Int(elements)), each))
	w = n.as(n.reshape(w, relax.Ints([]int64{rows, extent})), n.dtype(0))
	n.result("relax.matmul", args(n.floats(0), n.emit("relax.permute_dims", args(w), "axes", []int64{1, 0})))
}

// gatherBlockQuantized takes rows, or what lies along another axis, of a table of few bits, whose blocks along its last axis have scales and zero points. Bytes may hold two elements of the table each.
func gatherBlockQuantized(n *node) {
	size, table := n.int("block_size", 128), n.expr(0)
	bits, kind := n.fewBits(4, 8)
	n.wantDType(0, "uint8, uint4 or int4", func(d dtype.DType) bool { return d == dtype.UInt8T || d.IsInteger() && d.Bits == 4 })
	rank := n.rank(0)
	along, blocks := n.axis(n.int("gather_axis", 0), rank), n.axis(n.int("quantize_axis", 1), rank)
	if along == blocks {
		n.fail("attributes \"gather_axis\" and \"quantize_axis\" name the same axis %d", along)
	}
	bytes := n.dtype(0) == dtype.UInt8T
	switch {
	case bytes && (along != 0 || blocks != rank-1):
		n.fail("attributes \"gather_axis\" and \"quantize_axis\" are %d and %d, expected the first and the last of %d axes where the table is of bytes", along, blocks, rank)
	case size < 1 || size > maxPackedExtent:
		n.fail("attribute \"block_size\" is %d, expected 1 to %d", size, maxPackedExtent)
	}
	whole := func(i int, last int64) relax.Expr { // a table of bytes, of which each row has so many elements at most
		dims, known := relax.StaticInts(n.dims(i))
		if !known || len(dims) != rank {
			n.fail("input %d has shape %s, expected %d constant extents", i, relax.FormatDims(n.dims(i)), rank)
		}
		dims = slices.Clone(dims)
		dims[rank-1] *= 8 / bits
		return n.unpacked(i, kind, bits, last, dims...)
	}
	var zero relax.Expr
	if n.has(3) {
		zero = n.expr(3)
	}
	if bytes {
		table = whole(0, math.MaxInt64)
		if n.has(3) {
			last, known := tir.AsInt(n.dims(2)[rank-1])
			if !known {
				last = math.MaxInt64
			}
			zero = whole(3, last)
		}
	} else if c, ok := table.(*relax.Constant); ok {
		table = n.readable(c)
		if z, ok := zero.(*relax.Constant); ok {
			zero = n.readable(z)
		}
	}
	taken := func(x relax.Expr) relax.Expr {
		return n.tensor(n.apply("Gather", values(x, n.expr(1)), intAttr("axis", int64(along)))[0])
	}
	scales := taken(n.expr(2))
	switch {
	case zero != nil:
		zero = taken(zero)
	case bytes: // in the middle
		d, _ := relax.SInfoOf(table).(*relax.TensorStructInfo)
		middle := n.splat(d.DType, []int64{}, float64(int64(1)<<(bits-1)))
		dims, _ := relax.SInfoOf(scales).(*relax.TensorStructInfo).Dims()
		zero = n.emit("relax.broadcast_to", args(middle, shapeExpr(dims)))
	}
	if along < blocks {
		blocks += n.rank(1) - 1
	}
	n.out = n.apply("DequantizeLinear", values(taken(table), scales, zero), intAttr("axis", int64(blocks)), intAttr("block_size", size))
}

// unpacked is operand i, constant bytes of elements of a kind of so many bits, as those elements, of which the last axis keeps so many at most.
func (n *node) unpacked(i int, kind onnxpb.DataType, bits, keep int64, dims ...int64) relax.Expr {
	count := bits
	for _, d := range dims {
		count *= d
	}
	b, err := blobOf(&onnxpb.Tensor{Type: kind, Dims: dims, Data: n.constantBytes(i, count/8)})
	n.check(err)
	x := n.readable(&relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b})
	if last := len(dims) - 1; keep < dims[last] {
		x = n.part(x, last, tir.Int(0), tir.Int(keep))
	}
	return x
}

// maxPackedExtent bounds the extents of weights of few bits.
const maxPackedExtent = 1 << 24

// constantBytes are the bytes of operand i, which must be a constant of so many.
func (n *node) constantBytes(i int, count int64) []byte {
	c, ok := n.expr(i).(*relax.Constant)
	switch {
	case !ok:
		n.fail("input %d (%q) depends on data, expected a constant", i, n.pb.Inputs[i])
	case c.Data.DType() != dtype.UInt8T || c.Data.NumElements() != count:
		n.fail("input %d has %d elements of type %s, expected %d of type uint8", i, c.Data.NumElements(), c.Data.DType(), count)
	case c.Data.IsSplat() && count > maxFolded:
		n.fail("input %d has %d equal elements, expected weights", i, count)
	}
	return c.Data.Bytes()
}
