package arith

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// elimination is the state between two variables.
type elimination struct {
	a    *Analyzer
	left []tir.Expr // conditions e <= 0 and e == 0 in the variables that are left
	rest []tir.Expr // conditions of no use
}

// bounding is the condition coef*v + rest <= 0.
type bounding struct {
	coef int64
	rest tir.Expr
}

// normal writes a comparison of integers as e <= 0, e == 0, or e != 0.
func (e *elimination) normal(cond tir.Expr) tir.Expr {
	cond = e.a.SimplifySteps(cond, 3)
	b, ok := cond.(*tir.Binary)
	if !ok || !b.Op.IsCompare() || !operandType(b).IsInt() || !operandType(b).IsScalar() {
		return cond
	}
	diff := tir.Sub(b.A, b.B)
	switch b.Op {
	case tir.OpGT, tir.OpGE:
		diff = tir.Sub(b.B, b.A)
	}
	op := b.Op
	switch op {
	case tir.OpLT, tir.OpGT:
		op, diff = tir.OpLE, tir.Add(diff, one(diff))
	case tir.OpGE:
		op = tir.OpLE
	}
	diff = e.a.Simplify(diff)
	return tir.BinaryExpr(op, diff, tir.Const(diff.DType(), 0))
}

// add adds a condition to those that are left, unless it follows from the ranges or another one, and drops those that
// follow from it.
func (e *elimination) add(cond tir.Expr) {
	if e.a.CanProve(cond) || slices.ContainsFunc(e.left, func(x tir.Expr) bool { return Equal(x, cond) }) {
		return
	}
	if b := bin(cond); b.Op == tir.OpLE {
		kept := e.left[:0:0]
		for _, old := range e.left {
			if o := bin(old); o.Op == tir.OpLE {
				if e.nonPositive(b.A, o.A) {
					return
				}
				if e.nonPositive(o.A, b.A) {
					continue
				}
			}
			kept = append(kept, old)
		}
		e.left = kept
	}
	e.left = append(e.left, cond)
}

// nonPositive reports whether x <= y certainly.
func (e *elimination) nonPositive(x, y tir.Expr) bool {
	d := tir.Sub(x, y)
	return e.a.CanProve(tir.LE(d, tir.Const(d.DType(), 0)))
}

// classify takes the conditions that bound v out of those that are left.
func (e *elimination) classify(v *tir.Var) (above, below []bounding) {
	conds := e.left
	e.left = nil
	for _, cond := range conds {
		b := bin(cond)
		coeffs, base, ok := []tir.Expr(nil), tir.Expr(nil), false
		if b.Op == tir.OpLE || b.Op == tir.OpEQ {
			coeffs, base, ok = DetectLinearEquation(b.A, []*tir.Var{v})
		}
		k, constant := int64(0), false
		if ok {
			k, constant = cst(e.a.Simplify(coeffs[0]))
		}
		switch {
		case !constant || tooLarge(k):
			e.rest = append(e.rest, cond)
			continue
		case k == 0:
			e.add(cond)
			continue
		}
		pos, neg := bounding{k, base}, bounding{-k, tir.Sub(tir.Const(base.DType(), 0), base)}
		if k < 0 {
			pos, neg = neg, pos
		}
		if b.Op == tir.OpEQ || k > 0 {
			above = append(above, pos)
		}
		if b.Op == tir.OpEQ || k < 0 {
			below = append(below, neg)
		}
	}
	return above, below
}

