package x86

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// floatMinMax is the minimum or maximum of two floats as the interpreter has it: NaN if an operand is, and the zeros in order.
//
// The instruction gives its second operand where one is NaN or both are zeros. With a constant as the first operand that is right, but for zeros
// of the other sign. Otherwise it is computed both ways: for minima the bits of both results together are the NaN, or the negative zero; for maxima
// the common bits of zeros are those of the positive one, and a NaN comes from a comparison. AVX-512 takes the common bits of signs and all others together at
// once: they are what two of both results and a constant have.
func (g *gen) floatMinMax(o tir.BinaryOp, a, b *node, d dtype.DType, packed bool) *node {
	ops := floatOps[o]
	if a.IsConst() && !b.IsConst() {
		a, b = b, a
	}
	if c, ok := g.sameFloat(b, d); ok && c == c {
		switch neg := math.Signbit(c); {
		case c != 0, o == tir.OpMin && !neg, o == tir.OpMax && neg:
			return g.floatIns(ops, d, packed, b, a)
		case o == tir.OpMax: // a negative zero becomes the positive one
			return g.floatIns(floatOps[tir.OpAdd], d, packed, g.floatIns(ops, d, packed, b, a), b)
		}
	}
	x, y := g.floatIns(ops, d, packed, a, b), g.floatIns(ops, d, packed, b, a)
	if o == tir.OpMin {
		return g.bitsOp(pVOr, d, x, y)
	}
	if g.mod.machine.Features.AVX512 {
		c := g.splatConst(1<<(d.Bits-1)-1, int(d.Bits)/8, widthOfNode(x))
		if !packed {
			return g.low(g.op(pVMajority, g.asX(x), g.asX(y), c), d)
		}
		return g.vop(pVMajority, 0, x, y, c)
	}
	return g.bitsOp(pVOr, d, g.bitsOp(pVAnd, d, x, y), g.unordered(a, b, d, packed))
}

// rangeMax tells the instruction for ranges to take the larger operand with its sign: the positive one of zeros, and of a number and a NaN the number.
const rangeMax = 0b0101

// maxOfNumbers is the maximum of two vectors of floats of which none is NaN.
func (g *gen) maxOfNumbers(a, b *node, d dtype.DType) *node {
	if c, ok := g.sameFloat(a, d); ok && c == c {
		a, b = b, a
	}
	if c, ok := g.sameFloat(b, d); ok && c == c { // is one instruction anyway, but for the positive zero
		return g.floatMinMax(tir.OpMax, a, b, d, true)
	}
	o := op(asm.VRANGEPS)
	if d.Bits == 64 {
		o = op(asm.VRANGEPD)
	}
	return g.vop(o, rangeMax, a, b)
}

// bitsOp combines the bits of scalars in vector registers, or of vectors.
func (g *gen) bitsOp(c op, d dtype.DType, x, y *node) *node {
	if isScalar(x) {
		return g.low(g.op(c, g.asX(x), g.asX(y)), d)
	}
	return g.vop(c, 0, x, y)
}

// isScalar reports whether a node is a float in a vector register.
func isScalar(x *node) bool { return x.Type == tF32 || x.Type == tF64 }

// low takes the lowest lane of a vector as a float.
func (g *gen) low(x *node, d dtype.DType) *node {
	if d.Bits == 64 {
		return g.op(pLowF64, x)
	}
	return g.op(pLowF32, x)
}

// unordered is ones where an operand is NaN.
func (g *gen) unordered(a, b *node, d dtype.DType, packed bool) *node {
	if !packed {
		return g.low(g.vcompareFloat(cmpUnord, g.asX(a), g.asX(b), d), d)
	}
	return g.vcompareFloat(cmpUnord, a, b, d)
}

// sameFloat returns the value of a constant float, or of a vector of equal ones.
func (g *gen) sameFloat(n *node, d dtype.DType) (float64, bool) {
	if !n.IsConst() {
		return 0, false
	}
	bits := n.Imm
	if code(n.Op) == pConstV {
		same := false
		if bits, same = g.sameBits(n, int(d.Bits)/8); !same {
			return 0, false
		}
	}
	if d.Bits == 32 {
		return float64(math.Float32frombits(uint32(bits))), true
	}
	return math.Float64frombits(bits), true
}

// Rounding modes of the processor: to even, down, up and towards zero, without exceptions.
const (
	roundEven uint64 = 8 + iota
	roundDown
	roundUp
	roundZero
)

// roundFloat rounds floats to integers.
func (g *gen) roundFloat(mode uint64, x *node, d dtype.DType, packed bool) *node {
	c := [4]op{pRound32, pVRound32, pRound64, pVRound64}[floatForm(d, packed)]
	if packed {
		return g.vop(c, mode, x)
	}
	return g.imm(c, mode, x)
}

var sqrtOps = [4]asm.Op{asm.VSQRTSS, asm.VSQRTPS, asm.VSQRTSD, asm.VSQRTPD}

// sqrt is the square root; that of a scalar takes the upper lanes of its first operand.
func (g *gen) sqrt(x *node, d dtype.DType, packed bool) *node {
	if packed {
		return g.floatIns(sqrtOps, d, packed, x)
	}
	return g.floatIns(sqrtOps, d, packed, x, x)
}
