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
	}, te.AxisPrefix("i"), inRuns())
}

func element(e tir.Expr, _ []tir.Expr) tir.Expr { return e }

// Softmax is exp(x) over its sum along axis, computed from x minus its maximum: the four
// blocks maximum, exponential, sum and quotient. Halves are widened first and rounded once, at
// the end.
func Softmax(x *te.Tensor, axis int) *te.Tensor {
	maxElem := alongAxis("T_softmax_maxelem", x, axis, te.Max, element)
	exp := te.Compute("T_softmax_exp", x.Shape, func(i []tir.Expr) tir.Expr {
		return call(tir.OpExp, tir.Sub(wide(x.At(i...)), wide(maxElem.At(without(i, axis)...))))
	}, te.AxisPrefix("i"))
	total := alongAxis("T_softmax_expsum", exp, axis, sum, element)
	return te.Compute("T_softmax_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		return tir.CastTo(x.DType, tir.Div(exp.At(i...), tir.CastTo(exp.DType, total.At(without(i, axis)...))))
	}, te.AxisPrefix("i"), te.Attr("axis", axis))
}

// LogSoftmax is the logarithm of Softmax: x - max - log(sum(exp(x - max))).
func LogSoftmax(x *te.Tensor, axis int) *te.Tensor {
	maxElem := alongAxis("T_softmax_maxelem", x, axis, te.Max, element)
	total := alongAxis("T_softmax_expsum", x, axis, sum, func(e tir.Expr, rest []tir.Expr) tir.Expr {
		return call(tir.OpExp, tir.Sub(wide(e), wide(maxElem.At(rest...))))
	})
	return te.Compute("T_log_softmax_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		rest := without(i, axis)
		e := tir.Sub(wide(x.At(i...)), wide(maxElem.At(rest...)))
		return tir.CastTo(x.DType, tir.Sub(e, call(tir.OpLog, tir.CastTo(e.DType(), total.At(rest...)))))
	}, te.AxisPrefix("i"), te.Attr("axis", axis))
}
