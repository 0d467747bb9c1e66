package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// subDivMod handles x - x/c*c and its relatives for both kinds of division.
func (s *simplifier) subDivMod(a, b tir.Expr, A, B *tir.Binary, d dtype.DType) tir.Expr {
	if p, c3, ok := opConst(b, tir.OpMul); ok {
		if e := remainderOf(a, bin(p), c3, d); e != nil {
			return e
		}
	}
	if p, c3, ok := opConst(a, tir.OpMul); ok {
		if e := remainderOf(b, bin(p), c3, d); e != nil {
			return negate(e, d)
		}
	}
	switch {
	case A.Op == tir.OpFloorDiv && B.Op == tir.OpFloorMod && isCst(A.B, 2) && isCst(B.B, 2):
		// (x + 1)//2 - x%2
		if x, c, _ := opConst(A.A, tir.OpAdd); c == 1 && Equal(x, B.A) {
			return s.again(floorDiv(x, A.B))
		}
	case (A.Op == tir.OpFloorDiv || A.Op == tir.OpDiv) && A.Op == B.Op:
		c3, ok := cst(A.B)
		if !ok || c3 <= 0 || !isCst(B.B, c3) {
			return nil
		}
		x, c1 := splitAdd(A.A)
		y, c2 := splitAdd(B.A)
		if !Equal(x, y) {
			return nil
		}
		if A.Op == tir.OpFloorDiv {
			return s.floorDivDiff(x, c1, c2, c3, d)
		}
		// Truncation rounds down only where nothing is negative.
		if c1 < c2 || s.a.boundOf(x).Min < -min(c2, floorModInt(c2, c3)) {
			return nil
		}
		rem := truncMod(addC(d, x, floorModInt(c2, c3)), num(d, c3))
		return truncDiv(addC(d, rem, c1-c2), num(d, c3))
	}
	return nil
}

// floorDivDiff simplifies (x + c1)//c3 - (x + c2)//c3.
func (s *simplifier) floorDivDiff(x tir.Expr, c1, c2, c3 int64, d dtype.DType) tir.Expr {
	if c3 == 2 {
		m := floorMod(x, num(d, 2))
		k := floorDivInt(c1, 2) - floorDivInt(c2, 2)
		return s.again(addC(d, mulC(d, m, floorModInt(c1, 2)-floorModInt(c2, 2)), k))
	}
	if c1 == 0 {
		return nil // x//c - (x + c2)//c stays: the remainder form is no simpler
	}
	rem := floorMod(addC(d, x, floorModInt(c2, c3)), num(d, c3))
	return floorDiv(addC(d, rem, c1-c2), num(d, c3))
}

// splitAdd splits e into x + c.
func splitAdd(e tir.Expr) (tir.Expr, int64) {
	if x, c, ok := opConst(e, tir.OpAdd); ok {
		return x, c
	}
	if x, c, ok := opConst(e, tir.OpSub); ok {
		return x, -c
	}
	return e, 0
}

// remainderOf simplifies x*c2 - q*c3 for q = (x [+-] y) / c1 with c3 == c1*c2, where the
// factor c2 may be missing: it is ((x [+-] y) % c1 [-+] y) * c2.
func remainderOf(x tir.Expr, q *tir.Binary, c3 int64, d dtype.DType) tir.Expr {
	mod := tir.OpFloorMod
	switch q.Op {
	case tir.OpFloorDiv:
	case tir.OpDiv:
		mod = tir.OpMod
	default:
		return nil
	}
	c1, ok := cst(q.B)
	if !ok || c1 == 0 {
		return nil
	}
	try := func(x tir.Expr, c2 int64) tir.Expr {
		if c3 != c1*c2 {
			return nil
		}
		rem := mk(mod, q.A, q.B)
		switch in := bin(q.A); {
		case Equal(q.A, x):
		case in.Op == tir.OpAdd && Equal(in.A, x):
			rem = sub(rem, in.B)
		case in.Op == tir.OpSub && Equal(in.A, x):
			rem = add(rem, in.B)
		default:
			return nil
		}
		return mulC(d, rem, c2)
	}
	if e := try(x, 1); e != nil {
		return e
	}
	if y, c2, ok := opConst(x, tir.OpMul); ok {
		return try(y, c2)
	}
	return nil
}

// negate returns 0 - e, spelled the way that the rules for x/c*c - x spell it.
func negate(e tir.Expr, d dtype.DType) tir.Expr {
	if x, c, ok := opConst(e, tir.OpMul); ok {
		if b := bin(x); b.Op == tir.OpSub || b.Op == tir.OpAdd {
			return mulC(d, negate(x, d), c)
		}
		return sub(num(d, 0), e)
	}
	switch b := bin(e); b.Op {
	case tir.OpSub:
		return sub(b.B, b.A)
	case tir.OpAdd:
		return sub(sub(num(d, 0), b.A), b.B)
	}
	return sub(num(d, 0), e)
}
