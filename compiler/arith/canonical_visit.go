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
	if c, ok := s.a.memo.cs[e]; ok {
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
		if s.a.memo.cs == nil {
			s.a.memo.cs = map[tir.Expr]canon{}
		}
		s.a.memo.cs[e] = c
	}
	return c
}

func (s *simplifier) mutateBinary(e *tir.Binary) canon {
	if !s.a.spend() {
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
		out := a.asSum(d)
		if c, ok := cst(b.e); ok {
			out.base += sign * c
		} else if b.sum != nil {
			out.addSum(b.sum, sign)
		} else {
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
			return canon{sum: a.asSum(d).times(c)}
		}
		t := a.asAnyTerm()
		t.scale *= c
		return canon{term: &t}
	}
	x, y := a.expr(), b.expr()
	if x == e.A && y == e.B {
		if out := mulNormal(x, y); Equal(out, e) {
			return canon{e: e}
		}
	}
	return canon{e: mulNormal(x, y)}
}

// mulNormal multiplies all factors of x and y from left to right, the constant last.
func mulNormal(x, y tir.Expr) tir.Expr {
	scale := int64(1)
	var out tir.Expr
	collect := func(f tir.Expr) {
		if c, ok := cst(f); ok {
			scale *= c
		} else if out == nil {
			out = f
		} else {
			out = mul(out, f)
		}
	}
	unpackProduct(x, collect)
	unpackProduct(y, collect)
	if out == nil {
		return num(x.DType(), scale)
	}
	if scale != 1 {
		out = mulC(x.DType(), out, scale)
	}
	return out
}
