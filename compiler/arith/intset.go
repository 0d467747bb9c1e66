package arith

import "github.com/irscope/irscope/compiler/tir"

// Interval sets are intervals with symbolic ends: relaxing i*4 + j over j in [0, 4) gives [i*4, i*4 + 3].
// They say what part of a buffer a loop nest touches, for compaction of buffers, compute_at and regions
// of blocks, where the constant bounds of bound.go would lose the outer loop variables.
//
// A set holds all values of the expression and may hold more: ends are computed as in interval arithmetic,
// which forgets how operands are related, and a product of two sets falls back to constant bounds. After
// TVM's src/arith/int_set.cc.

// IntSet is a set of integers: all between Min and Max, both included, which are expressions
// over what is not relaxed. A nil Min or Max means unbounded. The zero IntSet is everything.
type IntSet struct {
	Min, Max tir.Expr
	Empty    bool
}

// Everything returns the set of all integers.
func Everything() IntSet { return IntSet{} }

// Nothing returns the empty set.
func Nothing() IntSet { return IntSet{Empty: true} }

// Point returns the set that holds e alone.
func Point(e tir.Expr) IntSet { return IntSet{Min: e, Max: e} }

// Interval returns the integers from lo to hi; nil is unbounded.
func Interval(lo, hi tir.Expr) IntSet { return IntSet{Min: lo, Max: hi} }

// SetOfRange returns the integers of r.
func SetOfRange(r *tir.Range) IntSet { return FromMinExtent(r.Min, r.Extent) }

// FromMinExtent returns the extent integers from lo on.
func FromMinExtent(lo, extent tir.Expr) IntSet {
	if isCst(extent, 1) {
		return Point(lo)
	}
	return IntSet{Min: lo, Max: tir.Sub(tir.Add(extent, lo), one(lo))}
}

func one(like tir.Expr) tir.Expr { return tir.Const(like.DType(), 1) }

// SetOfVector returns the values of the lanes of e; of a scalar it is the point e.
func SetOfVector(e tir.Expr) IntSet {
	if e.DType().Lanes <= 1 {
		return Point(e)
	}
	a := lend()
	out := newSetEval(a, nil, true).eval(e)
	a.giveBack()
	return out
}

// HasLower reports whether the set has a least value.
func (s IntSet) HasLower() bool { return !s.Empty && s.Min != nil }

// HasUpper reports whether the set has a greatest value.
func (s IntSet) HasUpper() bool { return !s.Empty && s.Max != nil }

// IsEverything reports whether nothing bounds the set.
func (s IntSet) IsEverything() bool { return !s.Empty && s.Min == nil && s.Max == nil }

// IsPoint reports whether the set is written as a single value.
func (s IntSet) IsPoint() bool { return !s.Empty && s.Min != nil && s.Min == s.Max }

// CanProvePoint reports whether the set certainly is a single value.
func (s IntSet) CanProvePoint(a *Analyzer) bool {
	return s.IsPoint() || s.HasLower() && s.HasUpper() && a.CanProveEqual(s.Min, s.Max)
}

// CoverRange returns the range of the set, or limit where the set is unbounded.
func (s IntSet) CoverRange(limit *tir.Range) *tir.Range {
	if !s.HasLower() || !s.HasUpper() {
		return limit
	}
	lo := SimplifyAlone(s.Min)
	if s.IsPoint() {
		return &tir.Range{Min: lo, Extent: one(lo)}
	}
	return &tir.Range{Min: lo, Extent: SimplifyAlone(tir.Sub(tir.Add(s.Max, one(s.Max)), s.Min))}
}

// MatchRange reports whether the set certainly is r.
func (s IntSet) MatchRange(r *tir.Range) bool {
	if !s.HasLower() || !s.HasUpper() {
		return false
	}
	a := NewAnalyzer()
	end := tir.Sub(tir.Add(r.Min, r.Extent), one(r.Min))
	return a.CanProveEqual(s.Min, r.Min) && a.CanProveEqual(s.Max, end)
}

// ConstBound returns constants between which the set lies.
func (s IntSet) ConstBound(a *Analyzer) Bound {
	b := Bound{NegInf, PosInf}
	if s.HasLower() {
		b.Min = a.ConstIntBound(s.Min).Min
	}
	if s.HasUpper() {
		b.Max = a.ConstIntBound(s.Max).Max
	}
	return b
}

// CanProveNonNegative reports whether all values are at least 0.
func (s IntSet) CanProveNonNegative() bool { return s.ConstBound(NewAnalyzer()).Min >= 0 }

