package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

type unary func(x tir.Expr) tir.Expr

func call1(op *ir.Op) unary { return func(x tir.Expr) tir.Expr { return tir.NewCall(op, x) } }

// rounding leaves integers as they are.
func rounding(op *ir.Op) unary {
	return func(x tir.Expr) tir.Expr {
		if !x.DType().IsFloat() {
			return x
		}
		return tir.NewCall(op, x)
	}
}

// num is the constant v of x's type.
func num(x tir.Expr, v float64) tir.Expr { return tir.FloatConst(x.DType(), v) }

func call(op *ir.Op, x tir.Expr) tir.Expr { return tir.NewCall(op, x) }

var unaries = map[string]unary{
	"abs": absolute, "negative": negative,
	"acos": call1(tir.OpAcos), "acosh": call1(tir.OpAcosh), "asin": call1(tir.OpAsin), "asinh": call1(tir.OpAsinh),
	"atan": call1(tir.OpAtan), "atanh": call1(tir.OpAtanh), "cos": call1(tir.OpCos), "cosh": call1(tir.OpCosh),
	"sin": call1(tir.OpSin), "sinh": call1(tir.OpSinh), "tan": call1(tir.OpTan), "tanh": call1(tir.OpTanh),
	"exp": call1(tir.OpExp), "log": call1(tir.OpLog), "sqrt": call1(tir.OpSqrt), "rsqrt": call1(tir.OpRsqrt),
	"sigmoid": call1(tir.OpSigmoid), "ceil": rounding(tir.OpCeil), "floor": rounding(tir.OpFloor), "trunc": rounding(tir.OpTrunc),
	"round": rounding(tir.OpNearbyint), "sign": sign, "square": func(x tir.Expr) tir.Expr { return tir.Mul(x, x) },
	"bitwise_not": bitwiseNot, "logical_not": func(x tir.Expr) tir.Expr { return tir.LogicalNot(asBool(x)) },
	"isnan": check(tir.OpIsNaN), "isinf": check(tir.OpIsInf),
	"isfinite": func(x tir.Expr) tir.Expr {
		return tir.LogicalNot(tir.Or(check(tir.OpIsNaN)(x), check(tir.OpIsInf)(x)))
	},
	"relu": func(x tir.Expr) tir.Expr { return tir.Max(x, num(x, 0)) },
}

// negative is -x. Of floats it is a product, because 0 - x would lose the sign of zero.
func negative(x tir.Expr) tir.Expr {
	if x.DType().IsFloat() {
		return tir.Mul(x, num(x, -1))
	}
	return tir.Sub(num(x, 0), x)
}

func absolute(x tir.Expr) tir.Expr {
	switch d := x.DType(); {
	case d.IsFloat():
		return call(tir.OpFabs, x)
	case d.IsUInt(), d.IsBool():
		return x
	}
	return &tir.Select{Cond: tir.GE(x, num(x, 0)), True: x, False: tir.Sub(num(x, 0), x)}
}

// sign is 1, -1, or x itself where that is neither above nor below 0: zero or NaN.
func sign(x tir.Expr) tir.Expr {
	rest := x
	if !x.DType().IsUInt() {
		rest = &tir.Select{Cond: tir.LT(x, num(x, 0)), True: num(x, -1), False: x}
	}
	return &tir.Select{Cond: tir.GT(x, num(x, 0)), True: num(x, 1), False: rest}
}

func bitwiseNot(x tir.Expr) tir.Expr {
	if x.DType().IsBool() {
		return tir.LogicalNot(x)
	}
	return call(tir.OpBitwiseNot, x)
}

// check asks whether a float is special; no integer is.
func check(op *ir.Op) unary {
	return func(x tir.Expr) tir.Expr {
		if !x.DType().IsFloat() {
			return tir.Bool(false)
		}
		return &tir.Call{Type: dtype.BoolT, Op: op, Args: []tir.Expr{x}}
	}
}

// IsUnary reports whether Unary knows name ("exp").
func IsUnary(name string) bool { return unaries[name] != nil || activations[name] != nil }

