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
		r.fail("a bound of the predicate has no iterator")
		return
	}
	lower, upper := c.lower, c.upper
	d := s.Base.DType()
	if !isCst(s.Base, 0) {
		if lower != nil {
			lower = tir.Sub(lower, s.Base)
		}
		if upper != nil {
			upper = tir.Sub(upper, s.Base)
		}
		s = &IterSum{Args: s.Args, Base: tir.Const(d, 0)}
	}
	out := r.fuse(s, false)
	if out == nil || len(out.Args) != 1 || !isCst(out.Args[0].Scale, 1) {
		r.fail("a bound of the predicate is on no single fused iterator")
		return
	}
	var f *fusedIter
	for _, g := range r.fused {
		if g.mark == out.Args[0].Source {
			f = g
		}
	}
	if f == nil {
		r.fail("a bound of the predicate is on no single fused iterator")
		return
	}
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
	f.mark = &IterMark{Sum: source, Extent: r.a.Simplify(tir.Sub(hi, lo))}
	f.offset = lo
	r.constrained = append(r.constrained, f.flat)
}

// constraintsNest reports whether any two constraints either share no split or one has all
// splits of the other.
func (r *iterRewriter) constraintsNest() bool {
	for i, x := range r.constrained {
		for _, y := range r.constrained[i+1:] {
			inside := 0
			for _, t := range x.Args {
				if slices.ContainsFunc(y.Args, func(u *IterSplit) bool { return splitEqual(t, u, false) }) {
					inside++
				}
			}
			if inside != 0 && inside != len(x.Args) {
				return false
			}
		}
	}
	return true
}

// markSplits collects which splits of each mark are used, in the order of first use.
type markSplits struct {
	order  []*IterMark
	splits map[*IterMark][]*IterSplit
	seen   map[*IterMark]bool
}

func collectSplits(sums []*IterSum) *markSplits {
	c := &markSplits{splits: map[*IterMark][]*IterSplit{}, seen: map[*IterMark]bool{}}
	for _, s := range sums {
		c.sum(s)
	}
	return c
}

func (c *markSplits) sum(s *IterSum) {
	for _, t := range s.Args {
		if !c.seen[t.Source] {
			c.seen[t.Source] = true
			c.order = append(c.order, t.Source)
			if t.Source.Sum != nil {
				c.sum(t.Source.Sum)
			}
		}
		c.splits[t.Source] = append(c.splits[t.Source], t)
	}
}

// checkMapping reports whether the splits of each mark do not overlap and cover it as the
// level asks; for a bijection all inputs must be used as well.
func (r *iterRewriter) checkMapping(sums []*IterSum, level IterMapLevel) bool {
	c := collectSplits(sums)
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

// splitsFit orders the splits of a mark from the innermost and compares their extents with
// that of the mark.
func (r *iterRewriter) splitsFit(mark *IterMark, splits []*IterSplit, level IterMapLevel) bool {
	if level == NoCheck {
		return true
	}
	// A split of extent 1 is 0 wherever it stands.
	all := splits
	splits = slices.DeleteFunc(slices.Clone(splits), func(t *IterSplit) bool { return isCst(t.Extent, 1) })
	if len(splits) == 0 {
		splits = all
	}
	used := make([]bool, len(splits))
	var expected tir.Expr = tir.Const(mark.DType(), 1)
	for range splits {
		j := 0
		for ; j < len(splits); j++ {
			if !used[j] && r.a.CanProveEqual(splits[j].LowerFactor, expected) {
				break
			}
		}
		if j == len(splits) {
			if level == Bijective {
				return false
			}
			if j = r.skipLowerFactor(splits, used, expected); j < 0 {
				return false
			}
		}
		used[j] = true
		expected = tir.Mul(splits[j].LowerFactor, splits[j].Extent)
	}
	full := r.a.CanProveEqual(expected, mark.Extent)
	origin := r.paddingOrigin[mark]
	switch {
	case level == Bijective:
		return full && origin == nil
	case origin == nil:
		return full || r.divisible(mark.Extent, expected)
	case full:
		// The padding must not make a value of the only split that no input reaches.
		return len(splits) == 1 && (!r.a.CanProveEqual(splits[0].Extent, expected) ||
			r.a.CanProve(tir.GE(origin.Extent, expected)))
	case r.divisible(mark.Extent, expected):
		return r.a.CanProve(tir.GE(origin.Extent, expected))
	}
	return false
}

// skipLowerFactor finds the unused split with the least lower factor; all must be multiples
// of expected.
func (r *iterRewriter) skipLowerFactor(splits []*IterSplit, used []bool, expected tir.Expr) int {
	best := -1
	for i, t := range splits {
		if used[i] {
			continue
		}
		if !r.divisible(t.LowerFactor, expected) {
			return -1
		}
		if best < 0 || r.divisible(splits[best].LowerFactor, t.LowerFactor) {
			best = i
		}
	}
	return best
}
