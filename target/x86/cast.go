package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// cast converts v to another element type with the same lanes. Floats become integers by truncation, with values out of range clamped; integers
// wrap.
func (g *gen) cast(v value, to dtype.DType, what string) value {
	if v.lanes() == 1 && to.Lanes > 1 {
		v = g.splat(v.dt.WithLanes(int(to.Lanes)), v.scalar())
	}
	if v.dt == to {
		return v
	}
	if v.dt.Lanes != to.Lanes {
		g.fail(what, "from %s to %s: the lanes differ", v.dt, to)
	}
	g.valType(v.dt, what)
	g.valType(to, what)
	if v.packed {
		if out, ok := g.vectorCast(v, to); ok {
			return out
		}
	}
	xs := g.scalars(v)
	out := make([]*node, len(xs))
	for i, x := range xs {
		out[i] = g.castScalar(x, v.dt.Elem(), to.Elem(), what)
	}
	if to.Lanes == 1 {
		return one(to, out[0])
	}
	return g.pack(to, out)
}

// castScalar converts one scalar.
func (g *gen) castScalar(x *node, from, to dtype.DType, what string) *node {
	switch {
	case from == to:
		return x
	case smallFloat(from):
		return g.castScalar(g.fromSmall(x, from), dtype.Float32T, to, what)
	case smallFloat(to):
		return g.toSmall(g.toFloat32(x, from, what), to)
	case to.IsBool() && isScalar(x):
		return g.compare(tir.OpNE, one(from, x), one(from, g.floatConst(from, 0, what)), what).scalar()
	case to.IsBool():
		return g.fn(lower.Ne, x, g.IntLike(x, 0))
	}
	signed := from.IsInt()
	wide := g.valType(to, what)
	switch x.Type {
	case tI32, tI64:
		switch {
		case wide == tF32 || wide == tF64:
			return g.intToFloat(x, signed, wide == tF64)
		case x.Type == tI32 && wide == tI64:
			return g.conv(extendFn(signed), x)
		case x.Type == tI64 && wide == tI64:
			return x
		case x.Type == tI64:
			return g.narrow(g.conv(lower.Wrap, x), to)
		case to.IsHandle() || sameRange(from, to):
			return x
		}
		return g.narrow(x, to)
	case tF32:
		if wide == tF64 {
			return g.ins(asm.VCVTSS2SD, x, x)
		}
		x = g.ins(asm.VCVTSS2SD, x, x)
	default:
		if wide == tF32 {
			return g.ins(asm.VCVTSD2SS, x, x)
		}
	}
	return g.floatToInt(x, to)
}

func extendFn(signed bool) lower.Fn {
	if signed {
		return lower.ExtendS
	}
	return lower.ExtendU
}

// sameRange reports whether a value of type from, as it is kept, is one of type to as it is.
func sameRange(from, to dtype.DType) bool {
	switch {
	case to.Bits == 32, from.IsBool():
		return true
	case from.IsUInt() == to.IsUInt():
		return from.Bits <= to.Bits && !to.IsBool()
	}
	return from.IsUInt() && from.Bits < to.Bits
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
		return convert(wide, g.conv(lower.ExtendU, x))
	case signed:
		return convert(wide, x)
	}
	half := convert(wide, g.fn(lower.Or, g.fn(lower.ShrU, x, g.i64(1)), g.fn(lower.And, x, g.i64(1))))
	return g.pick(g.fn(lower.LtS, x, g.i64(0)), g.ins(add, half, half), convert(wide, x))
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
		big := g.fn(lower.Xor, long(g.ins(asm.VSUBSD, number, g.f64(1<<63))), g.i64(math.MinInt64))
		out := g.pick(above(1<<63), big, long(number))
		out = g.pick(above(1<<64), g.i64(-1), out)
		return g.pick(g.imm(pCompare64, cmpLt, number, g.f64(0)), g.i64(0), out)
	case to.Bits == 64:
		return g.pick(above(1<<63), g.i64(math.MaxInt64), long(number))
	}
	lo, hi := float64(math.MinInt32), float64(math.MaxInt32)
	if to.IsUInt() && to.Bits == 32 {
		lo, hi = 0, math.MaxUint32
	}
	clamped := g.ins(asm.VMAXSD, g.f64(lo), g.ins(asm.VMINSD, g.f64(hi), number))
	return g.narrow(g.conv(lower.Wrap, long(clamped)), to)
}

// vectorCast converts vectors in parts where there are instructions for it.
func (g *gen) vectorCast(v value, to dtype.DType) (value, bool) {
	from := v.dt
	if to.IsBool() && !from.IsBool() {
		zero := value{dt: from, packed: true}
		for _, p := range v.parts {
			zero.parts = append(zero.parts, g.splatConst(0, 8, widthOfNode(p)))
		}
		return g.compare(tir.OpNE, v, zero, "Cast"), true
	}
	if g.native(to, 0) == 0 {
		return value{}, false
	}
	lanes := v.lanes()
	done := func(parts []*node) (value, bool) { return value{dt: to, parts: parts, packed: true}, true }
	parts := func(c op, imm uint64) (value, bool) {
		return each(to, 0, true, len(v.parts), func(i int) *node { return g.vop(c, imm, v.parts[i]) }), true
	}
	switch {
	case from.IsBool(): // 0 and 1, or 0.0 and 1.0
		m := g.toMask(v, int(to.Bits))
		if !m.packed {
			return value{}, false
		}
		unit := g.splat(to, g.unit(to.Elem()))
		return each(to, 0, true, len(m.parts), func(i int) *node { return g.vop(pVAnd, 0, m.parts[i], unit.parts[i]) }), true
	case from.IsInteger() && to.IsInteger():
		return done(g.resize(v.parts, lanes, int(from.Bits), int(to.Bits), from.IsInt()))
	case from.Elem() == dtype.Int32T && to.Elem() == dtype.Float32T:
		return parts(op(asm.VCVTDQ2PS), 0)
	case from.Elem() == dtype.Int32T && to.Elem() == dtype.Float64T:
		return done(g.widen(v.parts, lanes, 32, 64, func(w asm.Width) op { return ins(asm.VCVTDQ2PD, w) }))
	case from.Elem() == dtype.Float32T && to.Elem() == dtype.Float64T:
		return done(g.widen(v.parts, lanes, 32, 64, func(w asm.Width) op { return ins(asm.VCVTPS2PD, w) }))
	case from.Elem() == dtype.Float64T && to.Elem() == dtype.Float32T:
		return done(g.narrowParts(v.parts, lanes, 64, 32, g.demote))
	case from.Elem() == dtype.Float32T && to.Elem() == dtype.Int32T:
		return each(to, 0, true, len(v.parts), func(i int) *node { return g.floatsToInt32(v.parts[i]) }), true
	}
	return value{}, false
}

// unit is 1 of a type.
func (g *gen) unit(d dtype.DType) *node {
	if d.IsFloat() {
		return g.floatConst(d, 1, "Cast")
	}
	return g.intConst(d, 1, "Cast")
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

// floatsToInt32 truncates float32 lanes, clamped, with 0 for NaN: the instruction gives the lowest number for what does not fit, of which the bits are turned
// where the float is large.
func (g *gen) floatsToInt32(x *node) *node {
	f := dtype.Float32T
	y := g.vins(asm.VCVTTPS2DQ, x)
	large := g.vcompareFloat(cmpGe, x, g.splatConst(uint64(math.Float32bits(1<<31)), 4, widthOfNode(x)), f)
	return g.vop(pVAnd, 0, g.vop(pVXor, 0, y, large), g.vcompareFloat(cmpOrd, x, x, f))
}
