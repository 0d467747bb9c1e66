package arith

import "github.com/irscope/irscope/compiler/tir"

// both applies f where neither is nil (unbounded).
func both(x, y tir.Expr, f func(x, y tir.Expr) tir.Expr) tir.Expr {
	if x == nil || y == nil {
		return nil
	}
	return f(x, y)
}

// combine is the set of x op y for x in one set and y in the other; it may be larger.
func combine(a *Analyzer, e *tir.Binary, x, y IntSet) IntSet {
	if x.IsPoint() && y.IsPoint() {
		return Point(tir.BinaryExpr(e.Op, x.Min, y.Min))
	}
	if e.Op >= tir.OpEQ {
		d := e.DType()
		return Interval(tir.Const(d, 0), tir.Const(d, 1))
	}
	if x.Empty {
		return x
	}
	if y.Empty {
		return y
	}
	switch e.Op {
	case tir.OpAdd:
		return Interval(both(x.Min, y.Min, tir.Add), both(x.Max, y.Max, tir.Add))
	case tir.OpSub:
		return Interval(both(x.Min, y.Max, tir.Sub), both(x.Max, y.Min, tir.Sub))
	case tir.OpMin:
		out := Interval(both(x.Min, y.Min, tir.Min), both(x.Max, y.Max, tir.Min))
		if out.Max == nil { // bounded by either
			out.Max = firstOf(x.Max, y.Max)
		}
		return out
	case tir.OpMax:
		out := Interval(both(x.Min, y.Min, tir.Max), both(x.Max, y.Max, tir.Max))
		if out.Min == nil {
			out.Min = firstOf(x.Min, y.Min)
		}
		return out
	case tir.OpMul:
		if x.IsPoint() {
			x, y = y, x
		}
		return scaleSet(a, e.Op, x, y)
	case tir.OpDiv, tir.OpFloorDiv:
		if y.IsPoint() && isCst(y.Min, 0) {
			return Everything()
		}
		return scaleSet(a, e.Op, x, y)
	case tir.OpMod, tir.OpFloorMod:
		return modSet(a, e, x, y)
	}
	return Everything()
}

func firstOf(x, y tir.Expr) tir.Expr {
	if x != nil {
		return x
	}
	return y
}

// scaleSet multiplies or divides x by the point y; the sign of y decides which end is which.
func scaleSet(a *Analyzer, op tir.BinaryOp, x, y IntSet) IntSet {
	if !y.IsPoint() {
		return scaleConst(a, op, x, y)
	}
	c := y.Min
	if op == tir.OpMul && isCst(c, 0) {
		return y
	}
	if isCst(c, 1) {
		return x
	}
	f := func(x, y tir.Expr) tir.Expr { return tir.BinaryExpr(op, x, y) }
	lo, hi := both(x.Min, c, f), both(x.Max, c, f)
	switch {
	case a.CanProveGreaterEqual(c, 0):
		return Interval(lo, hi)
	case a.CanProveLess(c, 0):
		return Interval(hi, lo)
	case lo != nil && hi != nil:
		up := tir.GE(c, tir.Const(c.DType(), 0))
		return Interval(&tir.Select{Cond: up, True: lo, False: hi}, &tir.Select{Cond: up, True: hi, False: lo})
	}
	return Everything()
}

// scaleConst multiplies or divides sets of which the ends have constant bounds.
func scaleConst(a *Analyzer, op tir.BinaryOp, x, y IntSet) IntSet {
	bx, by := unlimited(x.ConstBound(a), x), unlimited(y.ConstBound(a), y)
	var b Bound
	switch op {
	case tir.OpMul:
		b = corners(bx, by, infMul)
	case tir.OpDiv:
		b = divBound(bx, by, infDiv)
	default:
		b = divBound(bx, by, infFloorDiv)
	}
	like := firstOf(firstOf(x.Min, x.Max), firstOf(y.Min, y.Max))
	if like == nil {
		return Everything()
	}
	// Ends near the width of the type are no knowledge, and computing with them would wrap.
	var out IntSet
	all := DTypeBound(like.DType())
	if b.Min > all.Min>>7 {
		out.Min = tir.Const(like.DType(), b.Min)
	}
	if b.Max < all.Max>>7 {
		out.Max = tir.Const(like.DType(), b.Max)
	}
	return out
}

// unlimited replaces ends of b that are no more than the width of the type of s.
func unlimited(b Bound, s IntSet) Bound {
	e := firstOf(s.Min, s.Max)
	if e == nil {
		return b
	}
	all := DTypeBound(e.DType())
	if b.Min <= all.Min {
		b.Min = NegInf
	}
	if b.Max >= all.Max {
		b.Max = PosInf
	}
	return b
}

// modSet is the set of remainders by the point y.
func modSet(a *Analyzer, e *tir.Binary, x, y IntSet) IntSet {
	if !y.IsPoint() || isCst(y.Min, 0) {
		return Everything()
	}
	div := y.Min
	d := div.DType()
	zero := tir.Const(d, 0)
	if !a.CanProveGreaterEqual(div, 0) {
		limit := tir.Sub(tir.Max(div, tir.Sub(zero, div)), tir.Const(d, 1))
		return Interval(tir.Sub(zero, limit), limit)
	}
	last := tir.Sub(div, tir.Const(d, 1))
	if e.Op == tir.OpMod && !(x.Min != nil && a.CanProveGreaterEqual(x.Min, 0)) {
		return Interval(tir.Sub(zero, last), last)
	}
	c, isConst := cst(div)
	if !isConst {
		return Interval(zero, last)
	}
	if x.Min != nil && x.Max != nil {
		// All in one period: x % c is x minus the start of the period.
		q := tir.FloorDiv(x.Min, div)
		if a.CanProveEqual(q, tir.FloorDiv(x.Max, div)) {
			start := tir.Mul(div, q)
			return Interval(tir.Sub(x.Min, start), tir.Sub(x.Max, start))
		}
	}
	if m := a.ModularSet(e.A); GCD(m.Coeff, c) > 1 {
		g := GCD(m.Coeff, c)
		base := floorModInt(m.Base, g)
		return Interval(tir.Const(d, base), tir.Const(d, c-g+base))
	}
	return Interval(zero, last)
}
