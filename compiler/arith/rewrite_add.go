package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// otherOperand returns the operand of e = (x op y) or (y op x) that is not x.
func otherOperand(e *tir.Binary, op tir.BinaryOp, x tir.Expr) (tir.Expr, bool) {
	if e.Op != op {
		return nil, false
	}
	if Equal(e.A, x) {
		return e.B, true
	}
	if Equal(e.B, x) {
		return e.A, true
	}
	return nil, false
}

// shared finds an operand that x and y, both of one commutative operation, have in common.
func shared(x, y *tir.Binary) (restX, restY, both tir.Expr, ok bool) {
	switch {
	case Equal(x.B, y.B):
		return x.A, y.A, x.B, true
	case Equal(x.B, y.A):
		return x.A, y.B, x.B, true
	case Equal(x.A, y.A):
		return x.B, y.B, x.A, true
	case Equal(x.A, y.B):
		return x.B, y.A, x.A, true
	}
	return nil, nil, nil, false
}

// samePair reports whether x and y have the same two operands in some order.
func samePair(x, y *tir.Binary) bool {
	return Equal(x.A, y.A) && Equal(x.B, y.B) || Equal(x.A, y.B) && Equal(x.B, y.A)
}

func isMinMax(b *tir.Binary) bool { return b.Op == tir.OpMin || b.Op == tir.OpMax }

// addRules simplifies a sum of indices; nil if no rule applies.
func (s *simplifier) addRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	A, B := bin(a), bin(b)
	ca, aConst := cst(a)
	cb, bConst := cst(b)
	if aConst {
		return s.again(add(b, num(d, ca)))
	}

	// Cancellation.
	if A.Op == tir.OpSub {
		if Equal(A.B, b) {
			return A.A // (x - y) + y
		}
		if B.Op == tir.OpSub {
			if Equal(A.B, B.A) {
				return sub(A.A, B.B) // (x - y) + (y - z)
			}
			if Equal(A.A, B.B) {
				return sub(B.A, A.B) // (x - y) + (z - x)
			}
		}
	}
	if B.Op == tir.OpSub && Equal(B.B, a) {
		return B.A // x + (y - x)
	}
	if isMinMax(A) {
		if e := addToMinMax(A, B, b, cb, bConst); e != nil {
			return e
		}
	}

	// Constants and coefficients.
	if bConst {
		if x, c, ok := opConst(a, tir.OpAdd); ok {
			return addC(d, x, c+cb)
		}
	}
	if Equal(a, b) {
		return mulC(d, a, 2)
	}
	if y, ok := otherOperand(A, tir.OpMul, b); ok && !bConst {
		return mul(addC(d, y, 1), b)
	}
	if y, ok := otherOperand(B, tir.OpMul, a); ok {
		return mul(addC(d, y, 1), a)
	}
	if A.Op == tir.OpMul && B.Op == tir.OpMul {
		if y, z, x, ok := shared(A, B); ok {
			return mul(add(y, z), x)
		}
	}
	if e := s.addDivMod(a, b, A, B, d); e != nil {
		return e
	}

	// Canonical order: constants go right, min and max left.
	if B.Op == tir.OpSub {
		if c, ok := cst(B.A); ok {
			return s.again(addC(d, sub(a, B.B), c)) // x + (c - y)
		}
	}
	if A.Op == tir.OpSub {
		if c, ok := cst(A.A); ok && !bConst {
			return s.again(addC(d, sub(b, A.B), c)) // (c - y) + x
		}
	}
	if x, c, ok := opConst(a, tir.OpAdd); ok {
		return s.again(addC(d, add(x, b), c))
	}
	if y, c, ok := opConst(b, tir.OpAdd); ok {
		return s.again(addC(d, add(a, y), c))
	}
	if isMinMax(B) && !isMinMax(A) {
		return s.again(add(b, a))
	}
	if A.Op == tir.OpMod || A.Op == tir.OpFloorMod {
		if c, _ := cst(A.B); B.Op == tir.OpMul && isCst(B.B, c) {
			return s.again(add(b, a)) // y % c + x*c
		}
	}
	return nil
}

