package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// constrain notes that c.iter, which must be one fused iterator, is bounded.
func (r *iterRewriter) constrain(c iterConstraint) {
	s := r.mutate(c.iter).asSum()
	if len(r.errors) > 0 {
		return
	}
	if len(s.Args) == 0 {
		r.fail("a bound of the predicate contains no iterator")
		return
	}
	lower, upper := c.lower, c.upper
	if lower != nil {
		lower = tir.Sub(lower, s.Base)
	}
	if upper != nil {
		upper = tir.Sub(upper, s.Base)
	}
	out := r.fuse(s, false)
	if out == nil || !isCst(out.Args[0].Scale, 1) {
		r.fail("a bound of the predicate is not on a single fused iterator")
		return
	}
	f := r.fused[slices.IndexFunc(r.fused, func(f *fusedIter) bool { return f.mark == out.Args[0].Source })]
	lo := f.offset
	hi := tir.Add(lo, f.mark.Extent)
	source := f.mark.Sum
	if lower != nil {
		raised := tir.Max(lower, lo)
		if delta := r.a.Simplify(tir.Sub(raised, lo)); !isCst(delta, 0) {
			source = &IterSum{Args: source.Args, Base: tir.Sub(source.Base, delta)}
		}
		lo = raised
	}
	if upper != nil {
		if r.a.CanProve(tir.LE(upper, hi)) {
			hi = upper
		} else {
			hi = tir.Min(upper, hi)
		}
	}
	extent := r.a.Simplify(tir.Sub(hi, lo))
	f.bounded = f.bounded || !r.a.CanProveEqual(extent, f.mark.Extent)
	f.mark = &IterMark{Sum: source, Extent: extent}
	f.offset = lo
	r.constrained = append(r.constrained, f.flat)
}

// markSplits collects which splits of each mark are used, in the order of first use. Splits of
// a mark that has an origin are splits of that.
type markSplits struct {
	order  []*IterMark
	splits map[*IterMark][]*IterSplit
	seen   map[*IterMark]bool
	origin map[*IterMark]*IterMark
}

func (c *markSplits) sum(s *IterSum) {
	for _, t := range s.Args {
		m := t.Source
		if o := c.origin[m]; o != nil {
			m = o
		}
		if !c.seen[m] {
			c.seen[m] = true
			c.order = append(c.order, m)
			if m.Sum != nil {
				c.sum(m.Sum)
			}
		}
		c.splits[m] = append(c.splits[m], t)
	}
}

// checkMapping reports whether the splits of each mark do not overlap and cover it as the
// level asks; for a bijection all inputs must be used as well. The marks that the predicate
// bounds are outputs, too: what is used of their inputs must be independent of them.
func (r *iterRewriter) checkMapping(sums []*IterSum, level IterMapLevel) bool {
	c := &markSplits{splits: map[*IterMark][]*IterSplit{}, seen: map[*IterMark]bool{}, origin: r.origin}
	for _, s := range sums {
		c.sum(s)
	}
	for i := len(r.constrained) - 1; i >= 0; i-- {
		f := r.lookupFused(r.constrained[i])
		if !f.bounded || c.seen[f.mark] {
			continue
		}
		if level == Bijective {
			return false
		}
		c.sum(&IterSum{Args: []*IterSplit{splitOf(f.mark)}})
	}
	for _, m := range c.order {
		if !r.splitsFit(m, c.splits[m], level) {
			return false
		}
	}
	if level == Bijective {
		for _, m := range r.inputs {
			if !c.seen[m] && !isCst(m.Extent, 1) {
				return false
			}
		}
	}
	return true
}

// splitsFit orders the splits of a mark, or of it plus a base, from the innermost and compares
// their extents with that of the mark.
func (r *iterRewriter) splitsFit(mark *IterMark, splits []*IterSplit, level IterMapLevel) bool {
	if level == NoCheck {
		return true
	}
	// A split of extent 1 is 0 wherever it stands.
	splits = slices.DeleteFunc(slices.Clone(splits), func(t *IterSplit) bool { return isCst(t.Extent, 1) })
	var expected tir.Expr = tir.Const(mark.DType(), 1)
	for rest := slices.Clone(splits); len(rest) > 0; {
		j := r.innermost(rest, expected)
		if j < 0 || level == Bijective && !r.a.CanProveEqual(rest[j].LowerFactor, expected) {
			return false
		}
		expected = tir.Mul(rest[j].LowerFactor, rest[j].Extent)
		rest = slices.Delete(rest, j, j+1)
	}
	switch {
	case level == Bijective:
		return r.a.CanProveEqual(expected, mark.Extent)
	case r.divisible(mark.Extent, expected):
		return true
	case len(splits) == 1:
		// Its values are consecutive: they must be as many as it says.
		t := splits[0]
		n := mark.Extent
		if t.Source != mark {
			n = tir.Add(n, tir.FloorMod(t.Source.Sum.Base, t.LowerFactor))
		}
		return r.a.CanProve(tir.GE(r.ceilDiv(n, t.LowerFactor), t.Extent))
	}
	// In a full period of the outermost digit all digits take all values together, wherever
	// each of them starts.
	return r.a.CanProve(tir.GE(mark.Extent, expected))
}

// innermost finds the split with the least lower factor; all must be multiples of expected.
func (r *iterRewriter) innermost(splits []*IterSplit, expected tir.Expr) int {
	best := 0
	for i, t := range splits {
		if !r.divisible(t.LowerFactor, expected) {
			return -1
		}
		if r.divisible(splits[best].LowerFactor, t.LowerFactor) {
			best = i
		}
	}
	return best
}
