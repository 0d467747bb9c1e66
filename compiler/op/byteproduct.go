package op

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Emit binds a call of an operator, whose attributes are keys and values, and returns the variable.
type Emit func(name string, args []relax.Expr, kv ...any) relax.Expr

// ByteFactor is a factor of a product of bytes.
type ByteFactor struct {
	X    relax.Expr
	Dims []tir.Expr
	Zero relax.Expr // the zero point in int32, in a shape that broadcasts; nil is zero

	Value int64 // of the zero point, if it is Known
	Known bool
}

// wide is the factor in int32, less its zero point.
func (f ByteFactor) wide(emit Emit) relax.Expr {
	return minus(emit, emit("relax.astype", []relax.Expr{f.X}, "dtype", dtype.Int32T), f.Zero)
}

// minus is x - y, x where y is nil.
func minus(emit Emit, x, y relax.Expr) relax.Expr {
	if y == nil {
		return x
	}
	return emit("relax.subtract", []relax.Expr{x, y})
}

// ByteMatmul is the product of two matrices of bytes, less their zero points, in int32. All sums are modulo 2^32, so that the zero points may be taken off behind the product of
// bytes: of (a - za)(b - zb) with a depth of K it lacks za times the sums of b's columns and zb times those of a's rows, and has K za zb too many.
func ByteMatmul(emit Emit, a, b ByteFactor) relax.Expr {
	if len(a.Dims) < 2 || len(b.Dims) < 2 {
		return emit("relax.matmul", []relax.Expr{a.wide(emit), b.wide(emit)})
	}
	depth, known := tir.AsInt(b.Dims[len(b.Dims)-2])
	if !known && a.Zero != nil && b.Zero != nil {
		return emit("relax.matmul", []relax.Expr{a.wide(emit), b.wide(emit)})
	}
	sums := func(f ByteFactor, axis int) relax.Expr { return byteSums(emit, f.X, []int64{int64(axis)}, true) }
	sum := emit("relax.matmul", []relax.Expr{a.X, b.X}, "out_dtype", dtype.Int32T)
	if a.Zero != nil {
		columns := sums(b, len(b.Dims)-2)
		if b.Zero != nil { // the columns less K zb
			k, err := Scalar(dtype.Int32T, float64(depth))
			if err != nil {
				panic("op: " + err.Error())
			}
			columns = minus(emit, columns, emit("relax.multiply", []relax.Expr{b.Zero, k}))
		}
		sum = minus(emit, sum, emit("relax.multiply", []relax.Expr{a.Zero, columns}))
	}
	if b.Zero != nil {
		sum = minus(emit, sum, emit("relax.multiply", []relax.Expr{sums(a, len(a.Dims)-1), b.Zero}))
	}
	return sum
}

// ByteConv is the convolution of data with weights, of bytes, less their zero points, in int32; attrs are its attributes with some padding. The zero points are taken off behind the
// convolution, as in ByteMatmul; what is around the data then is filled with that of the data. The sums of the data below the window are a convolution with weights of one. Zero points of weights in
// groups, and one of the data that is not known where there is padding, are taken off before, which makes it a convolution of int32.
func ByteConv(emit Emit, x, w ByteFactor, groups int64, pads []int64, attrs func(pads []int64) []any) relax.Expr {
	r := len(x.Dims) - 2
	name := fmt.Sprintf("relax.nn.conv%dd", r)
	padded := slices.Max(pads) > 0
	if x.Zero != nil && padded && !x.Known || w.Zero != nil && groups != 1 {
		data := x.wide(emit)
		return emit(name, []relax.Expr{data, w.wide(emit)}, attrs(pads)...)
	}
	data := x.X
	if x.Zero != nil && padded {
		width := make([]int64, 2*(r+2))
		for i := range r {
			width[4+2*i], width[5+2*i] = pads[i], pads[r+i]
		}
		data = emit("relax.nn.pad", []relax.Expr{data}, "pad_width", width, "pad_mode", "constant", "pad_value", float64(x.Value))
		pads = make([]int64, 2*r)
	}
	channels := func(n tir.Expr) *relax.ShapeExpr {
		shape := []tir.Expr{n}
		for len(shape) <= r {
			shape = append(shape, tir.Int(1))
		}
		return &relax.ShapeExpr{Values: shape}
	}
	var axes []int64
	for i := 1; i < r+2; i++ {
		axes = append(axes, int64(i))
	}
	convolved := func(w relax.Expr, n tir.Expr) relax.Expr { // with n kernels, less the zero point of the data
		sum := emit(name, []relax.Expr{data, w}, append(attrs(pads), "out_dtype", dtype.Int32T)...)
		if x.Zero == nil {
			return sum
		}
		all := byteSums(emit, w, axes, false)
		return minus(emit, sum, emit("relax.multiply", []relax.Expr{emit("relax.reshape", []relax.Expr{all, channels(n)}), x.Zero}))
	}
	sum := convolved(w.X, w.Dims[0])
	if w.Zero == nil {
		return sum
	}
	one, err := Scalar(dtype.Int8T, 1)
	if err != nil {
		panic("op: " + err.Error())
	}
	ones := emit("relax.full", []relax.Expr{&relax.ShapeExpr{Values: append([]tir.Expr{tir.Int(1)}, w.Dims[1:]...)}, one}, "dtype", dtype.Int8T)
	zero := w.Zero
	if t, _ := relax.SInfoOf(zero).(*relax.TensorStructInfo); t != nil && t.NDim > 0 {
		zero = emit("relax.reshape", []relax.Expr{zero, channels(w.Dims[0])})
	}
	return minus(emit, sum, emit("relax.multiply", []relax.Expr{convolved(ones, tir.Int(1)), zero}))
}
