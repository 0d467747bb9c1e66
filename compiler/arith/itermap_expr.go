package arith

import "github.com/irscope/irscope/compiler/tir"

// NormalizeIterMapToExpr returns the sum as an ordinary expression.
func NormalizeIterMapToExpr(s *IterSum) tir.Expr { return s.expr(NewAnalyzer()) }

// ExprOf returns the sum as an expression, proving with a where a split covers its mark.
func (s *IterSum) ExprOf(a *Analyzer) tir.Expr { return s.expr(a) }

// ExprOf returns the iterator as an expression.
func (m *IterMark) ExprOf(a *Analyzer) tir.Expr { return m.expr(a) }

func (s *IterSum) expr(a *Analyzer) tir.Expr {
	var e tir.Expr = tir.Const(s.Base.DType(), 0)
	for _, t := range s.Args {
		e = tir.Add(e, t.expr(a))
	}
	return tir.Add(e, s.Base)
}

func (m *IterMark) expr(a *Analyzer) tir.Expr {
	if m.Sum != nil {
		return m.Sum.expr(a)
	}
	return m.Expr
}

func (t *IterSplit) expr(a *Analyzer) tir.Expr {
	source := t.Source.expr(a)
	switch period := tir.Mul(t.LowerFactor, t.Extent); {
	case a.CanProve(tir.GE(period, t.Source.Extent)):
		// A split of extent 1 is 0; a trivial input stays, tensorization looks for it.
		if isCst(t.Extent, 1) && !isCst(t.Source.Extent, 1) {
			return tir.Const(t.Extent.DType(), 0)
		}
		return tir.Mul(tir.FloorDiv(source, t.LowerFactor), t.Scale)
	default:
		return tir.Mul(tir.FloorDiv(tir.FloorMod(source, period), t.LowerFactor), t.Scale)
	}
}

// IterMapSimplify simplifies indices by writing them as an iteration map and back. It
// returns indices itself if they are no such map.
func IterMapSimplify(indices []tir.Expr, iters map[*tir.Var]*tir.Range, predicate tir.Expr, level IterMapLevel, a *Analyzer, simplifyTrivial bool) []tir.Expr {
	if !independentRanges(iters) {
		return indices
	}
	sums := DetectIterMap(indices, iters, predicate, level, a, simplifyTrivial).Indices
	if len(sums) == 0 && !tir.IsTrue(predicate) && level != Bijective {
		// Without the predicate it may be a map, and then a valid one.
		sums = DetectIterMap(indices, iters, nil, level, a, simplifyTrivial).Indices
	}
	if len(sums) == 0 {
		return indices
	}
	out := make([]tir.Expr, len(sums))
	for i, s := range sums {
		if out[i] = s.expr(a); Equal(out[i], indices[i]) {
			out[i] = indices[i]
		}
	}
	return out
}
