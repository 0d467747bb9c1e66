package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// inverse returns a map that leads back from the indices that a map of a shape makes, and where none leads: empty is a condition on the variables
// of the inverse (TVM's IndexMap.NonSurjectiveInverse).
func inverse(m *tir.IndexMap, shape []tir.Expr, an *arith.Analyzer) (back *tir.IndexMap, empty tir.Expr, err error) {
	if m.Inverse != nil { // as users say
		return m.Inverse, tir.Bool(false), nil
	}
	iters := itersOf(m, shape)
	res, empty := arith.DetectPaddedIterMap(m.Final, iters, an, false)
	if len(res.Errors) > 0 {
		return nil, nil, fmt.Errorf("could not parse mapping as sum of iterators: %s", res.Errors[0])
	}
	back, exprs, err := invertSums(m, shape, res.Indices, an)
	if err != nil {
		return nil, nil, err
	}
	reach, err := mapShape(m, shape, an)
	if err != nil {
		return nil, nil, err
	}
	in := arith.NewAnalyzer()
	for i, v := range back.Initial {
		in.BindRange(v, &tir.Range{Min: tir.Const(reach[i].DType(), 0), Extent: reach[i]})
	}
	return back, in.SimplifySteps(tir.SubstExpr(empty, exprs), 10), nil
}

// bijectiveInverse returns the inverse of a map whose indices are all reached, each by one point.
func bijectiveInverse(m *tir.IndexMap, shape []tir.Expr, an *arith.Analyzer) (*tir.IndexMap, error) {
	if m.Inverse != nil {
		return m.Inverse, nil
	}
	res := arith.DetectIterMap(m.Final, itersOf(m, shape), tir.Bool(true), arith.Bijective, an, false)
	if len(res.Errors) > 0 {
		return nil, fmt.Errorf("could not parse mapping as sum of iterators: %s", res.Errors[0])
	}
	back, _, err := invertSums(m, shape, res.Indices, an)
	return back, err
}

func invertSums(m *tir.IndexMap, shape []tir.Expr, sums []*arith.IterSum, an *arith.Analyzer) (*tir.IndexMap, map[*tir.Var]tir.Expr, error) {
	back := &tir.IndexMap{}
	values := make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		v := tir.NewVar(fmt.Sprintf("axis%d", i), e.DType())
		back.Initial = append(back.Initial, v)
		values[i] = v
	}
	exprs, err := arith.InverseAffineIterMap(sums, values)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range m.Initial {
		if exprs[v] == nil {
			if !tir.IsConst(shape[i], 1) {
				return nil, nil, fmt.Errorf("index %s of the map does not show in what it leads to", v.Name)
			}
			exprs[v] = tir.Const(v.DType(), 0)
		}
		back.Final = append(back.Final, an.Simplify(exprs[v]))
	}
	return back, exprs, nil
}

// leadsBack reports whether back provably leads from what the map makes of each point of the shape to that point: then no two points are led to
// one.
func leadsBack(m, back *tir.IndexMap, shape []tir.Expr) bool {
	an := arith.NewAnalyzer()
	an.BindRanges(itersOf(m, shape))
	sub := map[*tir.Var]tir.Expr{}
	for i, v := range back.Initial {
		sub[v] = m.Final[i]
	}
	for i, e := range back.Final {
		// What is left of one simplification may be digits that the next one puts together.
		if !an.CanProveEqual(an.SimplifySteps(substTyped(e, sub), 4), m.Initial[i]) {
			return false
		}
	}
	return true
}
