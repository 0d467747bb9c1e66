package tirpass

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Bounds of what is brought into a normal form: nodes of an expression and terms of a sum.
// What is larger is known by its operands, as without the option.
const (
	maxNormalSize  = 128
	maxNormalTerms = 32
)

// normalizer names integer expressions by a normal form: the expression simplified, sums and
// products multiplied out, and operands ordered where their order does not matter. Two
// expressions with one name compute the same.
type normalizer struct {
	an    *arith.Analyzer
	vars  map[*tir.Var]int // numbers of variables
	atoms map[string]int   // numbers of what is no sum and no product
	// alone are numbers of expressions that equal only themselves. They are held here: the address of one that is gone may be that of
	// another one.
	alone map[tir.Expr]int
}

func newNormalizer() *normalizer {
	return &normalizer{an: arith.NewAnalyzer(), vars: map[*tir.Var]int{}, atoms: map[string]int{}, alone: map[tir.Expr]int{}}
}

// name returns the name of e, "" where e is no integer or too large. It names the variables
// of e too, also those that cancel: a variable may be defined where another use of the same
// value is not.
func (n *normalizer) name(e tir.Expr) string {
	d := e.DType()
	if !d.IsInteger() && !d.IsBool() || d.Lanes > 1 {
		return ""
	}
	size, free := 0, map[int]bool{}
	ir.Walk(e, func(x ir.Node) bool {
		size++
		if v, ok := x.(*tir.Var); ok {
			free[n.number(v)] = true
		}
		return size <= maxNormalSize
	})
	if size > maxNormalSize {
		return ""
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(free)), n.form(n.an.Simplify(e)))
}

func (n *normalizer) number(v *tir.Var) int {
	if _, ok := n.vars[v]; !ok {
		n.vars[v] = len(n.vars)
	}
	return n.vars[v]
}

// form returns the normal form of a simplified expression.
func (n *normalizer) form(e tir.Expr) string {
	if d := e.DType(); d.IsInteger() && d.Lanes <= 1 {
		return d.String() + ":" + n.sum(e).String()
	}
	return n.operation(e)
}

// operation is the form of what is neither sum nor product.
func (n *normalizer) operation(e tir.Expr) string {
	switch e := e.(type) {
	case *tir.Var:
		return "v" + strconv.Itoa(n.number(e))
	case *tir.Cast:
		return "cast " + e.Type.String() + "(" + n.form(e.Value) + ")"
	case *tir.Not:
		return "not(" + n.form(e.A) + ")"
	case *tir.Select:
		return "select(" + n.form(e.Cond) + "," + n.form(e.True) + "," + n.form(e.False) + ")"
	case *tir.Binary:
		a, b := n.form(e.A), n.form(e.B)
		switch e.Op {
		case tir.OpMul, tir.OpMin, tir.OpMax, tir.OpEQ, tir.OpNE:
			if integers := e.A.DType().IsInteger(); integers && a > b {
				a, b = b, a
			}
		}
		return e.Op.String() + "(" + a + "," + b + ")"
	}
	if _, ok := n.alone[e]; !ok {
		n.alone[e] = len(n.alone)
	}
	return "e" + strconv.Itoa(n.alone[e])
}

// polynomial is a sum: a coefficient for each product of factors, whose names are ordered and
// joined. A factor is the number of an atom; the product of none is "".
type polynomial struct {
	terms map[string]int64
	dtype dtype.DType
}

// String returns the terms in order.
func (p polynomial) String() string {
	parts := make([]string, 0, len(p.terms))
	for _, product := range slices.Sorted(maps.Keys(p.terms)) {
		parts = append(parts, strconv.FormatInt(p.terms[product], 10)+"*"+product)
	}
	return strings.Join(parts, "+")
}

// add adds c times a product. Integers wrap around, so coefficients do.
func (p polynomial) add(product string, c int64) {
	unused := 64 - int(p.dtype.Bits)
	c = (c + p.terms[product]) << unused >> unused
	if c == 0 {
		delete(p.terms, product)
		return
	}
	p.terms[product] = c
}

// factors separates the names of factors.
const factors = "·"

// sum returns e as a polynomial.
func (n *normalizer) sum(e tir.Expr) polynomial {
	out := polynomial{map[string]int64{}, e.DType()}
	switch x := e.(type) {
	case *tir.IntImm:
		out.add("", x.Value)
		return out
	case *tir.Binary:
		if x.Op != tir.OpAdd && x.Op != tir.OpSub && x.Op != tir.OpMul {
			break
		}
		a, b := n.sum(x.A), n.sum(x.B)
		if x.Op != tir.OpMul {
			sign := int64(1)
			if x.Op == tir.OpSub {
				sign = -1
			}
			maps.Copy(out.terms, a.terms)
			for product, c := range b.terms {
				out.add(product, sign*c)
			}
			return out
		}
		if len(a.terms)*len(b.terms) > maxNormalTerms {
			break
		}
		for p, c := range a.terms {
			for q, d := range b.terms {
				out.add(product(p, q), c*d)
			}
		}
		return out
	}
	atom := n.operation(e)
	if _, ok := n.atoms[atom]; !ok {
		n.atoms[atom] = len(n.atoms)
	}
	out.add("a"+strconv.Itoa(n.atoms[atom]), 1)
	return out
}

// product joins two products.
func product(p, q string) string {
	switch {
	case p == "":
		return q
	case q == "":
		return p
	}
	all := append(strings.Split(p, factors), strings.Split(q, factors)...)
	slices.Sort(all)
	return strings.Join(all, factors)
}
