package arith

import "github.com/irscope/irscope/compiler/tir"

// IntGroupBounds bounds Coef*v for a variable v: from below by each of Lower, from above by each of Upper, both
// included, and it equals each of Equal. Coef is positive.
type IntGroupBounds struct {
	Coef                int64
	Lower, Equal, Upper []tir.Expr
}

// GroupBoundsOf returns the bounds of a variable that lies in r.
func GroupBoundsOf(r *tir.Range) *IntGroupBounds { return (&IntGroupBounds{Coef: 1}).with(r) }

// with returns the bounds of a variable that lies in r, too.
func (b *IntGroupBounds) with(r *tir.Range) *IntGroupBounds {
	a := NewAnalyzer()
	scaled := func(e tir.Expr) tir.Expr { return a.Simplify(tir.Mul(e, tir.Const(e.DType(), b.Coef))) }
	out := &IntGroupBounds{Coef: b.Coef}
	if isCst(r.Extent, 1) {
		out.Equal = append(out.Equal, scaled(r.Min))
	} else {
		out.Lower = append(out.Lower, scaled(r.Min))
		out.Upper = append(out.Upper, scaled(lastOf(r)))
	}
	out.Lower = append(out.Lower, b.Lower...)
	out.Equal = append(out.Equal, b.Equal...)
	out.Upper = append(out.Upper, b.Upper...)
	return out
}

// lastOf returns the greatest number of r.
func lastOf(r *tir.Range) tir.Expr { return tir.Sub(tir.Add(r.Min, r.Extent), one(r.Min)) }

// substitute replaces variables in the bounds.
func (b *IntGroupBounds) substitute(values map[*tir.Var]tir.Expr) *IntGroupBounds {
	each := func(list []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(list))
		for i, e := range list {
			out[i] = tir.SubstExpr(e, values)
		}
		return out
	}
	return &IntGroupBounds{b.Coef, each(b.Lower), each(b.Equal), each(b.Upper)}
}

// conditions adds what the bounds say of v to out.
func (b *IntGroupBounds) conditions(v *tir.Var, out []tir.Expr) []tir.Expr {
	scaled := tir.Mul(tir.Const(v.DType(), b.Coef), v)
	for _, e := range b.Equal {
		out = append(out, tir.EQ(scaled, e))
	}
	for _, e := range b.Lower {
		out = append(out, tir.GE(scaled, e))
	}
	for _, e := range b.Upper {
		out = append(out, tir.LE(scaled, e))
	}
	return out
}

// FindBestRange returns the shortest range that a pair of a lower and an upper bound gives; nil if no pair has a
// length that is bounded. Its extent does not use the variables of ranges, which are known to lie there, where they
// could be relaxed. It holds all values, and may hold more.
func (b *IntGroupBounds) FindBestRange(ranges map[*tir.Var]*tir.Range) *tir.Range {
	a := NewAnalyzer()
	bindSorted(a, ranges)
	lowers := append(append([]tir.Expr{}, b.Equal...), b.Lower...)
	uppers := append(append([]tir.Expr{}, b.Equal...), b.Upper...)
	if len(lowers) == 1 && len(uppers) == 1 && b.Coef == 1 {
		lo := a.Simplify(lowers[0])
		return &tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(tir.Add(uppers[0], one(uppers[0])), lo))}
	}
	sets := AsIntSets(ranges)
	most := func(length tir.Expr) tir.Expr { // its greatest value
		s := EvalSet(a.SimplifySteps(length, 3), sets)
		if !s.HasUpper() {
			return nil
		}
		return a.SimplifySteps(s.Max, 3)
	}
	var first, length tir.Expr // of the best pair
	shorter := func(x, y tir.Expr) bool {
		return x != nil && (y == nil || a.CanProve(tir.LT(tir.Sub(x, y), tir.Const(x.DType(), 0))))
	}
	for _, lo := range lowers {
		coef := tir.Const(lo.DType(), b.Coef)
		// lo bounds Coef*v: v is at least lo/Coef, rounded up.
		up := a.SimplifySteps(tir.FloorDiv(tir.Add(lo, tir.Const(lo.DType(), b.Coef-1)), coef), 3)
		for _, hi := range uppers {
			d := most(tir.FloorDiv(tir.Sub(hi, lo), coef))
			if rounded := most(tir.Sub(tir.FloorDiv(hi, coef), up)); shorter(rounded, d) {
				d = rounded
			}
			if shorter(d, length) {
				first, length = up, d
			}
		}
	}
	if first == nil {
		return nil
	}
	return &tir.Range{Min: first, Extent: a.Simplify(tir.Add(length, one(length)))}
}