// Unary applies the operator called name ("exp", "relu") to each element.
func Unary(name string, x *te.Tensor) (*te.Tensor, error) {
	if f := activations[name]; f != nil {
		return f(x), nil
	}
	f := unaries[name]
	if f == nil {
		return nil, fmt.Errorf("no unary operator is called %q", name)
	}
	return elementwise(x, f), nil
}

func elementwise(x *te.Tensor, f unary) *te.Tensor {
	return te.Compute("compute", x.Shape, func(i []tir.Expr) tir.Expr { return f(x.At(i...)) }, te.AxisPrefix("i"))
}

// inFloat32 is f of the elements of x, in float32 where they are float16.
func inFloat32(x *te.Tensor, f func(*te.Tensor) *te.Tensor) *te.Tensor {
	if x.DType != dtype.Float16T {
		return f(x)
	}
	return Cast(f(Cast(x, dtype.Float32T)), x.DType)
}

// Clip limits each element to the range from lo to hi.
func Clip(x *te.Tensor, lo, hi tir.Expr) *te.Tensor {
	return elementwise(x, func(e tir.Expr) tir.Expr {
		return tir.Max(tir.Min(e, saturated(e.DType(), hi)), saturated(e.DType(), lo))
	})
}

// saturated casts a bound to type d. A constant that an integer type does not hold is the nearest one that it does: a cast may wrap
// (as TVM's does) or be whatever the target makes of it.
func saturated(d dtype.DType, e tir.Expr) tir.Expr {
	if !d.IsInteger() || d.IsBool() || d.Code == dtype.UInt && d.Bits > 32 {
		return tir.CastTo(d, e)
	}
	lo, hi := d.IntLimits()
	switch x := e.(type) {
	case *tir.FloatImm:
		switch {
		case x.Value <= float64(lo):
			return tir.Const(d, lo)
		case x.Value >= float64(hi):
			return tir.Const(d, hi)
		}
	case *tir.IntImm:
		return tir.Const(d, min(max(x.Value, lo), hi))
	}
	return tir.CastTo(d, e)
}

// Cast converts each element to type d.
func Cast(x *te.Tensor, d dtype.DType) *te.Tensor {
	return elementwise(x, func(e tir.Expr) tir.Expr { return tir.CastTo(d, e) })
}

// Copy returns the elements of x.
func Copy(x *te.Tensor) *te.Tensor {
	return te.Compute("T_identity", x.Shape, func(i []tir.Expr) tir.Expr { return x.At(i...) })
}

// LeakyReLU multiplies what is negative by alpha.
func LeakyReLU(x *te.Tensor, alpha float64) *te.Tensor {
	return elementwise(x, func(e tir.Expr) tir.Expr {
		return &tir.Select{Cond: tir.GT(e, num(e, 0)), True: e, False: tir.Mul(e, num(e, alpha))}
	})
}

// PReLU multiplies what is negative by the entry of alpha for its index along axis.
func PReLU(x, alpha *te.Tensor, axis int) *te.Tensor {
	if tir.IsConst(alpha.Shape[0], 1) {
		one := alpha
		alpha = te.Compute("slope_broadcasted", x.Shape[axis:axis+1], func([]tir.Expr) tir.Expr { return one.At(tir.Int(0)) }, te.AxisNames("c"))
	}
	return te.Compute("compute", x.Shape, func(i []tir.Expr) tir.Expr {
		e := x.At(i...)
		return &tir.Select{Cond: tir.GT(e, num(e, 0)), True: e, False: tir.Mul(e, alpha.At(i[axis]))}
	}, te.AxisPrefix("i"))
}

// Softplus is log(1 + exp(beta x)) / beta, and x itself where beta x exceeds threshold.
func Softplus(x *te.Tensor, beta, threshold float64) *te.Tensor {
	return elementwise(x, func(e tir.Expr) tir.Expr {
		scaled := tir.Mul(num(e, beta), e)
		soft := tir.Mul(tir.Div(num(e, 1), num(e, beta)), call(tir.OpLog, tir.Add(num(e, 1), call(tir.OpExp, scaled))))
		return &tir.Select{Cond: tir.GT(scaled, num(e, threshold)), True: e, False: soft}
	})
}
