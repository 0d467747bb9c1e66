package libm

import (
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

// pow computes x^y for small constant exponents by multiplication; nil for others, since
// e^(y log x) in float32 loses digits as the result grows.
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
	}
	return nil
}
