package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// magic is 1.5 * 2^23: adding it rounds a float32 below 2^22 to an integer, which then stands
// in the low bits; magicBits are its own bits.
const (
	magic     = 12582912
	magicBits = 0x4b400000
)

// The logarithm of 2 in two parts, of which the first has few enough bits that multiples of
// it are exact (Cody and Waite).
const (
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440e-4
)

// exp computes e^x. With n the integer nearest to x/ln 2 and r = x - n*ln 2, e^x is 2^n * e^r;
// the polynomial for e^r is that of Cephes' expf (Moshier, 1992). The power of two is applied in
// two steps, so that results beyond the normal range round properly.
func (m *formula) exp(x tir.Expr) tir.Expr {
	if m.d.Bits == 64 {
		return m.exp64(x)
	}
	y, shifted := m.expParts(m.between(x, -104, 89))
	return m.scale(y, m.power(shifted))
}

// expParts returns the two factors of e^x for |x| < 2^21: e^r, and n after magic was added.
func (m *formula) expParts(x tir.Expr) (y, shifted tir.Expr) {
	x = m.let("x", x)
	shifted = m.let("shifted", m.add(m.mul(x, m.c(math.Log2E)), m.c(magic)))
	n := m.let("n", m.sub(shifted, m.c(magic)))
	r := m.sub(m.sub(x, m.mul(n, m.c(ln2Hi))), m.mul(n, m.c(ln2Lo)))
	return m.expPoly(r), shifted
}

// expNormal is exp for arguments from -87 to 88, where the power of two and the result are normal numbers: one step gives what two give.
func (m *formula) expNormal(x tir.Expr) tir.Expr {
	y, shifted := m.expParts(x)
	return m.mul(y, m.powerOfTwo(shifted, 0))
}

// powerOfTwo is 2^(n+by), of the integer n that was rounded by adding magic; n+by must be from -126 to 127.
func (m *formula) powerOfTwo(shifted tir.Expr, by int64) tir.Expr {
	return m.float(m.shl(m.bin(tir.OpSub, m.bits(shifted), m.ci(magicBits-127-by)), 23))
}

// expPoly is e^r for |r| <= ln(2)/2.
func (m *formula) expPoly(r tir.Expr) tir.Expr {
	r = m.let("r", r)
	p := m.poly(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	return m.add(m.add(m.mul(p, m.mul(r, r)), r), m.c(1))
}

// power is the integer that was rounded by adding magic.
func (m *formula) power(shifted tir.Expr) tir.Expr {
	return m.let("power", m.bin(tir.OpSub, m.bits(shifted), m.ci(magicBits)))
}

// scale multiplies y by 2^n for integers n from -252 to 254.
func (m *formula) scale(y, n tir.Expr) tir.Expr {
	half := m.let("half", m.sra(n, 1))
	pow := func(k tir.Expr) tir.Expr { return m.float(m.shl(m.add(k, m.ci(127)), 23)) }
	return m.mul(m.mul(y, pow(half)), pow(m.sub(n, half)))
}

// exp2 computes 2^x: the fraction is turned into natural units and goes through expPoly.
func (m *formula) exp2(x tir.Expr) tir.Expr {
	x = m.let("x", m.between(x, -151, 129))
	shifted := m.let("shifted", m.add(x, m.c(magic)))
	f := m.sub(x, m.sub(shifted, m.c(magic)))
	return m.scale(m.expPoly(m.mul(f, m.c(math.Ln2))), m.power(shifted))
}

// exp10 computes 10^x as exp does, with the logarithm of 2 to base 10 in two parts (Cephes).
func (m *formula) exp10(x tir.Expr) tir.Expr {
	x = m.let("x", m.between(x, -45.5, 38.6))
	shifted := m.let("shifted", m.add(m.mul(x, m.c(3.32192809488736234787)), m.c(magic)))
	n := m.let("n", m.sub(shifted, m.c(magic)))
	r := m.sub(m.sub(x, m.mul(n, m.c(0.30078125))), m.mul(n, m.c(2.48745663981195213739e-4)))
	return m.scale(m.expPoly(m.mul(r, m.c(math.Ln10))), m.power(shifted))
}

// sigmoid is 1 / (1 + e^-x). Where e^-x is below 2^-124, it does not change the sum; up to where it overflows, the power of two is applied to twice the other factor.
func (m *formula) sigmoid(x tir.Expr) tir.Expr {
	x = m.neg(x)
	if m.d.Bits == 64 {
		return m.div(m.c(1), m.add(m.c(1), m.exp64(x)))
	}
	y, shifted := m.expParts(m.between(x, -86, 89))
	y = m.let("y", y)
	e := m.mul(m.add(y, y), m.powerOfTwo(shifted, -1))
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
	return m.sel(m.lt(a, m.c(0.625)), small, m.copysign(large, x))
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
