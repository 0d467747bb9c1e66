package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Words puts four neighbors along an axis of x, a tensor of bytes, into words, with zeros behind the last ones: int32 where the bytes have signs, uint32 where they have none. turned
// exchanges the two kinds: it turns over the upper bit of each byte, which adds 128 to it or takes it off.
func Words(x *te.Tensor, axis int, turned bool) *te.Tensor {
	shape := append([]tir.Expr{}, x.Shape...)
	shape[axis] = tir.FloorDiv(tir.Add(x.Shape[axis], tir.Int(3)), tir.Int(4))
	n, static := tir.AsInt(x.Shape[axis])
	constant := func(v int64) tir.Expr { return tir.Const(dtype.UInt32T, v) }
	return te.Compute("words", simplified(shape), func(i []tir.Expr) tir.Expr {
		var sum tir.Expr
		for k := range int64(4) {
			at := append([]tir.Expr{}, i...)
			at[axis] = tir.Add(tir.Mul(i[axis], tir.Int(4)), tir.Int(k))
			b := x.At(at...)
			if k > 0 && (!static || n%4 != 0 && k >= n%4) {
				b = tir.IfThenElseExpr(tir.LT(at[axis], x.Shape[axis]), b, tir.Const(x.DType, 0))
			}
			b = tir.CastTo(dtype.UInt32T, b)
			if x.DType.IsInt() {
				b = tir.NewCall(tir.OpBitwiseAnd, b, constant(0xff))
			}
			if k > 0 {
				b = tir.NewCall(tir.OpBitwiseOr, sum, tir.NewCall(tir.OpShiftLeft, b, constant(8*k)))
			}
			sum = b
		}
		if turned {
			sum = tir.NewCall(tir.OpBitwiseXor, sum, constant(UpperBits))
		}
		if x.DType.IsInt() != turned {
			sum = tir.CastTo(dtype.Int32T, sum)
		}
		return sum
	})
}

// UpperBits are the upper bits of the bytes of a word.
const UpperBits = 0x80808080

// wordProduct is the sum of the products of the bytes of two words.
func wordProduct(x, y tir.Expr) tir.Expr {
	return &tir.Call{Type: dtype.Int32T, Op: tir.OpDp4a, Args: []tir.Expr{x, y, tir.Int32(0)}}
}
