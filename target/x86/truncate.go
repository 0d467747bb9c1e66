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
func (g *gen) below(x *node) float64 { return g.span(x).hi }

// span holds the lanes of a vector that are numbers.
type span struct{ lo, hi float64 }

var anyNumber = span{math.Inf(-1), math.Inf(1)}

// span bounds lanes of float32 by what computes them.
func (g *gen) span(x *node) span {
	if v, ok := g.sameFloat(x, dtype.Float32T); ok && v == v {
		return span{v, v}
	}
	switch code(x.Op) {
	case op(asm.VMINPS), op(asm.VMAXPS): // the second operand where the first is NaN
		v, ok := g.sameFloat(x.Args[0], dtype.Float32T)
		s := g.span(x.Args[1])
		switch {
		case !ok || v != v:
			return anyNumber
		case code(x.Op) == op(asm.VMINPS):
			return span{min(s.lo, v), min(s.hi, v)}
		}
		return span{max(s.lo, v), max(s.hi, v)}
	case op(asm.VADDPS):
		return g.span(x.Args[0]).plus(g.span(x.Args[1]))
	case op(asm.VMULPS):
		return g.span(x.Args[0]).times(g.span(x.Args[1]))
	case pVFMA32:
		if x.Imm == fmaPlus {
			return g.span(x.Args[0]).times(g.span(x.Args[1])).plus(g.span(x.Args[2]))
		}
	case pVRound32:
		s := g.span(x.Args[0])
		return span{s.lo - 1, s.hi + 1}
	}
	return anyNumber
}

// plus bounds sums, and times products; what they are rounded to is a little wider. Sums and products of infinite bounds tell nothing.
func (s span) plus(t span) span { return wider(s.lo+t.lo, s.hi+t.hi) }

func (s span) times(t span) span {
	a, b, c, d := s.lo*t.lo, s.lo*t.hi, s.hi*t.lo, s.hi*t.hi
	return wider(min(a, b, c, d), max(a, b, c, d))
}

func wider(lo, hi float64) span {
	if lo-lo != 0 || hi-hi != 0 {
		return anyNumber
	}
	const rounding = 0x1p-20
	return span{lo - rounding*math.Abs(lo) - rounding, hi + rounding*math.Abs(hi) + rounding}
}
