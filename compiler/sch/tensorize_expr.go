package sch

import (
	"reflect"

	"github.com/irscope/irscope/compiler/tir"
)

func (m *matcher) exprs(l, r []tir.Expr) bool { return len(l) == len(r) && eachPair(l, r, m.expr) }

// expr compares two expressions, whose types may differ in bits.
func (m *matcher) expr(l, r tir.Expr) bool {
	if l == r {
		return true
	}
	if reflect.TypeOf(l) == reflect.TypeOf(r) && l.DType().Code == r.DType().Code && m.sameExpr(l, r) {
		return true
	}
	return m.differ("Expression mismatch: %s vs %s", show(l), show(r))
}

func (m *matcher) sameExpr(l, r tir.Expr) bool {
	switch l := l.(type) {
	case *tir.Var:
		return m.vars[l] == r
	case *tir.IntImm:
		return l.Value == r.(*tir.IntImm).Value
	case *tir.FloatImm:
		return l.Value == r.(*tir.FloatImm).Value
	case *tir.StringImm:
		return l.Value == r.(*tir.StringImm).Value
	case *tir.Binary:
		r := r.(*tir.Binary)
		return l.Op == r.Op && m.expr(l.A, r.A) && m.expr(l.B, r.B)
	case *tir.Not:
		return m.expr(l.A, r.(*tir.Not).A)
	case *tir.Cast:
		return m.expr(l.Value, r.(*tir.Cast).Value)
	case *tir.Select:
		r := r.(*tir.Select)
		return m.expr(l.Cond, r.Cond) && m.expr(l.True, r.True) && m.expr(l.False, r.False)
	case *tir.BufferLoad:
		r := r.(*tir.BufferLoad)
		return m.access(l.Buffer, l.Indices, r.Buffer, r.Indices) && l.Predicate == nil && r.Predicate == nil
	case *tir.Call:
		r := r.(*tir.Call)
		return l.Op == r.Op && m.exprs(l.Args, r.Args)
	case *tir.Ramp:
		r := r.(*tir.Ramp)
		return m.expr(l.Start, r.Start) && m.expr(l.Stride, r.Stride) && l.Lanes == r.Lanes && l.Scalable == r.Scalable
	case *tir.Broadcast:
		r := r.(*tir.Broadcast)
		return m.expr(l.Value, r.Value) && l.Lanes == r.Lanes && l.Scalable == r.Scalable
	}
	return false // lets, reductions and the like
}
