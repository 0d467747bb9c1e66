package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// subRules simplifies a difference of indices; nil if no rule applies.
func (s *simplifier) subRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	A, B := bin(a), bin(b)
	zero := func() tir.Expr { return num(d, 0) }
	if Equal(a, b) {
		return zero()
	}

	// Cancellation.
	if rest, ok := otherOperandRight(A, b); ok {
		return rest // (x + y) - y
	}
	if rest, ok := otherOperandRight(B, a); ok {
		return sub(zero(), rest) // x - (y + x)
	}
	if e := subMinMax(a, b, A, B, d); e != nil {
		return e
	}
	if cb, ok := cst(b); ok {
		if x, c, ok := opConst(a, tir.OpAdd); ok {
			return addC(d, x, c-cb)
		}
		if e := s.subDivMod(a, b, A, B, d); e != nil {
			return e
		}
		return addC(d, a, -cb)
	}

	// Coefficients.
	if y, ok := otherOperand(A, tir.OpMul, b); ok {
		return mul(addC(d, y, -1), b) // x*y - x
	}
	if y, ok := otherOperand(B, tir.OpMul, a); ok {
		if c, ok := cst(y); ok {
			return mulC(d, a, 1-c)
		}
		if _, aConst := cst(a); !aConst {
			return mul(sub(num(d, 1), y), a) // x - x*y
		}
	}
	if A.Op == tir.OpMul && B.Op == tir.OpMul {
		if y, z, x, ok := shared(A, B); ok {
			return mul(sub(y, z), x)
		}
	}
	if A.Op == tir.OpSub && B.Op == tir.OpSub {
		if c1, ok := cst(A.A); ok {
			if c2, ok := cst(B.A); ok {
				return addC(d, sub(B.B, A.B), c1-c2) // (c1 - x) - (c2 - y)
			}
		}
	}
	if A.Op == tir.OpAdd && B.Op == tir.OpAdd {
		if y, z, _, ok := shared(A, B); ok {
			return sub(y, z)
		}
	}
	if e := s.subMinMaxPair(A, B); e != nil {
		return e
	}
	if e := s.subDivMod(a, b, A, B, d); e != nil {
		return e
	}

	// Canonical order.
	if x, c, ok := opConst(a, tir.OpAdd); ok {
		return s.again(addC(d, sub(x, b), c))
	}
	if y, c, ok := opConst(b, tir.OpAdd); ok {
		return s.again(addC(d, sub(a, y), -c))
	}
	if B.Op == tir.OpSub {
		return s.again(sub(add(a, B.B), B.A)) // x - (y - z)
	}
	if y, c, ok := opConst(b, tir.OpMul); ok {
		return s.again(add(a, mulC(d, y, -c)))
	}
	return nil
}

// otherOperandRight is otherOperand of a sum that prefers to cancel the right operand.
func otherOperandRight(e *tir.Binary, x tir.Expr) (tir.Expr, bool) {
	if e.Op != tir.OpAdd {
		return nil, false
	}
	if Equal(e.B, x) {
		return e.A, true
	}
	if Equal(e.A, x) {
		return e.B, true
	}
	return nil, false
}

// flip turns min into max and back.
func flip(op tir.BinaryOp) tir.BinaryOp {
	if op == tir.OpMin {
		return tir.OpMax
	}
	return tir.OpMin
}

// subMinMax cancels one side of a min or max.
func subMinMax(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	if isMinMax(A) {
		switch {
		case Equal(A.B, b):
			return mk(A.Op, sub(A.A, b), num(d, 0)) // min(x, y) - y
		case Equal(A.A, b):
			return mk(A.Op, num(d, 0), sub(A.B, b)) // min(y, x) - y
		}
		if y, ok := otherOperand(bin(A.A), tir.OpAdd, b); ok {
			return mk(A.Op, y, sub(A.B, b)) // min(x + y, z) - x
		}
		if y, ok := otherOperand(bin(A.B), tir.OpAdd, b); ok {
			return mk(A.Op, sub(A.A, b), y) // min(z, x + y) - x
		}
	}
	if isMinMax(B) {
		op := flip(B.Op)
		switch {
		case Equal(B.B, a):
			return mk(op, sub(a, B.A), num(d, 0)) // x - max(y, x)
		case Equal(B.A, a):
			return mk(op, num(d, 0), sub(a, B.B)) // x - max(x, y)
		}
		if y, ok := otherOperand(bin(B.A), tir.OpAdd, a); ok {
			return mk(op, sub(num(d, 0), y), sub(a, B.B)) // x - min(x + y, z)
		}
		if y, ok := otherOperand(bin(B.B), tir.OpAdd, a); ok {
			return mk(op, sub(a, B.A), sub(num(d, 0), y)) // x - min(z, x + y)
		}
	}
	return nil
}

// subMinMaxPair handles min(b1, b2) - min(s1, s2) where both sides are shifted alike.
func (s *simplifier) subMinMaxPair(A, B *tir.Binary) tir.Expr {
	if !isMinMax(A) || A.Op != B.Op {
		return nil
	}
	if samePair(A, B) {
		return num(A.DType(), 0)
	}
	if s.recur >= maxRecur {
		return nil
	}
	shift := sub(A.A, B.A)
	if s.sameValue(shift, sub(A.B, B.B)) {
		return shift
	}
	shift = sub(A.A, B.B)
	if s.sameValue(shift, sub(A.B, B.A)) {
		return shift
	}
	return nil
}

// sameValue reports whether x - y simplifies to zero.
func (s *simplifier) sameValue(x, y tir.Expr) bool {
	return isCst(s.again(sub(x, y)), 0)
}
