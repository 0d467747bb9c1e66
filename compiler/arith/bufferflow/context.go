package bufferflow

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// SimplifyInContext simplifies e, which is computed by the statement at, with an analyzer that knows what
// holds there of variables: a load of an element whose value is known becomes that value. Follow must have
// been called. at must be a statement of the function, as it was given; of others nothing is known.
func (a *Analysis) SimplifyInContext(e tir.Expr, at tir.Stmt, an *arith.Analyzer) tir.Expr {
	c := &context{an: an}
	if a.known != nil {
		c.flow, c.facts = a.known, a.known.notes[at]
	}
	for _, p := range c.facts {
		if p.buffer == nil {
			c.conds = append(c.conds, p.where)
			defer an.EnterConstraint(p.where)()
		}
	}
	if len(c.facts) > len(c.conds) && arith.SideEffect(e) <= tir.ReadState {
		e = c.substitute(e)
	}
	return an.Simplify(e)
}

// context is what is known at a statement.
type context struct {
	*flow
	an    *arith.Analyzer
	facts state
	conds []tir.Expr // those of facts that are about no buffer
}

// substitute replaces the loads whose value is known.
func (c *context) substitute(e tir.Expr) tir.Expr {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if load, ok := e.(*tir.BufferLoad); ok {
			if v := c.value(load); v != nil {
				return v
			}
		}
		return m.MapExpr(e)
	}
	return m.Expr(e)
}

// value returns what load reads, nil if that is not known.
func (c *context) value(load *tir.BufferLoad) tir.Expr {
	t := c.touchOf(load.Buffer, load.Indices, load.Predicate)
	if t == nil || !t.exact || t.lane != nil {
		return nil
	}
	for _, p := range c.facts {
		if p.buffer == load.Buffer && c.proves(c.at(p.where, t), c.conds, nil) {
			return c.at(p.value, t)
		}
	}
	return nil
}

// maxCases bounds the cases that a proof tells apart.
const maxCases = 8

// proves reports whether cond certainly holds where all of conds and known do. Of conditions that are
// disjunctions it tries one part after the other.
func (c *context) proves(cond tir.Expr, conds, known []tir.Expr) bool {
	if len(conds) > 0 {
		cases := split(nil, conds[0], tir.OpOr)
		if len(cases) > maxCases {
			cases = nil
		}
		for _, one := range cases {
			part := split(known[:len(known):len(known)], one, tir.OpAnd)
			proved := false
			c.an.With(one, func() { proved = c.proves(cond, conds[1:], part) })
			if !proved {
				return false
			}
		}
		return len(cases) > 0 || c.proves(cond, conds[1:], known)
	}
	for _, clause := range split(nil, cond, tir.OpAnd) {
		if !c.an.CanProve(clause) && !c.refutes(clause, known) {
			return false
		}
	}
	return true
}

// refutes reports whether no value of some variable makes all of known true and clause false.
func (c *context) refutes(clause tir.Expr, known []tir.Expr) bool {
	whole := clause
	for _, k := range known {
		whole = tir.Or(whole, negation(k))
	}
	tried := map[*tir.Var]bool{}
	ir.Walk(clause, func(n ir.Node) bool {
		if v, ok := n.(*tir.Var); ok && v.DType().IsInt() {
			tried[v] = true
		}
		return true
	})
	for v := range tried {
		var lo, hi tir.Expr
		if x := c.loops[v]; x != nil {
			lo, hi, _, _ = c.bounds(x)
		}
		if tir.IsConst(c.an.Simplify(clauseForAll(c.an, whole, v, lo, hi)), 1) {
			return true
		}
	}
	return false
}

// negation returns the negation of a condition, of a comparison as one.
func negation(e tir.Expr) tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.OperandType().IsInt() {
		switch b.Op {
		case tir.OpLT:
			return tir.GE(b.A, b.B)
		case tir.OpLE:
			return tir.GT(b.A, b.B)
		case tir.OpGT:
			return tir.LE(b.A, b.B)
		case tir.OpGE:
			return tir.LT(b.A, b.B)
		case tir.OpEQ:
			return tir.NE(b.A, b.B)
		case tir.OpNE:
			return tir.EQ(b.A, b.B)
		}
	}
	return tir.LogicalNot(e)
}
