package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// floorDivRules simplifies an index division that rounds down; nil if no rule applies.
func (s *simplifier) floorDivRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	A := bin(a)
	c2, bConst := cst(b)
	if Equal(a, b) {
		return num(d, 1)
	}
	if !bConst {
		return s.floorDivSymbolic(a, b, A, d)
	}
	if c2 == 0 {
		return nil
	}
	if c2 > 0 {
		if x, c1, _ := opConst(a, tir.OpFloorDiv); c1 > 0 {
			return floorDiv(x, num(d, c1*c2))
		}
		if x, c1, ok := opConst(a, tir.OpAdd); ok {
			if y, c0, _ := opConst(x, tir.OpFloorDiv); c0 > 0 {
				return floorDiv(addC(d, y, c0*c1), num(d, c0*c2)) // (y//c0 + c1)//c2
			}
		}
	}
	if e := s.floorDivScaled(a, A, c2, d); e != nil {
		return e
	}
	if x, c1, _ := opConst(a, tir.OpAdd); c1 == 1 && c2 == 2 {
		if M := bin(x); M.Op == tir.OpFloorMod && isCst(M.B, 2) {
			return x // (x%2 + 1)//2
		}
	}
	if c2 > 0 {
		if e := s.floorDivSum(a, b, A, c2, d); e != nil {
			return e
		}
	}
	if A.Op == tir.OpSub {
		if M := bin(A.B); M.Op == tir.OpFloorMod && isCst(M.B, c2) && Equal(M.A, A.A) {
			return floorDiv(A.A, b) // (x - x%c)//c
		}
	}
	return nil
}

// floorDivScaled handles (x*c1 + y)//c2, (y + x*c1)//c2 and x*c1//c2: the part of x*c1 + y
// that is no multiple of c2 either divides to a constant or cannot change the quotient.
func (s *simplifier) floorDivScaled(a tir.Expr, A *tir.Binary, c2 int64, d dtype.DType) tir.Expr {
	x, c1, ok := opConst(a, tir.OpMul)
	var y tir.Expr
	if !ok {
		if A.Op != tir.OpAdd {
			return nil
		}
		if x, c1, ok = opConst(A.A, tir.OpMul); ok {
			y = A.B
		} else if x, c1, ok = opConst(A.B, tir.OpMul); ok {
			y = A.A
		} else {
			return nil
		}
	}
	div := num(d, c2)
	var yMod, yDiv tir.Expr
	if y == nil {
		yMod, yDiv = num(d, 0), num(d, 0)
	} else if r := s.a.boundOf(y); r.Min >= 0 && r.Max < c2 {
		yMod, yDiv = y, num(d, 0)
	} else {
		yMod, yDiv = s.again(floorMod(y, div)), s.again(floorDiv(y, div))
	}
	rest := mulC(d, x, floorModInt(c1, c2))
	bound := s.a.boundOf(add(rest, yMod))
	if lo, hi := infFloorDiv(bound.Min, c2), infFloorDiv(bound.Max, c2); lo == hi && lo != PosInf && lo != NegInf {
		return add(mulC(d, x, floorDivInt(c1, c2)), addC(d, yDiv, lo))
	}
	if c2 > 0 && s.a.boundOf(yMod).Max < c1 && c2%c1 == 0 {
		return add(floorDiv(x, num(d, c2/c1)), yDiv)
	}
	return nil
}

// floorDivSum takes multiples of c2 > 0 out of sums, minima and maxima.
func (s *simplifier) floorDivSum(a, b tir.Expr, A *tir.Binary, c2 int64, d dtype.DType) tir.Expr {
	divides := func(c int64) bool { return c%c2 == 0 }
	if isMinMax(A) {
		if x, c1, y, left, ok := scaled(A, divides); ok {
			p, q := mulC(d, x, c1/c2), floorDiv(y, b)
			if !left {
				p, q = q, p
			}
			return mk(A.Op, p, q)
		}
		return nil
	}
	if A.Op != tir.OpAdd && A.Op != tir.OpSub {
		return nil
	}
	in := bin(A.A)
	if A.Op == tir.OpAdd {
		if in.Op == tir.OpAdd || in.Op == tir.OpSub {
			if x, c1, y, left, ok := scaled(in, divides); ok && (left || in.Op == tir.OpAdd) {
				rest := add(y, A.B)
				if in.Op == tir.OpSub {
					rest = sub(A.B, y)
				}
				return add(mulC(d, x, c1/c2), floorDiv(rest, b))
			}
		}
		if in.Op == tir.OpAdd {
			// (x*c1 + y + z)//c2 => x//(c2//c1) where 0 <= y + z < c1
			if x, c1, ok := opConst(in.A, tir.OpMul); ok {
				if r := s.a.boundOf(add(in.B, A.B)); r.Min >= 0 && r.Max < c1 && c2%c1 == 0 {
					return floorDiv(x, num(d, c2/c1))
				}
			}
		}
		if c1, ok := cst(A.B); ok && c1%c2 == 0 {
			return addC(d, floorDiv(A.A, b), c1/c2)
		}
	} else if in.Op == tir.OpAdd {
		if x, c1, ok := opConst(in.A, tir.OpMul); ok && c1%c2 == 0 {
			return add(mulC(d, x, c1/c2), floorDiv(sub(in.B, A.B), b)) // (x*c1 + z) - y
		}
	}
	return nil
}

// floorDivSymbolic divides by an expression that cancels.
func (s *simplifier) floorDivSymbolic(a, b tir.Expr, A *tir.Binary, d dtype.DType) tir.Expr {
	if q, ok := otherOperand(A, tir.OpMul, b); ok {
		if _, isC := cst(q); isC || s.nonNegative(b) {
			return q
		}
	}
	z, c2, scaledDiv := opConst(b, tir.OpMul)
	if scaledDiv {
		if x, c1, _ := opConst(a, tir.OpMul); c2 > 0 && Equal(x, z) {
			return num(d, floorDivInt(c1, c2)) // x*c1 // (x*c2)
		}
	}
	if A.Op != tir.OpAdd || !s.nonNegative(b) {
		return nil
	}
	if y, ok := otherOperand(A, tir.OpAdd, b); ok {
		return addC(d, floorDiv(y, b), 1)
	}
	if rest, ok := nestedTerm(A, b); ok {
		return addC(d, floorDiv(rest, b), 1)
	}
	if x, ok := otherOperand(bin(A.A), tir.OpMul, b); ok {
		return add(x, floorDiv(A.B, b))
	}
	if x, ok := otherOperand(bin(A.B), tir.OpMul, b); ok {
		return add(floorDiv(A.A, b), x)
	}
	if scaledDiv {
		if x, ok := timesScaled(A.A, z, c2); ok {
			return add(x, floorDiv(A.B, b)) // (x*z*c + y) // (z*c)
		}
	}
	return nil
}

// timesScaled matches (x*z)*c and returns x.
func timesScaled(e, z tir.Expr, c int64) (tir.Expr, bool) {
	p, c1, ok := opConst(e, tir.OpMul)
	if !ok || c1 != c {
		return nil, false
	}
	return otherOperand(bin(p), tir.OpMul, z)
}
