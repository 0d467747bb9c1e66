package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// padInfo says how an iterator is padded so that all divisors of it divide its extent.
type padInfo struct {
	factor, left tir.Expr
	padded       *IterMark
}

// splitFloorDiv is (t + base) // div.
func (r *iterRewriter) splitFloorDiv(t *IterSplit, base, div tir.Expr, d dtype.DType) (iterVal, bool) {
	if isCst(div, 1) {
		if isCst(base, 0) {
			return iterVal{split: t}, true
		}
		return iterVal{sum: &IterSum{Args: []*IterSplit{t}, Base: base}}, true
	}
	if !isCst(t.Scale, 1) {
		unit := *t
		switch {
		case r.divisible(t.Scale, div) && (isCst(base, 0) || r.divisible(base, div)):
			// (x*c1*c2 + y*c2) // c2
			unit.Scale = r.a.Simplify(tir.FloorDiv(t.Scale, div))
			if isCst(base, 0) {
				return iterVal{split: &unit}, true
			}
			return iterVal{sum: &IterSum{Args: []*IterSplit{&unit}, Base: r.a.Simplify(tir.FloorDiv(base, div))}}, true
		case r.divisible(div, t.Scale) && (isCst(base, 0) || r.divisible(base, t.Scale)):
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
	p, left, ok := r.pad(t, base, div, d)
	if !ok {
		return iterVal{}, false
	}
	out := &IterSplit{Scale: p.Scale}
	switch {
	case r.divisible(p.Extent, div):
		// (y % (c1*c2)) // c1 = y // c1 % c2
		out.Source, out.LowerFactor = p.Source, tir.Mul(p.LowerFactor, div)
		out.Extent = r.a.Simplify(tir.FloorDiv(p.Extent, div))
	case isCst(p.LowerFactor, 1) && r.a.CanProveEqual(p.Extent, p.Source.Extent):
		out.Source, out.LowerFactor, out.Extent = p.Source, div, r.ceilDiv(p.Extent, div)
	default:
		out.Source, out.LowerFactor, out.Extent = r.derive(p), div, r.ceilDiv(p.Extent, div)
		out.Scale = tir.Const(d, 1)
	}
	shift := r.a.SimplifySteps(tir.FloorDiv(tir.Sub(base, left), div), 6)
	if isCst(shift, 0) {
		return iterVal{split: out}, true
	}
	return iterVal{sum: &IterSum{Args: []*IterSplit{out}, Base: shift}}, true
}

func (r *iterRewriter) ceilDiv(x, y tir.Expr) tir.Expr {
	return r.a.Simplify(tir.FloorDiv(tir.Sub(tir.Add(x, y), one(x)), y))
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
		case r.divisible(div, t.Scale) && (isCst(base, 0) || r.divisible(base, t.Scale)):
			// (x*c1 + y*c1) % (c1*c2) = (x + y) % c2 * c1
			div = r.a.Simplify(tir.FloorDiv(div, t.Scale))
			base = tir.FloorDiv(base, t.Scale)
		default:
			r.fail("the scale of an iterator and its modulus have no common form")
			return iterVal{}, false
		}
	}
	p, _, ok := r.pad(t, base, div, d)
	if !ok {
		return iterVal{}, false
	}
	return iterVal{split: &IterSplit{Source: p.Source, LowerFactor: p.LowerFactor, Extent: div, Scale: p.Scale}}, true
}

