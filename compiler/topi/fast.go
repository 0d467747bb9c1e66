package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// The functions below are approximations of float32 functions by polynomials, as TVM's TOPI has them: those of exp are Cephes', those of
// tanh and erf Eigen's (MathFunctionsImpl.h). They say nothing of NaN. Other element types are computed as without them.

// horner is the polynomial of x with these coefficients, that of the highest power first.
func horner(x tir.Expr, coefficients ...float64) tir.Expr {
	out := num(x, coefficients[0])
	for _, c := range coefficients[1:] {
		out = tir.Add(tir.Mul(x, out), num(x, c))
	}
	return out
}

// within limits x to the range from -bound to bound.
func within(x tir.Expr, bound float64) tir.Expr {
	return tir.Max(tir.Min(x, num(x, bound)), num(x, -bound))
}

// fast is a function of the elements of x that are float32, and the operator called name for other types.
func fast(name string, x *te.Tensor, f unary) *te.Tensor {
	if x.DType != dtype.Float32T {
		out, err := Unary(name, x)
		if err != nil {
			panic("topi: " + err.Error())
		}
		return out
	}
	return te.Compute("T_fast_"+name, x.Shape, func(i []tir.Expr) tir.Expr { return f(x.At(i...)) }, te.AxisPrefix("ax"))
}

// FastExp approximates exp to about 1e-5 of its value: exp(n ln2 + f) is 2^n, made of the bits of a float, times a polynomial of f. What is
// larger than 2.4e38 is 2.4e38, and infinity infinity; what is smaller than 4e-39 is 0.
func FastExp(x *te.Tensor) *te.Tensor {
	return fast("exp", x, func(e tir.Expr) tir.Expr {
		c := within(e, 88.3762626647949)
		n := call(tir.OpFloor, tir.Add(tir.Mul(c, num(c, 1.4426950408889634)), num(c, 0.5)))
		f := tir.Sub(c, tir.Mul(n, num(c, 0.6931471805599453)))
		p := horner(f, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
		y := tir.Add(tir.Add(tir.Mul(tir.Mul(p, f), f), f), num(c, 1))
		bits := tir.CastTo(dtype.Int32T, tir.Add(n, num(c, 127)))
		power := &tir.Call{Type: dtype.Float32T, Op: tir.OpReinterpret, Args: []tir.Expr{
			&tir.Call{Type: dtype.Int32T, Op: tir.OpShiftLeft, Args: []tir.Expr{bits, tir.Int32(23)}},
		}}
		return tir.Max(tir.Mul(power, y), e)
	})
}

// FastTanh approximates tanh to about 1e-6 by a quotient of polynomials. Beyond 9 it is that of 9.
func FastTanh(x *te.Tensor) *te.Tensor {
	return fast("tanh", x, func(e tir.Expr) tir.Expr {
		c := within(e, 9)
		s := tir.Mul(c, c)
		return tir.Div(
			tir.Mul(c, horner(s, -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03)),
			horner(s, 1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03),
		)
	})
}

// FastErf approximates erf to about 1e-6 by a quotient of polynomials. Beyond 4 it is that of 4.
func FastErf(x *te.Tensor) *te.Tensor {
	return fast("erf", x, func(e tir.Expr) tir.Expr {
		c := within(e, 4)
		s := tir.Mul(c, c)
		return tir.Div(
			tir.Mul(c, horner(s, -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02)),
			horner(s, -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02),
		)
	})
}

// FastSoftmax is Softmax with FastExp: the five blocks maximum, distance, exponential, sum and quotient.
func FastSoftmax(x *te.Tensor, axis int) *te.Tensor {
	maxElem := alongAxis("T_softmax_maxelem", x, axis, te.Max, element)
	delta := te.Compute("T_softmax_delta", x.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Sub(x.At(i...), maxElem.At(without(i, axis)...))
	}, te.AxisPrefix("i"))
	exp := FastExp(delta)
	total := alongAxis("T_softmax_expsum", exp, axis, te.Sum, element)
	return te.Compute("T_softmax_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Div(exp.At(i...), total.At(without(i, axis)...))
	}, te.AxisPrefix("i"), te.Attr("axis", axis))
}
