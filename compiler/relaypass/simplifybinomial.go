package relaypass

import (
	"math"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// monomial is a constant times two values.
type monomial struct {
	factor float64
	a, b   relax.Expr
}

// maxFactors bounds the factors of a product that is taken apart.
const maxFactors = 4

// monomial takes a product of two values and constants apart.
func (s *site) monomial(e relax.Expr) (m monomial, ok bool) {
	m.factor = 1
	var values []relax.Expr
	open := []relax.Expr{e}
	for n := 0; len(open) > 0; n++ {
		e, open = open[len(open)-1], open[:len(open)-1]
		if k := s.constant(e); k != nil {
			v, ok := s.number(e)
			if !ok || len(k.Data.Shape()) > 0 {
				return m, false
			}
			m.factor *= v
			continue
		}
		if c := s.call(e, "relax.multiply"); c != nil && n < maxFactors {
			open = append(open, c.Args[1], c.Args[0])
			continue
		}
		values = append(values, e)
	}
	if len(values) != 2 {
		return m, false
	}
	m.a, m.b = values[0], values[1]
	return m, true
}

// binomial replaces a*x*x + b*x*y + c*y*y by a*(x + p*y)*(x + q*y), where p and q are real. Of integers they must be whole: TVM cuts them
// off, which gives other values.
func binomial(s *site, c *relax.Call) relax.Expr {
	if !isCall(c, "relax.add") {
		return nil
	}
	t := s.tensor(c)
	if t == nil || t.DType != dtype.Float32T && t.DType != dtype.Float64T && t.DType != dtype.Int32T {
		return nil
	}
	for i := range 2 {
		inner := s.call(c.Args[i], "relax.add")
		if inner == nil {
			continue
		}
		var squares []monomial
		var mixed *monomial
		for _, e := range []relax.Expr{inner.Args[0], inner.Args[1], c.Args[1-i]} {
			m, ok := s.monomial(e)
			switch {
			case !ok || !s.alike(m.a, c) || !s.alike(m.b, c):
			case m.a == m.b:
				squares = append(squares, m)
			default:
				mixed = &m
			}
		}
		if len(squares) == 2 && mixed != nil {
			return s.squareOfSum(squares[0], squares[1], *mixed, t.DType)
		}
	}
	return nil
}

// squareOfSum is the product of two sums, nil where there is none.
func (s *site) squareOfSum(xx, yy, xy monomial, dt dtype.DType) relax.Expr {
	if xy.a != xx.a { // x is the first factor of the mixed product
		xx, yy = yy, xx
	}
	if xy.a != xx.a || xy.b != yy.a || xx.factor == 0 {
		return nil
	}
	if yy.factor == 1 && xx.factor > 1 {
		xx, yy = yy, xx
	}
	x, y, a, b := xx.a, yy.a, xx.factor, xy.factor
	under := b*b - 4*a*yy.factor
	if under < 0 {
		return s.declined("it is no product of real sums")
	}
	root := math.Sqrt(under)
	p, q := (b+root)/(2*a), (b-root)/(2*a)
	if under < 1e-4 {
		q = p
	}
	if dt.IsInteger() && (a*(p+q) != b || a*p*q != yy.factor) {
		return s.declined("the factors are not whole")
	}
	sum := func(k float64) relax.Expr {
		n, ok := numberOf(dt, k)
		if !ok {
			return nil
		}
		return op.Add(x, op.Multiply(y, n))
	}
	first := sum(p)
	second := first
	if q != p {
		second = sum(q)
	}
	k, ok := numberOf(dt, a)
	if first == nil || second == nil || !ok {
		return s.declined("the factors are no numbers of the type")
	}
	return op.Multiply(k, op.Multiply(first, second))
}
