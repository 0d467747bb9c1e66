package arith

import "github.com/irscope/irscope/compiler/tir"

// NarrowPredicateExpression returns a condition without the variables of params, which range over what
// the map says. Where it holds, cond holds for all their values. A comparison takes for each side the
// value of a parameter that makes it hardest to satisfy: i < n, with n in 0..8, becomes i < 0. What is not
// monotonic in a parameter, and what is read from memory, is unknown: a comparison with it is false.
//
// An end of a range must use no parameter. The cost is linear in the size of cond as a tree. After TVM's
// src/arith/narrow_predicate_expression.cc, which takes a product with a negative constant to grow.
func NarrowPredicateExpression(cond tir.Expr, params map[*tir.Var]*tir.Range) tir.Expr {
	n := &narrower{params: params}
	return n.condition(cond, false)
}

// narrower narrows conditions (condition), and bounds the sides of their comparisons (value).
type narrower struct {
	params map[*tir.Var]*tir.Range
	lost   bool // the side of a comparison that is bounded has no bound
}

// condition returns a condition that implies e, or one that e implies if widen is set.
func (n *narrower) condition(e tir.Expr, widen bool) tir.Expr {
	switch e := e.(type) {
	case *tir.IntImm:
		return e
	case *tir.Var:
		if _, free := n.params[e]; !free {
			return e
		}
	case *tir.Not:
		return tir.LogicalNot(n.condition(e.A, !widen))
	case *tir.Call:
		if c, ok := tir.IsCallTo(e, tir.OpLikely); ok {
			return n.condition(c.Args[0], widen)
		}
		if n.fixed(e) {
			return e
		}
	case *tir.Binary:
		switch e.Op {
		case tir.OpAnd, tir.OpOr:
			a, b := n.condition(e.A, widen), n.condition(e.B, widen)
			if a == e.A && b == e.B {
				return e
			}
			return tir.NewBinary(e.Op, a, b)
		case tir.OpLT, tir.OpLE:
			return n.compare(e, e.A, e.B, widen, false)
		case tir.OpGT, tir.OpGE:
			return n.compare(e, e.A, e.B, widen, true)
		case tir.OpEQ, tir.OpNE:
			if n.fixed(e) {
				return e
			}
			if e.OperandType().IsBool() {
				break
			}
			op, join := tir.OpLE, tir.OpAnd
			if e.Op == tir.OpNE {
				op, join = tir.OpLT, tir.OpOr
			}
			x := n.compare(tir.NewBinary(op, e.A, e.B), e.A, e.B, widen, false)
			y := n.compare(tir.NewBinary(op, e.B, e.A), e.B, e.A, widen, false)
			return tir.NewBinary(join, x, y)
		}
	default:
		if n.fixed(e) {
			return e
		}
	}
	return tir.Bool(widen)
}

// compare narrows the comparison e of a with b, which grows with b, or with a if greater is set.
func (n *narrower) compare(e *tir.Binary, a, b tir.Expr, widen, greater bool) tir.Expr {
	n.lost = false
	x, y := n.value(a, widen != greater), n.value(b, widen == greater)
	switch {
	case n.lost:
		return tir.Bool(widen)
	case x == a && y == b:
		return e
	}
	return tir.NewBinary(e.Op, x, y)
}

// value returns the least value that e can have by the parameters, or the greatest; n.lost says that there
// is none.
func (n *narrower) value(e tir.Expr, least bool) tir.Expr {
	if n.lost {
		return e
	}
	switch e := e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm:
		return e
	case *tir.Var:
		r, free := n.params[e]
		switch {
		case free && least:
			return r.Min
		case free:
			return tir.Sub(tir.Add(r.Min, r.Extent), one(r.Min))
		}
		return e
	case *tir.Binary:
		switch e.Op {
		case tir.OpAdd, tir.OpMin, tir.OpMax:
			return n.rebuilt(e, n.value(e.A, least), n.value(e.B, least))
		case tir.OpSub:
			return n.rebuilt(e, n.value(e.A, least), n.value(e.B, !least))
		case tir.OpMul, tir.OpFloorDiv, tir.OpDiv:
			if c, ok := tir.AsInt(e.B); ok && c != 0 {
				return n.rebuilt(e, n.value(e.A, least == (c > 0)), e.B)
			}
			if c, ok := tir.AsInt(e.A); ok && e.Op == tir.OpMul {
				return n.rebuilt(e, e.A, n.value(e.B, least == (c > 0)))
			}
		}
	case *tir.Cast:
		if e.Type.IsInt() && e.Value.DType().IsInt() {
			return e.WithValue(n.value(e.Value, least))
		}
	}
	n.lost = n.lost || !n.fixed(e)
	return e
}

func (n *narrower) rebuilt(e *tir.Binary, a, b tir.Expr) tir.Expr {
	if a == e.A && b == e.B {
		return e
	}
	return tir.NewBinary(e.Op, a, b)
}

// fixed reports whether e has one value whatever the parameters are and memory holds.
func (n *narrower) fixed(e tir.Expr) bool {
	return SideEffect(e) <= tir.Pure && !UsesVar(e, func(v *tir.Var) bool {
		_, free := n.params[v]
		return free
	})
}
