package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// magic is 1.5 * 2^23: adding it rounds a float32 below 2^22 to an integer, which then stands
// in the low bits.
const magic = 12582912

// The logarithm of 2 in two parts, of which the first has few enough bits that multiples of
// it are exact (Cody and Waite).
const (
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440e-4
)

// exp computes e^x. With n the integer nearest to x/ln 2 and r = x - n*ln 2, e^x is 2^n * e^r, as in
// Cephes' expf (Moshier, 1992).
func (m *formula) exp(x tir.Expr) tir.Expr {
	if m.d.Bits == 64 {
		return m.exp64(x)
	}
	return m.scale(m.expParts(m.between(x, -104, 89), 2*bias))
}

// rounded is an integer n that was rounded by adding magic and a number: n itself, and the sum.
type rounded struct{ n, sum tir.Expr }

// bias is what float32 adds to exponents.
const bias = 127

// toInteger rounds x to the nearest integer, for |x| < 2^21, by adding magic and a small number: the biases that what is made of the sum has, nothing for targets that make powers of two of numbers.
func (m *formula) toInteger(x tir.Expr, by float64) rounded {
	if m.native("ldexp") {
		by = 0
	}
	sum := m.let("shifted", m.add(x, m.c(magic+by)))
	return rounded{m.let("n", m.sub(sum, m.c(magic+by))), sum}
}

// expParts returns the two factors of e^x for |x| < 2^20: e^r, and n, to which a number is added.
func (m *formula) expParts(x tir.Expr, by float64) (y tir.Expr, n rounded) {
	x = m.let("x", x)
	n = m.toInteger(m.mul(x, m.c(math.Log2E)), by)
	r := m.sub(m.sub(x, m.mul(n.n, m.c(ln2Hi))), m.mul(n.n, m.c(ln2Lo)))
	return m.expPoly(r), n
}

// expNormal is exp for arguments from -87 to 88, where the power of two and the result are normal numbers: one step gives what two give.
func (m *formula) expNormal(x tir.Expr) tir.Expr {
	y, n := m.expParts(x, bias)
	return m.timesPower(y, n.n, func() tir.Expr { return m.mul(y, m.powerOfTwo(m.bits(n.sum))) })
}

// timesPower is y times 2^n: by the instruction of a target that has one, else as defined.
func (m *formula) timesPower(y, n tir.Expr, defined func() tir.Expr) tir.Expr {
	if m.native("ldexp") {
		return m.call(tir.OpLdexp, m.d, y, n)
	}
	return defined()
}

// powerOfTwo is 2^n where the low nine bits of an integer are n with its bias, from 1 to 254: those of the sum of n, bias and magic are, as magic has none there.
func (m *formula) powerOfTwo(biased tir.Expr) tir.Expr { return m.float(m.shl(biased, 23)) }

// expPoly is e^r for |r| <= ln(2)/2: 1 + r + r^2 p(r), where p is the polynomial of degree 4 whose largest relative error in e^r is least (Remez' exchange, weighted), with its coefficients rounded
// from the lowest on. The error is 2^-28.2. All of it by Horner's rule is a chain of six products with sums, which rounds less than r^2 p + r would where these are fused, and a little more where they are not.
func (m *formula) expPoly(r tir.Expr) tir.Expr {
	r = m.let("r", r)
	return m.poly(r, 1.383881201e-3, 8.369192481e-3, 4.166810215e-2, 1.666651666e-1, 4.999999404e-1, 1, 1)
}

// scale multiplies y by 2^n for n from -252 to 254, rounded with two biases: in two steps, so that results beyond the normal range round properly. A half of the sum is the exponent of one power of two
// with its bias, and the rest that of the other.
func (m *formula) scale(y tir.Expr, n rounded) tir.Expr {
	return m.timesPower(y, n.n, func() tir.Expr {
		half := m.let("half", m.iand(m.shl(m.bits(n.sum), 22), m.ci(-1<<23)))
		rest := m.bin(tir.OpSub, m.shl(m.bits(n.sum), 23), half)
		return m.mul(m.mul(y, m.float(half)), m.float(rest))
	})
}

