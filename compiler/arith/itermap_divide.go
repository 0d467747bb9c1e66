package arith

import "github.com/irscope/irscope/compiler/tir"

// Subspace division takes a block bound to loops apart into an outer block over some of the loops and an
// inner block over the rest, as blockize and tensorize need: each index must read outer*extent + inner,
// where only inner uses the loops of the subspace.
//
//	i*4 + j over j:         outer i, inner j in [0, 4)
//	(i*4 + j) // 2 over j:  outer i, inner j // 2 in [0, 2)
//	j*4 + i over j:         none: what varies slowest is in the subspace
//
// The indices are first written as an iteration map (see itermap.go); then each mark is divided once. A
// mark over loops of both kinds must be a number whose leading digits are all outer and whose trailing
// ones are all inner, and a digit taken of such a mark must lie on one side of the boundary. After
// SubspaceDivide of TVM's src/arith/iter_affine_map.cc.

// Division is an index written as Outer * Inner.Extent + Inner, where only Inner uses the
// iterators of the subspace.
type Division struct{ Outer, Inner *IterMark }

// SubspaceDivide divides bindings over iters into the part of the iterators in sub and the
// part of the others: one Division for each binding, and the predicates on the outer and
// the inner iterators that replace predicate. It returns nil if a binding or a bound of the
// predicate mixes the two.
func SubspaceDivide(bindings []tir.Expr, iters map[*tir.Var]*tir.Range, sub map[*tir.Var]bool, predicate tir.Expr, level IterMapLevel, a *Analyzer, simplifyTrivial bool) (divisions []Division, outerPred, innerPred tir.Expr) {
	sums := DetectIterMap(bindings, iters, predicate, level, a, simplifyTrivial).Indices
	if len(sums) != len(bindings) || len(sums) == 0 {
		return nil, nil, nil
	}
	dv := &divider{a: a, sub: sub, done: map[*IterMark]*divided{}}
	for _, s := range sums {
		r := dv.binding(s)
		if r == nil {
			return nil, nil, nil
		}
		divisions = append(divisions, r.Division)
	}
	outerPred, innerPred = tir.Bool(true), tir.Bool(true)
	for _, c := range tir.Conjuncts(nil, predicate) {
		switch {
		case !UsesVar(c, func(v *tir.Var) bool { return sub[v] }):
			outerPred = tir.And(outerPred, c)
		case !UsesVar(c, func(v *tir.Var) bool { return iters[v] != nil && !sub[v] }):
			innerPred = tir.And(innerPred, c)
		default:
			return nil, nil, nil
		}
	}
	return divisions, outerPred, innerPred
}

type side uint8

const (
	mixed side = iota
	allInner
	allOuter
)

// divided is a mark or a split, and on which side it is.
type divided struct {
	Division
	kind side
}

type divider struct {
	a    *Analyzer
	sub  map[*tir.Var]bool
	done map[*IterMark]*divided // of marks that mix the sides; nil for those that cannot be divided
}

// unit is the iterator that only is 0.
func unit(like tir.Expr) *IterMark {
	return &IterMark{Sum: &IterSum{Base: tir.Const(like.DType(), 0)}, Extent: one(like)}
}

// digit is all of the values of a split with scale 1.
func digit(t *IterSplit) *IterMark {
	u := *t
	u.Scale = one(t.Extent)
	return &IterMark{Sum: &IterSum{Args: []*IterSplit{&u}, Base: tir.Const(t.Extent.DType(), 0)}, Extent: t.Extent}
}

func innerOnly(m *IterMark) *divided {
	return &divided{Division{Outer: unit(m.Extent), Inner: m}, allInner}
}

func outerOnly(m *IterMark) *divided {
	return &divided{Division{Outer: m, Inner: unit(m.Extent)}, allOuter}
}

// asSplit returns the mark as one split.
func asSplit(m *IterMark) *IterSplit {
	if len(m.Sum.Args) == 1 {
		return m.Sum.Args[0]
	}
	return splitOf(m)
}

// binding divides an index; its base stays with the inner part.
func (dv *divider) binding(s *IterSum) *divided {
	r := innerOnly(unit(s.Base))
	if len(s.Args) > 0 {
		if !isCst(s.Args[0].Scale, 1) {
			return nil
		}
		if r = dv.split(s.Args[0]); r == nil {
			return nil
		}
	}
	inner := *r.Inner
	inner.Sum = &IterSum{Args: inner.Sum.Args, Base: tir.Add(inner.Sum.Base, s.Base)}
	return &divided{Division{r.Outer, &inner}, r.kind}
}

// sideOf tells on which side all inputs of a mark are.
func (dv *divider) sideOf(m *IterMark) side {
	if m.Sum == nil {
		if UsesVar(m.Expr, func(v *tir.Var) bool { return dv.sub[v] }) {
			return allInner
		}
		return allOuter
	}
	kind := dv.sideOf(m.Sum.Args[0].Source)
	for _, t := range m.Sum.Args[1:] {
		if dv.sideOf(t.Source) != kind {
			return mixed
		}
	}
	return kind
}

// split divides a split without its scale; nil if it can't be.
func (dv *divider) split(t *IterSplit) *divided {
	switch dv.sideOf(t.Source) {
	case allInner:
		return innerOnly(digit(t))
	case allOuter:
		return outerOnly(digit(t))
	}
	m, ok := dv.done[t.Source]
	if !ok {
		m = dv.mark(t.Source)
		dv.done[t.Source] = m
	}
	if m == nil || isCst(t.LowerFactor, 1) && dv.a.CanProveEqual(t.Extent, t.Source.Extent) {
		return m
	}
	// The split must not cross the boundary where the inner part of the mark ends.
	u := *t
	switch boundary := m.Inner.Extent; {
	case canProveDivisible(dv.a, boundary, tir.Mul(t.LowerFactor, t.Extent)):
		u.Source = m.Inner
		return innerOnly(digit(&u))
	case canProveDivisible(dv.a, t.LowerFactor, boundary):
		u.Source = m.Outer
		u.LowerFactor = dv.a.Simplify(tir.FloorDiv(t.LowerFactor, boundary))
		return outerOnly(digit(&u))
	}
	return nil
}

// mark divides a mark with inputs of both sides: its terms must be digits, the outer ones
// first and the inner ones after them.
func (dv *divider) mark(m *IterMark) *divided {
	var outer, inner []*IterSplit // innermost first
	total := one(m.Extent)
	for i := len(m.Sum.Args) - 1; i >= 0; i-- {
		t := m.Sum.Args[i]
		r := dv.split(t)
		if r == nil || !isCst(m.Sum.Base, 0) || !dv.a.CanProveEqual(t.Scale, total) {
			return nil
		}
		total = tir.Mul(total, t.Extent)
		switch {
		case r.kind == allOuter:
			outer = append(outer, asSplit(r.Outer))
		case r.kind == allInner && len(outer) == 0:
			inner = append(inner, asSplit(r.Inner))
		default:
			return nil
		}
	}
	if !dv.a.CanProveEqual(total, m.Extent) {
		return nil // a predicate cuts it short
	}
	return &divided{Division{Outer: packMark(outer, m.Sum.Base), Inner: packMark(inner, m.Sum.Base)}, mixed}
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
