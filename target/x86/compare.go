package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Comparisons of floats by the numbers of the processor; all are quiet.
const (
	cmpEq    uint64 = 0
	cmpLt    uint64 = 17
	cmpLe    uint64 = 18
	cmpUnord uint64 = 3
	cmpNe    uint64 = 4
	cmpOrd   uint64 = 7
	cmpGt    uint64 = 30
	cmpGe    uint64 = 29
)

var floatCompares = [6]uint64{cmpEq, cmpNe, cmpLt, cmpLe, cmpGt, cmpGe} // in the order of tir.OpEQ to tir.OpGE

// vectorCompare compares packed vectors.
func (g *gen) vectorCompare(o tir.BinaryOp, a, b value) value {
	return lower.Each(dtype.BoolT.WithLanes(a.Lanes()), a.LaneBits(), len(a.Parts), func(i int) *node {
		if a.DType.IsFloat() {
			return g.vcompareFloat(floatCompares[o-tir.OpEQ], a.Parts[i], b.Parts[i], a.DType)
		}
		return g.vcompareInt(o, a.Parts[i], b.Parts[i], a.DType)
	})
}

// vcompareFloat compares vectors of floats.
func (g *gen) vcompareFloat(c uint64, x, y *node, d dtype.DType) *node {
	if d.Bits == 64 {
		return g.vop(pVCompare64, c, x, y)
	}
	return g.vop(pVCompare32, c, x, y)
}

// vcompareInt compares vectors of integers: there are instructions for equal and for signed greater.
func (g *gen) vcompareInt(o tir.BinaryOp, x, y *node, d dtype.DType) *node {
	size := log2(int(d.Bits) / 8)
	if !d.IsInt() && o != tir.OpEQ && o != tir.OpNE {
		sign := g.splatConst(1<<(d.Bits-1), int(d.Bits)/8, widthOfNode(x))
		x, y = g.vop(pVXor, 0, x, sign), g.vop(pVXor, 0, y, sign)
	}
	gt := func(x, y *node) *node { return g.vop(pVGt, size, x, y) }
	switch o {
	case tir.OpEQ:
		return g.vop(pVEq, size, x, y)
	case tir.OpNE:
		return g.vnot(g.vop(pVEq, size, x, y))
	case tir.OpLT:
		return gt(y, x)
	case tir.OpGT:
		return gt(x, y)
	case tir.OpLE:
		return g.vnot(gt(x, y))
	}
	return g.vnot(gt(y, x))
}

// AllTrue is the conjunction of all lanes of a mask.
func (g *gen) AllTrue(v value) *node {
	if short(v.Lanes(), v.Mask) || v.Mask < 32 {
		return nil
	}
	all := v.Parts[0]
	for _, p := range v.Parts[1:] {
		all = g.vop(pVAnd, 0, all, p)
	}
	return g.vop(pAllTrue, uint64(v.Mask), all)
}
