package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// Pad adds before[k] and after[k] elements along axis k; negative numbers cut elements off.
// The mode says what is added: "constant" value, "reflect" without repeating the edge,
// "replicate" (or "edge") the edge, "circular" (or "wrap") the other end.
func Pad(x *te.Tensor, before, after []int64, mode string, value tir.Expr) (*te.Tensor, error) {
	if len(before) != x.NDim() || len(after) != x.NDim() {
		return nil, fmt.Errorf("pad of a tensor of %d dimensions with %d and %d widths", x.NDim(), len(before), len(after))
	}
	switch mode {
	case "constant":
		return padConstant(x, before, after, value, "PadInput"), nil
	case "reflect":
		return padIndexed(x, before, after, "ReflectPadInput", reflectIndex), nil
	case "replicate", "edge":
		return padIndexed(x, before, after, "ReplicatePadInput", func(i, n tir.Expr) tir.Expr {
			return tir.Max(tir.Min(i, tir.Sub(n, tir.Int(1))), tir.Int(0))
		}), nil
	case "circular", "wrap":
		return padIndexed(x, before, after, "CircularPadInput", tir.FloorMod), nil
	}
	return nil, fmt.Errorf("unknown pad mode %q: expected constant, reflect, replicate or circular", mode)
}

// reflectIndex folds i into [0, n): back and forth with a period of 2(n-1).
func reflectIndex(i, n tir.Expr) tir.Expr {
	last := tir.Sub(n, tir.Int(1))
	period := tir.Max(tir.Mul(last, tir.Int(2)), tir.Int(1))
	r := tir.FloorMod(i, period)
	return tir.Min(r, tir.Sub(tir.Mul(last, tir.Int(2)), r))
}

func paddedShape(x *te.Tensor, before, after []int64) []tir.Expr {
	shape := make([]tir.Expr, x.NDim())
	for k, d := range x.Shape {
		shape[k] = tir.Add(d, tir.Const(d.DType(), before[k]+after[k]))
	}
	return shape
}

func padIndexed(x *te.Tensor, before, after []int64, name string, index func(i, n tir.Expr) tir.Expr) *te.Tensor {
	return te.Compute(name, paddedShape(x, before, after), func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, len(i))
		for k := range i {
			at[k] = tir.Sub(i[k], tir.Int(before[k]))
			if before[k] != 0 || after[k] != 0 {
				at[k] = index(at[k], x.Shape[k])
			}
		}
		return x.At(at...)
	}, te.AxisPrefix("i"))
}

// padConstant adds elements of the given value.
func padConstant(x *te.Tensor, before, after []int64, value tir.Expr, name string) *te.Tensor {
	return te.Compute(name, paddedShape(x, before, after), func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, len(i))
		var inside []tir.Expr
		for k := range i {
			lo := tir.Int(before[k])
			at[k] = tir.Sub(i[k], lo)
			if before[k] > 0 {
				inside = append(inside, tir.LE(lo, i[k]))
			}
			if after[k] > 0 {
				inside = append(inside, tir.LT(i[k], tir.Add(x.Shape[k], lo)))
			}
		}
		e := x.At(at...)
		if len(inside) == 0 {
			return e
		}
		return tir.IfThenElseExpr(all(inside), e, tir.CastTo(e.DType(), value))
	}, te.AxisPrefix("i"))
}

// all is the conjunction of conds.
func all(conds []tir.Expr) tir.Expr {
	out := conds[0]
	for _, c := range conds[1:] {
		out = tir.And(out, c)
	}
	return out
}
