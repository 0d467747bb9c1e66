package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// without returns list without entry k.
func without(list []tir.Expr, k int) []tir.Expr {
	return append(append([]tir.Expr{}, list[:k]...), list[k+1:]...)
}

// with returns list with e inserted as entry k.
func with(list []tir.Expr, k int, e tir.Expr) []tir.Expr {
	return append(append(append([]tir.Expr{}, list[:k]...), e), list[k:]...)
}

// alongAxis reduces f of the elements of x along axis by g.
func alongAxis(name string, x *te.Tensor, axis int, g reducer, f func(e tir.Expr, rest []tir.Expr) tir.Expr) *te.Tensor {
	k := te.ReduceAxis("k", x.Shape[axis])
	return te.Compute(name, without(x.Shape, axis), func(i []tir.Expr) tir.Expr {
		return g(f(x.At(with(i, axis, k.Var)...), i), k)
	}, te.AxisPrefix("i"))
}

func element(e tir.Expr, _ []tir.Expr) tir.Expr { return e }

// Softmax is exp(x) over its sum along axis, computed from x minus its maximum: the four
// blocks maximum, exponential, sum and quotient. What is tuned multiplies by the reciprocal of the
// sum: this is at least 1, as the exponential of the maximum is a term of it, so nothing overflows.
// The maximum there is that of numbers: a NaN makes the sum one, and with it the row.
func Softmax(x *te.Tensor, axis int) *te.Tensor {
	soft := func(greatest reducer, over func(e, sum tir.Expr) tir.Expr) *te.Tensor {
		maxElem := alongAxis("T_softmax_maxelem", x, axis, greatest, element)
		exp := te.Compute("T_softmax_exp", x.Shape, func(i []tir.Expr) tir.Expr {
			return call(tir.OpExp, tir.Sub(x.At(i...), maxElem.At(without(i, axis)...)))
		}, te.AxisPrefix("i"))
		total := alongAxis("T_softmax_expsum", exp, axis, te.Sum, element)
		return te.Compute("T_softmax_norm", x.Shape, func(i []tir.Expr) tir.Expr {
			return over(exp.At(i...), total.At(without(i, axis)...))
		}, te.AxisPrefix("i"), te.Attr("axis", axis))
	}
	return te.Better(soft(te.Max, tir.Div), func() []*te.Tensor {
		return []*te.Tensor{soft(te.MaxOfNumbers, func(e, sum tir.Expr) tir.Expr { return tir.Mul(e, tir.Div(num(sum, 1), sum)) })}
	})
}

// LogSoftmax is the logarithm of Softmax: x - max - log(sum(exp(x - max))). What is tuned takes the maximum of numbers, as there.
func LogSoftmax(x *te.Tensor, axis int) *te.Tensor {
	soft := func(greatest reducer) *te.Tensor {
		maxElem := alongAxis("T_softmax_maxelem", x, axis, greatest, element)
		total := alongAxis("T_softmax_expsum", x, axis, te.Sum, func(e tir.Expr, rest []tir.Expr) tir.Expr {
			return call(tir.OpExp, tir.Sub(e, maxElem.At(rest...)))
		})
		return te.Compute("T_log_softmax_norm", x.Shape, func(i []tir.Expr) tir.Expr {
			rest := without(i, axis)
			return tir.Sub(tir.Sub(x.At(i...), maxElem.At(rest...)), call(tir.OpLog, total.At(rest...)))
		}, te.AxisPrefix("i"), te.Attr("axis", axis))
	}
	return te.Better(soft(te.Max), func() []*te.Tensor { return []*te.Tensor{soft(te.MaxOfNumbers)} })
}
