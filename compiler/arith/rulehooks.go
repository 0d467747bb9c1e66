package arith

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// ruleHook computes what a rule makes of n, whose operands have type d; nil if the rule does not apply.
type ruleHook func(s *simplifier, n *tir.Binary, d dtype.DType) tir.Expr

// ruleHooks returns the function of a name that rules refer to, nil if there is none.
func ruleHooks(name string) ruleHook {
	switch name {
	case "knownEQ":
		return (*simplifier).knownEQ
	case "knownNE":
		return (*simplifier).knownNE
	case "knownLT":
		return (*simplifier).knownLT
	case "commonFactorLT":
		return (*simplifier).commonFactorLT
	case "scaledFloorDiv":
		return (*simplifier).scaledFloorDiv
	case "divideRamp":
		return (*simplifier).divideRamp
	}
	return nil
}

// knownEQ decides x == y by what is known of the two.
func (s *simplifier) knownEQ(n *tir.Binary, _ dtype.DType) tir.Expr {
	switch s.compare(n.A, n.B) {
	case isEQ:
		return truth(n.DType(), true)
	case isNE, isGT, isLT:
		return truth(n.DType(), false)
	}
	return nil
}

// knownNE decides x != y, or makes it < where one side cannot be the larger one.
func (s *simplifier) knownNE(n *tir.Binary, _ dtype.DType) tir.Expr {
	switch s.compare(n.A, n.B) {
	case isNE, isGT, isLT:
		return truth(n.DType(), true)
	case isEQ:
		return truth(n.DType(), false)
	case isGE:
		return s.less(n.B, n.A)
	case isLE:
		return s.less(n.A, n.B)
	}
	return nil
}

// knownLT decides x < y by what is known of the two.
func (s *simplifier) knownLT(n *tir.Binary, _ dtype.DType) tir.Expr {
	switch s.compare(n.A, n.B) {
	case isLT:
		return truth(n.DType(), true)
	case isEQ, isGT, isGE:
		return truth(n.DType(), false)
	}
	return nil
}

// commonFactorLT divides both sides of x < y by a factor that all their values share.
func (s *simplifier) commonFactorLT(n *tir.Binary, d dtype.DType) tir.Expr {
	if isLeaf(n.A) && isLeaf(n.B) || s.recur >= maxRecur {
		return nil
	}
	ma := s.a.modularOf(n.A)
	g := GCD(ma.Base, ma.Coeff)
	if g == 1 {
		return nil
	}
	mb := s.a.modularOf(n.B)
	if g = GCD(g, GCD(mb.Base, mb.Coeff)); g <= 1 {
		return nil
	}
	return ltOf(floorDiv(n.A, num(d, g)), floorDiv(n.B, num(d, g)))
}

// scaledFloorDiv handles (x*c1 + y)//c2, (y + x*c1)//c2 and x*c1//c2: the part of x*c1 + y that is no multiple
// of c2 either divides to a constant or cannot change the quotient.
func (s *simplifier) scaledFloorDiv(n *tir.Binary, d dtype.DType) tir.Expr {
	c2, _ := cst(n.B)
	x, c1, ok := opConst(n.A, tir.OpMul)
	var y tir.Expr
	if !ok {
		sum := bin(n.A)
		if x, c1, ok = opConst(sum.A, tir.OpMul); ok {
			y = sum.B
		} else {
			x, c1, _ = opConst(sum.B, tir.OpMul)
			y = sum.A
		}
	}
	if c2 == 0 {
		return nil
	}
	div := num(d, c2)
	var yMod, yDiv tir.Expr
	if y == nil {
		yMod, yDiv = num(d, 0), num(d, 0)
	} else if r := s.a.boundOf(y); r.Min >= 0 && r.Max < c2 {
		yMod, yDiv = y, num(d, 0)
	} else {
		yMod, yDiv = s.aside(floorMod(y, div)), s.aside(floorDiv(y, div))
	}
	rest := mulC(d, x, floorModInt(c1, c2))
	bound := s.a.boundOf(add(rest, yMod))
	if lo, hi := infFloorDiv(bound.Min, c2), infFloorDiv(bound.Max, c2); lo == hi && lo != PosInf && lo != NegInf {
		return add(mulC(d, x, floorDivInt(c1, c2)), addC(d, yDiv, lo))
	}
	if c2 > 0 && c1 > 0 && s.a.boundOf(yMod).Max < c1 && c2%c1 == 0 {
		return add(floorDiv(x, num(d, c2/c1)), yDiv)
	}
	return nil
}

// divideRamp divides a ramp by a constant.
func (s *simplifier) divideRamp(n *tir.Binary, d dtype.DType) tir.Expr {
	if !d.IsInt() {
		return nil
	}
	return s.rampDivMod(n.Op, n.A.(*tir.Ramp), n.B.(*tir.Broadcast), d)
}
