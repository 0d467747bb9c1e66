package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// FromSmall widens the bits of a float16 or bfloat16 to a float32.
func (g *gen) FromSmall(x *node, d dtype.DType) *node {
	if d.Code == dtype.BFloat {
		return g.ins(asm.VMOVD, g.Fn(lower.Shl, x, g.i32(16)))
	}
	return g.op(pHalfTo32, x)
}

// ToSmall rounds a number to the bits of a float16 or bfloat16, ties to even. There is an instruction for float16; for bfloat16, half of the last place is
// added, and a NaN stays one.
func (g *gen) ToSmall(x *node, from, to dtype.DType, what string) *node {
	x = g.toFloat32(x, from, what)
	if to.Code != dtype.BFloat {
		return g.op(pHalfOf32, x)
	}
	b := g.ins(asm.VMOVDS, x)
	high := g.Fn(lower.ShrU, b, g.i32(16))
	odd := g.Fn(lower.And, high, g.i32(1))
	rounded := g.Fn(lower.ShrU, g.Fn(lower.Add, g.Fn(lower.Add, b, g.i32(0x7fff)), odd), g.i32(16))
	isNaN := g.imm(pCompare32, cmpUnord, x, x)
	return g.Pick(isNaN, g.Fn(lower.Or, high, g.i32(0x40)), rounded)
}

// toFloat32 converts a scalar to float32 on its way to a shorter float. What is wider is rounded to odd, so that the second rounding is as if there had been
// one: the lowest bit is set where the conversion lost something.
func (g *gen) toFloat32(x *node, from dtype.DType, what string) *node {
	if from.IsFloat() && from.Bits == 32 || from.IsInteger() && from.Bits <= 16 || from.IsBool() {
		return g.CastScalar(x, from, dtype.Float32T, what)
	}
	wide := g.CastScalar(x, from, dtype.Float64T, what)
	f := g.ins(asm.VCVTSD2SS, wide, wide)
	back := g.ins(asm.VCVTSS2SD, f, f)
	bits := g.ins(asm.VMOVDS, f)
	// Where the conversion rounded away from zero the number before has the right bits, then the lowest is set in both cases.
	abs := func(x *node) *node { return g.fabs(x, dtype.Float64T, false) }
	up := g.imm(pCompare64, cmpGt, abs(back), abs(wide))
	lost := g.imm(pCompare64, cmpNe, back, wide)
	trunc := g.Fn(lower.Sub, bits, up)
	odd := g.Fn(lower.Or, trunc, lost)
	isNaN := g.imm(pCompare64, cmpUnord, wide, wide)
	return g.ins(asm.VMOVD, g.Pick(isNaN, bits, odd))
}

// castSmall converts between vectors of float32 and of floats of 16 bits, as scalars are converted, and others by way of them.
func (g *gen) castSmall(v value, to dtype.DType) (value, bool) {
	from, lanes := v.DType, v.Lanes()
	wide := dtype.Float32T.WithLanes(lanes)
	done := func(parts []*node) (value, bool) { return value{DType: to, Parts: parts}, true }
	switch {
	case lower.SmallFloat(from) && to != wide, from.IsInteger() && from.Bits <= 16:
		return g.Cast(g.Cast(v, wide, "Cast"), to, "Cast"), true
	case from.Elem() == dtype.Float16T:
		return done(g.widen(v.Parts, lanes, 16, 32, func(w asm.Width) op { return ins(asm.VCVTPH2PS, w) }))
	case from.Elem() == dtype.BFloat16T:
		words := g.resize(v.Parts, lanes, 16, 32, false)
		for i, p := range words {
			words[i] = g.vins(asm.VPSLLVD, p, g.splatConst(16, 4, widthOfNode(p)))
		}
		return done(words)
	case from != wide: // two roundings would not be one
		return value{}, false
	case to.Elem() == dtype.Float16T:
		return done(g.narrowParts(v.Parts, lanes, 32, 16, func(p *node) *node {
			t := tX
			if p.Type == tZ {
				t = tY
			}
			return g.retype(ins(asm.VCVTPS2PH, widthOfNode(p)), t, p)
		}))
	}
	words := make([]*node, len(v.Parts))
	for i, p := range v.Parts {
		words[i] = g.bfloatWords(p)
	}
	return done(g.resize(words, lanes, 32, 16, false))
}

// bfloatWords rounds lanes of float32 to the bits of bfloat16: see ToSmall.
func (g *gen) bfloatWords(x *node) *node {
	w := widthOfNode(x)
	k := func(n uint64) *node { return g.splatConst(n, 4, w) }
	high := g.vins(asm.VPSRLVD, x, k(16))
	odd := g.vop(pVAnd, 0, high, k(1))
	rounded := g.vins(asm.VPSRLVD, g.vins(asm.VPADDD, g.vins(asm.VPADDD, x, k(0x7fff)), odd), k(16))
	return g.vop(pBlend, 0, g.vop(pVOr, 0, high, k(0x40)), rounded, g.vcompareFloat(cmpUnord, x, x, dtype.Float32T))
}

// fabs clears the sign.
func (g *gen) fabs(x *node, d dtype.DType, packed bool) *node {
	mask := ^uint64(0) >> 1
	if d.Bits == 32 {
		mask = 0x7fffffff
	}
	w := asm.X
	if packed {
		w = widthOfNode(x)
	}
	m := g.splatConst(mask, int(d.Bits)/8, w)
	if packed {
		return g.vop(pVAnd, 0, x, m)
	}
	return g.low(g.op(pVAnd, g.asX(x), m), d)
}

// signOf keeps the sign only.
func (g *gen) signOf(x *node, d dtype.DType, packed bool) *node {
	w := asm.X
	if packed {
		w = widthOfNode(x)
	} else {
		x = g.asX(x)
	}
	m := g.op(vec(pVAnd, w), x, g.splatConst(1<<(d.Bits-1), int(d.Bits)/8, w))
	if packed {
		return m
	}
	return g.low(m, d)
}
