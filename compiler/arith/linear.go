package arith

import (
	"github.com/irscope/irscope/compiler/tir"
)

// linearIn writes e as coeff*v + base; nil stands for a zero. ok is false where e is not
// linear in v.
func linearIn(e tir.Expr, v *tir.Var) (coeff, base tir.Expr, ok bool) {
	if e == tir.Expr(v) {
		d := v.DType()
		if d.IsUInt() {
			d.Code = 0 // coefficients are signed
		}
		return tir.Const(d, 1), nil, true
	}
	b := bin(e)
	switch b.Op {
	case tir.OpAdd, tir.OpSub, tir.OpMul:
	default:
		if UsesVar(e, func(x *tir.Var) bool { return x == v }) {
			return nil, nil, false
		}
		return nil, e, true
	}
	c1, b1, ok1 := linearIn(b.A, v)
	c2, b2, ok2 := linearIn(b.B, v)
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	switch b.Op {
	case tir.OpAdd:
		return addNil(c1, c2), addNil(b1, b2), true
	case tir.OpSub:
		return subNil(c1, c2), subNil(b1, b2), true
	}
	if c1 != nil {
		c1, b1, c2, b2 = c2, b2, c1, b1
	}
	if c1 != nil {
		return nil, nil, false
	}
	return mulNil(b1, c2), mulNil(b1, b2), true
}

func addNil(x, y tir.Expr) tir.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return tir.Add(x, y)
}

func subNil(x, y tir.Expr) tir.Expr {
	switch {
	case y == nil:
		return x
	case x == nil:
		return tir.Sub(tir.Const(y.DType(), 0), y)
	}
	return tir.Sub(x, y)
}

func mulNil(x, y tir.Expr) tir.Expr {
	if y == nil {
		return nil
	}
	return tir.Mul(x, y)
}

// DetectLinearEquation writes e as the sum of coeffs[i]*vars[i] and base, none of which uses
// the variables. ok is false where e is not linear in them.
func DetectLinearEquation(e tir.Expr, vars []*tir.Var) (coeffs []tir.Expr, base tir.Expr, ok bool) {
	base = e
	for _, v := range vars {
		c, b, ok := linearIn(base, v)
		if !ok {
			return nil, nil, false
		}
		zero := tir.Const(v.DType(), 0)
		if c == nil {
			c = zero
		}
		if b == nil {
			b = zero
		}
		coeffs = append(coeffs, c)
		base = b
	}
	later := map[*tir.Var]bool{}
	for i := len(vars) - 1; i > 0; i-- {
		later[vars[i]] = true
		if UsesVar(coeffs[i-1], func(v *tir.Var) bool { return later[v] }) {
			return nil, nil, false
		}
	}
	return coeffs, base, true
}

// DetectClipBound reads a conjunction of comparisons, each linear in exactly one of vars
// with a coefficient of 1 or -1, as bounds: one set for each variable. ok is false where a
// comparison is of another form.
func DetectClipBound(cond tir.Expr, vars []*tir.Var) (bounds []IntSet, ok bool) {
	a := NewAnalyzer()
	at := map[*tir.Var]int{}
	for i, v := range vars {
		at[v] = i
	}
	bounds = make([]IntSet, len(vars))
	ok = true
	conjuncts(a.Simplify(cond), func(e tir.Expr) {
		ok = ok && clip(a, e, at, bounds)
	})
	if !ok {
		return nil, false
	}
	for i := range bounds {
		bounds[i] = bounds[i].simplify(a)
	}
	return bounds, true
}

func clip(a *Analyzer, e tir.Expr, at map[*tir.Var]int, bounds []IntSet) bool {
	var v *tir.Var
	several := false
	UsesVar(e, func(x *tir.Var) bool {
		if _, ok := at[x]; ok {
			several = several || v != nil && v != x
			v = x
		}
		return false
	})
	b := bin(e)
	if v == nil || several || b.Op != tir.OpLT && b.Op != tir.OpLE && b.Op != tir.OpEQ || !operandType(b).IsInt() {
		return false // a simplified condition has no > and >=
	}
	diff := tir.Sub(b.B, b.A) // at least 0
	if b.Op == tir.OpLT {
		diff = tir.Sub(diff, one(diff))
	}
	coeff, base, ok := linearIn(diff, v)
	if !ok || coeff == nil {
		return false
	}
	if base == nil {
		base = tir.Const(v.DType(), 0)
	}
	set := &bounds[at[v]]
	var lo, hi tir.Expr
	switch coeff = a.Simplify(coeff); {
	case isCst(coeff, 1):
		lo = tir.Sub(tir.Const(base.DType(), 0), base)
	case isCst(coeff, -1):
		hi = base
	default:
		return false
	}
	if b.Op == tir.OpEQ {
		if lo == nil {
			lo = hi
		}
		hi = lo
	}
	if lo != nil {
		if set.Min == nil {
			set.Min = lo
		} else {
			set.Min = tir.Max(set.Min, lo)
		}
	}
	if hi != nil {
		if set.Max == nil {
			set.Max = hi
		} else {
			set.Max = tir.Min(set.Max, hi)
		}
	}
	return true
}
