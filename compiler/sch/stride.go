package sch

import (
	"math"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// NoStride is the result of StrideOf for an access that does not move by a constant.
const NoStride = math.MinInt64

// StrideOf returns by how many elements an access to a compact buffer moves when v grows by
// one: 0 if it does not depend on v, NoStride if that is no constant.
func StrideOf(b *tir.Buffer, indices []tir.Expr, v *tir.Var) int64 {
	total, scale := int64(0), int64(1)
	known := true // scale is
	uses := func(x *tir.Var) bool { return x == v }
	for k := len(indices) - 1; k >= 0; k-- {
		if arith.UsesVar(indices[k], uses) {
			coeffs, _, ok := arith.DetectLinearEquation(indices[k], []*tir.Var{v})
			if !ok && known {
				return flatStride(b, indices, v)
			}
			if !ok || !known {
				return NoStride
			}
			c, ok := tir.AsInt(coeffs[0])
			if !ok {
				return NoStride
			}
			total += c * scale
		}
		n, ok := tir.AsInt(b.Shape[k])
		known = known && ok
		scale *= n
	}
	return total
}

// flatStride is StrideOf for indices with quotients and remainders that may cancel out.
func flatStride(b *tir.Buffer, indices []tir.Expr, v *tir.Var) int64 {
	coeffs, _, ok := arith.DetectLinearEquation(arith.SimplifyAlone(FlatIndex(b, indices)), []*tir.Var{v})
	if !ok {
		return NoStride
	}
	c, ok := tir.AsInt(coeffs[0])
	if !ok {
		return NoStride
	}
	return c
}
