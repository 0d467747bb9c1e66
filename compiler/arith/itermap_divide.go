package arith

import "github.com/irscope/irscope/compiler/tir"

// Division is an index written as Outer * Inner.Extent + Inner, where only Inner uses the
// iterators of the subspace.
type Division struct{ Outer, Inner *IterMark }

// SubspaceDivide divides bindings over iters into the part of the iterators in sub and the
// part of the others: one Division for each binding, and the predicates on the outer and
// the inner iterators that replace predicate. It returns nil if a binding mixes the two.
func SubspaceDivide(bindings []tir.Expr, iters map[*tir.Var]*tir.Range, sub map[*tir.Var]bool, predicate tir.Expr, level IterMapLevel, a *Analyzer, simplifyTrivial bool) (divisions []Division, outerPred, innerPred tir.Expr) {
	sums := DetectIterMap(bindings, iters, predicate, level, a, simplifyTrivial).Indices
	if len(sums) != len(bindings) || len(sums) == 0 {
		return nil, nil, nil
	}
	dv := &divider{
		a: a, splits: collectSplits(sums).splits, sub: sub, done: map[*IterSplit]*divided{},
		outerPred: tir.Bool(true), innerPred: tir.Bool(true),
	}
	for _, s := range sums {
		r := dv.sum(s, tir.Const(s.Base.DType(), 0))
		if r == nil {
			return nil, nil, nil
		}
		divisions = append(divisions, Division{
			Outer: &IterMark{Sum: r.outer, Extent: r.outerExtent},
			Inner: &IterMark{Sum: r.inner, Extent: r.innerExtent},
		})
	}
	return divisions, dv.outerPred, dv.innerPred
}

type side uint8

const (
	mixed side = iota
	allInner
	allOuter
)

// divided is outer*innerExtent + inner.
type divided struct {
	outer, inner             *IterSum
	outerExtent, innerExtent tir.Expr
	kind                     side
}

type divider struct {
	a                    *Analyzer
	splits               map[*IterMark][]*IterSplit
	sub                  map[*tir.Var]bool
	done                 map[*IterSplit]*divided
	outerPred, innerPred tir.Expr
}

func emptySum(like tir.Expr) *IterSum { return &IterSum{Base: tir.Const(like.DType(), 0)} }

func singleSum(t *IterSplit) *IterSum {
	return &IterSum{Args: []*IterSplit{t}, Base: tir.Const(t.Extent.DType(), 0)}
}

func innerOnly(s *IterSum, extent tir.Expr) *divided {
	return &divided{outer: emptySum(extent), outerExtent: one(extent), inner: s, innerExtent: extent, kind: allInner}
}

func outerOnly(s *IterSum, extent tir.Expr) *divided {
	return &divided{outer: s, outerExtent: extent, inner: emptySum(extent), innerExtent: one(extent), kind: allOuter}
}

// asSplit returns the sum as one split.
func asSplit(s *IterSum, extent tir.Expr) *IterSplit {
	if len(s.Args) == 1 && isCst(s.Base, 0) {
		return s.Args[0]
	}
	return splitOf(&IterMark{Sum: s, Extent: extent})
}

