package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (s *simplifier) canonDiv(e *tir.Binary, a, b canon, d dtype.DType) canon {
	floor := e.Op == tir.OpFloorDiv
	c, ok := constOf(b)
	if !ok || c <= 0 || c == PosInf {
		if k, ok := s.multipleOf(a, b, d); ok {
			return canon{e: num(d, k)}
		}
		return s.divSymbolic(e, a.expr(), b.expr())
	}
	if c == 1 {
		return a
	}
	if a.sum == nil {
		if r := s.a.boundOf(a.expr()); r.Min >= 0 && r.Max < c {
			return canon{e: num(d, 0)}
		}
		t := s.divTerm(a.asTerm(floor), c)
		return s.room.term(t)
	}
	whole, rest := s.room.separate(a.sum, c)
	if rest.isZero() {
		return canon{sum: whole.dividedBy(c)}
	}
	if !floor && (s.a.boundOf(whole.expr()).Min < 0 || s.a.boundOf(rest.expr()).Min < 0) {
		t := s.divTerm(a.asTerm(false), c)
		return s.room.term(t)
	}
	out := whole.dividedBy(c)
	left := rest.expr()
	if k, ok := cst(left); ok {
		out.base += floorDivInt(k, c)
		return canon{sum: out}
	}
	if r := s.a.boundOf(left); r.Min < 0 || r.Max >= c {
		t := s.divTerm(canon{sum: rest}.asTerm(floor), c)
		out.addTerm(t, 1)
	}
	return canon{sum: out}
}

// fitsType reports whether v is a number of type d, and no infinity.
func fitsType(d dtype.DType, v int64) bool { return v != PosInf && Bound{v, v}.within(DTypeBound(d)) }

// divTerm divides a term by c > 1.
func (s *simplifier) divTerm(t split, c int64) split {
	if t.scale%c == 0 {
		t.scale /= c
		return t
	}
	if t.scale > 0 && c%t.scale == 0 && fitsType(t.d, infMul(t.lower, c/t.scale)) {
		k := c / t.scale
		switch {
		case t.upper <= t.lower*k:
			t.scale = 0
		case t.upper == PosInf || t.upper%(t.lower*k) == 0:
			t.scale = 1
			t.lower *= k
		default: // the upper bound moves into the index
			t.index = mk(modOp(t.floor), t.index, num(t.d, t.upper))
			t.upper, t.scale = PosInf, 1
			t.lower *= k
		}
		return t
	}
	return split{index: t.scaled(1), lower: c, upper: PosInf, scale: 1, floor: t.floor, d: t.d}
}

func (s *simplifier) canonMod(e *tir.Binary, a, b canon, d dtype.DType) canon {
	floor := e.Op == tir.OpFloorMod
	c, ok := constOf(b)
	if !ok || c <= 0 || c == PosInf {
		if _, ok := s.multipleOf(a, b, d); ok {
			return canon{e: num(d, 0)}
		}
		return s.divSymbolic(e, a.expr(), b.expr())
	}
	if a.sum == nil {
		if r := s.a.boundOf(a.expr()); r.Min >= 0 && r.Max < c {
			return a
		}
		return s.modTerm(a.asTerm(floor), c)
	}
	whole, rest := s.room.separate(a.sum, c)
	if rest.isZero() {
		return canon{e: num(d, 0)}
	}
	if floor || s.a.boundOf(whole.expr()).Min >= 0 && s.a.boundOf(rest.expr()).Min >= 0 {
		left := rest.expr()
		if k, ok := cst(left); ok {
			return canon{e: num(d, floorModInt(k, c))}
		}
		if r := s.a.boundOf(left); r.Min >= 0 && r.Max < c {
			return canon{e: left}
		}
		a = canon{sum: rest}
	}
	// A constant offset is reduced: (x - 5) % 3 is (x + 1) % 3.
	if floor {
		out := s.room.sumOf(a, d)
		out.base = floorModInt(out.base, c)
		if r := s.a.boundOf(out.expr()); r.Min >= 0 && r.Max < c {
			return canon{sum: out}
		}
		return s.modTerm(canon{sum: out}.asTerm(true), c)
	}
	base := a.sum.base % c
	if r := s.a.boundOf(a.expr()); r.Min >= 0 && infAdd(r.Min, base-a.sum.base) >= 0 {
		out := s.room.sumOf(a, d)
		out.base = base
		a = canon{sum: out}
	}
	return s.modTerm(a.asTerm(false), c)
}

