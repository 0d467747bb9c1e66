package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ltRules simplifies a < b for simplified operands.
func (s *simplifier) ltRules(n *tir.Binary, index bool) tir.Expr {
	if !index {
		return n
	}
	a, b := n.A, n.B
	switch s.compare(a, b) {
	case isLT:
		return truth(n.DType(), true)
	case isEQ, isGT, isGE:
		return truth(n.DType(), false)
	}
	d := operandType(n)
	A, B := bin(a), bin(b)
	if e := ltCancel(a, b, A, B, d); e != nil {
		return e
	}
	if e := ltConst(a, b, A, B, d); e != nil {
		return e
	}
	if e := ltRound(a, b, A, B, d); e != nil {
		return e
	}
	if e := s.ltMinMax(a, b, A, B); e != nil {
		return e
	}
	if e := s.ltOrder(a, b, A, B, d); e != nil {
		return e
	}
	return s.ltFactor(n, a, b, d)
}

// ltCancel drops terms and factors that both sides have.
func ltCancel(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	zero := num(d, 0)
	if A.Op == tir.OpAdd && B.Op == tir.OpAdd {
		if _, isC := cst(A.B); !isC {
			if y, z, _, ok := shared(A, B); ok {
				return ltOf(y, z)
			}
		} else if Equal(A.A, B.A) {
			return ltOf(A.B, B.B)
		} else if Equal(A.A, B.B) {
			return ltOf(A.B, B.A)
		}
	}
	if A.Op == tir.OpSub && B.Op == tir.OpSub {
		if Equal(A.B, B.B) {
			return ltOf(A.A, B.A)
		}
		if Equal(A.A, B.A) {
			return ltOf(B.B, A.B)
		}
	}
	if z, ok := otherOperand(B, tir.OpAdd, a); ok {
		return ltOf(zero, z) // x < x + z
	}
	if B.Op == tir.OpSub && Equal(B.A, a) {
		return ltOf(B.B, zero) // x < x - z
	}
	if x, c, ok := opConst(a, tir.OpMul); ok {
		if y, c2, _ := opConst(b, tir.OpMul); c == c2 {
			if c > 0 {
				return ltOf(x, y)
			} else if c < 0 {
				return ltOf(y, x)
			}
		}
	}
	return nil
}

// ltConst divides a comparison with a constant by a factor or multiplies by a divisor.
func ltConst(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	if c1, ok := cst(b); ok {
		c2, _ := cst(A.B)
		if c2 == 0 {
			return nil
		}
		switch {
		case A.Op == tir.OpMul && c2 > 0: // x*c2 < c1
			return ltOf(A.A, num(d, -floorDivInt(-c1, c2)))
		case A.Op == tir.OpMul:
			return ltOf(num(d, floorDivInt(c1, c2)), A.A)
		case A.Op == tir.OpDiv && c2 > 0 && c1 <= 0:
			return ltOf(A.A, num(d, c2*(c1-1)+1))
		case (A.Op == tir.OpDiv || A.Op == tir.OpFloorDiv) && c2 > 0:
			return ltOf(A.A, num(d, c1*c2))
		}
		return nil
	}
	if c1, ok := cst(a); ok {
		c2, _ := cst(B.B)
		if c2 == 0 {
			return nil
		}
		switch {
		case B.Op == tir.OpMul && c2 > 0: // c1 < x*c2
			return ltOf(num(d, floorDivInt(c1, c2)), B.A)
		case B.Op == tir.OpMul:
			return ltOf(B.A, num(d, -floorDivInt(-c1, c2)))
		case B.Op == tir.OpDiv && c2 > 0 && c1 < 0:
			return ltOf(num(d, c1*c2), B.A)
		case (B.Op == tir.OpDiv || B.Op == tir.OpFloorDiv) && c2 > 0:
			return ltOf(num(d, (c1+1)*c2-1), B.A)
		}
	}
	return nil
}

