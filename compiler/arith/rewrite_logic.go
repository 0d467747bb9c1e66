package arith

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// halfLine is the set x <= c (upper) or x >= c of a comparison with a constant.
type halfLine struct {
	x     tir.Expr
	c     int64
	upper bool
}

func asHalfLine(e *tir.Binary) (halfLine, bool) {
	var h halfLine
	switch e.Op {
	case tir.OpLT, tir.OpLE:
	default:
		return h, false
	}
	strict := pickInt(e.Op == tir.OpLT, 1, 0)
	if c, ok := cst(e.B); ok {
		return halfLine{e.A, c - strict, true}, true
	}
	if c, ok := cst(e.A); ok {
		return halfLine{e.B, c + strict, false}, true
	}
	return h, false
}

// opposite reports whether x is the negation of y.
func opposite(x, y tir.Expr) bool {
	if n, ok := y.(*tir.Not); ok && Equal(n.A, x) {
		return true
	}
	X, Y := bin(x), bin(y)
	switch {
	case X.Op == tir.OpEQ && Y.Op == tir.OpNE, X.Op == tir.OpNE && Y.Op == tir.OpEQ:
		return Equal(X.A, Y.A) && Equal(X.B, Y.B)
	case X.Op == tir.OpLE && Y.Op == tir.OpLT, X.Op == tir.OpLT && Y.Op == tir.OpLE:
		return total(X) && Equal(X.A, Y.B) && Equal(X.B, Y.A)
	}
	return false
}

// visitBranches simplifies each side of && or || while the other one is taken to hold, or
// to fail; a second round follows where the first one changed something. The left side runs
// before the right one: where it reads memory, its indices must hold without that.
func (s *simplifier) visitBranches(e *tir.Binary) *tir.Binary {
	side := [2]tir.Expr{e.A, e.B}
	for range 2 {
		before := side
		for i := range side {
			other := side[1-i]
			if e.Op == tir.OpOr {
				other = normalizeBool(notOf(other))
			}
			exit := func() {}
			if i == 1 || SideEffect(side[0]) <= tir.Pure {
				exit = s.a.EnterConstraint(other)
			}
			side[i] = s.visit(side[i])
			exit()
		}
		if side == before {
			break
		}
	}
	if side[0] == e.A && side[1] == e.B {
		return e
	}
	return tir.BinaryAt(e.Base, e.Op, side[0], side[1])
}

func (s *simplifier) cnf(n *tir.Binary) tir.Expr {
	if s.a.Extensions&ConvertBooleanToAndOfOrs == 0 || s.a.inCNF || !s.a.movable(n) {
		return nil
	}
	return simplifyCNF(s.a, n)
}

// movable reports whether each part of e may be computed whatever the other parts are: it has no effect, and what it reads of memory
// lies within its buffer without the condition that may stand before it.
func (a *Analyzer) movable(e tir.Expr) bool {
	ok := true
	ir.Walk(e, func(n ir.Node) bool {
		switch n := n.(type) {
		case *tir.Call:
			ok = ok && tir.CallEffect(n) <= tir.Pure
		case *tir.ProducerLoad:
			ok = false
		case *tir.BufferLoad:
			for k, i := range n.Indices {
				extent, _ := tir.AsInt(n.Buffer.Shape[k]) // 0 if it is symbolic
				ok = ok && a.boundOf(i).within(Bound{0, extent - 1})
			}
		}
		return ok
	})
	return ok
}

func (s *simplifier) andRules(n *tir.Binary) tir.Expr {
	if e := s.cnf(n); e != nil {
		return e
	}
	a, b := n.A, n.B
	A, B := bin(a), bin(b)
	d := n.DType()
	if opposite(a, b) || opposite(b, a) {
		return truth(d, false)
	}
	if h, ok := asHalfLine(A); ok {
		if g, ok := asHalfLine(B); ok && h.upper != g.upper && Equal(h.x, g.x) {
			if h.upper {
				h, g = g, h
			}
			if h.c > g.c {
				return truth(d, false)
			}
			if e := s.divRange(h, g); e != nil {
				return e
			}
		}
	}
	if A.Op == tir.OpEQ || A.Op == tir.OpNE {
		if c1, ok := cst(A.B); ok && (B.Op == tir.OpEQ || B.Op == tir.OpNE) && Equal(A.A, B.A) {
			if c2, ok := cst(B.B); ok {
				switch {
				case A.Op == tir.OpEQ:
					return pick((c1 == c2) == (B.Op == tir.OpEQ), a, truth(d, false))
				case B.Op == tir.OpEQ: // c1 is not c2: they are not opposite
					return b
				}
			}
		}
	}
	if e := s.andDivMod(A, B); e != nil {
		return e
	}
	if e := s.andDivMod(B, A); e != nil {
		return e
	}
	if e := s.andFloorModBound(A, B, b); e != nil {
		return e
	}
	if B.Op == tir.OpAnd {
		return s.again(andOf(andOf(a, B.A), B.B))
	}
	return n
}

