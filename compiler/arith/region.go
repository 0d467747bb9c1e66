package arith

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// iterSumSet returns exactly the values that s plus [0, extent) covers, for a fused sum of
// at most one split; ok is false where it leaves gaps.
func iterSumSet(s *IterSum, extent tir.Expr, a *Analyzer) (set IntSet, ok bool) {
	if a.CanProve(tir.EQ(extent, tir.Const(extent.DType(), 0))) {
		return Nothing(), true
	}
	if len(s.Args) == 0 {
		return FromMinExtent(s.Base, extent), true
	}
	t := s.Args[0]
	if a.CanProve(tir.EQ(t.Extent, tir.Const(t.Extent.DType(), 0))) {
		return Nothing(), true
	}
	reach := tir.Mul(tir.Sub(t.Extent, one(t.Extent)), t.Scale)
	switch {
	case a.CanProveGreaterEqual(t.Scale, 0) && a.CanProve(tir.GE(extent, t.Scale)):
		return FromMinExtent(s.Base, tir.Add(extent, reach)), true
	case a.CanProveLess(t.Scale, 0) && a.CanProve(tir.GE(tir.Add(extent, t.Scale), tir.Const(extent.DType(), 0))):
		return FromMinExtent(tir.Add(s.Base, reach), tir.Sub(extent, reach)), true
	}
	return IntSet{}, false
}

// EstimateRegionStrictBound returns exactly what region touches, dimension by dimension, for
// all points of vars where predicate (nil is true) holds. ok is false where the dimensions
// depend on each other, leave gaps, or are not affine.
func EstimateRegionStrictBound(region []*tir.Range, vars map[*tir.Var]*tir.Range, predicate tir.Expr, a *Analyzer) (sets []IntSet, ok bool) {
	mins := make([]tir.Expr, len(region))
	for i, r := range region {
		if _, isC := cst(r.Extent); !isC {
			return nil, false
		}
		mins[i] = r.Min
	}
	sums := DetectIterMap(mins, vars, predicate, Surjective, a, true).Indices
	if len(sums) != len(region) {
		return nil, false
	}
	sets = make([]IntSet, len(region))
	for i, s := range sums {
		if sets[i], ok = iterSumSet(s, region[i].Extent, a); !ok {
			return nil, false
		}
	}
	return sets, true
}

// EstimateRegionLowerBound returns sets of which every point is touched.
func EstimateRegionLowerBound(region []*tir.Range, vars map[*tir.Var]*tir.Range, predicate tir.Expr, a *Analyzer) ([]IntSet, bool) {
	return EstimateRegionStrictBound(region, vars, predicate, a)
}

// EstimateRegionUpperBound returns sets that hold every point touched: the strict bound
// where there is one, else for each dimension its strict bound or its interval set.
func EstimateRegionUpperBound(region []*tir.Range, vars map[*tir.Var]*tir.Range, predicate tir.Expr, a *Analyzer) []IntSet {
	if sets, ok := EstimateRegionStrictBound(region, vars, predicate, a); ok {
		return sets
	}
	doms := AsIntSets(vars)
	sets := make([]IntSet, len(region))
	for i, r := range region {
		sets[i] = EvalSetRange(r, doms)
		sums := DetectIterMap([]tir.Expr{r.Min}, vars, predicate, Surjective, a, true).Indices
		if extent := EvalSet(r.Extent, doms).Max; len(sums) == 1 && extent != nil {
			if set, ok := iterSumSet(sums[0], extent, a); ok {
				sets[i] = set
			}
		}
	}
	return sets
}

// Touched is what a statement reads and writes of a buffer, one list of sets for each
// dimension.
type Touched struct{ Loads, Stores, Both [][]IntSet }

// TouchedDomains returns for each buffer what s touches, relaxed over the loops in s.
func TouchedDomains(s tir.Stmt) map[*tir.Buffer]*Touched {
	t := &toucher{a: NewAnalyzer(), out: map[*tir.Buffer]*Touched{}}
	t.node(s)
	return t.out
}

// DomainTouched returns the region of b that s touches by loads, stores or both; nil if it
// does not.
func DomainTouched(s tir.Stmt, b *tir.Buffer, loads, stores bool) []*tir.Range {
	t := TouchedDomains(s)[b]
	if t == nil {
		return nil
	}
	var sets [][]IntSet
	switch {
	case loads && stores:
		sets = t.Both
	case loads:
		sets = t.Loads
	case stores:
		sets = t.Stores
	}
	var out []*tir.Range
	for i, dim := range sets {
		full := &tir.Range{Min: tir.Const(b.Shape[i].DType(), 0), Extent: b.Shape[i]}
		out = append(out, Union(dim...).CoverRange(full))
	}
	return out
}

type toucher struct {
	a   *Analyzer
	out map[*tir.Buffer]*Touched
}

func (t *toucher) node(n ir.Node) {
	ir.Walk(n, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.For:
			t.a.BindRange(n.LoopVar, &tir.Range{Min: n.Min, Extent: n.Extent})
		case *tir.Block:
			for _, iv := range n.IterVars {
				t.a.BindRange(iv.Var, iv.Dom)
			}
		case *tir.LetStmt:
			if SideEffect(n.Value) <= tir.Pure {
				t.a.Bind(n.Var, n.Value)
			}
		case *tir.AttrStmt:
			if iv, ok := n.Node.(*tir.IterVar); ok && (n.Key == "thread_extent" || n.Key == "virtual_thread") {
				t.a.BindRange(iv.Var, &tir.Range{Min: tir.Const(n.Value.DType(), 0), Extent: n.Value})
			}
		case *tir.IfThenElse:
			t.node(n.Cond)
			t.a.With(n.Cond, func() { t.node(n.Then) })
			if n.Else != nil {
				t.a.With(t.a.RewriteSimplify(tir.LogicalNot(n.Cond)), func() { t.node(n.Else) })
			}
			return false
		case *tir.BufferLoad:
			t.touch(n.Buffer, n.Indices, false)
		case *tir.BufferStore:
			t.touch(n.Buffer, n.Indices, true)
		}
		return true
	})
}

func (t *toucher) touch(b *tir.Buffer, indices []tir.Expr, store bool) {
	e := t.out[b]
	if e == nil {
		e = &Touched{}
		t.out[b] = e
	}
	one := &e.Loads
	if store {
		one = &e.Stores
	}
	for i, index := range indices {
		set := t.a.IntSet(index)
		for _, list := range [2]*[][]IntSet{one, &e.Both} {
			for len(*list) <= i {
				*list = append(*list, nil)
			}
			(*list)[i] = append((*list)[i], set)
		}
	}
}
