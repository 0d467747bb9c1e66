package arith

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

func splitEqual(x, y *IterSplit, scale bool) bool {
	return x == y || x.Source == y.Source && Equal(x.LowerFactor, y.LowerFactor) &&
		(!scale || Equal(x.Scale, y.Scale)) && Equal(x.Extent, y.Extent)
}

func sumEqual(x, y *IterSum) bool {
	if len(x.Args) != len(y.Args) || !Equal(x.Base, y.Base) {
		return false
	}
	for i := range x.Args {
		if !splitEqual(x.Args[i], y.Args[i], true) {
			return false
		}
	}
	return true
}

// baseIter finds the term with the smallest scale, from the right; a constant scale counts
// less than a symbolic one, and trivial terms come first among equals. -1 is none.
func baseIter(s *IterSum, skip []bool, source *IterMark, last int) int {
	best, least := -1, PosInf
	for i := last; i >= 0; i-- {
		if skip[i] || source != nil && s.Args[i].Source != source {
			continue
		}
		c, ok := cst(s.Args[i].Scale)
		if !ok {
			continue
		}
		if c < least || c == least && isCst(s.Args[i].Extent, 1) && !isCst(s.Args[best].Extent, 1) {
			best, least = i, c
		}
	}
	if best != -1 {
		return best
	}
	factors := math.MaxInt
	for i := last; i >= 0; i-- {
		if skip[i] || source != nil && s.Args[i].Source != source {
			continue
		}
		n := 0
		unpackProduct(s.Args[i].Scale, func(tir.Expr) { n++ })
		if n < factors {
			best, factors = i, n
		}
	}
	return best
}

// exactScale finds a term of that scale from the right, a trivial one if there is any.
func (r *iterRewriter) exactScale(s *IterSum, skip []bool, scale tir.Expr, source *IterMark, last int) int {
	found := -1
	for j := last; j >= 0; j-- {
		if skip[j] || source != nil && s.Args[j].Source != source {
			continue
		}
		if !r.a.CanProveEqual(s.Args[j].Scale, scale) {
			continue
		}
		if isCst(s.Args[j].Extent, 1) {
			return j
		}
		if found == -1 {
			found = j
		}
	}
	return found
}

// closestScale finds the term with the largest scale that is at most scale.
func (r *iterRewriter) closestScale(s *IterSum, skip []bool, scale tir.Expr) int {
	found := -1
	for j := len(s.Args) - 1; j >= 0; j-- {
		if skip[j] {
			continue
		}
		cur := s.Args[j].Scale
		if r.a.CanProveGreaterEqual(tir.Sub(scale, cur), 0) && r.a.CanProveGreaterEqual(cur, 0) &&
			(found == -1 || r.a.CanProveLess(tir.Sub(s.Args[found].Scale, cur), 0)) {
			found = j
		}
	}
	return found
}

// combineSameSource joins splits of one mark that are neighbouring digits of it:
// x//(c*s)%m*s + x//c%s is x//c%(m*s). It returns nil if no mark occurs twice.
func (r *iterRewriter) combineSameSource(s *IterSum) *IterSum {
	hits := make(map[*IterMark]int, len(s.Args))
	for _, t := range s.Args {
		hits[t.Source]++
	}
	if len(hits) == len(s.Args) {
		return nil
	}
	visited := make([]bool, len(s.Args))
	var reversed []*IterSplit
	for end := len(s.Args) - 1; end >= 0; {
		if visited[end] {
			end--
			continue
		}
		if hits[s.Args[end].Source] == 1 {
			reversed = append(reversed, s.Args[end])
			visited[end] = true
			continue
		}
		at := baseIter(s, visited, s.Args[end].Source, end)
		visited[at] = true
		low := *s.Args[at]
		for {
			at = r.exactScale(s, visited, mulNormal(low.Extent, low.Scale), low.Source, end)
			if at < 0 || !r.a.CanProveEqual(s.Args[at].LowerFactor, mulNormal(low.LowerFactor, low.Extent)) {
				break
			}
			visited[at] = true
			low.Extent = mulNormal(s.Args[at].Extent, low.Extent)
		}
		reversed = append(reversed, &low)
	}
	out := &IterSum{Base: s.Base}
	for i := len(reversed) - 1; i >= 0; i-- {
		out.Args = append(out.Args, reversed[i])
	}
	return out
}

