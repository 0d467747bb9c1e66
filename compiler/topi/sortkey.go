package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// keyType is the type of the keys of elements of type d: int32 where that holds all values
// or all of their float32s, else int64.
func keyType(d dtype.DType) dtype.DType {
	if d.Bits == 64 || d.IsUInt() && d.Bits == 32 {
		return dtype.Int64T
	}
	return dtype.Int32T
}

// sortKey maps e to an integer of type d whose order is the order in which elements are
// sorted: equal for equal elements, and the greatest of all for NaN. Read as an integer, a
// float grows with its value where it is not negative and shrinks where it is, so the bits
// below the sign of negative ones are flipped.
func sortKey(e tir.Expr, d dtype.DType, descending bool) tir.Expr {
	turn := func(k tir.Expr) tir.Expr {
		if descending {
			return tir.NewCall(tir.OpBitwiseNot, k)
		}
		return k
	}
	t := e.DType()
	switch {
	case t.IsFloat():
		f := tir.CastTo(dtype.Float32T, e)
		if d.Bits == 64 {
			f = e
		}
		bits := &tir.Call{Type: d, Op: tir.OpReinterpret, Args: []tir.Expr{f}}
		negative := tir.NewCall(tir.OpShiftRight, bits, tir.Const(d, int64(d.Bits)-1))
		below := tir.NewCall(tir.OpBitwiseAnd, negative, te.MaxValue(d))
		ordered := turn(tir.NewCall(tir.OpBitwiseXor, bits, below))
		number := tir.NewBinary(tir.OpEQ, f, f)
		zero := tir.NewBinary(tir.OpEQ, f, tir.FloatConst(f.DType(), 0))
		return &tir.Select{
			Cond: zero, True: turnConst(d, descending),
			False: &tir.Select{Cond: number, True: ordered, False: te.MaxValue(d)},
		}
	case t.IsUInt() && t.Bits == 64:
		signed := &tir.Call{Type: d, Op: tir.OpReinterpret, Args: []tir.Expr{e}}
		return turn(tir.NewCall(tir.OpBitwiseXor, signed, te.MinValue(d)))
	}
	return turn(tir.CastTo(d, e))
}

// turnConst is the key of zero.
func turnConst(d dtype.DType, descending bool) tir.Expr {
	if descending {
		return tir.Const(d, -1)
	}
	return tir.Const(d, 0)
}
