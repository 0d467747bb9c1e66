package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// mutate brings e to canonical form without writing it out again.
func (s *simplifier) mutate(e tir.Expr) canon {
	switch x := e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm:
		return canon{e: e}
	case *tir.Var:
		return canon{e: s.visitVar(x)}
	}
	if c, ok := s.a.memo.cs.Get(e); ok {
		return c
	}
	gen := s.a.gen
	var c canon
	switch x := e.(type) {
	case *tir.Binary:
		c = s.mutateBinary(x)
	case *tir.Cast:
		c = s.mutateCast(x)
	default:
		c = canon{e: s.visitNode(e)}
	}
	if s.a.gen == gen {
		s.a.memo.cs.Put(e, c)
	}
	return c
}

func (s *simplifier) mutateBinary(e *tir.Binary) canon {
	if !s.a.spend(1) {
		return canon{e: e}
	}
	d := operandType(e)
	if !isIndex(d) {
		return canon{e: s.visitBinary(e)}
	}
	switch e.Op {
	case tir.OpLT:
		return canon{e: s.canonLT(e, d)}
	case tir.OpAdd, tir.OpSub, tir.OpMul, tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
	default:
		return canon{e: s.visitBinary(e)}
	}
	if n := manyOperands; manySums(e, &n) {
		return canon{sum: s.collect(e, d, map[*tir.Binary]bool{}).sum(d)}
	}
	a, b := s.mutate(e.A), s.mutate(e.B)
	if a.e != nil && b.e != nil {
		if f := fold(e.Op, a.e, b.e); f != nil {
			return canon{e: f}
		}
	}
	switch e.Op {
	case tir.OpAdd, tir.OpSub:
		sign := int64(1)
		if e.Op == tir.OpSub {
			sign = -1
		}
		if !s.a.spend(a.lookups(b)) {
			return canon{e: mk(e.Op, a.expr(), b.expr())}
		}
		var out *sum
		if c, ok := cst(b.e); ok {
			out = s.room.sumOf(a, d)
			out.base += sign * c
		} else if b.sum != nil {
			out = s.room.sumFor(a, d, len(b.sum.terms))
			out.addSum(b.sum, sign)
		} else {
			out = s.room.sumFor(a, d, 1)
			out.addTerm(b.asAnyTerm(), sign)
		}
		return canon{sum: out}
	case tir.OpMul:
		return s.canonMul(e, a, b, d)
	case tir.OpDiv, tir.OpFloorDiv:
		return s.canonDiv(e, a, b, d)
	}
	return s.canonMod(e, a, b, d)
}

// constOf returns the value of a constant canonical value.
func constOf(c canon) (int64, bool) {
	if c.sum != nil && len(c.sum.terms) == 0 {
		return c.sum.base, true
	}
	if c.e == nil {
		return 0, false
	}
	return cst(c.e)
}

func (s *simplifier) canonMul(e *tir.Binary, a, b canon, d dtype.DType) canon {
	if _, ok := constOf(a); ok {
		a, b = b, a
	}
	if c, ok := constOf(b); ok {
		if a.sum != nil {
			return canon{sum: s.room.sumOf(a, d).times(c)}
		}
		t := a.asAnyTerm()
		t.scale *= c
		if s.a.Remember {
			t.product = e
		}
		return s.room.term(t)
	}
	x, y := a.expr(), b.expr()
	if out := mulNormal(x, y); x != e.A || y != e.B || !Equal(out, e) {
		return canon{e: out}
	}
	return canon{e: e}
}

// maxFactors bounds the factors of a product that are joined to another product one by one.
const maxFactors = 64

// mulNormal multiplies the factors of x and y from left to right, the constant last. x, which is
// in this form already, is continued: a product of n factors is built in n steps. A long
// product y is one factor.
func mulNormal(x, y tir.Expr) tir.Expr {
	d := x.DType()
	out, scale := withoutScale(x)
	if n := maxFactors; tooManyFactors(y, &n) {
		last, c := withoutScale(y)
		return withScale(d, times(out, last), scale*c)
	}
	unpackProduct(y, func(f tir.Expr) {
		if c, ok := cst(f); ok {
			scale *= c
		} else {
			out = times(out, f)
		}
	})
	return withScale(d, out, scale)
}

// withoutScale splits a product into its factors, nil for none, and the constant behind them.
func withoutScale(e tir.Expr) (tir.Expr, int64) {
	if c, ok := cst(e); ok {
		return nil, c
	}
	if x, c, ok := opConst(e, tir.OpMul); ok {
		return x, c
	}
	return e, 1
}

// times multiplies x, nil for 1, by y.
func times(x, y tir.Expr) tir.Expr {
	if x == nil {
		return y
	}
	return mul(x, y)
}

// withScale multiplies x, nil for 1, by a constant.
func withScale(d dtype.DType, x tir.Expr, c int64) tir.Expr {
	switch {
	case x == nil:
		return num(d, c)
	case c == 1:
		return x
	}
	return mulC(d, x, c)
}

// tooManyFactors reports whether a tree of * has more than n products in it, which it counts down.
func tooManyFactors(e tir.Expr, n *int) bool {
	b := bin(e)
	if b.Op != tir.OpMul {
		return false
	}
	*n--
	return *n < 0 || tooManyFactors(b.A, n) || tooManyFactors(b.B, n)
}
