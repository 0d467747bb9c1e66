package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// Convert converts a scalar from or to a float.
func (g *gen) Convert(x *node, from, to dtype.DType) *node {
	switch {
	case x.Type <= tI64:
		return g.intToFloat(x, from.IsInt(), to.Bits == 64)
	case to.IsFloat() && to.Bits == 32:
		return g.ins(asm.VCVTSD2SS, x, x)
	case x.Type == tF32:
		x = g.ins(asm.VCVTSS2SD, x, x)
	}
	if to.IsFloat() {
		return x
	}
	return g.floatToInt(x, to)
}

// intToFloat converts an integer with one rounding. A number of 32 bits without sign is one of 64 with sign; one of 64 bits that has the highest bit set is
// halved, its lowest bit kept for the rounding, and doubled again.
func (g *gen) intToFloat(x *node, signed, double bool) *node {
	narrow, wide, add := asm.VCVTSI2SSD, asm.VCVTSI2SSQ, asm.VADDSS
	zero := g.f32(0)
	if double {
		narrow, wide, add = asm.VCVTSI2SDD, asm.VCVTSI2SDQ, asm.VADDSD
		zero = g.f64(0)
	}
	convert := func(o asm.Op, x *node) *node { return g.ins(o, zero, x) }
	switch {
	case x.Type == tI32 && signed:
		return convert(narrow, x)
	case x.Type == tI32:
		return convert(wide, g.Fn(lower.ExtendU, x))
	case signed:
		return convert(wide, x)
	}
	half := convert(wide, g.Fn(lower.Or, g.Fn(lower.ShrU, x, g.i64(1)), g.Fn(lower.And, x, g.i64(1))))
	return g.Pick(g.Fn(lower.LtS, x, g.i64(0)), g.ins(add, half, half), convert(wide, x))
}

// floatToInt truncates a float64, clamps it to a type of 32 or 64 bits, from which the others wrap, and makes 0 of NaN. The instruction gives the lowest number where
// the result does not fit.
func (g *gen) floatToInt(x *node, to dtype.DType) *node {
	isNaN := g.low(g.vcompareFloat(cmpOrd, g.asX(x), g.asX(x), dtype.Float64T), dtype.Float64T)
	number := g.bitsOp(pVAnd, dtype.Float64T, x, isNaN)
	long := func(x *node) *node { return g.ins(asm.VCVTTSD2SIQ, x) }
	above := func(c float64) *node { return g.imm(pCompare64, cmpGe, number, g.f64(c)) }
	switch {
	case to.IsUInt() && to.Bits == 64:
		big := g.Fn(lower.Xor, long(g.ins(asm.VSUBSD, number, g.f64(1<<63))), g.i64(math.MinInt64))
		out := g.Pick(above(1<<63), big, long(number))
		out = g.Pick(above(1<<64), g.i64(-1), out)
		return g.Pick(g.imm(pCompare64, cmpLt, number, g.f64(0)), g.i64(0), out)
	case to.Bits == 64:
		return g.Pick(above(1<<63), g.i64(math.MaxInt64), long(number))
	}
	lo, hi := float64(math.MinInt32), float64(math.MaxInt32)
	if to.IsUInt() && to.Bits == 32 {
		lo, hi = 0, math.MaxUint32
	}
	clamped := g.ins(asm.VMAXSD, g.f64(lo), g.ins(asm.VMINSD, g.f64(hi), number))
	return g.Fn(lower.Wrap, long(clamped))
}

// VectorCast converts vectors in parts where there are instructions for it.
func (g *gen) VectorCast(v value, to dtype.DType) (value, bool) {
	from := v.DType
	lanes := v.Lanes()
	done := func(parts []*node) (value, bool) { return value{DType: to, Parts: parts}, true }
	parts := func(c op, imm uint64) (value, bool) {
		return lower.Each(to, 0, len(v.Parts), func(i int) *node { return g.vop(c, imm, v.Parts[i]) }), true
	}
	small := lower.SmallFloat(from) || lower.SmallFloat(to)
	switch {
	case small:
		return g.castSmall(v, to)
	case from.IsInteger() && from.Bits < 32 && to.IsFloat(): // by way of 32 bits
		return g.VectorCast(g.Cast(v, dtype.Int32T.WithLanes(lanes), "Cast"), to)
	case from.Elem() == dtype.Float32T && to.IsInteger() && to.Bits < 32:
		ints := lower.Each(dtype.Int32T.WithLanes(lanes), 0, len(v.Parts), func(i int) *node { return g.floatsToLow(v.Parts[i]) })
		return done(g.resize(ints.Parts, lanes, 32, int(to.Bits), false))
	case from.IsInteger() && to.IsInteger():
		return done(g.resize(v.Parts, lanes, int(from.Bits), int(to.Bits), from.IsInt()))
	case from.Elem() == dtype.Int32T && to.Elem() == dtype.Float32T:
		return parts(op(asm.VCVTDQ2PS), 0)
	case from.Elem() == dtype.Int32T && to.Elem() == dtype.Float64T:
		return done(g.widen(v.Parts, lanes, 32, 64, func(w asm.Width) op { return ins(asm.VCVTDQ2PD, w) }))
	case from.Elem() == dtype.Float32T && to.Elem() == dtype.Float64T:
		return done(g.widen(v.Parts, lanes, 32, 64, func(w asm.Width) op { return ins(asm.VCVTPS2PD, w) }))
	case from.Elem() == dtype.Float64T && to.Elem() == dtype.Float32T:
		return done(g.narrowParts(v.Parts, lanes, 64, 32, g.demote))
	case from.Elem() == dtype.Float32T && to.Elem() == dtype.Int32T:
		return lower.Each(to, 0, len(v.Parts), func(i int) *node { return g.floatsToInt32(v.Parts[i]) }), true
	}
	return value{}, false
}

// demote converts a vector of float64 to one of float32, half as wide.
func (g *gen) demote(p *node) *node {
	c := ins(asm.VCVTPD2PS, widthOfNode(p))
	if p.Type == tZ {
		return g.retype(c, tY, p)
	}
	return g.retype(c, tX, p)
}

// retype returns an instruction whose result is narrower than its width.
func (g *gen) retype(o op, t lower.Type, x *node) *node {
	n := g.Op(o, 0, 0, x)
	n.Type = t
	return n
}
