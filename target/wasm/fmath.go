package wasm

import (
	"math"

	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// fmath writes float32 formulas once for scalars and for vectors of four.
type fmath struct {
	g   *gen
	vec bool
}

func (m fmath) un(x *node, s, v wasmbin.Op) *node {
	if m.vec {
		return m.g.op(v, x)
	}
	return m.g.op(s, x)
}

func (m fmath) bin(x, y *node, s, v wasmbin.Op) *node {
	if m.vec {
		return m.g.op(v, x, y)
	}
	return m.g.op(s, x, y)
}

// c is a float constant, ci an integer one.
func (m fmath) c(v float32) *node {
	if m.vec {
		return m.g.op(wasmbin.F32x4Splat, m.g.f32(v))
	}
	return m.g.f32(v)
}

func (m fmath) ci(v int32) *node {
	if m.vec {
		return m.g.op(wasmbin.I32x4Splat, m.g.i32(v))
	}
	return m.g.i32(v)
}

func (m fmath) inf() *node { return m.c(float32(math.Inf(1))) }

func (m fmath) add(x, y *node) *node { return m.bin(x, y, wasmbin.F32Add, wasmbin.F32x4Add) }
func (m fmath) sub(x, y *node) *node { return m.bin(x, y, wasmbin.F32Sub, wasmbin.F32x4Sub) }
func (m fmath) mul(x, y *node) *node { return m.bin(x, y, wasmbin.F32Mul, wasmbin.F32x4Mul) }
func (m fmath) div(x, y *node) *node { return m.bin(x, y, wasmbin.F32Div, wasmbin.F32x4Div) }
func (m fmath) neg(x *node) *node    { return m.un(x, wasmbin.F32Neg, wasmbin.F32x4Neg) }
func (m fmath) abs(x *node) *node    { return m.un(x, wasmbin.F32Abs, wasmbin.F32x4Abs) }
func (m fmath) sqrt(x *node) *node   { return m.un(x, wasmbin.F32Sqrt, wasmbin.F32x4Sqrt) }
func (m fmath) nearest(x *node) *node {
	return m.un(x, wasmbin.F32Nearest, wasmbin.F32x4Nearest)
}

func (m fmath) iadd(x, y *node) *node { return m.bin(x, y, wasmbin.I32Add, wasmbin.I32x4Add) }
func (m fmath) isub(x, y *node) *node { return m.bin(x, y, wasmbin.I32Sub, wasmbin.I32x4Sub) }
func (m fmath) iand(x, y *node) *node { return m.bin(x, y, wasmbin.I32And, wasmbin.V128And) }
func (m fmath) ixor(x, y *node) *node { return m.bin(x, y, wasmbin.I32Xor, wasmbin.V128Xor) }

// shl, sra and srl shift integers by a constant.
func (m fmath) shift(x *node, k int32, s, v wasmbin.Op) *node {
	if m.vec {
		return m.g.op(v, x, m.g.i32(k))
	}
	return m.g.op(s, x, m.g.i32(k))
}

func (m fmath) shl(x *node, k int32) *node {
	return m.shift(x, k, wasmbin.I32Shl, wasmbin.I32x4Shl)
}

func (m fmath) sra(x *node, k int32) *node {
	return m.shift(x, k, wasmbin.I32ShrS, wasmbin.I32x4ShrS)
}

// bits and float read the same bits as the other type.
func (m fmath) bits(x *node) *node {
	if m.vec {
		return x
	}
	return m.g.op(wasmbin.I32ReinterpretF32, x)
}

func (m fmath) float(x *node) *node {
	if m.vec {
		return x
	}
	return m.g.op(wasmbin.F32ReinterpretI32, x)
}

// toFloat converts integers.
func (m fmath) toFloat(x *node) *node {
	return m.un(x, wasmbin.F32ConvertI32S, wasmbin.F32x4ConvertI32x4S)
}

func (m fmath) cmp(x, y *node, s, v wasmbin.Op) *node { return m.bin(x, y, s, v) }
func (m fmath) lt(x, y *node) *node                   { return m.cmp(x, y, wasmbin.F32Lt, wasmbin.F32x4Lt) }

func (m fmath) gt(x, y *node) *node { return m.cmp(x, y, wasmbin.F32Gt, wasmbin.F32x4Gt) }

func (m fmath) eq(x, y *node) *node { return m.cmp(x, y, wasmbin.F32Eq, wasmbin.F32x4Eq) }

// sel takes x where cond holds, else y.
func (m fmath) sel(cond, x, y *node) *node {
	if m.vec {
		return m.g.op(wasmbin.V128Bitselect, x, y, cond)
	}
	return m.g.pick(cond, x, y)
}

// atMost and atLeast clamp x; NaN stays.
func (m fmath) atMost(x, hi *node) *node {
	if m.vec {
		return m.g.op(wasmbin.F32x4Pmin, x, hi)
	}
	return m.g.pick(m.gt(x, hi), hi, x)
}

func (m fmath) atLeast(x, lo *node) *node {
	if m.vec {
		return m.g.op(wasmbin.F32x4Pmax, x, lo)
	}
	return m.g.pick(m.lt(x, lo), lo, x)
}

// poly evaluates a polynomial by Horner's rule, highest coefficient first.
func (m fmath) poly(x *node, coef ...float32) *node {
	p := m.c(coef[0])
	for _, c := range coef[1:] {
		p = m.add(m.mul(p, x), m.c(c))
	}
	return p
}

// copysign gives x the sign of y.
func (m fmath) copysign(x, y *node) *node {
	if !m.vec {
		return m.g.op(wasmbin.F32Copysign, x, y)
	}
	return m.g.op(wasmbin.V128Bitselect, y, x, m.ci(math.MinInt32))
}

// round rounds to the nearest integer, halves away from zero: the nearest even, unless that
// moved a half towards zero.
func (m fmath) round(x *node) *node {
	t := m.un(x, wasmbin.F32Trunc, wasmbin.F32x4Trunc)
	half := m.cmp(m.abs(m.sub(x, t)), m.c(0.5), wasmbin.F32Ge, wasmbin.F32x4Ge)
	return m.sel(half, m.add(t, m.copysign(m.c(1), x)), t)
}
