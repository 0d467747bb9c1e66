package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// maxTaps bounds the elements of a window whose place is looked for.
const maxTaps = 1 << 10

// maximaAt is where in operand 0 the maxima of a pooling, result 0, are, as numbers of its elements, batch and channels in front. Of the elements at one place of
// all windows a tensor is made for each place, in front of the other axes, along which vectors run, and the first greatest of these says at which place of its window a maximum is.
func (n *node) maximaAt(w *window, pads []int64) relax.Expr {
	dims, r := n.dims(0), len(w.kernel)
	spatial := dims[2:]
	result, _ := n.out[0].tensorInfo().Dims()
	out, taps := result[2:], int64(1)
	for _, k := range w.kernel {
		if taps *= k; taps > maxTaps {
			n.fail("output 1 (the indices of the maxima) is supported for windows of at most %d elements", maxTaps)
		}
	}
	x, width := n.expr(0), make([]int64, 4, 2*(r+2))
	if !n.dtype(0).IsFloat() { // bytes, of which no padding is less than all
		x = n.as(x, dtype.Float32T)
	}
	for i := range r {
		width = append(width, pads[i], pads[r+i])
	}
	x = n.emit("relax.nn.pad", args(x), "pad_width", width, "pad_mode", "constant", "pad_value", math.Inf(-1))
	// Strides of the numbers along spatial axes.
	stride, size := make([]tir.Expr, r), tir.Expr(tir.Int(1))
	for i := range r {
		k := r - 1 - i
		if n.int("storage_order", 0) != 0 {
			k = i
		}
		stride[k] = size
		size = tir.Mul(size, spatial[k])
	}
	prim := func(e tir.Expr) relax.Expr { return &relax.PrimValue{Value: e} }
	var parts []relax.Expr
	table := make([]tir.Expr, taps)
	for t := range taps {
		table[t] = tir.Int(0)
		var axes, begins, ends, steps []relax.Expr
		for i, at := range unraveled(t, w.kernel) {
			begin := at * w.dilations[i]
			table[t] = tir.Add(table[t], tir.Mul(tir.Int(begin), stride[i]))
			end := tir.Add(tir.Mul(tir.Sub(out[i], tir.Int(1)), tir.Int(w.strides[i])), tir.Int(begin+1))
			axes, begins = append(axes, prim(tir.Int(int64(2+i)))), append(begins, prim(tir.Int(begin)))
			ends, steps = append(ends, prim(end)), append(steps, prim(tir.Int(w.strides[i])))
		}
		part := n.emit("relax.strided_slice", args(x, tuple(axes), tuple(begins), tuple(ends), tuple(steps)))
		parts = append(parts, n.reshape(part, append([]tir.Expr{tir.Int(1)}, result...)))
	}
	all := parts[0]
	if len(parts) > 1 {
		all = n.emit("relax.concat", args(tuple(parts)), "axis", int64(0))
	}
	which := n.emit("relax.argmax", args(all), "axis", int64(0), "keepdims", false)
	number := func(k *known) relax.Expr { return n.tensor(&value{known: k}) }
	y := n.emit("relax.take", args(number(vector(dtype.Int64T, table)), which), "axis", int64(0))
	// along adds, for each index of an axis, that times a step, from a start on.
	along := func(axis int, extent, start, step tir.Expr) {
		shape := make([]tir.Expr, 2+r)
		for i := range shape {
			shape[i] = tir.Int(1)
		}
		shape[axis] = extent
		at := n.emit("relax.multiply", args(n.counting(0, extent), number(scalar(dtype.Int64T, step))))
		if !tir.IsConst(start, 0) {
			at = n.emit("relax.subtract", args(at, number(scalar(dtype.Int64T, start))))
		}
		y = n.emit("relax.add", args(y, n.reshape(at, shape)))
	}
	for i := range r {
		along(2+i, out[i], tir.Mul(tir.Int(pads[i]), stride[i]), tir.Mul(tir.Int(w.strides[i]), stride[i]))
	}
	along(0, dims[0], tir.Int(0), tir.Mul(dims[1], size))
	along(1, dims[1], tir.Int(0), size)
	return y
}

// unraveled is number i of the elements of a shape as an index.
func unraveled(i int64, shape []int64) []int64 {
	at := make([]int64, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k], i = i%shape[k], i/shape[k]
	}
	return at
}

// integers is a constant of type int64.
func (n *node) integers(shape, elems []int64) relax.Expr {
	k := &known{dtype: dtype.Int64T, shape: shape, elems: relax.Ints(elems)}
	b, ok := k.blob()
	if !ok {
		panic("onnx: integers that are no constant")
	}
	return &relax.Constant{Base: ir.Base{Origin: n.origin}, Data: b}
}

// maxUnpool puts elements where the maxima of a pooling were and zeros elsewhere. A larger shape has zeros at the end of its axes.
func maxUnpool(n *node) {
	dims, r := n.dims(0), n.spatialRank()
	n.wantDType(1, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	kernel := n.ints("kernel_shape")
	if len(kernel) != r {
		n.fail("attribute \"kernel_shape\" has %d numbers for input 0 of shape %s, expected one for each spatial axis", len(kernel), relax.FormatDims(dims))
	}
	w := n.window(dims[2:], kernel)
	shape := append([]tir.Expr{}, dims[:2]...)
	for i := range r {
		size := tir.Add(tir.Mul(tir.Sub(dims[2+i], tir.Int(1)), tir.Int(w.strides[i])), tir.Int(kernel[i]-w.pads[i]-w.pads[r+i]))
		if v, ok := tir.AsInt(size); ok && (v < 0 || v > math.MaxInt32) {
			n.fail("spatial axis %d of the result has extent %d, expected 0 or more", i, v)
		}
		shape = append(shape, size)
	}
	flat := func(x relax.Expr) relax.Expr { return n.reshape(x, []tir.Expr{product(dims)}) }
	y := n.emit("relax.scatter_elements", args(n.filled(n.dtype(0), []tir.Expr{product(shape)}, 0), flat(n.expr(1)), flat(n.expr(0))), "axis", int64(0), "reduction", "update")
	if !n.has(2) {
		n.reshapeResult(y, shape)
		return
	}
	want := n.shapeOperand(2, "output_shape")
	pads := make([]tir.Expr, 2*(r+2))
	for i := range pads {
		pads[i] = tir.Int(0)
	}
	if len(want) != r+2 {
		n.fail("output_shape (input 2) has %d extents, expected %d", len(want), r+2)
	}
	for i := range r {
		more := tir.Sub(want[2+i], shape[2+i])
		if v, ok := tir.AsInt(more); ok && (v < 0 || v > math.MaxInt32) {
			n.fail("output_shape (input 2) is %s, expected extents that hold the shape %s", relax.FormatDims(want), relax.FormatDims(shape))
		}
		pads[r+4+i] = more
	}
	n.out = n.apply("Pad", []*value{{expr: n.reshape(y, shape)}, {known: vector(dtype.Int64T, pads)}})
}
