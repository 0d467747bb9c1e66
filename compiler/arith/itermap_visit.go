package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// iterVal is an expression in the course of detection: a split, a sum, or anything without
// iterators.
type iterVal struct {
	split *IterSplit
	sum   *IterSum
	e     tir.Expr
}

func (v iterVal) plain() bool { return v.e != nil }

func (v iterVal) asSum() *IterSum {
	switch {
	case v.sum != nil:
		return v.sum
	case v.split != nil:
		return &IterSum{Args: []*IterSplit{v.split}, Base: tir.Const(v.split.Scale.DType(), 0)}
	}
	return &IterSum{Base: v.e}
}

// iterRewriter rewrites index expressions to sums of splits.
type iterRewriter struct {
	a      *Analyzer
	level  IterMapLevel
	vars   map[*tir.Var]iterVal
	inputs []*IterMark
	errors []string

	fused       []*fusedIter
	derived     []*IterMark             // marks of splits
	shifted     []*IterMark             // marks plus a base
	origin      map[*IterMark]*IterMark // of shifted marks
	constrained []*IterSum              // flattened forms of the constraints, small ones first
	pads        *padding                // where iterators may be widened
}

// fusedIter is a sum that is one iterator: its terms are the digits of mark, where offset is
// the least value.
type fusedIter struct {
	flat    *IterSum // with constraints taken apart
	mark    *IterMark
	offset  tir.Expr
	bounded bool // by the predicate
}

func newIterRewriter(a *Analyzer, iters map[*tir.Var]*tir.Range, level IterMapLevel, trivial bool) *iterRewriter {
	r := &iterRewriter{a: a, level: level, vars: make(map[*tir.Var]iterVal, len(iters)), origin: map[*IterMark]*IterMark{}}
	for v, dom := range iters {
		switch {
		case trivial && isCst(dom.Extent, 1):
			r.vars[v] = iterVal{sum: &IterSum{Base: dom.Min}}
		case isCst(dom.Min, 0):
			m := &IterMark{Var: v, Expr: v, Extent: dom.Extent}
			r.vars[v] = iterVal{split: splitOf(m)}
			r.inputs = append(r.inputs, m)
		default:
			m := &IterMark{Expr: tir.Sub(v, dom.Min), Extent: dom.Extent}
			r.vars[v] = iterVal{sum: &IterSum{Args: []*IterSplit{splitOf(m)}, Base: dom.Min}}
			r.inputs = append(r.inputs, m)
		}
	}
	return r
}

func (r *iterRewriter) fail(msg string) { r.errors = append(r.errors, msg) }

// rewrite returns e as an iterator plus an offset.
func (r *iterRewriter) rewrite(e tir.Expr) *IterSum {
	s := r.mutate(e).asSum()
	if len(s.Args) == 0 {
		return s
	}
	if out := r.fuse(s, true); out != nil {
		return out
	}
	r.fail("an index is not a single fused iterator")
	return s
}

// mutate writes e in terms of splits; it fails where e is none but uses iterators.
func (r *iterRewriter) mutate(e tir.Expr) iterVal {
	if v, ok := e.(*tir.Var); ok {
		if val, ok := r.vars[v]; ok {
			return val
		}
		return iterVal{e: e}
	}
	if b, ok := e.(*tir.Binary); ok && b.Op <= tir.OpFloorMod && b.Op != tir.OpDiv && b.Op != tir.OpMod {
		if d := operandType(b); isIndex(d) {
			return r.mutateBinary(b, d)
		}
	}
	if r.usesIterator(e) {
		r.fail("an iterator is used in an operation other than +, -, *, // and %")
	}
	return iterVal{e: e}
}

func (r *iterRewriter) usesIterator(e tir.Expr) bool {
	return UsesVar(e, func(v *tir.Var) bool { _, ok := r.vars[v]; return ok })
}

