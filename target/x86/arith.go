package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// partBits are the instructions on the bits of vectors.
var partBits = map[lower.Fn]op{lower.And: pVAnd, lower.Or: pVOr, lower.Xor: pVXor, lower.Select: pBlend}

// PartBits computes on the bits of vectors.
func (g *gen) PartBits(fn lower.Fn, parts ...*node) *node {
	if fn == lower.Eqz {
		return g.vnot(parts[0])
	}
	return g.vop(partBits[fn], 0, parts...)
}

func (g *gen) vnot(x *node) *node {
	return g.vop(pVXor, 0, x, g.splatConst(^uint64(0), 8, widthOfNode(x)))
}

// floatOps are the instructions of float32 and float64: scalar, and on vectors.
var floatOps = map[tir.BinaryOp][4]asm.Op{
	tir.OpAdd: {asm.VADDSS, asm.VADDPS, asm.VADDSD, asm.VADDPD},
	tir.OpSub: {asm.VSUBSS, asm.VSUBPS, asm.VSUBSD, asm.VSUBPD},
	tir.OpMul: {asm.VMULSS, asm.VMULPS, asm.VMULSD, asm.VMULPD},
	tir.OpDiv: {asm.VDIVSS, asm.VDIVPS, asm.VDIVSD, asm.VDIVPD},
	tir.OpMin: {asm.VMINSS, asm.VMINPS, asm.VMINSD, asm.VMINPD},
	tir.OpMax: {asm.VMAXSS, asm.VMAXPS, asm.VMAXSD, asm.VMAXPD},
}

// floatForm is the column of tables of instructions on floats.
func floatForm(d dtype.DType, packed bool) int {
	form := 0
	if d.Bits == 64 {
		form = 2
	}
	if packed {
		form++
	}
	return form
}

// floatIns is an instruction on floats of type d, on scalars or on vectors.
func (g *gen) floatIns(ops [4]asm.Op, d dtype.DType, packed bool, args ...*node) *node {
	o := ops[floatForm(d, packed)]
	if packed {
		return g.vins(o, args...)
	}
	return g.ins(o, args...)
}

// floatArith adds, subtracts, multiplies or divides. To divide by a power of two is to multiply by its reciprocal, to the bit, and takes a quarter of the time.
func (g *gen) floatArith(o tir.BinaryOp, a, b *node, d dtype.DType, packed bool) *node {
	if c, ok := g.sameFloat(b, d); ok && o == tir.OpDiv {
		if m, e := math.Frexp(math.Abs(c)); m == 0.5 && e > -100 && e < 100 {
			r := g.Float(d, 1/c)
			if packed {
				r = g.SplatPart(d, r, int(widthOfNode(a))*8/int(d.Bits))
			}
			return g.floatIns(floatOps[tir.OpMul], d, packed, a, r)
		}
	}
	return g.floatIns(floatOps[o], d, packed, a, b)
}

// FloatBinary computes or compares float32 or float64. Min and Max are NaN where an operand is.
func (g *gen) FloatBinary(o tir.BinaryOp, a, b *node, d dtype.DType, what string) *node {
	if o.IsCompare() {
		if d.Bits == 64 {
			return g.imm(pCompare64, floatCompares[o-tir.OpEQ], a, b)
		}
		return g.imm(pCompare32, floatCompares[o-tir.OpEQ], a, b)
	}
	switch o {
	case tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv:
		return g.floatArith(o, a, b, d, false)
	case tir.OpMin, tir.OpMax:
		return g.floatMinMax(o, a, b, d, false)
	case tir.OpFloorDiv, tir.OpFloorMod:
		// The interpreter computes in float64 and rounds at the end.
		if d.Bits == 32 {
			a, b = g.ins(asm.VCVTSS2SD, a, a), g.ins(asm.VCVTSS2SD, b, b)
		}
		x := g.imm(pRound64, roundDown, g.ins(asm.VDIVSD, a, b))
		if o == tir.OpFloorMod {
			x = g.ins(asm.VSUBSD, a, g.ins(asm.VMULSD, x, b))
		}
		if d.Bits == 32 {
			x = g.ins(asm.VCVTSD2SS, x, x)
		}
		return x
	}
	if o == tir.OpMod {
		return g.hostFloat("fmod", []*node{a, b}, d, what)
	}
	g.Fail(what, "there is no instruction for %s of %s", o, d)
	return nil
}

// VectorPick is what the instructions for minima and maxima compute.
func (g *gen) VectorPick(o tir.BinaryOp, a, b value) (value, bool) {
	return lower.Each(a.DType, 0, len(a.Parts), func(i int) *node { return g.floatIns(floatOps[o], a.DType.Elem(), true, a.Parts[i], b.Parts[i]) }), true
}