// sum divides a sum, which is a mark of that extent; nil if it can't be.
func (dv *divider) sum(s *IterSum, extent tir.Expr) *divided {
	if len(s.Args) == 0 {
		return &divided{outer: emptySum(s.Base), outerExtent: one(s.Base), inner: &IterSum{Base: s.Base}, innerExtent: one(s.Base)}
	}
	if len(s.Args) == 1 {
		if !isCst(s.Args[0].Scale, 1) {
			return nil
		}
		r := dv.split(s.Args[0])
		if r == nil || isCst(s.Base, 0) {
			return r
		}
		out := *r
		out.inner = &IterSum{Args: r.inner.Args, Base: tir.Add(r.inner.Base, s.Base)}
		return &out
	}
	// Outer terms must come first, inner ones after them.
	var outer, inner []*IterSplit // innermost first
	total := one(s.Base)
	unit := false
	for i := len(s.Args) - 1; i >= 0; i-- {
		t := s.Args[i]
		unit = unit || isCst(t.Scale, 1)
		r := dv.split(t)
		switch {
		case r == nil || r.kind == mixed || r.kind == allInner && len(outer) > 0:
			return nil
		case r.kind == allInner:
			t = asSplit(r.inner, r.innerExtent)
			inner = append(inner, t)
		default:
			t = asSplit(r.outer, r.outerExtent)
			outer = append(outer, t)
		}
		total = tir.Mul(total, t.Extent)
	}
	if !unit {
		return nil
	}
	outerMark := packMark(outer, tir.Const(s.Base.DType(), 0))
	innerMark := packMark(inner, s.Base)
	if dv.a.CanProveEqual(total, extent) {
		return &divided{outer: outerMark.Sum, outerExtent: outerMark.Extent, inner: innerMark.Sum, innerExtent: innerMark.Extent}
	}
	// A predicate cuts the mark short: then all of it must lie on one side.
	switch {
	case isCst(extent, 0): // a binding itself: its extent is what its terms make it
		return &divided{outer: outerMark.Sum, outerExtent: outerMark.Extent, inner: innerMark.Sum, innerExtent: innerMark.Extent}
	case len(inner) == 0:
		dv.outerPred = tir.And(dv.outerPred, tir.LT(outerMark.Sum.expr(dv.a), extent))
		return outerOnly(outerMark.Sum, extent)
	case len(outer) == 0:
		dv.innerPred = tir.And(dv.innerPred, tir.LT(innerMark.Sum.expr(dv.a), extent))
		return innerOnly(innerMark.Sum, extent)
	}
	return nil
}

// packMark makes an iterator of digits, innermost first.
func packMark(args []*IterSplit, base tir.Expr) *IterMark {
	extent := one(base)
	packed := make([]*IterSplit, len(args))
	for i, t := range args {
		u := *t
		u.Scale = extent
		extent = tir.Mul(extent, t.Extent)
		packed[i] = &u
	}
	return &IterMark{Sum: &IterSum{Args: reverseSplits(packed), Base: base}, Extent: extent}
}

// split divides a split; all splits of its mark are divided at once.
func (dv *divider) split(t *IterSplit) *divided {
	if r, ok := dv.done[t]; ok {
		return r
	}
	splits := dv.splits[t.Source]
	if t.Source.Sum == nil {
		inner := UsesVar(t.Source.Expr, func(v *tir.Var) bool { return dv.sub[v] })
		for _, u := range splits {
			if inner {
				dv.done[u] = innerOnly(singleSum(u), u.Extent)
			} else {
				dv.done[u] = outerOnly(singleSum(u), u.Extent)
			}
		}
		return dv.done[t]
	}
	m := dv.sum(t.Source.Sum, t.Source.Extent)
	if m == nil || len(splits) == 1 {
		return m
	}
	// The splits must have a boundary where the inner part of the mark ends.
	outerMark := &IterMark{Sum: m.outer, Extent: m.outerExtent}
	innerMark := &IterMark{Sum: m.inner, Extent: m.innerExtent}
	boundary := m.kind == allOuter
	used := make([]bool, len(splits))
	var inner, outer []*IterSplit
	expected := one(t.Source.Extent)
	for range splits {
		j := 0
		for ; j < len(splits); j++ {
			if !used[j] && dv.a.CanProveEqual(splits[j].LowerFactor, expected) {
				break
			}
		}
		if j == len(splits) {
			return nil
		}
		used[j] = true
		if boundary {
			outer = append(outer, splits[j])
		} else {
			inner = append(inner, splits[j])
		}
		expected = tir.Mul(expected, splits[j].Extent)
		boundary = boundary || dv.a.CanProveEqual(expected, m.innerExtent)
	}
	if !boundary {
		return nil
	}
	for _, u := range inner {
		v := *u
		v.Source = innerMark
		dv.done[u] = innerOnly(singleSum(&v), u.Extent)
	}
	for _, u := range outer {
		v := *u
		v.Source = outerMark
		v.LowerFactor = dv.a.Simplify(tir.FloorDiv(u.LowerFactor, outer[0].LowerFactor))
		dv.done[u] = outerOnly(singleSum(&v), u.Extent)
	}
	return dv.done[t]
}
