package arith

import "github.com/irscope/irscope/compiler/tir"

// The rules and.nest, or.nest, not.and and not.or bring conditions into a normal form bottom up, one operation at a
// time, each time all of what is below: a chain of n conditions to the right, or under n negations, takes n² steps. In
// long ones the same is done before the parts are simplified, top down.

// manyNested is from how many operations on a chain to the right is nested to the left at once.
const manyNested = 4

// leftNested returns x && (y && (z && ...)) as ((x && y) && z) && ..., with || likewise, if it is long.
func (s *simplifier) leftNested(e *tir.Binary) *tir.Binary {
	rule := "and.nest"
	switch e.Op {
	case tir.OpAnd:
	case tir.OpOr:
		rule = "or.nest"
	default:
		return e
	}
	n := 0
	for b := bin(e.B); b.Op == e.Op; b = bin(b.B) {
		n++
	}
	if n < manyNested {
		return e
	}
	out, rest := e.A, e.B
	for b := bin(rest); b.Op == e.Op; b = bin(rest) {
		out = tir.BinaryAt(b.Base, e.Op, out, b.A)
		rest = b.B
	}
	nested := tir.BinaryAt(e.Base, e.Op, out, rest)
	s.a.rewrote(rule, e, nested)
	return nested
}

// maxPulled bounds the nodes of a condition that is simplified before it is negated.
const maxPulled = 24

// pushNot returns the negation of a large && or || as one of negations; nil for other ones.
func (s *simplifier) pushNot(e *tir.Not) tir.Expr {
	b := bin(e.A)
	if b.Op != tir.OpAnd && b.Op != tir.OpOr || !LargerThan(b, maxPulled) {
		return nil
	}
	op, rule := tir.OpOr, "not.and"
	if b.Op == tir.OpOr {
		op, rule = tir.OpAnd, "not.or"
	}
	negated := func(x tir.Expr) tir.Expr {
		if n, ok := x.(*tir.Not); ok {
			return n.A
		}
		return &tir.Not{A: x}
	}
	out := tir.BinaryAt(e.Base, op, negated(b.A), negated(b.B))
	s.a.rewrote(rule, e, out)
	return out
}
