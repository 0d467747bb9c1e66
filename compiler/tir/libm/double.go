package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Definitions in float64: exp after that of FreeBSD's library (Sun Microsystems, 1993), log and tanh after Cephes' (Moshier, 1992). They are made as those of float32 are, of operations that all targets have on vectors of
// 64 bits: integers are shifted, added and masked, and never converted.

// magic64 is 1.5 * 2^52: adding it rounds a float64 below 2^51 to an integer, which then stands in the low bits; magicBits64 are its own bits.
const (
	magic64     = 0x1.8p52
	magicBits64 = 0x4338000000000000
)

// The logarithm of 2 in two parts, of which the first has few enough bits that multiples of it are exact.
const (
	ln2Hi64 = 6.93147180369123816490e-1
	ln2Lo64 = 1.90821492927058770002e-10
)

// srl shifts right and fills up with zeros; not all targets have another shift of vectors of 64 bits.
func (m *formula) srl(x tir.Expr, k uint64) tir.Expr {
	u := m.as(dtype.UInt64T)
	by := m.splat(&tir.IntImm{Base: m.base, Type: dtype.UInt64T, Value: int64(k)})
	return m.call(tir.OpReinterpret, m.word(), m.call(tir.OpShiftRight, u, m.call(tir.OpReinterpret, u, x), by))
}

// exp64 computes e^x as exp does, with e^r by a quotient of polynomials that takes in what r lost by rounding.
func (m *formula) exp64(x tir.Expr) tir.Expr {
	y, n := m.expParts64(m.between(x, -746, 710))
	return m.timesPower(y, n, func() tir.Expr {
		half := m.let("half", m.sub(m.add(m.mul(n, m.c(0.5)), m.c(magic64)), m.c(magic64)))
		return m.mul(m.mul(y, m.powerOfTwo64(half)), m.powerOfTwo64(m.sub(n, half)))
	})
}

// expParts64 returns the two parts of e^x for |x| < 2^40: e^r for r = x - n*ln 2, and the integer n.
func (m *formula) expParts64(x tir.Expr) (y, n tir.Expr) {
	x = m.let("x", x)
	n = m.let("n", m.sub(m.add(m.mul(x, m.c(math.Log2E)), m.c(magic64)), m.c(magic64)))
	hi := m.let("hi", m.sub(x, m.mul(n, m.c(ln2Hi64))))
	lo := m.let("lo", m.mul(n, m.c(ln2Lo64)))
	r := m.let("r", m.sub(hi, lo))
	z := m.let("z", m.mul(r, r))
	p := m.poly(z, 4.13813679705723846039e-8, -1.65339022054652515390e-6, 6.61375632143793436117e-5, -2.77777777770155933842e-3, 1.66666666666666657415e-1)
	c := m.let("c", m.sub(r, m.mul(z, p)))
	q := m.div(m.mul(r, c), m.sub(m.c(2), c))
	return m.sub(m.c(1), m.sub(m.sub(lo, q), hi)), n
}

// powerOfTwo64 is 2^n for integers n from -1022 to 1023.
func (m *formula) powerOfTwo64(n tir.Expr) tir.Expr {
	return m.float(m.shl(m.bin(tir.OpSub, m.bits(m.add(n, m.c(magic64))), m.ci(magicBits64-1023)), 52))
}

// tanh64 uses a quotient of polynomials below 0.625, and 1 - 2/(e^2|x| + 1) above, which is 1 long before 2|x| is 88.
func (m *formula) tanh64(x tir.Expr) tir.Expr {
	x = m.let("x", x)
	a := m.let("a", m.abs(x))
	z := m.let("z", m.mul(x, x))
	p := m.poly(z, -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
	q := m.poly(z, 1, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)
	small := m.add(m.mul(m.mul(x, z), m.div(p, q)), x)
	y, n := m.expParts64(m.bin(tir.OpMin, m.add(a, a), m.c(88)))
	e := m.timesPower(y, n, func() tir.Expr { return m.mul(y, m.powerOfTwo64(n)) })
	large := m.sub(m.c(1), m.div(m.c(2), m.add(e, m.c(1))))
	return m.copysign(m.sel(m.lt(a, m.c(0.625)), small, large), x) // which is that of small but for -0
}

// log64 computes the natural logarithm as log does, with log f by a quotient of polynomials.
func (m *formula) log64(x tir.Expr) tir.Expr {
	const (
		rootBits = 0x3fe6a09e667f3bcd // of sqrt(1/2)
		oneBits  = 0x3ff0000000000000
		intBits  = 0x4330000000000000 // of 2^52, whose low bits an integer can take
	)
	x = m.let("x", x)
	tiny := m.let("tiny", m.lt(x, m.c(0x1p-1022)))
	y := m.sel(tiny, m.mul(x, m.c(0x1p54)), x)
	// What adding the difference carries into the exponent field makes e one more for f from sqrt(1/2) on.
	b := m.let("b", m.add(m.bits(y), m.ci(oneBits-rootBits)))
	e := m.sub(m.float(m.add(m.srl(b, 52), m.ci(intBits))), m.c(0x1p52+1023))
	e = m.let("e", m.sub(e, m.sel(tiny, m.c(54), m.c(0))))
	f := m.let("f", m.sub(m.float(m.add(m.iand(b, m.ci(1<<52-1)), m.ci(rootBits))), m.c(1)))
	z := m.let("z", m.mul(f, f))
	p := m.poly(f, 1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854, 1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666)
	q := m.poly(f, 1, 1.12873587189167450590e1, 4.52279145837532221105e1, 8.29875266912776603211e1, 7.11544750618563894466e1, 2.31251620126765340583e1)
	r := m.mul(f, m.mul(z, m.div(p, q)))
	r = m.sub(r, m.mul(e, m.c(2.121944400546905827679e-4)))
	r = m.sub(r, m.mul(m.c(0.5), z))
	r = m.add(m.add(f, r), m.mul(e, m.c(0.693359375)))
	r = m.sel(m.eq(x, m.inf()), x, r)
	r = m.sel(m.eq(x, m.c(0)), m.c(math.Inf(-1)), r)
	return m.sel(m.bin(tir.OpGE, x, m.c(0)), r, m.c(math.NaN()))
}
