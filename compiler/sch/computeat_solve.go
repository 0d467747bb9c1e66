package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// solve returns the variable in the provided indices and the values that it must take for them to hold the required ones (TVM's
// SolveBlockVarDomain): of v*e, v, v // e, v % e and nests of the latter.
func (m *mover) solve(provided, required arith.IntSet, last tir.Expr) (*tir.Var, varDomain, bool) {
	set := func(lo, hi tir.Expr) *arith.IntSet { x := arith.Interval(lo, hi); return &x }
	zero := tir.Const(last.DType(), 0)
	lo, hi := m.an.Simplify(provided.Min), m.an.Simplify(provided.Max)
	var rlo, rhi tir.Expr
	if required.Min != nil {
		rlo = m.an.Simplify(required.Min)
	}
	if required.Max != nil {
		rhi = m.an.Simplify(required.Max)
	}
	if v, e, ok := scaled(lo); ok {
		if rlo == nil || rhi == nil {
			return nil, varDomain{}, false
		}
		return v, varDomain{set(tir.FloorDiv(rlo, e), tir.FloorDiv(rhi, e)), set(zero, tir.FloorDiv(last, e))}, true
	}
	if !m.an.CanProveEqual(lo, hi) {
		return nil, varDomain{}, false
	}
	if v, ok := lo.(*tir.Var); ok {
		return v, varDomain{set(rlo, rhi), set(zero, last)}, true
	}
	b, ok := lo.(*tir.Binary)
	if !ok {
		return nil, varDomain{}, false
	}
	v, isVar := b.A.(*tir.Var)
	switch b.Op {
	case tir.OpFloorDiv:
		if !m.an.CanProveGreaterEqual(b.B, 1) || rlo == nil {
			return nil, varDomain{}, false
		}
		// a <= x//f <= b is a*f <= x <= b*f + f-1
		f1 := tir.Sub(b.B, tir.Const(b.B.DType(), 1))
		var top tir.Expr
		if rhi != nil {
			top = m.an.Simplify(tir.Add(tir.Mul(rhi, b.B), f1))
		}
		if isVar {
			return v, varDomain{set(tir.Mul(rlo, b.B), top), set(zero, m.an.Simplify(tir.Add(tir.Mul(last, b.B), f1)))}, true
		}
		return m.solve(arith.Point(b.A), *set(tir.Mul(rlo, b.B), top), last)
	case tir.OpFloorMod:
		if isVar { // the remainder says nothing of x
			return v, varDomain{}, true
		}
		if m.an.CanProveGreaterEqual(b.A, 1) && m.an.CanProveGreaterEqual(b.B, 1) && rlo != nil && m.an.CanProveGreaterEqual(rlo, 0) {
			return m.solve(arith.Point(b.A), *set(rlo, nil), last)
		}
	}
	return nil, varDomain{}, false
}

// scaled reads e as a variable times something.
func scaled(e tir.Expr) (*tir.Var, tir.Expr, bool) {
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.OpMul {
		return nil, nil, false
	}
	if v, ok := b.A.(*tir.Var); ok {
		return v, b.B, true
	}
	if v, ok := b.B.(*tir.Var); ok {
		return v, b.A, true
	}
	return nil, nil, false
}
