package arith

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/tir"
)

// Inequalities are solved for one variable after the other, as Fourier and Motzkin do. Those that bound the
// variable from above (c*v + e <= 0 with c > 0) and from below become its bounds; the sum of each pair of one of
// either kind, scaled so that the variable cancels, is what remains for the other variables:
//
//	x - y <= 0, 3 - 2*x <= 0        3/2 <= x <= y        3 - 2*y <= 0
//
// So the bounds of a variable use only the variables after it. Over the integers the sums are weaker than what they
// are made of, which loses nothing: the bounds together with the other conditions are equivalent to the system.
//
// Pairs can double in number with each variable. Beyond maxInequalities no sums are made for a variable, whose bounds
// then say less of the others, and the result is still equivalent. After TVM's src/arith/solve_linear_inequality.cc.

// maxInequalities bounds the pairs that are combined when a variable is eliminated.
const maxInequalities = 256

// SolvedInequalities is a system in solved form: the bounds of each variable use those after it. Other has the
// conditions that bound none, or a single false if the system has no solution.
type SolvedInequalities struct {
	Bounds map[*tir.Var]*IntGroupBounds
	Other  []tir.Expr
}

// Conditions returns what s says of vars, the variables that it was solved for, as conditions.
func (s *SolvedInequalities) Conditions(vars []*tir.Var) []tir.Expr {
	var out []tir.Expr
	for _, v := range vars {
		out = s.Bounds[v].conditions(v, out)
	}
	return append(out, s.Other...)
}

// SolveInequalities solves the linear conditions of c, and the ranges of its variables, for these. Conditions
// with other coefficients than constants are kept in Other.
func SolveInequalities(c *IntConstraints) *SolvedInequalities {
	c = c.withoutSkewedRanges()
	e := &elimination{a: NewAnalyzer()}
	bindSorted(e.a, c.Ranges)
	for _, r := range c.Relations {
		e.add(e.normal(r))
	}
	out := &SolvedInequalities{Bounds: map[*tir.Var]*IntGroupBounds{}}
	for _, v := range c.Variables {
		out.Bounds[v] = e.eliminate(v, c.Ranges[v])
	}
	for _, cond := range append(e.left, e.rest...) {
		switch cond = e.a.SimplifySteps(cond, 3); {
		case isCst(cond, 0):
			out.Other = []tir.Expr{tir.Bool(false)}
			return out
		case !isCst(cond, 1):
			out.Other = append(out.Other, cond)
		}
	}
	return out
}

// withoutSkewedRanges makes relations of the ranges of variables that depend on variables of c.
func (c *IntConstraints) withoutSkewedRanges() *IntConstraints {
	solved := map[*tir.Var]bool{}
	for _, v := range c.Variables {
		solved[v] = true
	}
	uses := func(e tir.Expr) bool { return UsesVar(e, func(v *tir.Var) bool { return solved[v] }) }
	out := &IntConstraints{Variables: c.Variables, Ranges: map[*tir.Var]*tir.Range{}, Relations: slices.Clone(c.Relations)}
	for v, r := range c.Ranges {
		if !solved[v] {
			out.Ranges[v] = r
		}
	}
	for _, v := range c.Variables {
		switch r := c.Ranges[v]; {
		case r == nil:
		case uses(r.Min) || uses(r.Extent):
			out.Relations = append(out.Relations, tir.GE(v, r.Min), tir.LE(v, lastOf(r)))
		default:
			out.Ranges[v] = r
		}
	}
	return out
}

// bindSorted binds variables to their ranges, by name: what is known of one may help with the next.
func bindSorted(a *Analyzer, ranges map[*tir.Var]*tir.Range) {
	vars := make([]*tir.Var, 0, len(ranges))
	for v := range ranges {
		vars = append(vars, v)
	}
	slices.SortFunc(vars, func(x, y *tir.Var) int { return strings.Compare(x.Name, y.Name) })
	for _, v := range vars {
		a.BindRange(v, ranges[v])
	}
}
