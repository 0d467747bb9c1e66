package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// fourier is a discrete Fourier transform as a product with a constant matrix. Numbers have one part where they are real, two where they are complex.
type fourier struct {
	size, bins    int64 // of the signal, and of the result
	parts, result int64 // of numbers of the operand, and of the result
	inverse       bool
}

// newFourier is a transform of a length for an operand whose last axis holds the parts of a number.
func (n *node) newFourier(size int64, parts tir.Expr, inverse bool) fourier {
	p, ok := tir.AsInt(parts)
	if !ok || p != 1 && p != 2 {
		n.fail("the last axis of input 0 has extent %s, expected 1 for real numbers or 2 for complex ones", relax.FormatPrim(parts))
	}
	if size < 1 || size > 1<<16 {
		n.fail("the transform has length %d, expected 1 to %d", size, 1<<16)
	}
	f := fourier{size: size, bins: size, parts: p, result: 2, inverse: inverse}
	switch def := n.pb.OpType == "STFT"; {
	case !n.bool("onesided", def):
	case inverse && p == 1:
		n.fail("attributes \"inverse\" and \"onesided\" are both 1 for real numbers, expected the bins of a transform, which are complex")
	case inverse:
		f.result = 1
	case p == 2:
		n.fail("attribute \"onesided\" is 1 for complex numbers, which have other values in the bins that it leaves out")
	default:
		f.bins = size/2 + 1
	}
	if elements := size * p * f.bins * f.result; elements > maxSignal {
		n.fail("the transform of length %d takes a matrix of %d elements; the limit is %d", size, elements, maxSignal)
	}
	return f
}

// reads is how many elements of the operand along the axis a transform takes: half of the bins give a real signal.
func (f fourier) reads() int64 {
	if f.result == 1 {
		return f.size/2 + 1
	}
	return f.size
}

// factor is what part from of element j contributes to part to of bin k.
func (f fourier) factor(j, from, k, to int64) float64 {
	angle := 2 * math.Pi * float64(j*k%f.size) / float64(f.size)
	v := math.Cos(angle)
	if from != to { // times exp(-i angle)
		v = math.Sin(angle)
		if (to == 1) != f.inverse {
			v = -v
		}
	}
	if f.inverse {
		v /= float64(f.size)
	}
	switch other := f.size - j; { // the bin that has the conjugate of bin j
	case f.result == 2:
	case j != 0 && other != j:
		v *= 2
	case from == 1:
		v = 0 // these bins are real
	}
	return v
}

// dft transforms along an axis: an attribute up to operator set 19, an operand after that.
func dft(n *node) {
	x, dims := n.floats(0), n.ranked(0, 2, anyRank)
	at := n.int("axis", 1)
	if n.opset >= 20 {
		at = -2
		if n.has(2) {
			at = n.oneInt(2, "axis")
		}
	}
	last := len(dims) - 1
	axis := n.axis(at, len(dims))
	have, ok := tir.AsInt(dims[axis])
	if !ok || axis == last {
		n.fail("the axis that is transformed is %d with the extent %s, expected one before the last with a constant extent", axis, relax.FormatPrim(dims[axis]))
	}
	size, inverse := have, n.bool("inverse", false)
	switch {
	case n.has(1):
		size = n.oneInt(1, "dft_length")
	case inverse && n.bool("onesided", false):
		size = 2 * (have - 1)
	}
	f := n.newFourier(size, dims[last], inverse)
	if reads := f.reads(); have > reads {
		x, have = n.part(x, axis, tir.Int(0), tir.Int(reads)), reads
	}
	// The axis goes next to the last, so that the elements of a signal and their parts are rows of the matrix; zeros behind the end have none.
	var perm, lead []int64
	var shape []tir.Expr
	for i, d := range dims[:last] {
		if i != axis {
			lead, shape = append(lead, int64(i)), append(shape, d)
		}
	}
	perm = append(append(perm, lead...), int64(axis), int64(last))
	back := make([]int64, len(perm))
	for i, p := range perm {
		back[p] = int64(i)
	}
	if axis != last-1 {
		x = n.emit("relax.permute_dims", args(x), "axes", perm)
	}
	x = n.reshape(x, append(append([]tir.Expr{}, shape...), tir.Int(have*f.parts)))
	columns := f.bins * f.result
	matrix := n.numbers(n.dtype(0), []int64{have * f.parts, columns}, func(i int) float64 {
		row, column := int64(i)/columns, int64(i)%columns
		return f.factor(row/f.parts, row%f.parts, column/f.result, column%f.result)
	})
	y := n.emit("relax.matmul", args(x, matrix))
	shape = append(shape, tir.Int(f.bins), tir.Int(f.result))
	if axis == last-1 {
		n.reshapeResult(y, shape)
		return
	}
	n.result("relax.permute_dims", args(n.reshape(y, shape)), "axes", back)
}

// oneInt is operand i, a constant integer.
func (n *node) oneInt(i int, what string) int64 {
	vs := n.intsOperand(i, what)
	if len(vs) != 1 {
		n.fail("%s (input %d) has %d elements, expected one", what, i, len(vs))
	}
	return vs[0]
}

// stft transforms frames of a signal, each multiplied with a window: a convolution whose kernels are the rows of the transform.
func stft(n *node) {
	x, dims := n.floats(0), n.ranked(0, 3, 3) // batch, length, and the parts of a number
	n.sameDType(0, 2)
	step := n.oneInt(1, "frame_step")
	if step < 1 || step > math.MaxInt32 {
		n.fail("frame_step (input 1) is %d, expected 1 or more", step)
	}
	var size int64
	switch {
	case n.has(3):
		size = n.oneInt(3, "frame_length")
	case n.has(2) && n.rank(2) == 1:
		size, _ = tir.AsInt(n.dims(2)[0])
	default:
		n.fail("frame_length (input 3) is left out, and there is no window (input 2) that gives it")
	}
	f := n.newFourier(size, dims[2], false)
	if length, ok := tir.AsInt(dims[1]); ok && length < size {
		n.fail("a frame has %d elements, but the signal only %d", size, length)
	}
	kernels := n.numbers(n.dtype(0), []int64{2 * f.bins, f.parts, size}, func(i int) float64 {
		row, rest := int64(i)/(f.parts*size), int64(i)%(f.parts*size)
		return f.factor(rest%size, rest/size, row/2, row%2)
	})
	if n.has(2) {
		if d := n.dims(2); len(d) != 1 || !n.equal(d[0], tir.Int(size)) {
			n.fail("the window (input 2) has shape %s, expected (%d,) for frames of that length", relax.FormatDims(d), size)
		}
		kernels = n.emit("relax.multiply", args(kernels, n.expr(2)))
	}
	x = n.emit("relax.permute_dims", args(x), "axes", []int64{0, 2, 1})
	y := n.emit("relax.nn.conv1d", args(x, kernels), "strides", []int64{step}, "padding", []int64{0, 0}, "dilation", []int64{1}, "groups", int64(1))
	frames := relax.SInfoOf(y).(*relax.TensorStructInfo)
	d, _ := frames.Dims()
	y = n.reshape(y, []tir.Expr{dims[0], tir.Int(f.bins), tir.Int(2), d[2]})
	n.result("relax.permute_dims", args(y), "axes", []int64{0, 3, 1, 2})
}
