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

// maximaAt is where in operand 0 the maxima of a pooling are, as numbers of its elements, batch and channels in front. Of the elements at one place of
// all windows a tensor is made for each place, in front of the other axes, along which vectors run, and the first greatest of these says at which place of its window a maximum is.
func (n *node) maximaAt(w *window, pads []int64) relax.Expr {
	dims, r := n.dims(0), len(w.kernel)
	spatial, ok := relax.StaticInts(dims[2:])
	if !ok {
		n.fail("output 1 (the indices of the maxima) needs fixed spatial extents, but input 0 has shape %s", relax.FormatDims(dims))
	}
	taps, places := int64(1), int64(1)
	out := make([]int64, r)
	for i, k := range w.kernel {
		if taps *= k; taps > maxTaps {
			n.fail("output 1 (the indices of the maxima) is supported for windows of at most %d elements", maxTaps)
		}
		out[i] = (spatial[i]+pads[i]+pads[r+i]-w.reach(i))/w.strides[i] + 1
		if places *= out[i]; places > maxSignal {
			n.fail("output 1 (the indices of the maxima) has more than %d elements for a channel", maxSignal)
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
	stride, size := make([]int64, r), int64(1)
	for i := range r {
		k := r - 1 - i
		if n.int("storage_order", 0) != 0 {
			k = i
		}
		stride[k] = size
		size *= spatial[k]
	}
	offset := func(at []int64, step []int64) (sum int64) {
		for i := range r {
			sum += at[i] * step[i] * stride[i]
		}
		return sum
	}
	prim := func(v int64) relax.Expr { return &relax.PrimValue{Value: tir.Int(v)} }
	var parts []relax.Expr
	table := make([]int64, taps)
	for t := range taps {
		at := unraveled(t, w.kernel)
		table[t] = offset(at, w.dilations)
		var axes, begins, ends, steps []relax.Expr
		for i := range r {
			begin := at[i] * w.dilations[i]
			axes, begins = append(axes, prim(int64(2+i))), append(begins, prim(begin))
			ends, steps = append(ends, prim(begin+(out[i]-1)*w.strides[i]+1)), append(steps, prim(w.strides[i]))
		}
		part := n.emit("relax.strided_slice", args(x, tuple(axes), tuple(begins), tuple(ends), tuple(steps)))
		parts = append(parts, n.reshape(part, append([]tir.Expr{tir.Int(1), dims[0], dims[1]}, relax.Ints(out)...)))
	}
	all := parts[0]
	if len(parts) > 1 {
		all = n.emit("relax.concat", args(tuple(parts)), "axis", int64(0))
	}
	which := n.emit("relax.argmax", args(all), "axis", int64(0), "keepdims", false)
	first := make([]int64, places)
	for i := range first {
		first[i] = offset(unraveled(int64(i), out), w.strides)
		for k := range r {
			first[i] -= pads[k] * stride[k]
		}
	}
	y := n.emit("relax.take", args(n.integers([]int64{taps}, table), which), "axis", int64(0))
	y = n.emit("relax.add", args(y, n.integers(out, first)))
	planes := append([]tir.Expr{dims[0], dims[1]}, make([]tir.Expr, r)...)
	for i := range r {
		planes[2+i] = tir.Int(1)
	}
	plane := n.emit("relax.multiply", args(n.counting(0, tir.Mul(dims[0], dims[1])), n.constant(dtype.Int64T, float64(size))))
	return n.emit("relax.add", args(y, n.reshape(plane, planes)))
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
	spatial, ok := relax.StaticInts(dims[2:])
	if len(kernel) != r || !ok {
		n.fail("attribute \"kernel_shape\" has %d numbers for input 0 of shape %s, expected one for each spatial axis, whose extents are fixed", len(kernel), relax.FormatDims(dims))
	}
	w := n.window(dims[2:], kernel)
	shape := append([]tir.Expr{}, dims[:2]...)
	for i := range r {
		size := (spatial[i]-1)*w.strides[i] + kernel[i] - w.pads[i] - w.pads[r+i]
		if size < 0 || size > math.MaxInt32 {
			n.fail("spatial axis %d of the result has extent %d, expected 0 or more", i, size)
		}
		shape = append(shape, tir.Int(size))
	}
	flat := func(x relax.Expr) relax.Expr { return n.reshape(x, []tir.Expr{product(dims)}) }
	y := n.emit("relax.scatter_elements", args(n.filled(n.dtype(0), []tir.Expr{product(shape)}, 0), flat(n.expr(1)), flat(n.expr(0))), "axis", int64(0), "reduction", "update")
	if !n.has(2) {
		n.reshapeResult(y, shape)
		return
	}
	want := n.intsOperand(2, "output_shape")
	width := make([]int64, 4, 2*(r+2))
	for i := range r {
		have, _ := tir.AsInt(shape[2+i])
		if len(want) != r+2 || want[2+i] < have || want[2+i] > math.MaxInt32 {
			n.fail("output_shape (input 2) is %v, expected %d extents that hold the shape %s", want, r+2, relax.FormatDims(shape))
		}
		width = append(width, 0, want[2+i]-have)
	}
	n.result("relax.nn.pad", args(n.reshape(y, shape)), "pad_width", width, "pad_mode", "constant", "pad_value", 0.0)
}
