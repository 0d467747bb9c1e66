package wasm

import (
	"math"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// trigLimit is the largest argument for which the reduction of sincos is accurate.
const trigLimit = 8192

// sincos computes "sin" or "cos" to about 1 ulp for |x| up to trigLimit: the multiple of pi/4
// is taken off in three parts (Cody and Waite) and one of two polynomials is chosen by the
// octant (Cephes' sinf and cosf). Larger arguments go to the host.
func (m fmath) sincos(name string, x *node) *node {
	a := m.abs(x)
	q := m.add(m.mul(a, m.c(2/math.Pi)), m.c(magic))
	n := m.sub(q, m.c(magic)) // quarter turns, rounded to nearest
	r := a
	for _, part := range []float32{2 * 0.78515625, 2 * 2.4187564849853515625e-4, 2 * 3.77489497744594108e-8} {
		r = m.sub(r, m.mul(n, m.c(part)))
	}
	z := m.mul(r, r)
	s := m.add(m.mul(m.mul(m.poly(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1), z), r), r)
	c := m.mul(m.mul(m.poly(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2), z), z)
	c = m.add(m.sub(c, m.mul(m.c(0.5), z)), m.c(1))
	quarter := m.bits(q)
	if name == "cos" {
		quarter = m.iadd(quarter, m.ci(1))
	}
	odd := m.sub2(m.iand(quarter, m.ci(1)))
	v := m.sel(odd, c, s)
	// The second half turn is negative; sin also takes the sign of x.
	sign := m.shl(m.iand(quarter, m.ci(2)), 30)
	if name == "sin" {
		sign = m.ixor(sign, m.iand(m.bits(x), m.ci(math.MinInt32)))
	}
	v = m.float(m.ixor(m.bits(v), sign))
	return m.guard(m.cmp(a, m.c(trigLimit), wasmbin.F32Le, wasmbin.F32x4Le), v, name, x)
}

// sub2 makes a condition of integers that are 0 or 1.
func (m fmath) sub2(x *node) *node {
	if m.vec {
		return m.g.op(wasmbin.I32x4Neg, x)
	}
	return x
}

// guard takes v where ok holds and calls the host's function for the rest.
func (m fmath) guard(ok, v *node, name string, x ...*node) *node {
	g := m.g
	out := g.newVariable(name, v.typ)
	g.set(out, v)
	bad := g.op(wasmbin.I32Eqz, ok)
	if m.vec {
		bad = g.op(wasmbin.I32Eqz, g.op(wasmbin.I32x4AllTrue, ok))
	}
	g.branch(bad, "far", func() {
		far := m.host(name, name, x...)
		g.set(out, m.sel(ok, v, far))
	}, nil)
	return g.read(out)
}

// pow computes x^y: small constant exponents by multiplication, others by the host, since
// e^(y log x) in float32 loses digits as the result grows.
func (m fmath) pow(x, y *node) *node {
	switch k, ok := m.constant(y); {
	case !ok:
	case k == 1:
		return x
	case k == 2:
		return m.mul(x, x)
	case k == 3:
		return m.mul(m.mul(x, x), x)
	case k == 4:
		s := m.mul(x, x)
		return m.mul(s, s)
	case k == -1:
		return m.div(m.c(1), x)
	case k == -2:
		return m.div(m.c(1), m.mul(x, x))
	}
	return m.host("pow", "pow", x, y)
}

// constant returns the value of a constant, the same in all lanes.
func (m fmath) constant(x *node) (float32, bool) {
	switch {
	case x.op == wasmbin.OpF32Const:
		return math.Float32frombits(uint32(x.imm)), true
	case x.op == wasmbin.OpV128Const:
		if n, ok := m.g.uniform(value{dt: dtype.Int32T.WithLanes(4), parts: []*node{x}}); ok {
			return math.Float32frombits(uint32(n.imm)), true
		}
	}
	return 0, false
}
