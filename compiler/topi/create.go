package topi

import (
	"math"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Full is a tensor of value, converted to type d, everywhere.
func Full(value Operand, d dtype.DType, shape []tir.Expr) *te.Tensor {
	return te.Compute("T_full", shape, func(i []tir.Expr) tir.Expr { return constant(d, value.at(nil, nil)) })
}

// constant is e as type d; of a constant the value, rounded towards zero to an integer.
func constant(d dtype.DType, e tir.Expr) tir.Expr {
	if f, ok := e.(*tir.FloatImm); ok && d.IsInteger() && f.Value == math.Trunc(f.Value) || ok && d.IsInteger() && math.Abs(f.Value) < 1<<31 {
		return tir.CastTo(d, tir.Int(int64(f.Value)))
	}
	return tir.CastTo(d, e)
}

// Arange is start, start+step, ... in type d, as many as n says.
func Arange(start, step, n tir.Expr, d dtype.DType) *te.Tensor {
	return te.Compute("T_arange", []tir.Expr{n}, func(i []tir.Expr) tir.Expr {
		if d.IsFloat() {
			return tir.Add(tir.CastTo(d, start), tir.Mul(tir.CastTo(d, i[0]), tir.CastTo(d, step)))
		}
		return tir.CastTo(d, tir.Add(start, tir.Mul(tir.CastTo(step.DType(), i[0]), step)))
	})
}

// Eye is a matrix with ones on diagonal k and zeros elsewhere, with any leading axes.
func Eye(shape []tir.Expr, k tir.Expr, d dtype.DType) *te.Tensor {
	return te.Compute("T_eye", shape, func(i []tir.Expr) tir.Expr {
		row, col := i[len(i)-2], i[len(i)-1]
		return &tir.Select{Cond: tir.EQ(col, tir.Add(row, tir.CastTo(row.DType(), k))), True: tir.Const(d, 1), False: tir.Const(d, 0)}
	})
}

// Trilu keeps what is on and above diagonal k of the last two axes (upper), or on and below,
// and zeroes the rest.
func Trilu(x *te.Tensor, k tir.Expr, upper bool) *te.Tensor {
	return te.Compute("trilu", x.Shape, func(i []tir.Expr) tir.Expr {
		row, col := i[len(i)-2], i[len(i)-1]
		diag := tir.Add(row, tir.CastTo(row.DType(), k))
		keep := tir.LE(col, diag)
		if upper {
			keep = tir.LE(diag, col)
		}
		return &tir.Select{Cond: keep, True: x.At(i...), False: tir.Const(x.DType, 0)}
	})
}

// Scan is the running sum ("cumsum") or product ("cumprod") of x along axis in type d. If
// exclusive, each element leaves out itself.
func Scan(kind string, x *te.Tensor, axis int, d dtype.DType, exclusive bool) *te.Tensor {
	out := scan(kind, x, axis, d, exclusive)
	wide := te.SumType(d, x.Shape[axis])
	if wide == d {
		return out
	}
	return te.Better(out, func() []*te.Tensor {
		return []*te.Tensor{castTensor(scan(kind, x, axis, wide, exclusive), d)}
	})
}

func scan(kind string, x *te.Tensor, axis int, d dtype.DType, exclusive bool) *te.Tensor {
	op, start := binary(tir.Add), tir.Const(d, 0)
	if kind == "cumprod" {
		op, start = tir.Mul, tir.Const(d, 1)
	}
	body := func(in, out []*tir.Buffer) tir.Stmt {
		n := newLoops("i", without(x.Shape, axis))
		k := tir.NewVar("k", x.Shape[axis].DType())
		at := func(k tir.Expr) []tir.Expr { return with(n.vars, axis, k) }
		before := tir.Sub(k, tir.Int(1))
		item := tir.Expr(k)
		if exclusive {
			item = before
		}
		next := op(tir.Load(out[0], at(before)...), tir.CastTo(d, tir.Load(in[0], at(item)...)))
		first := start
		if !exclusive {
			first = tir.CastTo(d, tir.Load(in[0], at(k)...))
		}
		step := tir.IfThenElseExpr(tir.EQ(k, tir.Int(0)), first, next)
		return n.wrap(&tir.For{LoopVar: k, Min: tir.Int(0), Extent: x.Shape[axis], Body: tir.Store(out[0], step, at(k)...)})
	}
	return te.Extern(kind, []te.Out{{DType: d, Shape: x.Shape}}, []*te.Tensor{x}, body)[0]
}
