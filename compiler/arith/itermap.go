package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// An iteration map writes indices over loop variables as sums of splits, where a split is a digit of an
// iterator in a mixed radix: source // lower % extent * scale. Loop transformations need it to answer
// whether a block visits each point once (a bijection), to invert index arithmetic, and to divide a
// nest of loops into an outer and an inner part.
//
//	i in [0, 16), index 0: i // 4, index 1: i % 4     two digits of i that cover it: bijective
//	i, j in [0, 4), index: i*4 + j                    a fused iterator in [0, 16): bijective
//	i, j in [0, 4), index: i*3 + j                    overlapping digits: no iteration map
//
// Detection has three steps. mutate (itermap_visit.go) rewrites an index bottom up to a sum of splits,
// pushing // and % into the splits and padding where a divisor does not fit (itermap_pad.go). fuse
// (itermap_fuse.go) sorts the terms of a sum by scale and checks that each scale is the product of the
// extents below it, as the places of a number are: then the sum counts without gaps and is one iterator.
// checkMapping (itermap_check.go) checks that the digits used of each iterator do not overlap, and for a
// bijection that they cover it.
//
// Invariant: a mark has the values 0 to Extent-1, each of them taken. Bounds of the predicate become
// marks of smaller extent before any index is looked at, smaller constraints first.
//
// Cost: quadratic in the terms of a sum, times a proof for each comparison of scales. The design is that
// of TVM's src/arith/iter_affine_map.cc; names, levels and the order of checks are the same, since
// schedules observe them.

// IterMark is an iterator in [0, Extent): an input variable (Var), an expression of one
// (Expr), or a sum of splits (Sum). Marks are equal only to themselves.
type IterMark struct {
	Var    *tir.Var
	Expr   tir.Expr // the iterator as an expression, where it is no sum
	Sum    *IterSum
	Extent tir.Expr
}

// IterSplit is Source // LowerFactor % Extent * Scale.
type IterSplit struct {
	Source                     *IterMark
	LowerFactor, Extent, Scale tir.Expr
}

// IterSum is the sum of Args, outermost first, and Base.
type IterSum struct {
	Args []*IterSplit
	Base tir.Expr
}

// IterMapLevel says what an iteration map must fulfil.
type IterMapLevel uint8

// The levels, with TVM's names.
const (
	Bijective  IterMapLevel = iota // every input point maps to one output point and back
	Surjective                     // every output point is reached
	NoCheck                        // the pattern is all that matters
)

// IterMapResult is what DetectIterMap finds. Indices is empty if the indices are no map of
// the level; Errors then says why.
type IterMapResult struct {
	Indices []*IterSum
	Errors  []string
}

// DType returns the type of the iterator.
func (m *IterMark) DType() dtype.DType { return m.Extent.DType() }

func splitOf(m *IterMark) *IterSplit {
	u := tir.Const(m.DType(), 1)
	return &IterSplit{Source: m, LowerFactor: u, Extent: m.Extent, Scale: u}
}

// DetectIterMap writes indices as independent sums of splits of the input iterators, where
// predicate (nil is true) bounds the input points. Iterators of extent 1 become constants
// with simplifyTrivial.
func DetectIterMap(indices []tir.Expr, iters map[*tir.Var]*tir.Range, predicate tir.Expr, level IterMapLevel, a *Analyzer, simplifyTrivial bool) IterMapResult {
	var res IterMapResult
	if !independentRanges(iters) {
		res.Errors = append(res.Errors, "the range of an iterator depends on another iterator")
		return res
	}
	constrained := iters
	var constraints []iterConstraint
	if !tir.IsTrue(predicate) {
		var ok bool
		constrained, constraints, ok = matchConstraints(predicate, iters, a)
		if !ok {
			res.Errors = append(res.Errors, "the predicate is not a conjunction of bounds on the iterators")
			return res
		}
		slices.SortStableFunc(constraints, func(x, y iterConstraint) int { return x.size - y.size })
	}
	r := newIterRewriter(a, constrained, level, simplifyTrivial)
	for _, c := range constraints {
		r.constrain(c)
		if len(r.errors) > 0 {
			res.Errors = r.errors
			return res
		}
	}
	var sums []*IterSum
	for _, e := range indices {
		sums = append(sums, r.rewrite(e))
		if len(r.errors) > 0 {
			res.Errors = r.errors
			return res
		}
	}
	if !r.checkMapping(sums, level) {
		res.Errors = append(r.errors, "the indices are not independent, or do not cover the iterators")
		return res
	}
	res.Indices = sums
	return res
}

