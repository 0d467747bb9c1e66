package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// nonNegative reports whether e, which is simplified, is at least 0.
func (s *simplifier) nonNegative(e tir.Expr) bool { return s.a.boundOf(e).Min >= 0 }

// nonNegativeNew is nonNegative for an expression that the rule itself made.
func (s *simplifier) nonNegativeNew(e tir.Expr) bool {
	return s.a.boundOf(s.again(e)).Min >= 0
}

// scaled matches x*c in one operand of the sum (or min, or max) e and returns the other.
func scaled(e *tir.Binary, divides func(c int64) bool) (x tir.Expr, c int64, rest tir.Expr, left, ok bool) {
	if x, c, ok := opConst(e.A, tir.OpMul); ok && divides(c) {
		return x, c, e.B, true, true
	}
	if x, c, ok := opConst(e.B, tir.OpMul); ok && divides(c) {
		return x, c, e.A, false, true
	}
	return
}

// truncDivRules simplifies an index division that truncates; most rules need operands that
// are not negative, for which it is the floor division.
func (s *simplifier) truncDivRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	A := bin(a)
	c2, bConst := cst(b)
	if Equal(a, b) {
		return num(d, 1)
	}
	if !bConst {
		return s.truncDivSymbolic(a, b, A, d)
	}
	if c2 <= 0 {
		return nil
	}
	if x, c1, _ := opConst(a, tir.OpDiv); c1 > 0 {
		return truncDiv(x, num(d, c1*c2))
	}
	if x, c1, _ := opConst(a, tir.OpMul); c1 > 0 {
		if c1%c2 == 0 {
			return mulC(d, x, c1/c2)
		}
		if c2%c1 == 0 {
			return truncDiv(x, num(d, c2/c1))
		}
	}
	if x, c1, ok := opConst(a, tir.OpAdd); ok && c1 >= 0 {
		if y, c0, _ := opConst(x, tir.OpDiv); c0 > 0 && s.nonNegative(y) {
			return truncDiv(addC(d, y, c0*c1), num(d, c0*c2)) // (y/c0 + c1)/c2
		}
		if c1%c2 == 0 && s.nonNegative(x) {
			return addC(d, truncDiv(x, b), c1/c2)
		}
	}
	divides := func(c int64) bool { return c >= 0 && c%c2 == 0 }
	if A.Op == tir.OpAdd || isMinMax(A) {
		if x, c1, y, left, ok := scaled(A, divides); ok && s.nonNegative(x) && s.nonNegative(y) {
			p, q := mulC(d, x, c1/c2), truncDiv(y, b)
			if !left {
				p, q = q, p
			}
			return mk(A.Op, p, q)
		}
	}
	if A.Op == tir.OpAdd || A.Op == tir.OpSub {
		// (x*c1 ± y) ± z and (y + x*c1) + z
		if in := bin(A.A); in.Op == tir.OpAdd || in.Op == tir.OpSub && A.Op == tir.OpAdd {
			x, c1, y, left, ok := scaled(in, divides)
			if ok && (left || in.Op == tir.OpAdd) && s.nonNegative(x) {
				rest := mk(A.Op, y, A.B)
				if in.Op == tir.OpSub {
					rest = sub(A.B, y)
				}
				if s.nonNegativeNew(rest) {
					return add(mulC(d, x, c1/c2), truncDiv(rest, b))
				}
			}
		}
	}
	return nil
}

// truncDivSymbolic divides by an expression that cancels.
func (s *simplifier) truncDivSymbolic(a, b tir.Expr, A *tir.Binary, d dtype.DType) tir.Expr {
	if q, ok := otherOperand(A, tir.OpMul, b); ok {
		if _, isC := cst(q); isC || s.nonNegative(q) && s.nonNegative(b) {
			return q
		}
	}
	if A.Op != tir.OpAdd || !s.nonNegative(b) {
		return nil
	}
	if y, ok := otherOperand(A, tir.OpAdd, b); ok && s.nonNegative(y) {
		return addC(d, truncDiv(y, b), 1)
	}
	if rest, ok := nestedTerm(A, b); ok && s.nonNegativeNew(rest) {
		return addC(d, truncDiv(rest, b), 1)
	}
	if x, ok := otherOperand(bin(A.A), tir.OpMul, b); ok && s.nonNegative(x) && s.nonNegative(A.B) {
		return add(x, truncDiv(A.B, b))
	}
	if x, ok := otherOperand(bin(A.B), tir.OpMul, b); ok && s.nonNegative(x) && s.nonNegative(A.A) {
		return add(truncDiv(A.A, b), x)
	}
	return nil
}

// nestedTerm takes the term x out of (x + y) + z or y + (x + z).
func nestedTerm(sum *tir.Binary, x tir.Expr) (tir.Expr, bool) {
	if y, ok := otherOperand(bin(sum.A), tir.OpAdd, x); ok {
		return add(y, sum.B), true
	}
	if z, ok := otherOperand(bin(sum.B), tir.OpAdd, x); ok {
		return add(sum.A, z), true
	}
	return nil, false
}

// truncModRules simplifies the remainder of a truncating division of indices.
func (s *simplifier) truncModRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a := n.A
	c2, ok := cst(n.B)
	if !ok || c2 == 0 {
		return nil
	}
	if _, c1, ok := opConst(a, tir.OpMul); ok && c1%c2 == 0 {
		return num(d, 0)
	}
	if c2 < 0 {
		return s.again(truncMod(a, num(d, -c2)))
	}
	if A := bin(a); A.Op == tir.OpAdd {
		if _, _, y, left, ok := scaled(A, func(c int64) bool { return c%c2 == 0 }); ok {
			product := A.A
			if !left {
				product = A.B
			}
			if s.nonNegative(product) && s.nonNegative(y) {
				return truncMod(y, n.B)
			}
		}
		if c1, ok := cst(A.B); ok && c1 >= 0 && c1%c2 == 0 && s.nonNegative(A.A) {
			return truncMod(A.A, n.B)
		}
	}
	if m := s.a.modularOf(a); m.Coeff%c2 == 0 && s.nonNegative(a) {
		return num(d, floorModInt(m.Base, c2))
	}
	return nil
}
