package arith

import (
	"math"

	"github.com/irscope/irscope/compiler/tir"
)

// Where a divisor does not fit the extent of an iterator, the indices reach less than they count: i // 4 and i % 4 of 14 values have 16 places,
// of which the last two stay empty. Padding widens the iterator to a multiple of all its divisors, found in a first walk over the indices, and
// says where the empty places are:
//
//	i in [0, 14): i // 4, i % 4     i // 4 == 3 and i % 4 >= 2
//
// After PadDividendToDivisor of TVM's src/arith/iter_affine_map.cc.

// padding is what is known of the iterators that are widened.
type padding struct {
	marks     map[*IterMark]*padded
	collect   bool // the first walk
	needed    bool
	predicate tir.Expr
}

// padded is an iterator that begins left before 0 and whose extent becomes a multiple of factor.
type padded struct {
	factor, left tir.Expr
	mark         *IterMark // what took its place
}

// DetectPaddedIterMap is DetectIterMap at level NoCheck for all points, where iterators are widened to multiples of their divisors. empty says of
// the input iterators, some of which then lie outside of their range, where no input is.
func DetectPaddedIterMap(indices []tir.Expr, iters map[*tir.Var]*tir.Range, a *Analyzer, simplifyTrivial bool) (res IterMapResult, empty tir.Expr) {
	if !independentRanges(iters) {
		res.Errors = append(res.Errors, "the range of an iterator depends on another iterator")
		return res, nil
	}
	r := newIterRewriter(a, iters, NoCheck, simplifyTrivial)
	r.pads = &padding{marks: map[*IterMark]*padded{}, predicate: tir.Bool(false), collect: true}
	walk := func() (sums []*IterSum, ok bool) {
		for _, e := range indices {
			sums = append(sums, r.rewrite(e))
			if len(r.errors) > 0 {
				res.Errors = r.errors
				return nil, false
			}
		}
		return sums, true
	}
	sums, ok := walk()
	if ok && r.pads.needed {
		r.pads.collect = false
		sums, ok = walk()
	}
	if !ok {
		return res, nil
	}
	if !r.checkMapping(sums, NoCheck) {
		res.Errors = append(r.errors, "the indices are not independent, or do not cover the iterators")
		return res, nil
	}
	res.Indices = sums
	return res, r.pads.predicate
}

// pad is align for an iterator that may be widened.
func (r *iterRewriter) pad(t *IterSplit, base, div tir.Expr) (aligned *IterSplit, left tir.Expr, ok bool) {
	a := r.a
	left = a.Simplify(tir.FloorMod(base, div))
	end := tir.Add(left, t.Extent)
	right := r.missing(end, div)
	if r.pads.collect {
		p := r.pads.marks[t.Source]
		if p == nil {
			p = &padded{factor: one(div), left: tir.Const(div.DType(), 0)}
			r.pads.marks[t.Source] = p
		}
		p.factor, ok = commonMultiple(p.factor, tir.Mul(div, t.LowerFactor), a)
		if !ok {
			r.fail("the least common multiple of the divisors of an iterator is too large")
			return nil, nil, false
		}
		if isCst(left, 0) && isCst(right, 0) {
			return t, left, true
		}
		r.pads.needed = true
		p.left = tir.Max(p.left, tir.Mul(left, t.LowerFactor))
		out := *t
		out.Extent = a.Simplify(tir.Add(end, right))
		return &out, left, true
	}
	p := r.pads.marks[t.Source]
	if p == nil || isCst(p.left, 0) && r.divisible(t.Source.Extent, p.factor) {
		return t, left, true
	}
	if !r.divisible(p.factor, t.LowerFactor) || !r.divisible(p.factor, div) {
		r.fail("the divisors of an iterator have no common multiple that pads it")
		return nil, nil, false
	}
	left = a.Simplify(tir.FloorDiv(p.left, t.LowerFactor))
	if !r.divisible(p.left, t.LowerFactor) || !r.divisible(a.Simplify(tir.Sub(base, left)), div) {
		r.fail("an iterator starts inside periods of its divisors that have no common start")
		return nil, nil, false
	}
	if p.mark == nil {
		r.widen(t.Source, p)
	}
	out := *t
	out.Source = p.mark
	out.Extent = tir.FloorDiv(p.mark.Extent, t.LowerFactor)
	return &out, left, true
}

// widen makes the mark that takes the place of one, and notes where it is empty.
func (r *iterRewriter) widen(mark *IterMark, p *padded) {
	a := r.a
	end := tir.Add(mark.Extent, p.left)
	right := r.missing(end, p.factor)
	p.mark = &IterMark{Sum: &IterSum{Args: []*IterSplit{splitOf(mark)}, Base: p.left}, Extent: a.Simplify(tir.Add(end, right))}
	r.origin[p.mark] = mark
	source := p.mark.expr(a)
	period, place := tir.FloorDiv(source, p.factor), tir.FloorMod(source, p.factor)
	zero := tir.Const(source.DType(), 0)
	before := tir.And(tir.NE(p.left, zero), tir.And(tir.EQ(period, zero), tir.LT(place, p.left)))
	behind := tir.And(tir.NE(right, zero), tir.And(tir.EQ(period, tir.FloorDiv(end, p.factor)), tir.GE(place, tir.FloorMod(end, p.factor))))
	r.pads.predicate = tir.Or(r.pads.predicate, tir.Or(before, behind))
}

// missing is what n lacks to a multiple of div.
func (r *iterRewriter) missing(n, div tir.Expr) tir.Expr {
	if r.divisible(n, div) {
		return tir.Const(div.DType(), 0)
	}
	return r.a.Simplify(tir.FloorMod(tir.Sub(tir.Const(n.DType(), 0), n), div))
}

// commonMultiple is a multiple of both, the least one where they are numbers; ok is false if it is too large.
func commonMultiple(x, y tir.Expr, a *Analyzer) (e tir.Expr, ok bool) {
	sx, nx := constFactor(x)
	sy, ny := constFactor(y)
	k := nx / GCD(nx, ny)
	if k > math.MaxInt32/ny {
		return nil, false
	}
	n := tir.Const(x.DType(), k*ny)
	switch {
	case a.CanProveEqual(sx, sy) || canProveDivisible(a, sx, sy):
		return tir.Mul(sx, n), true
	case canProveDivisible(a, sy, sx):
		return tir.Mul(sy, n), true
	}
	return tir.Mul(tir.Mul(sx, sy), n), true
}

// constFactor takes a constant factor off an expression.
func constFactor(e tir.Expr) (tir.Expr, int64) {
	if n, ok := cst(e); ok && n > 0 {
		return one(e), n
	}
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpMul {
		if n, ok := cst(b.B); ok && n > 0 {
			return b.A, n
		}
		if n, ok := cst(b.A); ok && n > 0 {
			return b.B, n
		}
	}
	return e, 1
}
