package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// minMaxRules simplifies a min or max of indices; nil if no rule applies. The two are dual:
// comments give the rule for min.
func (s *simplifier) minMaxRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b, op, dual := n.A, n.B, n.Op, flip(n.Op)
	A, B := bin(a), bin(b)
	if Equal(a, b) {
		return a
	}
	ba, bb := s.a.boundOf(a), s.a.boundOf(b)
	if op == tir.OpMax {
		ba, bb = Bound{-ba.Max, -ba.Min}, Bound{-bb.Max, -bb.Min}
	}
	if ba.Max <= bb.Min {
		return a
	}
	if bb.Max <= ba.Min {
		return b
	}
	first := func(x, y int64) bool { return pickInt(op == tir.OpMin, y-x, x-y) > 0 }

	// One side is the other plus a constant.
	x, cx := splitAdd(a)
	y, cy := splitAdd(b)
	if (cx != 0 || cy != 0) && Equal(x, y) {
		return pick(first(cx, cy), a, b)
	}
	if A.Op == tir.OpSub && B.Op == tir.OpSub && Equal(A.B, B.B) {
		c1, ok1 := cst(A.A)
		c2, ok2 := cst(B.A)
		if ok1 && ok2 {
			return pick(first(c1, c2), a, b)
		}
	}
	if e := s.minMaxRound(a, b, A, B, op); e != nil {
		return e
	}
	if e := minMaxAbsorb(a, b, A, B, op, dual); e != nil {
		return e
	}
	if e := minMaxDistribute(A, B, op, dual); e != nil {
		return e
	}

	c2, bConst := cst(b)
	if bConst {
		if x, c1, ok := opConst(a, op); ok {
			return mk(op, x, mk(op, num(d, c1), b))
		}
		if x, c1, _ := opConst(a, tir.OpMul); c1 != 0 && c2%c1 == 0 {
			in := op
			if c1 < 0 {
				in = dual
			}
			return mulC(d, mk(in, x, num(d, c2/c1)), c1)
		}
		if A.Op == tir.OpSub && c2 != 0 {
			if c1, ok := cst(A.A); ok {
				return s.again(sub(A.A, mk(dual, A.B, num(d, c1-c2)))) // min(c1 - x, c2)
			}
		}
		return nil
	}
	if (A.Op == tir.OpDiv || A.Op == tir.OpFloorDiv || A.Op == tir.OpMul) && A.Op == B.Op {
		// min(x/c, y/c) and min(x*c, y*c)
		if c, _ := cst(A.B); c != 0 && isCst(B.B, c) {
			in := op
			if c < 0 {
				in = dual
			}
			return mk(A.Op, mk(in, A.A, B.A), A.B)
		}
	}
	if A.Op == op {
		if _, ok := cst(A.B); ok {
			return s.again(mk(op, mk(op, A.A, b), A.B)) // min(min(x, c), y)
		}
	}
	return nil
}

// minMaxRound compares x with x rounded up or down to a multiple of c.
func (s *simplifier) minMaxRound(a, b tir.Expr, A, B *tir.Binary, op tir.BinaryOp) tir.Expr {
	for _, side := range [2]struct {
		p        *tir.Binary
		e, other tir.Expr
	}{{A, a, b}, {B, b, a}} {
		if side.p.Op != tir.OpMul {
			continue
		}
		c, _ := cst(side.p.B)
		q := bin(side.p.A)
		if c <= 0 || q.Op != tir.OpFloorDiv && q.Op != tir.OpDiv || !isCst(q.B, c) {
			continue
		}
		if x, c1, _ := opConst(q.A, tir.OpAdd); c1 == c-1 {
			if Equal(x, side.other) { // round up
				return pick(op == tir.OpMin, side.other, side.e)
			}
			if m := bin(side.other); op == tir.OpMin && m.Op == tir.OpMax && isCst(m.B, c) && Equal(m.A, x) && s.a.boundOf(x).Min >= 1 {
				return side.other
			}
		}
		if q.Op == tir.OpFloorDiv && Equal(q.A, side.other) { // round down
			return pick(op == tir.OpMin, side.e, side.other)
		}
	}
	return nil
}

// minMaxAbsorb drops an operand that another one covers.
func minMaxAbsorb(a, b tir.Expr, A, B *tir.Binary, op, dual tir.BinaryOp) tir.Expr {
	if isMinMax(A) && isMinMax(B) && A.Op != B.Op && samePair(A, B) {
		return mk(op, A.A, A.B) // min(max(x, y), min(x, y))
	}
	if A.Op == dual && (Equal(A.A, b) || Equal(A.B, b)) {
		return b // min(max(x, y), x)
	}
	if B.Op == dual && (Equal(B.A, a) || Equal(B.B, a)) {
		return a
	}
	if B.Op == op && (Equal(B.A, a) || Equal(B.B, a)) {
		return b // min(x, min(x, y))
	}
	for x, depth := A, 0; x.Op == op && depth < 5; x, depth = bin(x.A), depth+1 {
		if Equal(x.A, b) || Equal(x.B, b) {
			return a // min(min(min(x, y), z), y)
		}
	}
	return nil
}

// minMaxDistribute takes out what both operands share.
func minMaxDistribute(A, B *tir.Binary, op, dual tir.BinaryOp) tir.Expr {
	if A.Op != B.Op {
		return nil
	}
	switch A.Op {
	case op, dual:
		if y, z, x, ok := shared(A, B); ok {
			return mk(A.Op, mk(op, y, z), x)
		}
	case tir.OpAdd:
		if y, z, x, ok := shared(A, B); ok {
			return add(mk(op, y, z), x)
		}
	case tir.OpSub:
		if Equal(A.B, B.B) {
			return sub(mk(op, A.A, B.A), A.B)
		}
		if Equal(A.A, B.A) {
			return sub(A.A, mk(dual, A.B, B.B))
		}
	}
	return nil
}
