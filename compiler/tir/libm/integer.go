package libm

import "github.com/irscope/irscope/compiler/tir"

// expandPow is the power of integers, by squares: what leaves the range wraps. That to a number below 0 is the whole part of the quotient, so 0 but for bases 1 and -1.
func (m *formula) expandPow(x, y tir.Expr) tir.Expr {
	x = m.let("x", x)
	if k, ok := constInt(y); ok && k >= 0 {
		return m.powConst(x, k)
	}
	y = m.let("y", y)
	one, zero := m.whole(1), m.whole(0)
	bits := int(m.d.Bits)
	if m.d.IsInt() {
		bits-- // that of the sign is looked at below
	}
	out, square := one, x
	for i := range bits {
		bit := m.call(tir.OpBitwiseAnd, m.d, m.call(tir.OpShiftRight, m.d, y, m.whole(int64(i))), one)
		out = m.let("power", m.mul(out, m.sel(m.eq(bit, zero), one, square)))
		if i+1 < bits {
			square = m.let("square", m.mul(square, square))
		}
	}
	if !m.d.IsInt() {
		return out
	}
	odd := m.call(tir.OpBitwiseAnd, m.d, y, one)
	quotient := m.sel(m.eq(x, one), one, m.sel(m.eq(x, m.whole(-1)), m.sub(one, m.add(odd, odd)), zero))
	return m.sel(m.lt(y, zero), quotient, out)
}

// powConst is the power to a known number.
func (m *formula) powConst(x tir.Expr, k int64) tir.Expr {
	var out tir.Expr
	for square := x; ; square = m.let("square", m.mul(square, square)) {
		switch {
		case k&1 == 1 && out == nil:
			out = square
		case k&1 == 1:
			out = m.let("power", m.mul(out, square))
		}
		if k >>= 1; k == 0 {
			break
		}
	}
	if out == nil {
		return m.whole(1)
	}
	return out
}

// whole is an integer constant of the type of the argument.
func (m *formula) whole(v int64) tir.Expr {
	return m.splat(&tir.IntImm{Base: m.base, Type: m.d.Elem(), Value: v})
}

func constInt(e tir.Expr) (int64, bool) {
	if b, ok := e.(*tir.Broadcast); ok {
		e = b.Value
	}
	k, ok := e.(*tir.IntImm)
	if !ok {
		return 0, false
	}
	return k.Value, true
}