// pad extends the iterator below and above so that t + base starts and ends at multiples of
// div. The first round collects what each mark needs, the second applies it, the same for
// all splits of one mark. It returns the padded split and how much was added below.
func (r *iterRewriter) pad(t *IterSplit, base, div tir.Expr, d dtype.DType) (*IterSplit, tir.Expr, bool) {
	zero := tir.Const(d, 0)
	if r.a.CanProveLess(div, 1) {
		r.fail("a divisor, in the unit of its iterator, is not positive")
		return nil, nil, false
	}
	left := r.a.Simplify(tir.FloorMod(base, div))
	edge := tir.Add(left, t.Extent)
	right := tir.Expr(zero)
	if !r.divisible(edge, div) {
		right = r.a.Simplify(tir.FloorMod(tir.Sub(zero, edge), div))
	}
	mark := t.Source
	if r.collectPadding {
		if r.padding == nil {
			r.padding = map[*IterMark]*padInfo{}
		}
		info := r.padding[mark]
		if info == nil {
			info = &padInfo{factor: tir.Const(d, 1), left: zero}
			r.padding[mark] = info
		}
		info.factor = commonMultiple(r.a, info.factor, tir.Mul(div, t.LowerFactor))
		if isCst(left, 0) && isCst(right, 0) {
			return t, zero, true
		}
		r.needsPadding = true
		info.left = tir.Max(info.left, tir.Mul(left, t.LowerFactor))
		out := *t
		out.Extent = r.a.Simplify(tir.Add(tir.Add(left, t.Extent), right))
		return &out, left, true
	}
	info := r.padding[mark]
	if info == nil || isCst(info.left, 0) && r.divisible(mark.Extent, info.factor) {
		if r.level == Bijective && !isCst(left, 0) {
			r.fail("an iterator starts inside a period of its divisor, which needs padding")
			return nil, nil, false
		}
		return t, left, true
	}
	if info.padded == nil {
		if !r.divisible(info.left, t.LowerFactor) {
			r.fail("an iterator needs paddings that do not fit each other")
			return nil, nil, false
		}
		left = r.a.Simplify(tir.FloorDiv(info.left, t.LowerFactor))
		r.padMark(mark, info, zero)
	}
	out := *t
	out.Source = info.padded
	out.Extent = r.a.Simplify(tir.FloorDiv(info.padded.Extent, t.LowerFactor))
	return &out, left, true
}

// padMark makes the padded form of mark and notes where the padding is.
func (r *iterRewriter) padMark(mark *IterMark, info *padInfo, zero tir.Expr) {
	edge := tir.Add(mark.Extent, info.left)
	right := zero
	if !r.divisible(edge, info.factor) {
		right = tir.FloorMod(tir.Sub(zero, edge), info.factor)
	}
	extent := r.a.Simplify(tir.Add(edge, right))
	info.padded = &IterMark{Sum: &IterSum{Args: []*IterSplit{splitOf(mark)}, Base: info.left}, Extent: extent}
	if r.paddingOrigin == nil {
		r.paddingOrigin = map[*IterMark]*IterMark{}
	}
	r.paddingOrigin[info.padded] = mark
	e := info.padded.Sum.expr(r.a)
	q, m := tir.FloorDiv(e, info.factor), tir.FloorMod(e, info.factor)
	below := tir.And(tir.NE(info.left, zero), tir.And(tir.EQ(q, zero), tir.LT(m, info.left)))
	above := tir.And(tir.NE(right, zero), tir.And(tir.EQ(q, tir.FloorDiv(edge, info.factor)), tir.GE(m, tir.FloorMod(edge, info.factor))))
	r.paddingPredicate = tir.Or(r.paddingPredicate, tir.Or(below, above))
}

// commonMultiple returns a common multiple of x and y, the least one for constants.
func commonMultiple(a *Analyzer, x, y tir.Expr) tir.Expr {
	d := x.DType()
	factor := func(e tir.Expr) (tir.Expr, int64) {
		if c, ok := cst(e); ok {
			return tir.Const(d, 1), c
		}
		if s, c, ok := opConst(e, tir.OpMul); ok {
			return s, c
		}
		return e, 1
	}
	sx, cx := factor(x)
	sy, cy := factor(y)
	c := tir.Const(d, 0)
	if g := gcd(cx, cy); g != 0 {
		c = tir.Const(d, cx/g*cy)
	}
	switch {
	case Equal(sx, sy) || canProveDivisible(a, sx, sy):
		return tir.Mul(sx, c)
	case canProveDivisible(a, sy, sx):
		return tir.Mul(sy, c)
	}
	return tir.Mul(tir.Mul(sx, sy), c)
}