// VectorBinary computes or compares vectors where there are instructions.
func (g *gen) VectorBinary(o tir.BinaryOp, a, b value) (value, bool) {
	if o.IsCompare() {
		return g.vectorCompare(o, a, b), true
	}
	d := a.DType.Elem()
	by := func(f func(x, y *node) *node) (value, bool) {
		return lower.Each(a.DType, 0, len(a.Parts), func(i int) *node { return f(a.Parts[i], b.Parts[i]) }), true
	}
	simple := func(o asm.Op) (value, bool) {
		return by(func(x, y *node) *node { return g.vins(o, x, y) })
	}
	if d.IsFloat() {
		switch o {
		case tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv:
			return by(func(x, y *node) *node { return g.floatArith(o, x, y, d, true) })
		case tir.OpMin, tir.OpMax:
			return by(func(x, y *node) *node { return g.floatMinMax(o, x, y, d, true) })
		}
		return value{}, false
	}
	if d.Bits < 32 {
		return g.smallArith(o, a, b)
	}
	wide, signed := d.Bits == 64, d.IsInt()
	switch {
	case o == tir.OpAdd && wide:
		return simple(asm.VPADDQ)
	case o == tir.OpAdd:
		return by(func(x, y *node) *node {
			if n := g.addDot(x, y); n != nil {
				return n
			}
			return g.vins(asm.VPADDD, x, y)
		})
	case o == tir.OpSub && wide:
		return simple(asm.VPSUBQ)
	case o == tir.OpSub:
		return simple(asm.VPSUBD)
	case o == tir.OpMul && wide:
		return by(g.mulWide)
	case o == tir.OpMul:
		return simple(asm.VPMULLD)
	case (o == tir.OpMin || o == tir.OpMax) && wide:
		return g.Select(g.Compare(tir.OpLT, a, b, "Min"), pickFirst(o, a, b), pickFirst(o, b, a)), true
	case o == tir.OpMin && signed:
		return simple(asm.VPMINSD)
	case o == tir.OpMin:
		return simple(asm.VPMINUD)
	case o == tir.OpMax && signed:
		return simple(asm.VPMAXSD)
	case o == tir.OpMax:
		return simple(asm.VPMAXUD)
	}
	return value{}, false
}

// smallOps are the instructions on integers of 8 and 16 bits with sign, and without.
var smallOps = map[tir.BinaryOp][2][2]asm.Op{
	tir.OpAdd: {{asm.VPADDB, asm.VPADDB}, {asm.VPADDW, asm.VPADDW}},
	tir.OpSub: {{asm.VPSUBB, asm.VPSUBB}, {asm.VPSUBW, asm.VPSUBW}},
	tir.OpMul: {1: {asm.VPMULLW, asm.VPMULLW}},
	tir.OpMin: {{asm.VPMINSB, asm.VPMINUB}, {asm.VPMINSW, asm.VPMINUW}},
	tir.OpMax: {{asm.VPMAXSB, asm.VPMAXUB}, {asm.VPMAXSW, asm.VPMAXUW}},
}

// smallArith computes on integers of 8 and 16 bits. Bytes are multiplied as words.
func (g *gen) smallArith(o tir.BinaryOp, a, b value) (value, bool) {
	d := a.DType
	if o == tir.OpMul && d.Bits == 8 {
		words := d
		words.Bits = 16
		out, ok := g.smallArith(o, g.Cast(a, words, "Mul"), g.Cast(b, words, "Mul"))
		return g.Cast(out, d, "Mul"), ok
	}
	unsigned := 0
	if d.IsUInt() {
		unsigned = 1
	}
	i := smallOps[o][d.Bits/16][unsigned]
	if i == 0 {
		return value{}, false
	}
	return lower.Each(d, 0, len(a.Parts), func(k int) *node { return g.vins(i, a.Parts[k], b.Parts[k]) }), true
}

func pickFirst(o tir.BinaryOp, a, b value) value {
	if o == tir.OpMin {
		return a
	}
	return b
}

// mulWide multiplies lanes of 64 bits by their halves.
func (g *gen) mulWide(x, y *node) *node {
	high := func(v *node) *node { return g.imm(vec(op(asm.VPSRLQ), widthOfNode(v)), 32, v) }
	cross := g.vins(asm.VPADDQ, g.vins(asm.VPMULUDQ, high(x), y), g.vins(asm.VPMULUDQ, x, high(y)))
	return g.vins(asm.VPADDQ, g.vins(asm.VPMULUDQ, x, y), g.imm(vec(op(asm.VPSLLQ), widthOfNode(x)), 32, cross))
}