// ldexp multiplies x by 2^n, of the largest integer n that is not above the second argument, up to 2^280 and down to 2^-280 in float32, where each x has overflowed or is zero (2^2200 in float64). The
// power is applied in three steps, of which only the last one rounds where the result is not zero.
func (m *formula) ldexp(x, n tir.Expr) tir.Expr {
	return m.timesPower(x, n, func() tir.Expr {
		all, least, most, pow := 280.0, -126.0, 127.0, func(k tir.Expr) tir.Expr { return m.powerOfTwo(m.bits(m.add(k, m.c(magic+bias)))) }
		if m.d.Bits == 64 {
			all, least, most, pow = 2200, -1022, 1023, m.powerOfTwo64
		}
		n := m.let("n", n)
		left := m.let("left", m.call(tir.OpFloor, m.d, m.between(n, -all, all)))
		last := m.let("last", m.between(left, least, most))
		left = m.let("left", m.sub(left, last))
		second := m.let("second", m.between(left, least, most))
		y := m.mul(m.mul(m.mul(x, pow(m.sub(left, second))), pow(second)), pow(last))
		return m.sel(m.eq(n, n), y, n)
	})
}

// exp2 computes 2^x: the fraction is turned into natural units and goes through expPoly.
func (m *formula) exp2(x tir.Expr) tir.Expr {
	x = m.let("x", m.between(x, -151, 129))
	n := m.toInteger(x, 2*bias)
	return m.scale(m.expPoly(m.mul(m.sub(x, n.n), m.c(math.Ln2))), n)
}

// exp10 computes 10^x as exp does, with the logarithm of 2 to base 10 in two parts (Cephes).
func (m *formula) exp10(x tir.Expr) tir.Expr {
	x = m.let("x", m.between(x, -45.5, 38.6))
	n := m.toInteger(m.mul(x, m.c(3.32192809488736234787)), 2*bias)
	r := m.sub(m.sub(x, m.mul(n.n, m.c(0.30078125))), m.mul(n.n, m.c(2.48745663981195213739e-4)))
	return m.scale(m.expPoly(m.mul(r, m.c(math.Ln10))), n)
}

// sigmoid is 1 / (1 + e^-x). Where e^-x is below 2^-124, it does not change the sum; up to where it overflows, the power of two is applied to twice the other factor.
func (m *formula) sigmoid(x tir.Expr) tir.Expr {
	x = m.neg(x)
	if m.d.Bits == 64 {
		return m.div(m.c(1), m.add(m.c(1), m.exp64(x)))
	}
	y, n := m.expParts(m.between(x, -86, 89), bias-1)
	e := m.timesPower(y, n.n, func() tir.Expr {
		y := m.let("y", y)
		return m.mul(m.add(y, y), m.powerOfTwo(m.bits(n.sum)))
	})
	return m.div(m.c(1), m.add(m.c(1), e))
}

// tanh uses an odd polynomial below 0.625 (Cephes' tanhf) and 1 - 2/(e^2|x| + 1) above, which is 1 long before 2|x| is 88.
func (m *formula) tanh(x tir.Expr) tir.Expr {
	if m.d.Bits == 64 {
		return m.tanh64(x)
	}
	x = m.let("x", x)
	a := m.let("a", m.abs(x))
	z := m.let("z", m.mul(x, x))
	p := m.poly(z, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
	small := m.add(m.mul(m.mul(p, z), x), x)
	e := m.expNormal(m.bin(tir.OpMin, m.add(a, a), m.c(88)))
	large := m.sub(m.c(1), m.div(m.c(2), m.add(e, m.c(1))))
	return m.copysign(m.sel(m.lt(a, m.c(0.625)), small, large), x) // which is that of small but for -0
}

// erf uses two minimax polynomials, split at 0.927734375: below it a direct one, above it the
// logarithm of 1 - erf, from -20 to 0 (N. Juffa, "Efficient faithfully-rounded implementation of error
// function erff()", 2016). From 4 on the result is 1 in float32.
func (m *formula) erf(x tir.Expr) tir.Expr {
	x = m.let("x", x)
	t := m.let("t", m.bin(tir.OpMin, m.abs(x), m.c(4.25)))
	s := m.let("s", m.mul(t, t))
	r := m.add(m.mul(m.c(-1.72853470e-5), t), m.c(3.83197126e-4))
	u := m.add(m.mul(m.c(-3.88396438e-3), t), m.c(2.42546219e-2))
	r = m.add(m.mul(r, s), u)
	for _, c := range []float64{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		r = m.add(m.mul(r, t), m.c(c))
	}
	r = m.sub(m.mul(r, t), t)
	large := m.copysign(m.sub(m.c(1), m.expNormal(r)), x)
	p := m.poly(s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
	return m.sel(m.bin(tir.OpGT, t, m.c(0.927734375)), large, m.add(m.mul(p, x), x))
}
