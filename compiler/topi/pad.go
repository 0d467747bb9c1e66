package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
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
		out := padIndexed(x, before, after, "ReflectPadInput", func(i, n tir.Expr) tir.Expr {
			end := tir.Sub(tir.Sub(tir.Mul(n, tir.Int(2)), tir.Int(2)), i)
			return tir.IfThenElseExpr(tir.LT(i, tir.Int(0)), tir.Sub(tir.Int(0), i), tir.IfThenElseExpr(tir.GE(i, n), end, i))
		})
		return te.Better(out, func() []*te.Tensor {
			return []*te.Tensor{padIndexed(x, before, after, "ReflectPadInput", reflectIndex)}
		}), nil
	case "replicate", "edge":
		return padIndexed(x, before, after, "ReplicatePadInput", func(i, n tir.Expr) tir.Expr {
			return tir.IfThenElseExpr(tir.LT(i, tir.Int(0)), tir.Int(0), tir.IfThenElseExpr(tir.GE(i, n), tir.Sub(n, tir.Int(1)), i))
		}), nil
	case "circular", "wrap":
		out := padIndexed(x, before, after, "CircularPadInput", func(i, n tir.Expr) tir.Expr { return tir.FloorMod(tir.Add(i, n), n) })
		return te.Better(out, func() []*te.Tensor {
			return []*te.Tensor{padIndexed(x, before, after, "CircularPadInput", tir.FloorMod)}
		}), nil
	}
	return nil, fmt.Errorf("unknown pad mode %q: expected constant, reflect, replicate or circular", mode)
}

// reflectIndex folds i into [0, n): back and forth with a period of 2(n-1), however far i is.
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
			at[k] = index(tir.Sub(i[k], tir.Int(before[k])), x.Shape[k])
		}
		return x.At(at...)
	}, te.AxisPrefix("i"))
}

// padConstant adds elements of the given value. Both bounds of a padded axis are checked.
func padConstant(x *te.Tensor, before, after []int64, value tir.Expr, name string) *te.Tensor {
	return padExprs(x, constants(before), constants(after), value, name)
}

func constants(list []int64) []tir.Expr {
	out := make([]tir.Expr, len(list))
	for k, v := range list {
		out[k] = tir.Int(v)
	}
	return out
}

// padExprs is padConstant by widths that are expressions.
func padExprs(x *te.Tensor, before, after []tir.Expr, value tir.Expr, name string) *te.Tensor {
	shape := make([]tir.Expr, x.NDim())
	for k, d := range x.Shape {
		shape[k] = simple(tir.Add(tir.Add(d, before[k]), after[k]))
	}
	return te.Compute(name, shape, func(i []tir.Expr) tir.Expr {
		at := make([]tir.Expr, len(i))
		var inside []tir.Expr
		for k, lo := range before {
			at[k] = i[k]
			if !tir.IsConst(lo, 0) || !tir.IsConst(after[k], 0) {
				at[k] = tir.Sub(i[k], lo)
				inside = append(inside, tir.LE(lo, i[k]), tir.LT(i[k], tir.Add(x.Shape[k], lo)))
			}
		}
		e := x.At(at...)
		if len(inside) == 0 {
			return e
		}
		return tir.IfThenElseExpr(all(inside), e, tir.CastTo(e.DType(), value))
	}, te.AxisPrefix("i"))
}

// padOneSided is padConstant that checks those bounds of an axis alone that are padded, as TVM's
// poolings do.
func padOneSided(x *te.Tensor, before, after []int64, value tir.Expr, name string) *te.Tensor {
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
		if len(inside) == 0 {
			return x.At(at...)
		}
		return tir.IfThenElseExpr(all(inside), x.At(at...), tir.CastTo(x.DType, value))
	})
}

// simple is e simplified where it is no constant.
func simple(e tir.Expr) tir.Expr {
	if _, ok := tir.AsInt(e); ok {
		return e
	}
	return arith.SimplifyAlone(e)
}

// all is the conjunction of conds.
func all(conds []tir.Expr) tir.Expr {
	out := conds[0]
	for _, c := range conds[1:] {
		out = tir.And(out, c)
	}
	return out
}
