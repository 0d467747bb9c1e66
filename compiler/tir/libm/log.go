package libm

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// log computes the natural logarithm: x = 2^e * f with f between sqrt(1/2) and sqrt(2), and a
// polynomial for log f (Cephes' logf). Subnormal numbers are scaled first.
func (m *formula) log(x tir.Expr) tir.Expr {
	if m.d.Bits == 64 {
		return m.log64(x)
	}
	x = m.let("x", x)
	tiny := m.let("tiny", m.lt(x, m.c(0x1p-126)))
	y := m.sel(tiny, m.mul(x, m.c(1<<23)), x)
	// Subtracting the bits of sqrt(1/2) leaves e in the exponent field, also for negative e.
	b := m.let("b", m.sub(m.bits(y), m.ci(0x3f3504f3)))
	e := m.let("e", m.sub(m.toFloat(m.sra(b, 23)), m.sel(tiny, m.c(23), m.c(0))))
	f := m.let("f", m.sub(m.float(m.add(m.iand(b, m.ci(0x7fffff)), m.ci(0x3f3504f3))), m.c(1)))
	z := m.let("z", m.mul(f, f))
	p := m.poly(f, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	r := m.mul(m.mul(p, f), z)
	r = m.add(r, m.mul(e, m.c(ln2Lo)))
	r = m.sub(r, m.mul(m.c(0.5), z))
	r = m.add(m.add(f, r), m.mul(e, m.c(ln2Hi)))
	r = m.sel(m.eq(x, m.inf()), x, r)
	r = m.sel(m.eq(x, m.c(0)), m.c(math.Inf(-1)), r)
	return m.sel(m.bin(tir.OpGE, x, m.c(0)), r, m.c(math.NaN()))
}

func (m *formula) log2(x tir.Expr) tir.Expr  { return m.mul(m.log(x), m.c(math.Log2E)) }
func (m *formula) log10(x tir.Expr) tir.Expr { return m.mul(m.log(x), m.c(math.Log10E)) }

// log1p corrects the rounding of u = 1+x by the factor x/(u-1) (Kahan).
func (m *formula) log1p(x tir.Expr) tir.Expr {
	x = m.let("x", x)
	u := m.let("u", m.add(x, m.c(1)))
	d := m.let("d", m.sub(u, m.c(1)))
	r := m.mul(m.log(u), m.div(x, d))
	r = m.sel(m.eq(d, m.c(0)), x, r)
	return m.sel(m.eq(u, m.inf()), u, r)
}
