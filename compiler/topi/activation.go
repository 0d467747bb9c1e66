package topi

import (
	"math"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// activations are the operators of one tensor that TVM writes as several computations.
var activations = map[string]func(x *te.Tensor) *te.Tensor{
	"erf": erf, "gelu": gelu, "gelu_tanh": geluTanh, "selu": selu,
	"silu": func(x *te.Tensor) *te.Tensor { return mul(T(x), T(elementwise(x, call1(tir.OpSigmoid)))) },
}

// mul and the others apply the operator of that name where the shapes are known to fit.
func mul(a, b Operand) *te.Tensor { return fitting("multiply", a, b) }
func add(a, b Operand) *te.Tensor { return fitting("add", a, b) }
func sub(a, b Operand) *te.Tensor { return fitting("subtract", a, b) }
func div(a, b Operand) *te.Tensor { return fitting("divide", a, b) }

func fitting(name string, a, b Operand) *te.Tensor {
	out, err := Binary(name, a, b)
	if err != nil {
		panic("topi: " + err.Error())
	}
	return out
}

// number is the operand v in the element type of x.
func number(x *te.Tensor, v float64) Operand { return Operand{Scalar: tir.FloatConst(x.DType, v)} }

func erf(x *te.Tensor) *te.Tensor {
	return inFloat32(x, func(x *te.Tensor) *te.Tensor { return elementwise(x, call1(tir.OpErf)) })
}

// gelu is x times the normal distribution function: x (1/2 + erf(x/sqrt 2) / 2).
func gelu(x *te.Tensor) *te.Tensor {
	e := erf(mul(T(x), number(x, math.Sqrt(0.5))))
	return mul(T(x), T(add(number(x, 0.5), T(mul(T(e), number(x, 0.5))))))
}

// geluTanh is the approximation x/2 (1 + tanh(sqrt(2/pi) x (1 + 0.044715 x x))).
func geluTanh(x *te.Tensor) *te.Tensor {
	half := mul(number(x, 0.5), T(x))
	scaled := mul(number(x, math.Sqrt(2/math.Pi)), T(x))
	square := mul(T(mul(number(x, 0.044715), T(x))), T(x))
	tanh := elementwise(mul(T(scaled), T(add(number(x, 1), T(square)))), call1(tir.OpTanh))
	return mul(T(half), T(add(number(x, 1), T(tanh))))
}

// The constants of selu (Klambauer et al., Self-Normalizing Neural Networks).
const (
	seluAlpha = 1.6732632423543772848170429916717
	seluScale = 1.0507009873554804934193349852946
)

func selu(x *te.Tensor) *te.Tensor {
	positive := fitting("maximum", T(x), number(x, 0))
	below := mul(number(x, seluAlpha), T(sub(T(elementwise(x, call1(tir.OpExp))), number(x, 1))))
	return mul(number(x, seluScale), T(add(T(positive), T(fitting("minimum", number(x, 0), T(below))))))
}
