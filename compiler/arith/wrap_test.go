package arith

import (
	"testing"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestDataWraps checks what is known of numbers that tensors hold where they are cast, shifted, or multiplied beyond their type.
func TestDataWraps(t *testing.T) {
	at := func(d string) tir.Expr {
		b := tir.NewBuffer("b", dtype.MustParse(d), []tir.Expr{tir.Int(8)}, "")
		return tir.Load(b, tir.Int(0))
	}
	zero := func(e tir.Expr) tir.Expr { return tir.Max(e, tir.Const(e.DType(), 0)) }
	times := func(e tir.Expr, k int64) tir.Expr { return tir.Mul(e, tir.Const(e.DType(), k)) }
	for _, c := range []struct {
		name  string
		e     tir.Expr
		bound Bound
		mod   Modular
	}{
		{"uint64 to int64", tir.CastTo(dtype.Int64T, at("uint64")), DTypeBound(dtype.Int64T), anyModular},
		{"half of uint64 to int64", tir.CastTo(dtype.Int64T, tir.FloorDiv(at("uint64"), tir.Const(dtype.MustParse("uint64"), 2))), DTypeBound(dtype.Int64T), anyModular},
		{"uint32 to int64", tir.CastTo(dtype.Int64T, at("uint32")), Bound{0, 1<<32 - 1}, anyModular},
		{"uint32 to int32", tir.CastTo(dtype.Int32T, at("uint32")), DTypeBound(dtype.Int32T), anyModular},
		{"int64 to int32", tir.CastTo(dtype.Int32T, zero(at("int64"))), DTypeBound(dtype.Int32T), anyModular},
		{"an index to int32", tir.CastTo(dtype.Int32T, zero(tir.NewVar("n", dtype.Int64T))), Bound{0, 1<<31 - 1}, anyModular},
		{"multiples of 12 to int32", tir.CastTo(dtype.Int32T, times(at("int64"), 12)), DTypeBound(dtype.Int32T), Modular{4, 0}},
		{"multiples of 3 in uint8", times(at("uint8"), 3), Bound{0, 255}, anyModular},
		{"multiples of 12 in int8", times(at("int8"), 12), Bound{-128, 127}, Modular{4, 0}},
		{"-128 / -1 in int8", tir.FloorDiv(at("int8"), tir.Const(dtype.MustParse("int8"), -1)), Bound{-128, 127}, anyModular},
		{"shifted int32", tir.NewCall(tir.OpShiftLeft, zero(at("int32")), tir.Int32(4)), DTypeBound(dtype.Int32T), anyModular},
		{"shifted uint8", tir.NewCall(tir.OpShiftLeft, at("uint8"), tir.Const(dtype.MustParse("uint8"), 4)), Bound{0, 255}, anyModular},
	} {
		a := NewAnalyzer()
		if got := a.ConstIntBound(c.e); got != c.bound {
			t.Errorf("%s is in %v, want %v", c.name, got, c.bound)
		}
		if got := a.ModularSet(c.e); got != c.mod {
			t.Errorf("%s is in %v, want %v", c.name, got, c.mod)
		}
	}
}
