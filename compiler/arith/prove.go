package arith

import "github.com/irscope/irscope/compiler/tir"

// CanProve reports whether cond is certainly true.
func (a *Analyzer) CanProve(cond tir.Expr) bool { return a.CanProveWith(cond, Default) }

// CanProveWith is CanProve with a strength.
func (a *Analyzer) CanProveWith(cond tir.Expr, strength Strength) bool {
	if c, ok := cst(cond); ok {
		return c != 0
	}
	a.begin()
	defer a.end()
	if c, ok := tir.AsInt(a.Simplify(cond)); ok && c != 0 {
		return true
	}
	if strength < SymbolicBound {
		return false
	}
	b := bin(cond)
	if !b.Op.IsCompare() || b.Op == tir.OpEQ || b.Op == tir.OpNE || !isIndex(operandType(b)) {
		return false
	}
	big, small, least := b.B, b.A, int64(0)
	if b.Op == tir.OpGT || b.Op == tir.OpGE {
		big, small = small, big
	}
	if b.Op == tir.OpLT || b.Op == tir.OpGT {
		least = 1
	}
	set := a.IntSet(a.Simplify(sub(big, small)))
	if !set.HasLower() {
		return false
	}
	return a.boundOf(a.Simplify(set.Min)).Min >= least
}

// CanProveGreaterEqual reports whether e is certainly at least c.
func (a *Analyzer) CanProveGreaterEqual(e tir.Expr, c int64) bool {
	if v, ok := cst(e); ok {
		return v >= c
	}
	a.begin()
	defer a.end()
	if a.boundOf(e).Min >= c {
		return true
	}
	if bin(e) == noBin {
		return false
	}
	return a.boundOf(a.rw.run(e)).Min >= c
}

// CanProveLess reports whether e is certainly less than c.
func (a *Analyzer) CanProveLess(e tir.Expr, c int64) bool {
	if v, ok := cst(e); ok {
		return v < c
	}
	a.begin()
	defer a.end()
	if a.boundOf(e).Max < c {
		return true
	}
	if bin(e) == noBin {
		return false
	}
	return a.boundOf(a.rw.run(e)).Max < c
}

// CanProveEqual reports whether x and y certainly have the same value.
func (a *Analyzer) CanProveEqual(x, y tir.Expr) bool {
	if Equal(x, y) {
		return true
	}
	if c, ok := cst(x); ok {
		if d, ok := cst(y); ok {
			return c == d
		}
	}
	if !x.DType().IsInteger() || !y.DType().IsInteger() {
		return a.CanProve(tir.EQ(x, y))
	}
	return a.CanProve(tir.EQ(tir.Sub(x, y), tir.Const(x.DType(), 0)))
}

// CanProveLessEqualThanSymbolicShapeValue reports whether x is at most the extent shape; of
// a symbolic extent such as n*32 it tries the constant factor, taking n to be at least 1.
func (a *Analyzer) CanProveLessEqualThanSymbolicShapeValue(x, shape tir.Expr) bool {
	if a.CanProveWith(tir.LE(x, shape), SymbolicBound) {
		return true
	}
	if _, ok := cst(shape); ok {
		return false
	}
	scale := int64(1)
	unpackProduct(shape, func(e tir.Expr) {
		if c, ok := cst(e); ok {
			scale *= c
		}
	})
	return a.CanProveWith(tir.LE(x, tir.Const(shape.DType(), max(scale, -scale))), SymbolicBound)
}

// unpackSum calls f for each term of a tree of + and - with its sign.
func unpackSum(e tir.Expr, sign int64, f func(tir.Expr, int64)) {
	switch b := bin(e); b.Op {
	case tir.OpAdd:
		unpackSum(b.A, sign, f)
		unpackSum(b.B, sign, f)
	case tir.OpSub:
		unpackSum(b.A, sign, f)
		unpackSum(b.B, -sign, f)
	default:
		f(e, sign)
	}
}

// unpackProduct calls f for each factor of a tree of *.
func unpackProduct(e tir.Expr, f func(tir.Expr)) {
	if b := bin(e); b.Op == tir.OpMul {
		unpackProduct(b.A, f)
		unpackProduct(b.B, f)
		return
	}
	f(e)
}
