package arith

import (
	"math/big"

	"github.com/irscope/irscope/compiler/tir"
)

// compareProductSum compares x with y where x - y is (A + B)*C + (A*B)*D: with all factors
// positive and D < 0 the sign is that of 1/(A*|D|) + 1/(B*|D|) - 1/C, bounded by the
// constant bounds of the factors.
func (s *simplifier) compareProductSum(x, y tir.Expr) order {
	diff := bin(s.again(sub(x, y)))
	if diff.Op != tir.OpAdd {
		return anyOrder
	}
	A, B, C, D, ok := matchProductSum(diff.A, diff.B)
	if !ok {
		if A, B, C, D, ok = matchProductSum(diff.B, diff.A); !ok {
			return anyOrder
		}
	}
	a, b, c, d := s.a.boundOf(A), s.a.boundOf(B), s.a.boundOf(C), Bound{1, 1}
	if D != nil {
		d = s.a.boundOf(D)
	}
	// diff = (a+b)*c - a*b*(-d)
	d = Bound{-d.Max, -d.Min}
	flipped := d.Max < 0
	if flipped {
		c, d = Bound{-c.Max, -c.Min}, Bound{-d.Max, -d.Min}
	}
	if c.Max < 0 {
		a, b, c = Bound{-a.Max, -a.Min}, Bound{-b.Max, -b.Min}, Bound{-c.Max, -c.Min}
	}
	if a.Min <= 0 || b.Min <= 0 || d.Min <= 0 {
		return anyOrder
	}
	left, right := mulBig(a.Max, b.Max, d.Max), mulBig(c.Min, infAdd(a.Max, b.Max))
	switch {
	case infMul(min(a.Max, b.Max), d.Max) > c.Min && left.Cmp(right) >= 0:
		return anyOrder
	case flipped:
		return isLT
	}
	return isGT
}

func mulBig(xs ...int64) *big.Int {
	p := big.NewInt(1)
	for _, x := range xs {
		p.Mul(p, big.NewInt(x))
	}
	return p
}

// matchProductSum matches (A + B)*C and (A*B)*D; D may be missing.
func matchProductSum(p, q tir.Expr) (A, B, C, D tir.Expr, ok bool) {
	P := bin(p)
	S := bin(P.A)
	if P.Op != tir.OpMul || S.Op != tir.OpAdd {
		return nil, nil, nil, nil, false
	}
	Q := bin(q)
	if Q.Op != tir.OpMul {
		return nil, nil, nil, nil, false
	}
	if samePair(Q, S) {
		return S.A, S.B, P.B, nil, true
	}
	if in := bin(Q.A); in.Op == tir.OpMul && samePair(in, S) {
		return S.A, S.B, P.B, Q.B, true
	}
	return nil, nil, nil, nil, false
}