// ltRound handles (x + c2)/c1*c1 < x ± y, a comparison with the remainder.
func ltRound(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	q, c1, _ := opConst(a, tir.OpMul)
	if c1 <= 0 {
		return nil
	}
	Q := bin(q)
	mod := tir.OpFloorMod
	switch Q.Op {
	case tir.OpFloorDiv:
	case tir.OpDiv:
		mod = tir.OpMod
	default:
		return nil
	}
	if !isCst(Q.B, c1) {
		return nil
	}
	for _, x := range [2]tir.Expr{Q.A, nil} {
		c2 := int64(0)
		if x == nil {
			if x, c2, _ = opConst(Q.A, tir.OpAdd); x == nil {
				return nil
			}
		}
		switch {
		case Equal(b, x):
			return ltOf(num(d, c2), mk(mod, Q.A, Q.B))
		case B.Op == tir.OpAdd && Equal(B.A, x):
			return ltOf(num(d, c2), add(mk(mod, Q.A, Q.B), B.B))
		case B.Op == tir.OpSub && Equal(B.A, x):
			return ltOf(B.B, addC(d, mk(mod, Q.A, Q.B), -c2))
		}
	}
	return nil
}

// ltMinMax splits a comparison with a min or max in two.
func (s *simplifier) ltMinMax(a, b tir.Expr, A, B *tir.Binary) tir.Expr {
	if isMinMax(A) {
		op := tir.OpOr
		if A.Op == tir.OpMax {
			op = tir.OpAnd
		}
		return s.again(mk(op, ltOf(A.A, b), ltOf(A.B, b)))
	}
	if isMinMax(B) {
		op := tir.OpAnd
		if B.Op == tir.OpMax {
			op = tir.OpOr
		}
		return s.again(mk(op, ltOf(a, B.A), ltOf(a, B.B)))
	}
	return nil
}

// ltOrder collects constants on one side.
func (s *simplifier) ltOrder(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	c1, aConst := cst(a)
	c2, bConst := cst(b)
	if aConst {
		if x, c := splitAdd(b); c != 0 {
			return s.again(ltOf(num(d, c1-c), x)) // c1 < x + c
		}
		if B.Op == tir.OpSub {
			if c, ok := cst(B.A); ok {
				return s.again(ltOf(B.B, num(d, c-c1))) // c1 < c - x
			}
		}
		return nil
	}
	if bConst {
		if x, c := splitAdd(a); c != 0 {
			return s.again(ltOf(x, num(d, c2-c))) // x + c < c2
		}
		if A.Op == tir.OpSub {
			if c, ok := cst(A.A); ok {
				return s.again(ltOf(num(d, c-c2), A.B)) // c - x < c2
			}
		}
		return nil
	}
	if B.Op == tir.OpSub {
		if _, ok := cst(B.A); ok {
			return s.again(ltOf(add(a, B.B), B.A)) // x < c - y
		}
	}
	if A.Op == tir.OpSub {
		if _, ok := cst(A.A); ok {
			return s.again(ltOf(A.A, add(b, A.B))) // c - y < x
		}
	}
	x, offX := splitAdd(a)
	y, offY := splitAdd(b)
	switch diff := offY - offX; {
	case offX == 0 && offY == 0:
	case diff == 0:
		return s.again(ltOf(x, y))
	case diff == 1:
		return s.again(leOf(x, y))
	case diff < 0 && offY != 0:
		return s.again(ltOf(addC(d, x, -diff), y))
	case diff > 0 && offX != 0:
		return s.again(ltOf(x, addC(d, y, diff)))
	}
	return nil
}

// ltFactor divides both sides by a factor that all their values share.
func (s *simplifier) ltFactor(n *tir.Binary, a, b tir.Expr, d dtype.DType) tir.Expr {
	if isLeaf(a) && isLeaf(b) || s.recur >= maxRecur {
		return n
	}
	ma := s.a.modularOf(a)
	g := gcd(ma.Base, ma.Coeff)
	if g == 1 {
		return n
	}
	mb := s.a.modularOf(b)
	if g = gcd(g, gcd(mb.Base, mb.Coeff)); g <= 1 {
		return n
	}
	return s.again(ltOf(floorDiv(a, num(d, g)), floorDiv(b, num(d, g))))
}
