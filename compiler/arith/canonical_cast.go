package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// mutateCast moves a cast between index types into a sum, where no part of it can wrap.
func (s *simplifier) mutateCast(e *tir.Cast) canon {
	if !isIndex(e.Type) {
		return canon{e: s.visitNode(e)}
	}
	v := s.mutate(e.Value)
	switch {
	case v.sum != nil && s.sumFits(v.sum, e.Type):
		out := s.room.sumOf(v, e.Type)
		for i := range out.terms {
			out.terms[i].castTo(e.Type)
		}
		return canon{sum: out}
	case v.term != nil && s.termFits(v.term, e.Type):
		t := *v.term
		t.castTo(e.Type)
		return s.room.term(t)
	}
	x := v.expr()
	if x == e.Value {
		return canon{e: castFold(e)}
	}
	return canon{e: castFold(&tir.Cast{Base: e.Base, Type: e.Type, Value: x})}
}

func (t *split) castTo(d dtype.DType) {
	t.index = tir.CastTo(d, t.index)
	t.d = d
}

// exprFits reports whether all values of e fit in d.
func (s *simplifier) exprFits(e tir.Expr, d dtype.DType) bool {
	b, all := s.a.boundOf(e), DTypeBound(d)
	return b.Min >= all.Min && b.Max <= all.Max
}

func (s *simplifier) termFits(t *split, d dtype.DType) bool {
	if d.Bits >= t.d.Bits || t.scale == 0 {
		return true
	}
	rem := split{index: t.index, lower: 1, upper: t.upper, scale: 1, floor: t.floor, d: t.d}
	return s.exprFits(t.index, d) && s.exprFits(rem.scaled(1), d) && s.exprFits(t.scaled(1), d)
}

func (s *simplifier) sumFits(x *sum, d dtype.DType) bool {
	if d.Bits >= x.d.Bits {
		return true
	}
	partial := &sum{d: x.d}
	for _, negative := range [2]bool{false, true} {
		for i := range x.terms {
			if t := x.terms[i]; t.scale < 0 == negative {
				partial.terms = append(partial.terms, t)
				if !s.exprFits(partial.expr(), d) || !s.termFits(&t, d) {
					return false
				}
			}
		}
		if x.base < 0 == negative {
			partial.base = x.base
			if !s.exprFits(partial.expr(), d) {
				return false
			}
		}
	}
	return true
}

// canonLT divides x < y by the factor that the coefficients of x - y share:
//
//	a*8 + b < 16, 0 <= b < 8             =>  a < 2
//	a*64 + c % 64 < 120                  =>  a*8 + c//8 % 8 < 15
func (s *simplifier) canonLT(e *tir.Binary, d dtype.DType) tir.Expr {
	diff := s.mutate(sub(e.A, e.B))
	if diff.sum == nil {
		return s.visitBinary(e)
	}
	g, scaled := diff.sum.base, false
	for _, t := range diff.sum.terms {
		if t.scale > 1 || t.scale < -1 {
			scaled = true
			g = GCD(g, t.scale)
		}
	}
	if !scaled || g == 1 {
		return s.visitBinary(e)
	}
	whole, rest := s.room.separate(diff.sum, g)
	if rest.isZero() {
		return s.visitRules(e, whole.dividedBy(g).expr(), d)
	}
	r := s.a.boundOf(rest.expr())
	if r.Min >= 0 && r.Max < g {
		return s.visitRules(e, whole.dividedBy(g).expr(), d)
	}
	if len(rest.terms) == 1 { // the base is a multiple of g
		t := rest.terms[0]
		if t.floor && t.scale == 1 && t.upper != PosInf && t.upper%(g*t.lower) == 0 {
			k := g * t.lower
			q := floorMod(floorDiv(t.index, num(d, k)), num(d, t.upper/k))
			return s.visitRules(e, add(whole.dividedBy(g).expr(), q), d)
		}
	}
	return s.visitBinary(e)
}

// visitRules simplifies x < 0, which e comes to.
func (s *simplifier) visitRules(e tir.Expr, x tir.Expr, d dtype.DType) tir.Expr {
	lt := s.named(ruleDivide, e, ltOf(x, num(d, 0)))
	b, ok := lt.(*tir.Binary)
	if !ok {
		return lt
	}
	return s.visitBinary(b)
}
