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

// compare translates EQ, NE, LT, LE, GT and GE.
func (g *gen) compare(o tir.BinaryOp, a, b value, what string) value {
	out := dtype.BoolT.WithLanes(a.lanes())
	if smallFloat(a.dt) {
		f := dtype.Float32T.WithLanes(a.lanes())
		return g.compare(o, g.cast(a, f, what), g.cast(b, f, what), what)
	}
	i := int(o - tir.OpEQ)
	if a.packed && b.packed {
		return each(out, a.laneBits(), true, len(a.parts), func(j int) *node {
			if a.dt.IsFloat() {
				return g.vcompareFloat(floatCompares[i], a.parts[j], b.parts[j], a.dt)
			}
			return g.vcompareInt(o, a.parts[j], b.parts[j], a.dt)
		})
	}
	as, bs := g.scalars(a), g.scalars(b)
	return each(out, 0, false, len(as), func(j int) *node {
		switch {
		case a.dt.IsFloat() && a.dt.Bits == 64:
			return g.imm(pCompare64, floatCompares[i], as[j], bs[j])
		case a.dt.IsFloat():
			return g.imm(pCompare32, floatCompares[i], as[j], bs[j])
		}
		signed := [6]lower.Fn{lower.Eq, lower.Ne, lower.LtS, lower.LeS, lower.GtS, lower.GeS}
		unsigned := [6]lower.Fn{lower.Eq, lower.Ne, lower.LtU, lower.LeU, lower.GtU, lower.GeU}
		if a.dt.IsInt() {
			return g.fn(signed[i], as[j], bs[j])
		}
		return g.fn(unsigned[i], as[j], bs[j])
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

// selectValue computes both values and takes a where cond holds.
func (g *gen) selectValue(cond, a, b value) value {
	a, b = g.alike(a, b)
	if cond.lanes() == 1 {
		return each(a.dt, a.mask, a.packed, len(a.parts), func(i int) *node { return g.pick(cond.scalar(), a.parts[i], b.parts[i]) })
	}
	if a.packed {
		if m := g.toMask(cond, a.laneBits()); m.packed {
			return each(a.dt, a.mask, true, len(a.parts), func(i int) *node {
				if a.parts[i] == b.parts[i] {
					return a.parts[i]
				}
				return g.vop(pBlend, 0, a.parts[i], b.parts[i], m.parts[i])
			})
		}
	}
	cs, as, bs := g.scalars(cond), g.scalars(a), g.scalars(b)
	xs := make([]*node, len(cs))
	for i := range xs {
		xs[i] = g.pick(cs[i], as[i], bs[i])
	}
	return g.pack(a.dt, xs)
}

// pick takes a where a scalar condition holds, else b.
func (g *gen) pick(cond, a, b *node) *node {
	if a == b {
		return a
	}
	return g.fn(lower.Select, a, b, cond)
}

// alike brings two values of one type into the same form.
func (g *gen) alike(a, b value) (value, value) {
	switch {
	case a.packed == b.packed && a.mask == b.mask:
		return a, b
	case a.packed && a.dt.IsBool():
		return a, g.toMask(b, a.mask)
	case b.packed && b.dt.IsBool():
		return g.toMask(a, b.mask), b
	}
	return g.pack(a.dt, g.scalars(a)), g.pack(b.dt, g.scalars(b))
}

// allLanes translates the conjunction of all lanes of one mask, as tir.LowerMath writes it, by one instruction for each vector; nil where e is
// something else.
func (g *gen) allLanes(e *tir.Binary) *node {
	mask := lower.AllLanesOf(e)
	if mask == nil {
		return nil
	}
	v := g.expr(mask)
	if !v.packed || short(v.lanes(), v.mask) {
		return nil
	}
	all := v.parts[0]
	for _, p := range v.parts[1:] {
		all = g.vop(pVAnd, 0, all, p)
	}
	return g.vop(pAllTrue, uint64(v.mask), all)
}