func (r *iterRewriter) mutateBinary(b *tir.Binary, d dtype.DType) iterVal {
	x, y := r.mutate(b.A), r.mutate(b.B)
	if x.plain() && y.plain() {
		if e := fold(b.Op, x.e, y.e); e != nil { // 0 * 64, which is left where a loop of one iteration was
			return iterVal{e: e}
		}
		if x.e == b.A && y.e == b.B {
			return iterVal{e: b}
		}
		return iterVal{e: mk(b.Op, x.e, y.e)}
	}
	switch b.Op {
	case tir.OpAdd, tir.OpSub:
		left, right := x.asSum(), y.asSum()
		out := &IterSum{Args: slices.Clone(left.Args), Base: mk(b.Op, left.Base, right.Base)}
		for _, t := range right.Args {
			r.addSplit(out, t, b.Op, d)
		}
		return iterVal{sum: out}
	case tir.OpMul:
		if !x.plain() && !y.plain() {
			r.fail("the product of two iterators is not an iterator map")
			return iterVal{e: b}
		}
		if x.plain() {
			x, y = y, x
		}
		if isCst(y.e, 0) {
			return y
		}
		if r.usesIterator(y.e) { // which mutate has failed on: it is no scale
			return iterVal{e: b}
		}
		if x.split != nil {
			t := *x.split
			t.Scale = tir.Mul(t.Scale, y.e)
			return iterVal{split: &t}
		}
		out := &IterSum{Base: tir.Mul(x.sum.Base, y.e)}
		for _, arg := range x.sum.Args {
			t := *arg
			t.Scale = tir.Mul(t.Scale, y.e)
			out.Args = append(out.Args, &t)
		}
		return iterVal{sum: out}
	}
	return r.mutateDivMod(b, x, y, d)
}

// addSplit adds (or, for OpSub, subtracts) t to s, joining it with an equal term.
func (r *iterRewriter) addSplit(s *IterSum, t *IterSplit, op tir.BinaryOp, d dtype.DType) {
	for i, u := range s.Args {
		if u.Source == t.Source && Equal(u.LowerFactor, t.LowerFactor) && Equal(u.Extent, t.Extent) {
			joined := *u
			joined.Scale = mk(op, u.Scale, t.Scale)
			if r.a.CanProveEqual(joined.Scale, tir.Const(d, 0)) {
				s.Args = slices.Delete(s.Args, i, i+1)
			} else {
				s.Args[i] = &joined
			}
			return
		}
	}
	if op == tir.OpSub {
		neg := *t
		neg.Scale = tir.Sub(tir.Const(t.Scale.DType(), 0), t.Scale)
		t = &neg
	}
	s.Args = append(s.Args, t)
}

func (r *iterRewriter) mutateDivMod(b *tir.Binary, x, y iterVal, d dtype.DType) iterVal {
	if !y.plain() || r.usesIterator(y.e) {
		r.fail("an iterator is used as a divisor")
		return iterVal{e: b}
	}
	s := x.asSum()
	if len(s.Args) == 0 {
		return iterVal{sum: &IterSum{Base: mk(b.Op, s.Base, y.e)}}
	}
	if len(s.Args) > 1 {
		if s = r.fuse(s, true); s == nil || len(s.Args) != 1 {
			r.fail("a dividend is not a single fused iterator")
			return iterVal{e: b}
		}
	}
	var out iterVal
	var ok bool
	if b.Op == tir.OpFloorDiv {
		out, ok = r.splitFloorDiv(s.Args[0], s.Base, y.e, d)
	} else {
		out, ok = r.splitFloorMod(s.Args[0], s.Base, y.e, d)
	}
	if !ok {
		return iterVal{e: b}
	}
	return out
}

// divisible reports whether y certainly divides x.
func (r *iterRewriter) divisible(x, y tir.Expr) bool { return canProveDivisible(r.a, x, y) }

func canProveDivisible(a *Analyzer, x, y tir.Expr) bool {
	return !isCst(y, 0) && (a.CanProveEqual(x, y) || a.CanProveEqual(tir.FloorMod(x, y), tir.Const(x.DType(), 0)))
}
