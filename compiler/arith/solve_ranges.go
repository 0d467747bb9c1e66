package arith

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// noSolution is a system that says that there is none.
func noSolution() *IntConstraints { return &IntConstraints{Relations: []tir.Expr{tir.Bool(false)}} }

func (s *SolvedInequalities) impossible() bool { return len(s.Other) == 1 && isCst(s.Other[0], 0) }

// SolveInequalitiesToRange returns ranges of the variables of c, in which all solutions lie: those of a variable use
// the ones after it. Relations has the conditions that the ranges do not imply. A system that certainly has
// no solution becomes a single false without variables.
func SolveInequalitiesToRange(c *IntConstraints) *IntConstraints {
	solved := SolveInequalities(c)
	if solved.impossible() {
		return noSolution()
	}
	out := &IntConstraints{Variables: c.Variables, Ranges: map[*tir.Var]*tir.Range{}}
	known := c.withoutSkewedRanges().Ranges
	a := NewAnalyzer()
	bindSorted(a, known)
	for _, v := range slices.Backward(c.Variables) {
		bounds := solved.Bounds[v]
		var best *tir.Range
		if bounds.Coef == 1 && len(bounds.Equal) > 0 {
			best = &tir.Range{Min: bounds.Equal[0], Extent: one(bounds.Equal[0])}
		} else {
			if r := known[v]; r != nil {
				bounds = bounds.with(r)
			}
			if best = bounds.FindBestRange(known); best == nil {
				continue
			}
			if a.CanProve(tir.LE(best.Extent, tir.Const(best.Extent.DType(), 0))) {
				return noSolution()
			}
		}
		out.Ranges[v], known[v] = best, best
		a.BindRange(v, best)
	}
	a = c.knowing(out)
	for _, cond := range solved.Conditions(c.Variables) {
		if !a.CanProve(cond) {
			out.Relations = append(out.Relations, cond)
		}
	}
	return out
}

// SolveInequalitiesDeskewRange is SolveInequalitiesToRange with new variables, whose ranges begin at 0 and use
// no variable of the system. A variable that has a single value, or is equal to an expression, is not replaced by a new one.
func SolveInequalitiesDeskewRange(c *IntConstraints) *IntConstraintsTransform {
	solved := SolveInequalities(c)
	if solved.impossible() {
		return c.contradiction()
	}
	dst := &IntConstraints{Ranges: map[*tir.Var]*tir.Range{}}
	t := &IntConstraintsTransform{Src: c, Dst: dst, SrcToDst: map[*tir.Var]tir.Expr{}, DstToSrc: map[*tir.Var]tir.Expr{}}
	known := maps.Clone(c.withoutSkewedRanges().Ranges)
	a := NewAnalyzer()
	bindSorted(a, known)
	for _, v := range slices.Backward(c.Variables) {
		bounds := solved.Bounds[v].substitute(t.SrcToDst)
		if bounds.Coef == 1 && len(bounds.Equal) > 0 {
			t.SrcToDst[v] = bounds.Equal[0]
			continue
		}
		if r := known[v]; r != nil {
			bounds = bounds.with(r)
		}
		switch best := bounds.FindBestRange(known); {
		case best == nil:
			t.SrcToDst[v], t.DstToSrc[v] = v, v
			dst.Variables = append(dst.Variables, v)
		case isCst(best.Extent, 1):
			t.SrcToDst[v] = best.Min
		case a.CanProve(tir.LE(best.Extent, tir.Const(best.Extent.DType(), 0))):
			return c.contradiction()
		default:
			x := tir.NewVar(v.Name+".shifted", v.DType())
			r := &tir.Range{Min: tir.Const(v.DType(), 0), Extent: best.Extent}
			t.SrcToDst[v] = tir.Add(x, best.Min)
			t.DstToSrc[x] = a.Simplify(tir.Sub(v, tir.SubstExpr(best.Min, t.DstToSrc)))
			dst.Variables = append(dst.Variables, x)
			dst.Ranges[x], known[x] = r, r
			a.BindRange(x, r)
		}
	}
	a = c.knowing(dst)
	for _, cond := range solved.Conditions(c.Variables) {
		if cond = a.Simplify(tir.SubstExpr(cond, t.SrcToDst)); !isCst(cond, 1) {
			dst.Relations = append(dst.Relations, cond)
		}
	}
	slices.Reverse(dst.Variables)
	return t
}

// knowing returns an analyzer that knows the ranges of what c does not solve for, and those of a solution of it,
// but not what c says of its own variables, which the solution has to repeat.
func (c *IntConstraints) knowing(solution *IntConstraints) *Analyzer {
	given := maps.Clone(c.Ranges)
	for _, v := range c.Variables {
		delete(given, v)
	}
	a := NewAnalyzer()
	bindSorted(a, given)
	for _, v := range slices.Backward(solution.Variables) {
		if r := solution.Ranges[v]; r != nil {
			a.BindRange(v, r)
		}
	}
	return a
}
