package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// clipCast is e limited to the values of d, as type d.
func clipCast(e tir.Expr, d dtype.DType) tir.Expr {
	return tir.CastTo(d, tir.Max(tir.Min(e, constant(e.DType(), te.MaxValue(d))), constant(e.DType(), te.MinValue(d))))
}

// along reads o, a scalar, a tensor of one element or one of one dimension, for index i of a tensor with channels along axis.
func (o Operand) along(i []tir.Expr, axis int) tir.Expr {
	if o.Tensor == nil || o.Tensor.NDim() == 0 {
		return o.at(nil, nil)
	}
	if n := o.Tensor.NDim(); n > 1 || tir.IsConst(o.Tensor.Shape[0], 1) {
		return o.Tensor.At(zeros(n)...)
	}
	return o.Tensor.At(i[axis])
}

// Quantize is round(x / scale) + zero as type d, limited to its values. scale and zero are
// scalars or have an entry for each index along axis.
func Quantize(x *te.Tensor, scale, zero Operand, axis int, d dtype.DType) *te.Tensor {
	return te.Compute("quantized", x.Shape, func(i []tir.Expr) tir.Expr {
		e := tir.Div(x.At(i...), scale.along(i, axis))
		if d.IsInteger() {
			e = call(tir.OpRound, e)
		}
		return clipCast(tir.Add(e, zero.along(i, axis)), d)
	}, te.AxisPrefix("i"))
}

// Dequantize is (x - zero) scale as type d, computed in int32 and float32.
func Dequantize(x *te.Tensor, scale, zero Operand, axis int, d dtype.DType) *te.Tensor {
	between := dtype.Int32T
	if x.DType.IsFloat() {
		between = dtype.Float32T
	}
	return te.Compute("dequantized", x.Shape, func(i []tir.Expr) tir.Expr {
		e := tir.Sub(tir.CastTo(between, x.At(i...)), zero.along(i, axis))
		e = tir.Mul(e, tir.CastTo(dtype.Float32T, scale.along(i, axis)))
		if d == dtype.Float32T {
			return e
		}
		return clipCast(e, d)
	}, te.AxisPrefix("i"))
}
