package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// maxClauses bounds the conjunctive normal form, which can grow exponentially: conditions
// with more clauses are left alone.
const maxClauses = 64

// clauses is a condition in conjunctive normal form, each clause a disjunction.
type clauses [][]tir.Expr

// simplifyCNF simplifies pairs of atoms inside each clause, and clauses that differ in one
// atom: (A or B) and (A or C) is A or (B and C).
func simplifyCNF(a *Analyzer, n tir.Expr) tir.Expr {
	a.inCNF = true
	defer func() { a.inCNF = false }()
	simple := a.Simplify(n)
	if !a.movable(simple) { // an index that is in bounds only behind the conditions before it
		return simple
	}
	cs, ok := toClauses(simple)
	if !ok {
		return simple
	}
	for _, c := range cs {
		for i := range c {
			for j := i + 1; j < len(c); j++ {
				trySimplify(a, tir.OpOr, &c[i], &c[j])
			}
		}
	}
	cs = cs.drop()
	cs.across(a)
	return cs.drop().expr()
}

func toClauses(e tir.Expr) (clauses, bool) {
	var out clauses
	ok := splitAnd(e, func(part tir.Expr) bool {
		var atoms []tir.Expr
		splitOr(part, func(atom tir.Expr) {
			if !containsExpr(atoms, atom) {
				atoms = append(atoms, atom)
			}
		})
		for _, old := range out {
			if len(old) == len(atoms) && subset(old, atoms) {
				return true
			}
		}
		out = append(out, atoms)
		return len(out) <= maxClauses
	})
	return out, ok
}

// splitAnd calls f for each conjunct of e after distributing || over &&.
func splitAnd(e tir.Expr, f func(tir.Expr) bool) bool {
	switch b := bin(e); b.Op {
	case tir.OpAnd:
		return splitAnd(b.A, f) && splitAnd(b.B, f)
	case tir.OpOr:
		return splitAnd(b.A, func(x tir.Expr) bool {
			return splitAnd(b.B, func(y tir.Expr) bool { return f(orOf(x, y)) })
		})
	}
	return f(e)
}

func splitOr(e tir.Expr, f func(tir.Expr)) {
	if b := bin(e); b.Op == tir.OpOr {
		splitOr(b.A, f)
		splitOr(b.B, f)
		return
	}
	f(e)
}

func containsExpr(list []tir.Expr, e tir.Expr) bool {
	return slices.ContainsFunc(list, func(x tir.Expr) bool { return Equal(x, e) })
}

func subset(xs, ys []tir.Expr) bool {
	for _, x := range xs {
		if !containsExpr(ys, x) {
			return false
		}
	}
	return true
}

// trySimplify simplifies (x op y); where one atom results it goes to y and x is neutral.
func trySimplify(a *Analyzer, op tir.BinaryOp, x, y *tir.Expr) {
	joint := mk(op, *x, *y)
	out := a.RewriteSimplify(joint)
	if Equal(out, joint) || !a.movable(out) {
		return
	}
	if b := bin(out); b.Op == op {
		*x, *y = b.A, b.B
		return
	}
	*x, *y = tir.Bool(op == tir.OpAnd), out
}

func (cs clauses) across(a *Analyzer) {
	for i := range cs {
		for j := i + 1; j < len(cs); j++ {
			x, y := cs[i], cs[j]
			if len(x) == 1 && len(y) == 1 {
				trySimplify(a, tir.OpAnd, &x[0], &y[0])
				continue
			}
			onlyX := slices.IndexFunc(x, func(e tir.Expr) bool { return !containsExpr(y, e) })
			if onlyX < 0 {
				cs[j] = []tir.Expr{tir.Bool(true)} // x implies y
				continue
			}
			onlyY := slices.IndexFunc(y, func(e tir.Expr) bool { return !containsExpr(x, e) })
			if onlyY < 0 {
				cs[i] = []tir.Expr{tir.Bool(true)}
				continue
			}
			if len(x) != len(y) {
				continue
			}
			common := 0
			for _, e := range y {
				if containsExpr(x, e) {
					common++
				}
			}
			if common+1 != len(x) {
				continue
			}
			known := tir.Expr(tir.Bool(true))
			for k, e := range x {
				if k != onlyX {
					known = andOf(known, a.Simplify(notOf(e)))
				}
			}
			oldX, oldY := x[onlyX], y[onlyY]
			a.With(known, func() { trySimplify(a, tir.OpAnd, &x[onlyX], &y[onlyY]) })
			if !a.movable(x[onlyX]) || !a.movable(y[onlyY]) { // what is known may stand behind them
				x[onlyX], y[onlyY] = oldX, oldY
			}
		}
	}
}

// drop removes true clauses and false atoms.
func (cs clauses) drop() clauses {
	out := make(clauses, 0, len(cs))
	for _, c := range cs {
		if slices.ContainsFunc(c, func(e tir.Expr) bool { return isCst(e, 1) }) {
			continue
		}
		c = slices.DeleteFunc(slices.Clone(c), func(e tir.Expr) bool { return isCst(e, 0) })
		if len(c) == 0 {
			return clauses{{}}
		}
		out = append(out, c)
	}
	return out
}

func (cs clauses) expr() tir.Expr {
	var out tir.Expr
	for _, c := range cs {
		var clause tir.Expr
		for _, e := range c {
			if clause == nil {
				clause = e
			} else {
				clause = orOf(clause, e)
			}
		}
		if clause == nil {
			return tir.Bool(false)
		}
		if out == nil {
			out = clause
		} else {
			out = andOf(out, clause)
		}
	}
	if out == nil {
		return tir.Bool(true)
	}
	return out
}

// SimplifyAsAndOfOrs simplifies a condition as a conjunction of disjunctions, if that has at most 64 parts:
// pairs of atoms in each, and pairs of disjunctions that differ in one.
func (a *Analyzer) SimplifyAsAndOfOrs(cond tir.Expr) tir.Expr {
	if a.inCNF {
		return a.Simplify(cond)
	}
	a.begin()
	defer a.end()
	return simplifyCNF(a, cond)
}
