package arith

import (
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
	derived     []*IterMark // marks of padded splits
	constrained []*IterSum  // flattened forms of the constraints, small ones first

	collectPadding   bool // first round: find out what to pad
	needsPadding     bool
	padding          map[*IterMark]*padInfo
	paddingOrigin    map[*IterMark]*IterMark
	paddingPredicate tir.Expr
}

// fusedIter is a sum that is one iterator: its terms are the digits of mark, where offset is
// the least value.
type fusedIter struct {
	flat   *IterSum // with constraints taken apart
	mark   *IterMark
	offset tir.Expr
}

func newIterRewriter(a *Analyzer, iters map[*tir.Var]*tir.Range, level IterMapLevel, trivial bool) *iterRewriter {
	r := &iterRewriter{a: a, level: level, vars: make(map[*tir.Var]iterVal, len(iters)), paddingPredicate: tir.Bool(false)}
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
	r.fail("an index is no single fused iterator")
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
	if UsesVar(e, func(v *tir.Var) bool { val, ok := r.vars[v]; return ok && !val.plain() }) {
		r.fail("an iterator is used in an operation other than +, -, *, // and %")
	}
	return iterVal{e: e}
}

func (r *iterRewriter) mutateBinary(b *tir.Binary, d dtype.DType) iterVal {
	x, y := r.mutate(b.A), r.mutate(b.B)
	if x.plain() && y.plain() {
		if x.e == b.A && y.e == b.B {
			return iterVal{e: b}
		}
		return iterVal{e: mk(b.Op, x.e, y.e)}
	}
	switch b.Op {
	case tir.OpAdd, tir.OpSub:
		out := &IterSum{Args: append([]*IterSplit(nil), x.asSum().Args...), Base: x.asSum().Base}
		sign := int64(1)
		if b.Op == tir.OpSub {
			sign = -1
		}
		if !y.plain() {
			for _, t := range y.asSum().Args {
				addSplit(out, t, b.Op, d)
			}
		}
		base := y.asSum().Base
		if sign > 0 {
			out.Base = tir.Add(out.Base, base)
		} else {
			out.Base = tir.Sub(out.Base, base)
		}
		return iterVal{sum: out}
	case tir.OpMul:
		if !x.plain() && !y.plain() {
			r.fail("the product of two iterators is no iterator map")
			return iterVal{e: b}
		}
		if x.plain() {
			x, y = y, x
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
func addSplit(s *IterSum, t *IterSplit, op tir.BinaryOp, d dtype.DType) {
	for i, u := range s.Args {
		if u.Source == t.Source && Equal(u.LowerFactor, t.LowerFactor) && Equal(u.Extent, t.Extent) {
			joined := *u
			joined.Scale = mk(op, u.Scale, t.Scale)
			s.Args[i] = &joined
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
	if !y.plain() {
		r.fail("an iterator is used as a divisor")
		return iterVal{e: b}
	}
	s := x.asSum()
	if len(s.Args) == 0 {
		return iterVal{sum: &IterSum{Base: mk(b.Op, s.Base, y.e)}}
	}
	if len(s.Args) > 1 {
		if s = r.fuse(s, true); s == nil || len(s.Args) != 1 {
			r.fail("a dividend is no single fused iterator")
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
	cy, okY := cst(y)
	if okY && cy == 0 {
		return false
	}
	if cx, ok := cst(x); ok && okY {
		return cx%cy == 0
	}
	if okY && cy == 1 || isCst(x, 0) {
		return true
	}
	return a.CanProveEqual(x, y) || a.CanProveEqual(tir.FloorMod(x, y), tir.Const(x.DType(), 0))
}
