package te

import (
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TestAccumulator holds the rule: short sums of float32 stay what they are.
func TestAccumulator(t *testing.T) {
	n := tir.NewSizeVar("n", dtype.Int64T)
	byte8 := dtype.MustParse("int8")
	for _, r := range []struct {
		d       dtype.DType
		extents []tir.Expr
		product bool
		want    dtype.DType
	}{
		{dtype.Float16T, []tir.Expr{tir.Int(4)}, false, dtype.Float32T},
		{dtype.BFloat16T, []tir.Expr{tir.Int(1024)}, false, dtype.Float32T},
		{dtype.BFloat16T, []tir.Expr{n}, false, dtype.Float64T},
		{dtype.Float32T, []tir.Expr{tir.Int(32), tir.Int(32)}, false, dtype.Float32T},
		{dtype.Float32T, []tir.Expr{tir.Int(32), tir.Int(33)}, false, dtype.Float64T},
		{dtype.Float32T, []tir.Expr{tir.Int(32), tir.Int(33)}, true, dtype.Float32T},
		{dtype.Float32T, []tir.Expr{tir.Int(8193)}, true, dtype.Float64T},
		{dtype.Float32T, []tir.Expr{tir.Int(0), tir.Int(1 << 40), tir.Int(1 << 40)}, false, dtype.Float64T},
		{dtype.Float32T, []tir.Expr{tir.Int(2), n}, false, dtype.Float64T},
		{dtype.Float64T, []tir.Expr{n}, false, dtype.Float64T},
		{byte8, []tir.Expr{n}, false, byte8},
		{byte8, []tir.Expr{n}, true, dtype.Int32T},
		{dtype.Int32T, []tir.Expr{tir.Int(1 << 30)}, true, dtype.Int32T},
	} {
		var axes []*tir.IterVar
		for _, e := range r.extents {
			axes = append(axes, ReduceAxis("k", e))
		}
		x := Placeholder("x", r.d, r.extents...)
		e := x.At(r.extents...)
		if r.product {
			e = tir.NewBinary(tir.OpMul, e, Placeholder("y", r.d, r.extents...).At(r.extents...))
		}
		if got := accumulator(e, false, axes); got != r.want {
			t.Errorf("%s over %v, product %v: %s, want %s", r.d, r.extents, r.product, got, r.want)
		}
		if len(r.extents) == 1 && !r.product {
			if got := SumType(r.d, r.extents[0]); got != r.want {
				t.Errorf("SumType of %s over %v: %s, want %s", r.d, r.extents, got, r.want)
			}
		}
	}
}

// TestPower: the exponents that need no pow are the powers as they stand in the kernel.
func TestPower(t *testing.T) {
	base := tir.NewVar("x", dtype.Float32T)
	for _, c := range []struct {
		exponent float64
		want     tir.Expr
	}{
		{1, base},
		{2, tir.Mul(base, base)},
		{3, tir.Mul(tir.Mul(base, base), base)},
		{0.5, &tir.Select{
			Cond: tir.NewBinary(tir.OpEQ, base, tir.FloatConst(dtype.Float32T, math.Inf(-1))), True: tir.FloatConst(dtype.Float32T, math.Inf(1)),
			False: tir.NewCall(tir.OpFabs, tir.NewCall(tir.OpSqrt, base)),
		}},
		{4, nil},
		{0, nil},
		{-1, nil},
	} {
		got := power(base, tir.FloatConst(dtype.Float32T, c.exponent))
		if (got == nil) != (c.want == nil) || got != nil && !ir.StructuralEqual(got, c.want, ir.EqualOpts{}) {
			t.Errorf("x to the power %v is %v, want %v", c.exponent, got, c.want)
		}
	}
	if got := power(base, base); got != nil {
		t.Errorf("x to the power x is %v", got)
	}
}
