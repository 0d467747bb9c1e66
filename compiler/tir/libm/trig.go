package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TrigLimit is the largest argument for which sin, cos and tan are computed in place. Larger
// ones go to the foreign functions sinf and cosf: their reduction needs more bits of pi.
const TrigLimit = 8192

func (m *formula) sin(x tir.Expr) tir.Expr { return m.sincos(m.let("x", x), false) }
func (m *formula) cos(x tir.Expr) tir.Expr { return m.sincos(m.let("x", x), true) }

func (m *formula) tan(x tir.Expr) tir.Expr {
	x = m.let("x", x)
	s := m.let("sin", m.sincos(x, false))
	return m.div(s, m.sincos(x, true))
}

// sincos computes the sine or cosine: a multiple of pi/2 is taken off in three parts (Cody and
// Waite), one of two polynomials is chosen by the quadrant (Cephes' sinf and cosf), and the sign
// follows from the quadrant.
func (m *formula) sincos(x tir.Expr, cos bool) tir.Expr {
	a := m.let("a", m.abs(x))
	q := m.let("q", m.add(m.mul(a, m.c(2/math.Pi)), m.c(magic)))
	n := m.let("n", m.sub(q, m.c(magic))) // quarter turns, rounded to nearest
	r := a
	for _, part := range []float32{2 * 0.78515625, 2 * 2.4187564849853515625e-4, 2 * 3.77489497744594108e-8} {
		r = m.sub(r, m.mul(n, m.c(float64(part))))
	}
	r = m.let("r", r)
	z := m.let("z", m.mul(r, r))
	s := m.add(m.mul(m.mul(m.poly(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1), z), r), r)
	c := m.mul(m.mul(m.poly(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2), z), z)
	c = m.add(m.sub(c, m.mul(m.c(0.5), z)), m.c(1))
	quarter := m.bits(q)
	if cos {
		quarter = m.add(quarter, m.ci(1))
	}
	quarter = m.let("quarter", quarter)
	v := m.sel(m.eq(m.iand(quarter, m.ci(1)), m.ci(1)), c, s)
	// The second half turn is negative; sin also takes the sign of x.
	sign := m.shl(m.iand(quarter, m.ci(2)), 30)
	name := "cosf"
	if !cos {
		sign = m.ixor(sign, m.iand(m.bits(x), m.ci(math.MinInt32)))
		name = "sinf"
	}
	v = m.let("v", m.float(m.ixor(m.bits(v), sign)))
	return m.far(m.bin(tir.OpLE, a, m.c(TrigLimit)), v, name, x)
}

// far takes v where ok holds and calls a foreign function for the rest, which is rare: of a
// vector the lanes are looked at only where one of them is not ok.
func (m *formula) far(ok, v tir.Expr, name string, x tir.Expr) tir.Expr {
	elem := m.d.Elem()
	call := func(x tir.Expr) tir.Expr {
		return m.call(tir.OpCallPureExtern, elem, &tir.StringImm{Base: m.base, Value: name}, x)
	}
	if m.d.Lanes <= 1 {
		return m.call(tir.OpIfThenElse, m.d, ok, v, call(x))
	}
	ok = m.let("near", ok)
	var all tir.Expr
	var each, indices []tir.Expr
	for i := range int(m.d.Lanes) {
		one := m.lane(ok, i)
		if all == nil {
			all = one
		} else {
			all = m.bin(tir.OpAnd, all, one)
		}
		each = append(each, call(m.lane(x, i)))
		indices = append(indices, m.index(i))
	}
	rest := &tir.Shuffle{Base: m.base, Vectors: each, Indices: indices}
	return m.call(tir.OpIfThenElse, m.d, all, v, m.sel(ok, v, rest))
}

func (m *formula) lane(x tir.Expr, i int) tir.Expr {
	return &tir.Shuffle{Base: m.base, Vectors: []tir.Expr{x}, Indices: []tir.Expr{m.index(i)}}
}

func (m *formula) index(i int) tir.Expr {
	return &tir.IntImm{Base: m.base, Type: dtype.Int32T, Value: int64(i)}
}
