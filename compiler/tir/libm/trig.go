package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// TrigLimit is the largest argument whose quarter turns are taken off as two parts of pi/2. The reduction of larger ones needs more bits of pi.
const TrigLimit = 1 << 20

// Parts of pi/2: the first has 33 bits, so that its product with 2^20 quarter turns is exact.
const (
	quarterTurn     = 0x1.921fb544p0
	quarterTurnRest = math.Pi/2 - quarterTurn
)

// turns are the bits of 2/pi behind the point, 24 in each: enough for the largest float32 and 64 bits more.
var turns = [...]float64{0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041}

func (m *formula) sin(x tir.Expr) tir.Expr {
	return m.trig(x, func(w *formula, n, r tir.Expr) tir.Expr { return w.quadrant(n, r) })
}

func (m *formula) cos(x tir.Expr) tir.Expr {
	return m.trig(x, func(w *formula, n, r tir.Expr) tir.Expr { return w.quadrant(w.add(n, w.c(1)), r) })
}

func (m *formula) tan(x tir.Expr) tir.Expr {
	return m.trig(x, func(w *formula, n, r tir.Expr) tir.Expr {
		s, c := w.polynomials(r)
		odd := w.let("odd", w.odd(n))
		return w.div(w.sel(odd, w.neg(c), s), w.sel(odd, s, c))
	})
}

// trig computes a function of an angle in float64, which leaves the rounding to float32: of(n, r) is its value for n quarter turns and r, of at most an eighth. Products that are summed
// up have names, so that no target rounds them together with the sum, and all agree.
func (m *formula) trig(x tir.Expr, of func(w *formula, n, r tir.Expr) tir.Expr) tir.Expr {
	x = m.let("x", x)
	w := *m
	w.d = dtype.Float64T.LikeVector(m.d)
	narrow := func(e tir.Expr) tir.Expr { return &tir.Cast{Base: m.base, Type: m.d, Value: e} }
	wide := w.let("wide", &tir.Cast{Base: m.base, Type: w.d, Value: x})
	near := m.let("near", narrow(of(w.near(wide))))
	// Far values have names in their branch alone, so that they are computed where they are needed.
	far := w
	var lets []*tir.Let
	far.bind = func(name string, value tir.Expr) *tir.Var {
		v := tir.NewVar(name, value.DType())
		lets = append(lets, &tir.Let{Base: m.base, Var: v, Value: value})
		return v
	}
	rest := narrow(of(far.far(wide)))
	return m.where(m.bin(tir.OpLE, m.abs(x), m.c(TrigLimit)), near, rest, func(e tir.Expr) tir.Expr {
		for i := len(lets) - 1; i >= 0; i-- {
			lets[i].Body = e
			e = lets[i]
		}
		return e
	})
}

// near takes the nearest number of quarter turns off x (Cody and Waite).
func (m *formula) near(x tir.Expr) (self *formula, n, r tir.Expr) {
	const magic = 0x1.8p52 // what is added to it is rounded
	q := m.let("q", m.add(m.let("turns", m.mul(x, m.c(2/math.Pi))), m.c(magic)))
	n = m.let("n", m.sub(q, m.c(magic)))
	r = m.sub(x, m.let("p", m.mul(n, m.c(quarterTurn))))
	return m, n, m.let("r", m.sub(r, m.let("p", m.mul(n, m.c(quarterTurnRest)))))
}

// far is near for any x. Its product with 24 bits of 2/pi is exact, and so is what is left of it when whole turns are taken off. What is lost when these are added up is added up, too (Knuth's
// sum of two), so that 64 bits behind the point of the number of quarter turns are right (Payne and Hanek); 2^-31 is the least that a float32 leaves behind the point.
func (m *formula) far(x tir.Expr) (self *formula, n, r tir.Expr) {
	a := m.let("a", m.abs(x))
	var sum, lost tir.Expr
	for i, bits := range turns {
		t := m.let("t", m.mul(a, m.c(math.Ldexp(bits, -24*(i+1)))))
		whole := m.let("whole", m.mul(m.call(tir.OpFloor, m.d, m.let("turns", m.mul(t, m.c(0.25)))), m.c(4)))
		t = m.let("t", m.sub(t, whole))
		if i == 0 {
			sum = t
			continue
		}
		s := m.let("s", m.add(sum, t))
		b := m.let("b", m.sub(s, sum))
		e := m.add(m.sub(sum, m.sub(s, b)), m.sub(t, b))
		if sum = s; lost != nil {
			e = m.add(lost, e)
		}
		lost = m.let("lost", e)
	}
	sign := m.let("sign", m.copysign(m.c(1), x))
	n = m.let("n", m.call(tir.OpFloor, m.d, m.add(sum, m.c(0.5))))
	r = m.mul(m.add(m.sub(sum, n), lost), m.c(math.Pi/2))
	return m, m.let("n", m.mul(n, sign)), m.let("r", m.mul(r, sign))
}

// quadrant is the sine of n quarter turns and r.
func (m *formula) quadrant(n, r tir.Expr) tir.Expr {
	n = m.let("n", n)
	s, c := m.polynomials(r)
	half := m.call(tir.OpFloor, m.d, m.let("half", m.mul(n, m.c(0.5))))
	v := m.let("v", m.sel(m.odd(n), c, s))
	return m.sel(m.odd(half), m.neg(v), v)
}

// odd reports whether a whole number is odd.
func (m *formula) odd(n tir.Expr) tir.Expr {
	h := m.let("h", m.mul(n, m.c(0.5)))
	return m.bin(tir.OpNE, m.call(tir.OpFloor, m.d, h), h)
}

// polynomials are the sine and the cosine of r, of at most an eighth of a turn: their Taylor series to r^11 and r^10, less than 2^-32 off, relatively.
func (m *formula) polynomials(r tir.Expr) (sin, cos tir.Expr) {
	z := m.let("z", m.mul(r, r))
	series := func(from int) tir.Expr { // 1 - z/from! + z^2/(from+2)! - ...
		var p tir.Expr
		for k := from + 8; k >= from; k -= 2 {
			c := m.c(math.Pow(-1, float64((k-from)/2)) / math.Gamma(float64(k+1)))
			if p == nil {
				p = c
			} else {
				p = m.add(m.let("p", m.mul(m.let("p", p), z)), c)
			}
		}
		return m.sub(m.c(1), m.let("p", m.mul(m.let("p", p), z)))
	}
	return m.let("s", m.mul(r, series(3))), m.let("c", series(2)) // the sine of -0 is -0
}

// where takes v where ok holds and rest elsewhere, which is rare: of a vector rest is computed only where one of the lanes is not ok.
func (m *formula) where(ok, v, rest tir.Expr, within func(tir.Expr) tir.Expr) tir.Expr {
	if m.d.Lanes <= 1 {
		return m.call(tir.OpIfThenElse, m.d, ok, v, within(rest))
	}
	ok = m.let("ok", ok)
	var all tir.Expr
	for i := range int(m.d.Lanes) {
		if one := m.lane(ok, i); all == nil {
			all = one
		} else {
			all = m.bin(tir.OpAnd, all, one)
		}
	}
	return m.call(tir.OpIfThenElse, m.d, all, v, within(m.sel(ok, v, rest)))
}

func (m *formula) lane(x tir.Expr, i int) tir.Expr {
	return &tir.Shuffle{Base: m.base, Vectors: []tir.Expr{x}, Indices: []tir.Expr{m.index(i)}}
}

func (m *formula) index(i int) tir.Expr {
	return &tir.IntImm{Base: m.base, Type: dtype.Int32T, Value: int64(i)}
}
