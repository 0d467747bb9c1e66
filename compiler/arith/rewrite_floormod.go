package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// floorModRules simplifies the remainder of a floor division of indices.
func (s *simplifier) floorModRules(n *tir.Binary, d dtype.DType) tir.Expr {
	a, b := n.A, n.B
	A := bin(a)
	c2, bConst := cst(b)
	if !bConst {
		return s.floorModSymbolic(a, b, A, d)
	}
	if c2 == 0 {
		return nil
	}
	if x, c1, ok := opConst(a, tir.OpMul); ok {
		if m := floorModInt(c1, c2); m != c1 {
			return s.again(floorMod(mulC(d, x, m), b))
		}
	}
	if c2 > 0 {
		if e := s.floorModSum(a, b, A, c2, d); e != nil {
			return e
		}
	}
	if A.Op == tir.OpAdd || A.Op == tir.OpSub {
		if e := s.floorModCancel(b, A, d); e != nil {
			return e
		}
	}
	if m := s.a.modularOf(a); m.Coeff%c2 == 0 {
		return num(d, floorModInt(m.Base, c2))
	}
	if r := s.a.boundOf(a); r.Min >= 0 && r.Max < c2 {
		return a
	}
	return nil
}

// floorModSum drops multiples of c2 > 0 from a sum.
func (s *simplifier) floorModSum(a, b tir.Expr, A *tir.Binary, c2 int64, d dtype.DType) tir.Expr {
	if A.Op != tir.OpAdd {
		return nil
	}
	if x, c1, ok := opConst(A.A, tir.OpMul); ok {
		if r := s.a.boundOf(A.B); r.Min >= 0 && r.Max < c1 && c2%c1 == 0 {
			return add(mulC(d, floorMod(x, num(d, c2/c1)), c1), A.B)
		}
		if m := floorModInt(c1, c2); m != c1 {
			return s.again(floorMod(add(mulC(d, x, m), A.B), b))
		}
	}
	if c1, ok := cst(A.B); ok && (c1 >= c2 || c1 < 0) {
		return s.again(floorMod(addC(d, A.A, floorModInt(c1, c2)), b))
	}
	if y, c1, ok := opConst(A.B, tir.OpMul); ok {
		if m := floorModInt(c1, c2); m != c1 {
			return s.again(floorMod(add(A.A, mulC(d, y, m)), b))
		}
	}
	return nil
}

// floorModCancel handles (x + z%y)%y with y dividing x + z, and (x - x%z)%y with z = ±y.
func (s *simplifier) floorModCancel(y tir.Expr, A *tir.Binary, d dtype.DType) tir.Expr {
	if A.Op == tir.OpSub {
		for _, side := range [2][2]tir.Expr{{A.A, A.B}, {A.B, A.A}} {
			M := bin(side[1])
			if M.Op == tir.OpFloorMod && Equal(M.A, side[0]) &&
				(s.sameValue(y, M.B) || isCst(s.again(add(y, M.B)), 0)) {
				return num(d, 0)
			}
		}
		return nil
	}
	for _, side := range [2][2]tir.Expr{{A.A, A.B}, {A.B, A.A}} {
		M := bin(side[1])
		if M.Op == tir.OpFloorMod && Equal(M.B, y) && isCst(s.again(floorMod(add(side[0], M.A), y)), 0) {
			return num(d, 0)
		}
	}
	return nil
}

// floorModSymbolic takes the remainder by an expression that cancels.
func (s *simplifier) floorModSymbolic(a, b tir.Expr, A *tir.Binary, d dtype.DType) tir.Expr {
	if Equal(a, b) {
		return num(d, 0)
	}
	if _, ok := otherOperand(A, tir.OpMul, b); ok {
		return num(d, 0)
	}
	z, c2, scaledDiv := opConst(b, tir.OpMul)
	if scaledDiv {
		if x, c1, _ := opConst(a, tir.OpMul); c2 != 0 && Equal(x, z) {
			return mulC(d, x, floorModInt(c1, c2)) // x*c1 % (x*c2)
		}
	}
	if A.Op == tir.OpAdd || A.Op == tir.OpSub {
		if e := s.floorModCancel(b, A, d); e != nil {
			return e
		}
	}
	if A.Op == tir.OpAdd && s.nonNegative(b) {
		if scaledDiv {
			if _, ok := timesScaled(A.A, z, c2); ok {
				return floorMod(A.B, b)
			}
		}
		if _, ok := otherOperand(bin(A.A), tir.OpMul, b); ok {
			return floorMod(A.B, b)
		}
		if _, ok := otherOperand(bin(A.B), tir.OpMul, b); ok {
			return floorMod(A.A, b)
		}
	}
	return nil
}
