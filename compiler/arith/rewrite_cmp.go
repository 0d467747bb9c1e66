package arith

import "github.com/irscope/irscope/compiler/tir"

// compare returns how two simplified indices may compare, by constant bounds, modular sets,
// known inequalities and, as an extension, the comparison of a product with a sum.
func (s *simplifier) compare(x, y tir.Expr) order {
	s.a.quiet++
	defer func() { s.a.quiet-- }()
	if Equal(x, y) {
		return isEQ
	}
	o := s.compareBounds(x, y)
	if !o.single() {
		o &= s.a.known.compare(x, y, s.a.Extensions&TransitivelyProveInequalities != 0)
	}
	if o.single() || s.a.Extensions&ComparisonOfProductAndSum == 0 {
		return o
	}
	return o & s.compareProductSum(x, y)
}

func (s *simplifier) compareBounds(x, y tir.Expr) order {
	bx, by := s.a.boundOf(x), s.a.boundOf(y)
	if bx.Max < by.Min {
		return isLT
	}
	if bx.Min > by.Max {
		return isGT
	}
	o := anyOrder
	if bx.Max <= by.Min {
		o &= isLE
	}
	if bx.Min >= by.Max {
		o &= isGE
	}
	if c, ok := cst(y); ok {
		if o == anyOrder {
			if m := s.a.modularOf(x); floorModIntOr(c-m.Base, m.Coeff) != 0 {
				return isNE
			}
		}
		return o
	}
	if s.recur >= maxRecur {
		return o
	}
	return o & s.compareZero(s.again(sub(x, y)))
}

// floorModIntOr is the remainder of x by m, or x itself for m == 0.
func floorModIntOr(x, m int64) int64 {
	if m == 0 {
		return x
	}
	return floorModInt(x, m)
}

// compareZero returns how a simplified expression may compare to 0.
func (s *simplifier) compareZero(diff tir.Expr) order {
	b := s.a.boundOf(diff)
	switch {
	case b.Min == 0 && b.Max == 0:
		return isEQ
	case b.Min > 0:
		return isGT
	case b.Max < 0:
		return isLT
	case b.Min >= 0:
		return isGE
	case b.Max <= 0:
		return isLE
	}
	if m := s.a.modularOf(diff); m.Base != 0 {
		return isNE
	}
	return anyOrder
}

// notEqual simplifies x != y by the rules of x == y.
func (s *simplifier) notEqual(n *tir.Binary) tir.Expr {
	eq := tir.NewBinary(tir.OpEQ, n.A, n.B)
	out := s.rules(eq)
	if out == tir.Expr(eq) {
		return n
	}
	return s.notResult(out)
}

// less simplifies x < y for simplified operands.
func (s *simplifier) less(x, y tir.Expr) tir.Expr { return s.rules(tir.NewBinary(tir.OpLT, x, y)) }

// notResult negates a simplified condition.
func (s *simplifier) notResult(e tir.Expr) tir.Expr {
	if c, ok := cst(e); ok {
		return truth(e.DType(), c == 0)
	}
	if n, ok := e.(*tir.Not); ok {
		return n.A
	}
	return s.notRules(&tir.Not{A: e})
}

// notRules applies the rules for n, whose operand is simplified.
func (s *simplifier) notRules(n *tir.Not) tir.Expr {
	if e := s.tryRules(opNot, n, n.DType(), n.A, nil, nil); e != nil {
		return e
	}
	return n
}

// lessEqual simplifies x <= y first as not (y < x), so that constants divide as they do for <.
func (s *simplifier) lessEqual(n *tir.Binary) tir.Expr {
	if !total(n) {
		return n
	}
	lt := tir.NewBinary(tir.OpLT, n.B, n.A)
	out := tir.Expr(n)
	if f := s.rules(lt); f != tir.Expr(lt) {
		out = s.notResult(f)
	}
	le := bin(out)
	if le.Op != tir.OpLE || !isIndex(operandType(le)) {
		return out
	}
	switch s.compare(le.A, le.B) {
	case isLE, isLT, isEQ:
		return s.named("le.known", le, truth(n.DType(), true))
	case isGT:
		return s.named("le.known", le, truth(n.DType(), false))
	case isNE:
		return s.less(le.A, le.B)
	case isGE:
		return s.rules(tir.NewBinary(tir.OpEQ, le.A, le.B))
	}
	return out
}

// inverse is the comparison that holds where x does not, nil if x is none or, of floats, has none.
func inverse(x *tir.Binary) tir.Expr {
	switch {
	case x.Op == tir.OpEQ:
		return mk(tir.OpNE, x.A, x.B)
	case x.Op == tir.OpNE:
		return eqOf(x.A, x.B)
	case !x.Op.IsCompare() || !total(x):
		return nil
	}
	switch x.Op {
	case tir.OpLE:
		return ltOf(x.B, x.A)
	case tir.OpGE:
		return ltOf(x.A, x.B)
	case tir.OpLT:
		return leOf(x.B, x.A)
	}
	return leOf(x.A, x.B)
}