// modTerm takes the remainder of a term by c > 0.
func (s *simplifier) modTerm(t split, c int64) canon {
	if t.scale%c == 0 {
		return canon{e: num(t.d, 0)}
	}
	if t.scale > 0 && c%t.scale == 0 && fitsType(t.d, infMul(t.lower, c/t.scale)) {
		// index%upper/lower*scale % c = index%upper % (c/scale*lower) / lower * scale
		upper := t.lower * (c / t.scale)
		if t.upper == PosInf {
			t.upper = upper
			return s.room.term(t)
		}
		if t.upper%upper == 0 {
			if upper == t.upper {
				return s.room.term(t)
			}
			in := s.mutate(mk(modOp(t.floor), t.index, num(t.d, upper))).asTerm(t.floor)
			if t.lower != 1 {
				in = s.divTerm(in, t.lower)
			}
			in.scale *= t.scale
			return s.room.term(in)
		}
		if upper%t.upper == 0 {
			return s.room.term(t) // x % 2 % 4
		}
	}
	return s.room.term(split{index: t.scaled(1), lower: 1, upper: c, scale: 1, floor: t.floor, d: t.d})
}

// multipleOf returns the constant k for which a is k*b, both sums: n*64 + 64 is twice
// n*32 + 32.
func (s *simplifier) multipleOf(a, b canon, d dtype.DType) (int64, bool) {
	if a.sum == nil || b.sum == nil {
		return 0, false
	}
	first := slices.IndexFunc(b.sum.terms, func(t split) bool { return t.scale != 0 })
	if first < 0 {
		return 0, false
	}
	u := b.sum.terms[first]
	for _, t := range a.sum.terms {
		if t.upper != u.upper || !Equal(t.index, u.index) {
			continue // of the terms of one index the first ones match, or none do
		}
		k := t.scale / u.scale
		rest := s.room.sumOf(a, d)
		rest.addSum(b.sum, -k)
		for _, t := range rest.terms {
			if t.scale != 0 {
				return 0, false
			}
		}
		return k, rest.base == 0
	}
	return 0, false
}

// divSymbolic divides, or takes the remainder, by an expression; common factors cancel, as
// they do for the exact quotient that both kinds of division round.
func (s *simplifier) divSymbolic(e *tir.Binary, x, y tir.Expr) canon {
	if num, den, common, ok := cancelFactors(x, y); ok {
		out := mk(e.Op, num, den)
		if e.Op == tir.OpMod || e.Op == tir.OpFloorMod {
			out = mul(out, common)
		}
		return canon{e: out}
	}
	if x == e.A && y == e.B {
		return canon{e: e}
	}
	return canon{e: mk(e.Op, x, y)}
}

// cancelFactors removes the factors that x and y share, for a y that is no constant.
func cancelFactors(x, y tir.Expr) (num, den, common tir.Expr, ok bool) {
	if _, isC := cst(y); isC {
		return nil, nil, nil, false
	}
	d := x.DType()
	one := tir.Const(d, 1)
	var factors []tir.Expr
	cx, cy := int64(1), int64(1)
	unpackProduct(x, func(f tir.Expr) {
		if c, isC := cst(f); isC {
			cx *= c
		} else {
			factors = append(factors, f)
		}
	})
	num, den, common = one, one, one
	found := false
	unpackProduct(y, func(f tir.Expr) {
		if c, isC := cst(f); isC {
			cy *= c
			return
		}
		for i, g := range factors {
			if Equal(f, g) {
				factors[i] = nil
				found = true
				common = mul(common, f)
				return
			}
		}
		den = mul(den, f)
	})
	g := GCD(cx, cy)
	if g == 0 || g == 1 && !found {
		return nil, nil, nil, false
	}
	for _, f := range factors {
		if f != nil {
			num = mul(num, f)
		}
	}
	return mulC(d, num, cx/g), mulC(d, den, cy/g), mulC(d, common, g), true
}