// eliminate returns the bounds of v and leaves what follows for the other variables.
func (e *elimination) eliminate(v *tir.Var, r *tir.Range) *IntGroupBounds {
	var above, below []bounding
	if r != nil {
		below = append(below, bounding{-1, e.a.SimplifySteps(r.Min, 3)})
		last := e.a.SimplifySteps(lastOf(r), 3)
		above = append(above, bounding{1, tir.Sub(tir.Const(last.DType(), 0), last)})
	}
	x, y := e.classify(v)
	above, below = append(above, x...), append(below, y...)
	lcm := int64(1)
	for _, b := range append(slices.Clone(above), below...) {
		if lcm = lcm / GCD(lcm, b.coef) * abs(b.coef); tooLarge(lcm) {
			return e.unsolved(v, above, below)
		}
	}
	for _, b := range append(slices.Clone(above), below...) {
		if !fitsTimes(b.rest, lcm) {
			return e.unsolved(v, above, below)
		}
	}
	if len(above)*len(below) <= maxInequalities {
		for _, p := range above {
			for _, n := range below {
				g := GCD(p.coef, n.coef)
				sum := tir.Add(scaleBy(p.coef/g, n.rest), scaleBy(-n.coef/g, p.rest))
				e.add(e.normal(tir.LE(sum, tir.Const(sum.DType(), 0))))
			}
		}
	}
	out := &IntGroupBounds{Coef: lcm}
	for _, p := range above {
		out.Upper = e.tightest(out.Upper, scaleBy(-lcm/p.coef, p.rest), func(x, y tir.Expr) bool { return e.nonPositive(x, y) })
	}
	for _, n := range below {
		out.Lower = e.tightest(out.Lower, scaleBy(-lcm/n.coef, n.rest), func(x, y tir.Expr) bool { return e.nonPositive(y, x) })
	}
	out.moveEqual()
	return out
}

// unsolved keeps conditions whose coefficients are too large as they are.
func (e *elimination) unsolved(v *tir.Var, above, below []bounding) *IntGroupBounds {
	for _, b := range append(above, below...) {
		lhs := tir.Add(tir.Mul(v, tir.Const(v.DType(), b.coef)), b.rest)
		e.rest = append(e.rest, tir.LE(lhs, tir.Const(lhs.DType(), 0)))
	}
	return &IntGroupBounds{Coef: 1}
}

func scaleBy(k int64, e tir.Expr) tir.Expr { return tir.Mul(tir.Const(e.DType(), k), e) }

// fitsTimes reports whether the constants of e stay within half of the type of e when k multiplies them.
func fitsTimes(e tir.Expr, k int64) bool {
	limit := DTypeBound(e.DType()).Max / 2 / max(k, 1)
	fits := true
	ir.Walk(e, func(n ir.Node) bool {
		if c, ok := n.(*tir.IntImm); ok {
			fits = fits && -limit <= c.Value && c.Value <= limit
		}
		return fits
	})
	return fits
}

// tightest adds a bound to others unless one of them is as good, and drops those that are worse.
func (e *elimination) tightest(bounds []tir.Expr, bound tir.Expr, better func(x, y tir.Expr) bool) []tir.Expr {
	bound = e.a.SimplifySteps(bound, 3)
	if slices.ContainsFunc(bounds, func(x tir.Expr) bool { return better(x, bound) }) {
		return bounds
	}
	bounds = slices.DeleteFunc(bounds, func(x tir.Expr) bool { return better(bound, x) })
	return append(bounds, bound)
}

// moveEqual makes equations of the bounds from both sides, the simplest one first.
func (b *IntGroupBounds) moveEqual() {
	b.Upper = slices.DeleteFunc(b.Upper, func(hi tir.Expr) bool {
		i := slices.IndexFunc(b.Lower, func(lo tir.Expr) bool { return Equal(lo, hi) })
		if i < 0 {
			return false
		}
		b.Lower = slices.Delete(b.Lower, i, i+1)
		b.Equal = append(b.Equal, hi)
		return true
	})
	slices.SortStableFunc(b.Equal, func(x, y tir.Expr) int { return nodeCount(x) - nodeCount(y) })
}

func nodeCount(e tir.Expr) int {
	n := 0
	ir.Walk(e, func(ir.Node) bool { n++; return true })
	return n
}