// independentRanges reports whether no range uses another iterator.
func independentRanges(iters map[*tir.Var]*tir.Range) bool {
	isIter := func(v *tir.Var) bool { _, ok := iters[v]; return ok }
	for _, r := range iters {
		if UsesVar(r.Min, isIter) || UsesVar(r.Extent, isIter) {
			return false
		}
	}
	return true
}

// iterConstraint bounds an expression of iterators: lower <= iter < upper; nil is no bound.
type iterConstraint struct {
	iter, lower, upper tir.Expr
	size               int
}

// matchConstraints splits a predicate into bounds. Bounds of one iterator narrow its range.
func matchConstraints(pred tir.Expr, iters map[*tir.Var]*tir.Range, a *Analyzer) (map[*tir.Var]*tir.Range, []iterConstraint, bool) {
	isIter := func(v *tir.Var) bool { _, ok := iters[v]; return ok }
	out := make(map[*tir.Var]*tir.Range, len(iters))
	for v, r := range iters {
		out[v] = r
	}
	var constraints []iterConstraint
	ok := true
	conjuncts(pred, func(e tir.Expr) {
		if l, isLikely := tir.IsCallTo(e, tir.OpLikely); isLikely {
			e = l.Args[0]
		}
		if isCst(e, 1) {
			return
		}
		b := bin(e)
		if b.Op < tir.OpLT || b.Op > tir.OpGE || !operandType(b).IsInteger() {
			ok = false
			return
		}
		lhs, rhs, op := b.A, b.B, b.Op
		inL, inR := UsesVar(lhs, isIter), UsesVar(rhs, isIter)
		switch {
		case !inL && !inR:
			return
		case inL && inR: // collect what is free of iterators on the right
			var left, right tir.Expr = tir.Const(lhs.DType(), 0), tir.Const(lhs.DType(), 0)
			unpackSum(tir.Sub(lhs, rhs), 1, func(part tir.Expr, sign int64) {
				part = tir.Mul(part, tir.Const(part.DType(), sign))
				if UsesVar(part, isIter) {
					left = tir.Add(left, part)
				} else {
					right = tir.Sub(right, part)
				}
			})
			lhs, rhs = a.Simplify(left), a.Simplify(right)
		case inR:
			lhs, rhs, op = rhs, lhs, mirror(op)
		}
		c := iterConstraint{iter: lhs}
		switch op {
		case tir.OpLT:
			c.upper = rhs
		case tir.OpLE:
			c.upper = tir.Add(rhs, one(rhs))
		case tir.OpGE:
			c.lower = rhs
		case tir.OpGT:
			c.lower = tir.Add(rhs, one(rhs))
		}
		v, _ := lhs.(*tir.Var)
		if r := out[v]; r != nil {
			lo, hi := r.Min, tir.Add(r.Min, r.Extent)
			if c.lower != nil {
				lo = tir.Max(lo, c.lower)
			}
			if c.upper != nil {
				hi = tir.Min(hi, c.upper)
			}
			out[v] = &tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(hi, lo))}
			return
		}
		ir.Walk(lhs, func(ir.Node) bool { c.size++; return true })
		constraints = append(constraints, c)
	})
	return out, constraints, ok
}

// NormalizeToIterSum writes index as a sum of splits as far as it is one; what is not stays
// in the base. Terms are ordered by falling constant factor of their scale, then by the
// number of symbols in it.
func NormalizeToIterSum(index tir.Expr, iters map[*tir.Var]*tir.Range, a *Analyzer) *IterSum {
	r := newIterRewriter(a, iters, NoCheck, true)
	s := r.mutate(index).asSum()
	if c := r.combineSameSource(s); c != nil {
		s = c
	}
	type item struct {
		split   *IterSplit
		scale   int64
		symbols int
	}
	items := make([]item, len(s.Args))
	for i, arg := range s.Args {
		it := item{scale: 1}
		d := arg.Scale.DType()
		var rest tir.Expr = tir.Const(d, 1)
		unpackProduct(arg.Scale, func(f tir.Expr) {
			if c, ok := cst(f); ok {
				it.scale *= c
			} else {
				rest = tir.Mul(rest, f)
				it.symbols++
			}
		})
		split := *arg
		split.Scale = mulC(d, rest, it.scale)
		it.split = &split
		items[i] = it
	}
	slices.SortStableFunc(items, func(x, y item) int {
		if x.scale != y.scale {
			return descending(x.scale, y.scale)
		}
		return y.symbols - x.symbols
	})
	out := &IterSum{Base: s.Base}
	for _, it := range items {
		out.Args = append(out.Args, it.split)
	}
	return out
}