// CanProvePositive reports whether all values are greater than 0.
func (s IntSet) CanProvePositive() bool { return s.ConstBound(NewAnalyzer()).Min > 0 }

// CanProveNegative reports whether all values are less than 0.
func (s IntSet) CanProveNegative() bool { return s.ConstBound(NewAnalyzer()).Max < 0 }

// simplify simplifies the ends.
func (s IntSet) simplify(a *Analyzer) IntSet {
	if s.Empty {
		return s
	}
	if s.IsPoint() {
		return Point(a.Simplify(s.Min))
	}
	if s.Min != nil {
		s.Min = a.Simplify(s.Min)
	}
	if s.Max != nil {
		s.Max = a.Simplify(s.Max)
	}
	return s
}

// unionTwo is the hull of x and y.
func unionTwo(x, y IntSet) IntSet {
	switch {
	case x.Empty:
		return y
	case y.Empty:
		return x
	}
	var out IntSet
	if x.Min != nil && y.Min != nil {
		out.Min = sharedEnd(x.Min, y.Min, tir.Min)
	}
	if x.Max != nil && y.Max != nil {
		out.Max = sharedEnd(x.Max, y.Max, tir.Max)
	}
	return out
}

func sharedEnd(x, y tir.Expr, f func(x, y tir.Expr) tir.Expr) tir.Expr {
	if Equal(x, y) {
		return x
	}
	return f(x, y)
}

// intersectTwo holds what is in both; Empty only where that is certain.
func intersectTwo(a *Analyzer, x, y IntSet) IntSet {
	switch {
	case x.Empty || y.IsEverything():
		return x
	case y.Empty || x.IsEverything():
		return y
	}
	out := IntSet{Min: x.Min, Max: x.Max}
	if out.Min == nil {
		out.Min = y.Min
	} else if y.Min != nil {
		out.Min = sharedEnd(x.Min, y.Min, tir.Max)
	}
	if out.Max == nil {
		out.Max = y.Max
	} else if y.Max != nil {
		out.Max = sharedEnd(x.Max, y.Max, tir.Min)
	}
	if out.Min != nil && out.Max != nil && a.CanProve(tir.LT(out.Max, out.Min)) {
		return Nothing()
	}
	return out
}

// Union returns the hull of the sets.
func Union(sets ...IntSet) IntSet {
	out := Nothing()
	for _, s := range sets {
		out = unionTwo(out, s)
	}
	if len(sets) > 1 {
		a := lend()
		out = out.simplify(a)
		a.giveBack()
	}
	return out
}

// Intersect returns the common values of the sets; nothing for no sets.
func Intersect(sets ...IntSet) IntSet {
	if len(sets) == 0 {
		return Nothing()
	}
	a := NewAnalyzer()
	out := sets[0]
	for _, s := range sets[1:] {
		out = intersectTwo(a, out, s)
	}
	if len(sets) > 1 {
		return out.simplify(a)
	}
	return out
}

// UnionLowerBound returns a set of which every value is in one of the sets: the union of
// neighbours that certainly touch.
func UnionLowerBound(sets ...IntSet) IntSet {
	if len(sets) == 1 {
		return sets[0]
	}
	a := NewAnalyzer()
	out := Nothing()
	touches := func(lo, hi tir.Expr) bool {
		return lo == nil || hi == nil || a.CanProve(tir.LE(lo, tir.Add(hi, one(hi))))
	}
	for _, s := range sets {
		switch {
		case s.Empty:
		case out.Empty:
			out = s
		case touches(s.Min, out.Max) && touches(out.Min, s.Max):
			out = unionTwo(out, s)
		}
	}
	return out
}

// UnionRegion is Union for each dimension of regions of the same rank.
func UnionRegion(regions [][]IntSet) []IntSet { return eachDim(regions, Union) }

// UnionRegionLowerBound is UnionLowerBound for each dimension.
func UnionRegionLowerBound(regions [][]IntSet) []IntSet { return eachDim(regions, UnionLowerBound) }

func eachDim(regions [][]IntSet, f func(...IntSet) IntSet) []IntSet {
	if len(regions) == 0 {
		return nil
	}
	out := make([]IntSet, len(regions[0]))
	dim := make([]IntSet, len(regions))
	for i := range out {
		for j, r := range regions {
			dim[j] = r[i]
		}
		out[i] = f(dim...)
	}
	return out
}
