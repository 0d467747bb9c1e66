package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// round rounds to the nearest integer, halves away from zero: towards zero first, and one more
// where a half or more was lost.
func (m *formula) round(x tir.Expr) tir.Expr {
	x = m.let("x", x)
	t := m.let("t", m.call(tir.OpTrunc, m.d, x))
	half := m.bin(tir.OpGE, m.abs(m.sub(x, t)), m.c(0.5))
	return m.sel(half, m.add(t, m.copysign(m.c(1), x)), t)
}

func (m *formula) rsqrt(x tir.Expr) tir.Expr { return m.div(m.c(1), m.call(tir.OpSqrt, m.d, x)) }

// pow computes x^y for small constant exponents by multiplication, and for quarters by square
// roots; nil for others, since e^(y log x) in float32 loses digits as the result grows.
func (m *formula) pow(x, y tir.Expr) tir.Expr {
	if b, ok := y.(*tir.Broadcast); ok {
		y = b.Value
	}
	k, ok := y.(*tir.FloatImm)
	if !ok {
		return nil
	}
	switch k.Value {
	case 1:
		return x
	case 2:
		x = m.let("x", x)
		return m.mul(x, x)
	case 3:
		x = m.let("x", x)
		return m.mul(m.mul(x, x), x)
	case 4:
		x = m.let("x", x)
		s := m.let("s", m.mul(x, x))
		return m.mul(s, s)
	case -1:
		return m.div(m.c(1), x)
	case -2:
		x = m.let("x", x)
		return m.div(m.c(1), m.mul(x, x))
	case 0.5, 0.25, 0.75:
		return m.quarters(x, k.Value)
	case -0.5:
		return m.div(m.c(1), m.quarters(x, 0.5))
	case 1.5:
		x = m.let("x", x)
		return m.mul(m.abs(x), m.quarters(x, 0.5))
	}
	return nil
}

// quarters computes x^k for k = 1/4, 1/2 and 3/4. Of the negative numbers, -0 and minus infinity
// have a power, that of their absolute value.
func (m *formula) quarters(x tir.Expr, k float64) tir.Expr {
	x = m.let("x", x)
	negative := m.sel(m.eq(x, m.c(math.Inf(-1))), m.inf(), m.c(math.NaN()))
	x = m.sel(m.bin(tir.OpGE, x, m.c(0)), m.abs(x), negative)
	s := m.let("s", m.call(tir.OpSqrt, m.d, x))
	if k == 0.5 {
		return s
	}
	fourth := m.call(tir.OpSqrt, m.d, s)
	if k == 0.25 {
		return fourth
	}
	return m.mul(s, fourth)
}
