package arith

import "github.com/irscope/irscope/compiler/tir"

// IntConstraints is a system of conditions (Relations) on integer Variables. Ranges bounds some of the
// variables, and of the other variables that the conditions use.
type IntConstraints struct {
	Variables []*tir.Var
	Ranges    map[*tir.Var]*tir.Range
	Relations []tir.Expr
}

// IntConstraintsTransform is a change of variables between two systems with the same solutions: SrcToDst
// writes each variable of Src in those of Dst, DstToSrc the other way.
type IntConstraintsTransform struct {
	Src, Dst           *IntConstraints
	SrcToDst, DstToSrc map[*tir.Var]tir.Expr
}

// contradiction is the transform of a system that has no solution.
func (c *IntConstraints) contradiction() *IntConstraintsTransform {
	return &IntConstraintsTransform{
		Src: c, Dst: &IntConstraints{Relations: []tir.Expr{tir.Bool(false)}},
		SrcToDst: map[*tir.Var]tir.Expr{}, DstToSrc: map[*tir.Var]tir.Expr{},
	}
}

// transformedRanges returns ranges of the variables of toSrc, which are written in those of c, and the
// ranges that c has of variables that it does not solve for.
func (c *IntConstraints) transformedRanges(vars []*tir.Var, toSrc map[*tir.Var]tir.Expr) map[*tir.Var]*tir.Range {
	solved := map[*tir.Var]bool{}
	for _, v := range c.Variables {
		solved[v] = true
	}
	out := map[*tir.Var]*tir.Range{}
	for v, r := range c.Ranges {
		if !solved[v] {
			out[v] = r
		}
	}
	sets := AsIntSets(c.Ranges)
	for _, v := range vars {
		if r := EvalSet(toSrc[v], sets).CoverRange(nil); r != nil {
			out[v] = r
		}
	}
	return out
}
