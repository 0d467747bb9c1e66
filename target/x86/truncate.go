package x86

import (
	"math"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// floatsToInt32 truncates float32 lanes, clamped, with 0 for NaN.
func (g *gen) floatsToInt32(x *node) *node {
	return g.vop(pVAnd, 0, g.floatsToLow(x), g.vcompareFloat(cmpOrd, x, x, dtype.Float32T))
}

// floatsToLow is floatsToInt32 for the lower 16 bits. The instruction gives the lowest number for what does not fit and for NaN, whose lower bits are zeros as they
// should be, but for what is too large: there all bits are turned, unless the lanes are known to be smaller.
func (g *gen) floatsToLow(x *node) *node {
	x, o := g.rounding(x)
	y := g.vins(o, x)
	if g.below(x) < 1<<31 {
		return y
	}
	large := g.vcompareFloat(cmpGe, x, g.splatConst(uint64(math.Float32bits(1<<31)), 4, widthOfNode(x)), dtype.Float32T)
	return g.vop(pVXor, 0, y, large)
}

// rounding returns what to convert in place of x, and how: numbers that are rounded to even first, and limited to whole ones, can be rounded by the conversion. The sign of a zero does not
// matter.
func (g *gen) rounding(x *node) (*node, asm.Op) {
	switch c := code(x.Op); {
	case g.addsZero(x):
		return g.rounding(x.Args[0])
	case c == pVRound32 && x.Imm == roundEven:
		return x.Args[0], asm.VCVTPS2DQ
	case c == op(asm.VMINPS), c == op(asm.VMAXPS):
		if v, ok := g.sameFloat(x.Args[0], dtype.Float32T); ok && v == math.Trunc(v) {
			if y, o := g.rounding(x.Args[1]); o == asm.VCVTPS2DQ || y != x.Args[1] {
				return g.op(x.Op, x.Args[0], y), o
			}
		}
	}
	return x, asm.VCVTTPS2DQ
}

// addsZero reports whether x is a sum with zero, which only makes the positive zero of the negative one.
func (g *gen) addsZero(x *node) bool {
	if code(x.Op) != op(asm.VADDPS) {
		return false
	}
	v, ok := g.sameFloat(x.Args[1], dtype.Float32T)
	return ok && v == 0 && !math.Signbit(v)
}

// below is a bound that lanes do not exceed where they are numbers, infinity where none is known.
func (g *gen) below(x *node) float64 {
	if v, ok := g.sameFloat(x, dtype.Float32T); ok && v == v {
		return v
	}
	switch code(x.Op) {
	case op(asm.VMINPS): // the second operand where the first is NaN
		if v, ok := g.sameFloat(x.Args[0], dtype.Float32T); ok && v == v {
			return min(v, g.below(x.Args[1]))
		}
		return g.below(x.Args[1])
	case op(asm.VMAXPS):
		return max(g.below(x.Args[0]), g.below(x.Args[1]))
	case op(asm.VADDPS):
		if g.addsZero(x) {
			return g.below(x.Args[0])
		}
	case pVRound32:
		return g.below(x.Args[0]) + 1
	}
	return math.Inf(1)
}