// addToMinMax moves the addend b into A, a min or max, where something cancels.
func addToMinMax(A, B *tir.Binary, b tir.Expr, cb int64, bConst bool) tir.Expr {
	if y := bin(A.B); y.Op == tir.OpSub && Equal(y.B, b) {
		return mk(A.Op, add(A.A, b), y.A) // min(x, y - z) + z
	}
	if x := bin(A.A); x.Op == tir.OpSub && Equal(x.B, b) {
		return mk(A.Op, x.A, add(A.B, b)) // min(x - z, y) + z
	}
	if bConst {
		if y, c, ok := opConst(A.B, tir.OpAdd); ok && c == -cb {
			return mk(A.Op, add(A.A, b), y)
		}
		if x, c, ok := opConst(A.A, tir.OpAdd); ok && c == -cb {
			return mk(A.Op, x, add(A.B, b))
		}
		return nil
	}
	if z, c2, ok := opConst(b, tir.OpMul); ok {
		// min(x, y + z*c1) + z*c2 with c1 == -c2
		for _, side := range [2][2]tir.Expr{{A.B, A.A}, {A.A, A.B}} {
			y := bin(side[0])
			if y.Op != tir.OpAdd {
				continue
			}
			for _, term := range [2][2]tir.Expr{{y.B, y.A}, {y.A, y.B}} {
				if z1, c1, _ := opConst(term[0], tir.OpMul); c1 == -c2 && Equal(z, z1) {
					return mk(A.Op, add(side[1], b), term[1])
				}
			}
		}
	}
	if isMinMax(B) && A.Op != B.Op && samePair(A, B) {
		return add(A.A, A.B) // max(x, y) + min(x, y)
	}
	return nil
}

// addDivMod joins quotients and remainders.
func (s *simplifier) addDivMod(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	if e := joinDivMod(A, B); e != nil {
		return e
	}
	if e := joinDivMod(B, A); e != nil {
		return e
	}
	if A.Op == tir.OpFloorDiv && B.Op == tir.OpFloorDiv {
		// (x%c2 + c1)//c2 + x//c2 => (x + c1)//c2
		if c2, _ := cst(A.B); c2 > 0 && isCst(B.B, c2) {
			if m, c1, ok := opConst(A.A, tir.OpAdd); ok {
				if M := bin(m); M.Op == tir.OpFloorMod && isCst(M.B, c2) && Equal(M.A, B.A) {
					return floorDiv(addC(d, B.A, c1), A.B)
				}
			}
		}
	}
	if A.Op == tir.OpFloorDiv && B.Op == tir.OpFloorMod && isCst(A.B, 2) && isCst(B.B, 2) && Equal(A.A, B.A) {
		return s.again(floorDiv(addC(d, A.A, 1), A.B)) // x//2 + x%2
	}
	if A.Op == tir.OpFloorMod && B.Op == tir.OpFloorMod && isCst(A.B, 2) && isCst(B.B, 2) {
		// (x + c)%2 + x%2 is 1 for odd c
		if x, c, _ := opConst(A.A, tir.OpAdd); c&1 == 1 && Equal(x, B.A) {
			return num(d, 1)
		}
		if x, c, _ := opConst(B.A, tir.OpAdd); c&1 == 1 && Equal(x, A.A) {
			return num(d, 1)
		}
	}
	return nil
}

// joinDivMod matches x/y*y + x%y for both kinds of division.
func joinDivMod(prod, rem *tir.Binary) tir.Expr {
	if prod.Op != tir.OpMul || rem.Op != tir.OpFloorMod && rem.Op != tir.OpMod {
		return nil
	}
	div := tir.OpFloorDiv
	if rem.Op == tir.OpMod {
		div = tir.OpDiv
	}
	if q := bin(prod.A); q.Op == div && Equal(q.A, rem.A) && Equal(q.B, rem.B) && Equal(prod.B, rem.B) {
		return rem.A
	}
	if q := bin(prod.B); q.Op == div && Equal(q.A, rem.A) && Equal(q.B, rem.B) && Equal(prod.A, rem.B) {
		return rem.A
	}
	return nil
}

// mulRules simplifies a product of indices; nil if no rule applies.
func (s *simplifier) mulRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	A, B := bin(a), bin(b)
	if c2, ok := cst(b); ok {
		if x, c1, ok := opConst(a, tir.OpAdd); ok {
			return addC(d, mul(x, b), c1*c2)
		}
		if x, c1, ok := opConst(a, tir.OpMul); ok {
			return mulC(d, x, c1*c2)
		}
		if q, c1, _ := opConst(a, tir.OpFloorDiv); c1 == c2 {
			// (x - x % -c) // c * c, a spelling of rounding up
			if q := bin(q); q.Op == tir.OpSub {
				if M := bin(q.B); M.Op == tir.OpFloorMod && isCst(M.B, -c1) && Equal(M.A, q.A) {
					return q
				}
			}
		}
		if A.Op == tir.OpSub && c2 < 0 {
			return s.again(mulC(d, sub(A.B, A.A), -c2))
		}
		return nil
	}
	if _, ok := cst(a); ok {
		return s.again(mul(b, a))
	}
	if isMinMax(A) && isMinMax(B) && A.Op != B.Op && samePair(A, B) {
		return mul(A.A, A.B)
	}
	if B.Op == tir.OpMul {
		if c, ok := cst(B.A); ok {
			return s.again(mulC(d, mul(a, B.B), c))
		}
		if c, ok := cst(B.B); ok {
			return s.again(mulC(d, mul(a, B.A), c))
		}
	}
	if x, c, ok := opConst(a, tir.OpMul); ok {
		return s.again(mulC(d, mul(x, b), c))
	}
	return nil
}
