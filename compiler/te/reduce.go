package te

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ReduceAxis returns an axis from 0 to extent to reduce over.
func ReduceAxis(name string, extent tir.Expr) *tir.IterVar {
	d := extent.DType()
	return &tir.IterVar{Dom: &tir.Range{Min: tir.Const(d, 0), Extent: extent}, Var: tir.NewVar(name, d), Kind: tir.CommReduce}
}

// Combine combines the values so far with new ones, entry by entry.
type Combine func(x, y []tir.Expr) []tir.Expr

// Reduction returns the reduction of values over axes: it starts with identity, one
// constant each value, and goes on with combine. Use all its results in one ComputeN.
func Reduction(combine Combine, identity, values []tir.Expr, axes ...*tir.IterVar) []tir.Expr {
	c := &tir.CommReducer{Identity: identity}
	var xs, ys []tir.Expr
	for _, v := range values {
		x, y := tir.NewVar("x", v.DType()), tir.NewVar("y", v.DType())
		c.LHS, c.RHS = append(c.LHS, x), append(c.RHS, y)
		xs, ys = append(xs, x), append(ys, y)
	}
	c.Result = combine(xs, ys)
	out := make([]tir.Expr, len(values))
	for k := range values {
		out[k] = &tir.Reduce{Combiner: c, Source: values, Axis: axes, Condition: tir.Bool(true), ValueIndex: k}
	}
	return out
}

func reduceOne(op func(x, y tir.Expr) tir.Expr, identity, e tir.Expr, axes []*tir.IterVar) tir.Expr {
	combine := func(x, y []tir.Expr) []tir.Expr { return []tir.Expr{op(x[0], y[0])} }
	return Reduction(combine, []tir.Expr{identity}, []tir.Expr{e}, axes...)[0]
}

// Sum adds e over axes.
func Sum(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return reduceOne(tir.Add, tir.Const(e.DType(), 0), e, axes)
}

// Prod multiplies e over axes.
func Prod(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return reduceOne(tir.Mul, tir.Const(e.DType(), 1), e, axes)
}

// Max returns the greatest e over axes, MinValue of its type if there is none.
func Max(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return reduceOne(tir.Max, MinValue(e.DType()), e, axes)
}

// MaxOfNumbers returns the greatest e over axes that is a number, minus infinity if there is none: a NaN is left out, where Max gives it. Processors have an instruction for this.
func MaxOfNumbers(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	larger := func(x, y tir.Expr) tir.Expr { return &tir.Select{Cond: tir.LT(x, y), True: y, False: x} }
	return reduceOne(larger, Lowest(e.DType()), e, axes)
}

// Min returns the least e over axes, MaxValue of its type if there is none.
func Min(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return reduceOne(tir.Min, MaxValue(e.DType()), e, axes)
}

// Lowest is the least value of d: minus infinity where d has one.
func Lowest(d dtype.DType) tir.Expr {
	if hasInf(d) {
		return &tir.FloatImm{Type: d, Value: math.Inf(-1)}
	}
	return MinValue(d)
}

// Highest is the greatest value of d: infinity where d has one.
func Highest(d dtype.DType) tir.Expr {
	if hasInf(d) {
		return &tir.FloatImm{Type: d, Value: math.Inf(1)}
	}
	return MaxValue(d)
}

func hasInf(d dtype.DType) bool { return d.Code == dtype.Float || d.Code == dtype.BFloat }

// All is the conjunction of the bool e over axes.
func All(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return reduceOne(tir.And, tir.Bool(true), e, axes)
}

// Any is the disjunction of the bool e over axes.
func Any(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return reduceOne(tir.Or, tir.Bool(false), e, axes)
}

// MinValue returns the least finite value of d.
func MinValue(d dtype.DType) tir.Expr {
	if d.IsFloat() {
		return &tir.FloatImm{Type: d, Value: -maxFloat(d)}
	}
	lo, _ := d.IntLimits()
	return &tir.IntImm{Type: d, Value: lo}
}

// MaxValue returns the greatest finite value of d.
func MaxValue(d dtype.DType) tir.Expr {
	switch {
	case d.IsFloat():
		return &tir.FloatImm{Type: d, Value: maxFloat(d)}
	case d.IsBool():
		return tir.Bool(true)
	case d.IsUInt() && d.Bits == 64: // beyond a signed constant: low and high half
		half := &tir.IntImm{Type: d, Value: math.MaxUint32}
		return &tir.Call{Type: d, Op: tir.OpLargeUIntImm, Args: []tir.Expr{half, half}}
	}
	_, hi := d.IntLimits()
	return &tir.IntImm{Type: d, Value: hi}
}

func maxFloat(d dtype.DType) float64 {
	switch d {
	case dtype.Float64T:
		return math.MaxFloat64
	case dtype.Float32T:
		return math.MaxFloat32
	case dtype.Float16T:
		return 65504
	case dtype.BFloat16T:
		return math.Ldexp(255, 120)
	}
	switch d.Code {
	case dtype.Float8E5M2, dtype.Float8E5M2FNUZ:
		return 57344
	case dtype.Float8E4M3FN:
		return 448
	case dtype.Float8E4M3, dtype.Float8E4M3FNUZ:
		return 240
	case dtype.Float8E4M3B11:
		return 30
	case dtype.Float8E3M4:
		return 15.5
	case dtype.Float4E2M1FN:
		return 6
	}
	return math.Ldexp(1, 127) // float8_e8m0fnu
}
