package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// splitFloorDiv is (t + base) // div.
func (r *iterRewriter) splitFloorDiv(t *IterSplit, base, div tir.Expr, d dtype.DType) (iterVal, bool) {
	if !isCst(t.Scale, 1) {
		unit := *t
		switch {
		case r.divisible(t.Scale, div) && r.divisible(base, div):
			// (x*c1*c2 + y*c2) // c2
			unit.Scale = r.a.Simplify(tir.FloorDiv(t.Scale, div))
			return iterVal{sum: &IterSum{Args: []*IterSplit{&unit}, Base: r.a.Simplify(tir.FloorDiv(base, div))}}, true
		case r.divisible(div, t.Scale) && r.divisible(base, t.Scale):
			// (x*c1 + y*c1) // (c1*c2)
			base = tir.FloorDiv(base, t.Scale)
			div = r.a.Simplify(tir.FloorDiv(div, t.Scale))
			unit.Scale = tir.Const(d, 1)
			t = &unit
		default:
			r.fail("the scale of an iterator and its divisor have no common form")
			return iterVal{}, false
		}
	}
	p, left, ok := r.align(t, base, div)
	if !ok {
		return iterVal{}, false
	}
	out := &IterSplit{Source: p.Source, LowerFactor: tir.Mul(p.LowerFactor, div), Extent: r.ceilDiv(p.Extent, div), Scale: tir.Const(d, 1)}
	shift := r.a.Simplify(tir.FloorDiv(tir.Sub(base, left), div))
	return iterVal{sum: &IterSum{Args: []*IterSplit{out}, Base: shift}}, true
}

func (r *iterRewriter) ceilDiv(x, y tir.Expr) tir.Expr {
	if !r.divisible(x, y) {
		x = tir.Sub(tir.Add(x, y), one(x))
	}
	return r.a.Simplify(tir.FloorDiv(x, y))
}

// derive returns the mark of the values of a split; one mark for equal splits.
func (r *iterRewriter) derive(t *IterSplit) *IterMark {
	for _, m := range r.derived {
		if splitEqual(m.Sum.Args[0], t, true) {
			return m
		}
	}
	m := &IterMark{Sum: &IterSum{Args: []*IterSplit{t}, Base: tir.Const(t.Scale.DType(), 0)}, Extent: t.Extent}
	r.derived = append(r.derived, m)
	return m
}

// splitFloorMod is (t + base) % div.
func (r *iterRewriter) splitFloorMod(t *IterSplit, base, div tir.Expr, d dtype.DType) (iterVal, bool) {
	if isCst(div, 1) {
		return iterVal{e: tir.Const(d, 0)}, true
	}
	if !isCst(t.Scale, 1) {
		switch {
		case r.divisible(t.Scale, div) && r.divisible(base, div):
			return iterVal{e: tir.Const(d, 0)}, true
		case r.divisible(div, t.Scale) && r.divisible(base, t.Scale):
			// (x*c1 + y*c1) % (c1*c2) = (x + y) % c2 * c1
			div = r.a.Simplify(tir.FloorDiv(div, t.Scale))
			base = tir.FloorDiv(base, t.Scale)
		default:
			r.fail("the scale of an iterator and its modulus have no common form")
			return iterVal{}, false
		}
	}
	unit := *t
	unit.Scale = tir.Const(d, 1)
	p, _, ok := r.align(&unit, base, div)
	if !ok {
		return iterVal{}, false
	}
	return iterVal{split: &IterSplit{Source: p.Source, LowerFactor: p.LowerFactor, Extent: div, Scale: t.Scale}}, true
}

// align returns a split whose quotient by div, and remainder, are digits of its source, and how
// much it is above t: t + base starts that far into a period of div.
func (r *iterRewriter) align(t *IterSplit, base, div tir.Expr) (aligned *IterSplit, left tir.Expr, ok bool) {
	if r.a.CanProveLess(div, 1) {
		r.fail("a divisor, in the unit of its iterator, is not positive")
		return nil, nil, false
	}
	if r.pads != nil {
		return r.pad(t, base, div)
	}
	left = r.a.Simplify(tir.FloorMod(base, div))
	starts := isCst(left, 0)
	if starts && r.divisible(t.Extent, div) {
		return t, left, true
	}
	if !starts && r.level == Bijective {
		r.fail("an iterator starts inside a period of its divisor, which needs padding")
		return nil, nil, false
	}
	if !r.whole(t) {
		t = splitOf(r.derive(t))
	}
	if starts {
		return t, left, true
	}
	out := *t
	out.Source = r.shift(t.Source, tir.Mul(left, t.LowerFactor))
	out.Extent = r.a.Simplify(tir.Add(t.Extent, left))
	return &out, left, true
}

// whole reports whether t is all of its source above its lower factor.
func (r *iterRewriter) whole(t *IterSplit) bool {
	return r.a.CanProve(tir.GE(tir.Mul(t.LowerFactor, t.Extent), t.Source.Extent))
}

// shift returns the mark of the values of mark plus by; one mark for equal shifts.
func (r *iterRewriter) shift(mark *IterMark, by tir.Expr) *IterMark {
	if origin := r.origin[mark]; origin != nil {
		mark, by = origin, tir.Add(mark.Sum.Base, by)
	}
	for _, m := range r.shifted {
		if r.origin[m] == mark && Equal(m.Sum.Base, by) {
			return m
		}
	}
	m := &IterMark{Sum: &IterSum{Args: []*IterSplit{splitOf(mark)}, Base: by}, Extent: r.a.Simplify(tir.Add(mark.Extent, by))}
	r.shifted = append(r.shifted, m)
	r.origin[m] = mark
	return m
}
