package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// maxPairs bounds the comparisons that take the place of those with an eliminated variable.
const maxPairs = 24

// forAll returns a condition without v that holds only where cond holds for all v from lo to hi, either of
// which may be nil. Each clause of a conjunction of disjunctions stands alone. Its negation is a conjunction,
// so that v can be eliminated as Fourier and Motzkin do it: there is no v in between if a lower bound is
// greater than an upper one. Comparisons that do not bound v count as false.
func forAll(a *arith.Analyzer, cond tir.Expr, v *tir.Var, lo, hi tir.Expr) tir.Expr {
	if !uses(cond, v) {
		return cond
	}
	out := tir.Expr(tir.Bool(true))
	for _, clause := range split(nil, cond, tir.OpAnd) {
		out = tir.And(out, clauseForAll(a, clause, v, lo, hi))
	}
	return out
}

func uses(e tir.Expr, v *tir.Var) bool {
	return arith.UsesVar(e, func(x *tir.Var) bool { return x == v })
}

// split appends the operands of a tree of op.
func split(out []tir.Expr, e tir.Expr, op tir.BinaryOp) []tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op == op {
		return split(split(out, b.A, op), b.B, op)
	}
	return append(out, e)
}

func clauseForAll(a *arith.Analyzer, clause tir.Expr, v *tir.Var, lo, hi tir.Expr) tir.Expr {
	if !uses(clause, v) {
		return clause
	}
	b := &between{a: a, v: v}
	if lo != nil {
		b.lower = append(b.lower, lo)
	}
	if hi != nil {
		b.upper = append(b.upper, hi)
	}
	out := tir.Expr(tir.Bool(false))
	var points []*tir.Binary
	for _, atom := range split(nil, clause, tir.OpOr) {
		c, compare := atom.(*tir.Binary)
		switch {
		case !uses(atom, v):
			out = tir.Or(out, atom)
		case compare && c.Op == tir.OpEQ:
			points = append(points, c)
		case compare:
			b.refute(c)
		}
	}
	for range points { // each may move an end on which the next one lies
		for _, c := range points {
			b.refutePoint(c)
		}
	}
	if len(b.lower)*len(b.upper) > maxPairs {
		return out
	}
	for _, l := range b.lower {
		for _, u := range b.upper {
			out = tir.Or(out, tir.GT(l, u))
		}
	}
	return out
}

// between holds bounds of v: v >= lower, v <= upper.
type between struct {
	a            *arith.Analyzer
	v            *tir.Var
	lower, upper []tir.Expr
}

// refute adds what the negation of c, a comparison with v, says of v.
func (b *between) refute(c *tir.Binary) {
	if !c.OperandType().IsInt() {
		return
	}
	switch c.Op { // the negation, as what is at least 0
	case tir.OpLT: // x >= y
		b.bound(tir.Sub(c.A, c.B))
	case tir.OpLE: // x > y
		b.bound(less(tir.Sub(c.A, c.B)))
	case tir.OpGT: // x <= y
		b.bound(tir.Sub(c.B, c.A))
	case tir.OpGE: // x < y
		b.bound(less(tir.Sub(c.B, c.A)))
	case tir.OpNE: // x == y
		b.bound(tir.Sub(c.A, c.B))
		b.bound(tir.Sub(c.B, c.A))
	}
}

func less(e tir.Expr) tir.Expr { return tir.Sub(e, tir.Const(e.DType(), 1)) }

// bound adds the bound that follows for v from e >= 0.
func (b *between) bound(e tir.Expr) {
	coeff, rest, ok := arith.DetectLinearEquation(e, []*tir.Var{b.v})
	if !ok {
		return
	}
	k, ok := tir.AsInt(b.a.Simplify(coeff[0]))
	switch {
	case !ok || k == 0:
	case k > 0: // k*v >= -rest: round up
		b.lower = append(b.lower, b.a.Simplify(tir.Sub(tir.Const(rest.DType(), 0), tir.FloorDiv(rest, tir.Const(rest.DType(), k)))))
	default:
		b.upper = append(b.upper, b.a.Simplify(tir.FloorDiv(rest, tir.Const(rest.DType(), -k))))
	}
}

// refutePoint adds the bound that follows from a bound of v and the negation of c, if c says that v is at the
// bound.
func (b *between) refutePoint(c *tir.Binary) {
	coeff, rest, ok := arith.DetectLinearEquation(tir.Sub(c.A, c.B), []*tir.Var{b.v})
	if !ok || !c.OperandType().IsInt() {
		return
	}
	k, _ := tir.AsInt(b.a.Simplify(coeff[0]))
	if k != 1 && k != -1 {
		return
	}
	at := b.a.Simplify(tir.Mul(rest, tir.Const(rest.DType(), -k)))
	one := tir.Const(at.DType(), 1)
	for i, e := range b.lower {
		if b.a.CanProveEqual(at, e) {
			b.lower[i] = b.a.Simplify(tir.Add(at, one))
		}
	}
	for i, e := range b.upper {
		if b.a.CanProveEqual(at, e) {
			b.upper[i] = b.a.Simplify(tir.Sub(at, one))
		}
	}
}