// divRange recognizes 0 <= x + y*-c < c, the definition of y = x//c.
func (s *simplifier) divRange(lower, upper halfLine) tir.Expr {
	e := bin(lower.x)
	y, c, _ := opConst(e.B, tir.OpMul)
	if e.Op != tir.OpAdd || lower.c != 0 || upper.c != -c-1 { // upper.c is not less than 0, so that there is a c
		return nil
	}
	d := operandType(e)
	return s.again(eqOf(y, floorDiv(e.A, num(d, -c))))
}

// andDivMod merges q, that x//c2 is c1, with what r says of x%c2.
func (s *simplifier) andDivMod(q, r *tir.Binary) tir.Expr {
	if q.Op != tir.OpEQ {
		return nil
	}
	Q := bin(q.A)
	c1, ok := cst(q.B)
	c2, _ := cst(Q.B)
	if !ok || c2 <= 0 || Q.Op != tir.OpFloorDiv {
		return nil
	}
	rem := func(e tir.Expr) bool {
		m := bin(e)
		return m.Op == tir.OpFloorMod && isCst(m.B, c2) && Equal(m.A, Q.A)
	}
	x, d := Q.A, operandType(Q)
	lo, hi := num(d, c1*c2), num(d, (c1+1)*c2)
	switch r.Op {
	case tir.OpEQ:
		if c3, ok := cst(r.B); ok && rem(r.A) && c3 >= 0 && c3 < c2 {
			return s.again(eqOf(x, num(d, c1*c2+c3)))
		}
	case tir.OpLT, tir.OpLE:
		if c3, ok := cst(r.B); ok && rem(r.A) && c3 >= 0 && c3 < c2 {
			return s.again(andOf(leOf(lo, x), mk(r.Op, x, num(d, c1*c2+c3))))
		}
		if c3, ok := cst(r.A); ok && rem(r.B) && c3 >= 0 && c3 < c2 {
			return s.again(andOf(mk(r.Op, num(d, c1*c2+c3), x), ltOf(x, hi)))
		}
	}
	return nil
}

// andFloorModBound lowers the bound in x < c1 && x%c2 < c3 to the last x that can hold.
func (s *simplifier) andFloorModBound(A, B *tir.Binary, b tir.Expr) tir.Expr {
	if B.Op != tir.OpLT || A.Op != tir.OpLT && A.Op != tir.OpLE {
		return nil
	}
	m := bin(B.A)
	c1, ok := cst(A.B)
	c2, _ := cst(m.B)
	c3, _ := cst(B.B)
	if !ok || m.Op != tir.OpFloorMod || c3 <= 0 || c3 >= c2 || !Equal(A.A, m.A) {
		return nil
	}
	if A.Op == tir.OpLE {
		c1++
	}
	r := floorModInt(c1, c2)
	switch {
	case r == 0:
		c1 += c3 - c2
	case r > c3:
		c1 += c3 - r
	default:
		return nil
	}
	return s.again(andOf(ltOf(A.A, num(operandType(A), c1)), b))
}

func (s *simplifier) orRules(n *tir.Binary) tir.Expr {
	if e := s.cnf(n); e != nil {
		return e
	}
	a, b := n.A, n.B
	A, B := bin(a), bin(b)
	d := n.DType()
	if opposite(a, b) || opposite(b, a) {
		return truth(d, true)
	}
	if A.Op == tir.OpLT && B.Op == tir.OpLT && total(A) && Equal(A.A, B.B) && Equal(A.B, B.A) {
		return mk(tir.OpNE, A.A, A.B)
	}
	if h, ok := asHalfLine(A); ok {
		if g, ok := asHalfLine(B); ok && h.upper != g.upper && Equal(h.x, g.x) {
			if h.upper {
				h, g = g, h
			}
			if h.c <= g.c+1 {
				return truth(d, true)
			}
		}
	}
	if (A.Op == tir.OpEQ || A.Op == tir.OpNE) && (B.Op == tir.OpEQ || B.Op == tir.OpNE) && Equal(A.A, B.A) {
		c1, ok1 := cst(A.B)
		c2, ok2 := cst(B.B)
		if ok1 && ok2 {
			switch {
			case A.Op == tir.OpNE && B.Op == tir.OpNE:
				return pick(c1 != c2, truth(d, true), a)
			case A.Op == tir.OpNE: // c1 is not c2: they are not opposite
				return a
			case B.Op == tir.OpNE:
				return b
			}
		}
	}
	if A.Op == tir.OpEQ {
		A, B = B, A
	}
	if A.Op == tir.OpLT && B.Op == tir.OpEQ && samePair(A, B) {
		return s.again(leOf(A.A, A.B))
	}
	if o := bin(b); o.Op == tir.OpOr {
		return s.again(orOf(orOf(a, o.A), o.B))
	}
	return n
}
