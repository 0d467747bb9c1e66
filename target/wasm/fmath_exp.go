package wasm

import (
	"math"

	"github.com/irscope/irscope/target/wasm/wasmbin"
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

// exp computes e^x to about 1 ulp. With n the integer nearest to x/ln 2 and r = x - n*ln 2,
// e^x is 2^n * e^r; the polynomial for e^r is that of Cephes' expf (Moshier, 1992). The power
// of two is applied in two steps, so that results beyond the normal range round properly.
func (m fmath) exp(x *node) *node {
	x = m.atLeast(m.atMost(x, m.c(89)), m.c(-104))
	shifted := m.add(m.mul(x, m.c(math.Log2E)), m.c(magic))
	n := m.sub(shifted, m.c(magic))
	r := m.sub(m.sub(x, m.mul(n, m.c(ln2Hi))), m.mul(n, m.c(ln2Lo)))
	return m.scale(m.expPoly(r), m.isub(m.bits(shifted), m.ci(magicBits)))
}

// expPoly is e^r for |r| <= ln(2)/2.
func (m fmath) expPoly(r *node) *node {
	p := m.poly(r, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	return m.add(m.add(m.mul(p, m.mul(r, r)), r), m.c(1))
}

// scale multiplies y by 2^n for integers n from -252 to 254.
func (m fmath) scale(y, n *node) *node {
	half := m.sra(n, 1)
	pow := func(k *node) *node { return m.float(m.shl(m.iadd(k, m.ci(127)), 23)) }
	return m.mul(m.mul(y, pow(half)), pow(m.isub(n, half)))
}

// exp2 computes 2^x: the fraction is turned into natural units and goes through expPoly.
func (m fmath) exp2(x *node) *node {
	x = m.atLeast(m.atMost(x, m.c(129)), m.c(-151))
	shifted := m.add(x, m.c(magic))
	f := m.sub(x, m.sub(shifted, m.c(magic)))
	return m.scale(m.expPoly(m.mul(f, m.c(math.Ln2))), m.isub(m.bits(shifted), m.ci(magicBits)))
}

// exp10 computes 10^x as exp does, with the logarithm of 2 to base 10 in two parts (Cephes).
func (m fmath) exp10(x *node) *node {
	x = m.atLeast(m.atMost(x, m.c(38.6)), m.c(-45.5))
	shifted := m.add(m.mul(x, m.c(3.32192809488736234787)), m.c(magic))
	n := m.sub(shifted, m.c(magic))
	r := m.sub(m.sub(x, m.mul(n, m.c(0.30078125))), m.mul(n, m.c(2.48745663981195213739e-4)))
	return m.scale(m.expPoly(m.mul(r, m.c(math.Ln10))), m.isub(m.bits(shifted), m.ci(magicBits)))
}

// tanh uses an odd polynomial below 0.625 (Cephes' tanhf) and 1 - 2/(e^2|x| + 1) above.
func (m fmath) tanh(x *node) *node {
	a := m.abs(x)
	z := m.mul(x, x)
	p := m.poly(z, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
	small := m.add(m.mul(m.mul(p, z), x), x)
	e := m.exp(m.add(a, a))
	large := m.sub(m.c(1), m.div(m.c(2), m.add(e, m.c(1))))
	return m.sel(m.lt(a, m.c(0.625)), small, m.copysign(large, x))
}

// erf uses two minimax polynomials, split at 0.927734375: below it a direct one, above it the
// logarithm of 1 - erf (N. Juffa, "Efficient faithfully-rounded implementation of error
// function erff()", 2016). From 4 on the result is 1 in float32.
func (m fmath) erf(x *node) *node {
	t := m.atMost(m.abs(x), m.c(4.25))
	s := m.mul(t, t)
	r := m.add(m.mul(m.c(-1.72853470e-5), t), m.c(3.83197126e-4))
	u := m.add(m.mul(m.c(-3.88396438e-3), t), m.c(2.42546219e-2))
	r = m.add(m.mul(r, s), u)
	for _, c := range []float32{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		r = m.add(m.mul(r, t), m.c(c))
	}
	r = m.sub(m.mul(r, t), t)
	large := m.copysign(m.sub(m.c(1), m.exp(r)), x)
	p := m.poly(s, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
	return m.sel(m.gt(t, m.c(0.927734375)), large, m.add(m.mul(p, x), x))
}

// log computes the natural logarithm to about 1 ulp: x = 2^e * f with f between sqrt(1/2) and
// sqrt(2), and a polynomial for log f (Cephes' logf). Subnormal numbers are scaled first.
func (m fmath) log(x *node) *node {
	tiny := m.lt(x, m.c(0x1p-126))
	y := m.sel(tiny, m.mul(x, m.c(1<<23)), x)
	// Subtracting the bits of sqrt(1/2) leaves e in the exponent field, also for negative e.
	b := m.isub(m.bits(y), m.ci(0x3f3504f3))
	e := m.toFloat(m.sra(b, 23))
	e = m.sub(e, m.sel(tiny, m.c(23), m.c(0)))
	f := m.sub(m.float(m.iadd(m.iand(b, m.ci(0x7fffff)), m.ci(0x3f3504f3))), m.c(1))
	z := m.mul(f, f)
	p := m.poly(f, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	r := m.mul(m.mul(p, f), z)
	r = m.add(r, m.mul(e, m.c(ln2Lo)))
	r = m.sub(r, m.mul(m.c(0.5), z))
	r = m.add(m.add(f, r), m.mul(e, m.c(ln2Hi)))
	r = m.sel(m.eq(x, m.inf()), x, r)
	r = m.sel(m.eq(x, m.c(0)), m.c(float32(math.Inf(-1))), r)
	return m.sel(m.cmp(x, m.c(0), wasmbin.F32Ge, wasmbin.F32x4Ge), r, m.c(float32(math.NaN())))
}

// logs derives the other logarithms from log. log1p corrects the rounding of 1+x by the
// factor x/((1+x)-1) (Kahan).
func (m fmath) logs(name string, x *node) *node {
	switch name {
	case "log2":
		return m.mul(m.log(x), m.c(math.Log2E))
	case "log10":
		return m.mul(m.log(x), m.c(math.Log10E))
	}
	u := m.add(x, m.c(1))
	d := m.sub(u, m.c(1))
	r := m.mul(m.log(u), m.div(x, d))
	r = m.sel(m.eq(d, m.c(0)), x, r)
	return m.sel(m.eq(u, m.inf()), u, r)
}