// fuse writes s as one iterator times a scale plus an offset: the scales must be the
// products of the extents below them. It returns nil if they are not. With early a sum that
// combines to one split stays that split.
func (r *iterRewriter) fuse(s *IterSum, early bool) *IterSum {
	if c := r.combineSameSource(s); c != nil {
		s = c
		if len(s.Args) <= 1 && early {
			return s
		}
	}
	s = dropZeros(s)
	visited := make([]bool, len(s.Args))
	last := len(s.Args) - 1
	at := baseIter(s, visited, nil, last)
	if at < 0 {
		return nil
	}
	base := s.Args[at].Scale
	d := base.DType()
	var offset, tail tir.Expr = tir.Const(d, 0), tir.Const(d, 0)
	expected := base
	var flat, grouped []*IterSplit // innermost first
	for i := 0; i < len(s.Args); {
		if i > 0 {
			at = r.exactScale(s, visited, expected, nil, last)
		}
		matched := expected
		if at < 0 && r.level != Bijective && isCst(base, 1) {
			if at = r.closestScale(s, visited, expected); at >= 0 {
				matched = s.Args[at].Scale
			}
		}
		if at < 0 {
			return nil
		}
		tail = tir.Add(tail, tir.Sub(expected, matched))
		c := r.longestConstraint(s.Args[at])
		if c == nil {
			visited[at] = true
			t := *s.Args[at]
			t.Scale = r.a.Simplify(tir.FloorDiv(t.Scale, base))
			flat, grouped = append(flat, &t), append(grouped, &t)
			expected = mulNormal(s.Args[at].Extent, matched)
			i++
			continue
		}
		// The constraint's terms, innermost first, are here with its scale.
		for k := len(c.Args) - 1; k >= 0; k-- {
			j := 0
			for ; j < len(s.Args); j++ {
				if !visited[j] && splitEqual(s.Args[j], c.Args[k], false) &&
					r.a.CanProveEqual(tir.Mul(c.Args[k].Scale, matched), s.Args[j].Scale) {
					break
				}
			}
			if j == len(s.Args) {
				return nil
			}
			visited[j] = true
			flat = append(flat, s.Args[j])
		}
		f := r.lookupFused(c)
		g := splitOf(f.mark)
		g.Scale = r.a.Simplify(tir.FloorDiv(matched, base))
		grouped = append(grouped, g)
		offset = tir.Add(offset, tir.Mul(f.offset, matched))
		expected = mulNormal(f.mark.Extent, matched)
		i += len(c.Args)
	}
	zero := tir.Const(d, 0)
	flatSum := &IterSum{Args: reverseSplits(flat), Base: zero}
	f := r.lookupFused(flatSum)
	if f == nil {
		extent := r.a.Simplify(tir.Add(tir.FloorDiv(expected, base), tail))
		mark := &IterMark{Sum: &IterSum{Args: reverseSplits(grouped), Base: zero}, Extent: extent}
		f = &fusedIter{flat: flatSum, mark: mark, offset: offset}
		r.fused = append(r.fused, f)
	} else if !r.a.CanProveEqual(offset, tir.Mul(f.offset, base)) {
		return nil
	}
	t := splitOf(f.mark)
	t.Scale = base
	return &IterSum{Args: []*IterSplit{t}, Base: tir.Add(s.Base, offset)}
}

// dropZeros drops splits of extent 1, which are 0, but not iterators of extent 1, which
// stay visible if they were not simplified away, and never the last term.
func dropZeros(s *IterSum) *IterSum {
	var keep []*IterSplit
	for _, t := range s.Args {
		if !isCst(t.Extent, 1) || isCst(t.Source.Extent, 1) {
			keep = append(keep, t)
		}
	}
	if len(keep) == len(s.Args) || len(keep) == 0 {
		return s
	}
	return &IterSum{Args: keep, Base: s.Base}
}

func reverseSplits(xs []*IterSplit) []*IterSplit {
	out := make([]*IterSplit, len(xs))
	for i, x := range xs {
		out[len(xs)-1-i] = x
	}
	return out
}

func (r *iterRewriter) lookupFused(flat *IterSum) *fusedIter {
	for _, f := range r.fused {
		if sumEqual(f.flat, flat) {
			return f
		}
	}
	return nil
}

// longestConstraint returns the last constraint that ends in t, which is the one with the most
// terms.
func (r *iterRewriter) longestConstraint(t *IterSplit) *IterSum {
	for _, c := range slices.Backward(r.constrained) {
		if splitEqual(t, c.Args[len(c.Args)-1], false) {
			return c
		}
	}
	return nil
}
