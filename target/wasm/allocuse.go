package wasm

import (
	"github.com/irscope/irscope/compiler/tir"
)

// allocUse is how an allocation is accessed.
type allocUse struct {
	alloc   *tir.Allocate
	indices []constAccess
	escapes bool // used other than by accesses with constant indices
}

// constAccess is an access to lanes elements from a constant index on.
type constAccess struct{ at, lanes int64 }

// access notes an access to an allocation.
func (s *scanner) access(b *tir.Buffer, indices []tir.Expr, predicate tir.Expr) {
	if predicate != nil {
		s.scan(predicate)
	}
	u := s.allocs[b.Data]
	if u == nil || u.escapes {
		return
	}
	a, ok := constantAccess(b, indices)
	if !ok || (predicate != nil && !tir.IsTrue(predicate)) || b.DType.Elem() != u.alloc.Type.Elem() {
		u.escapes = true
		return
	}
	u.indices = append(u.indices, a)
}

// constantAccess returns the elements that an access with constant indices touches.
func constantAccess(b *tir.Buffer, indices []tir.Expr) (constAccess, bool) {
	if len(indices) != 1 || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0) || len(b.Strides) > 0 && !tir.IsConst(b.Strides[0], 1) {
		return constAccess{}, false
	}
	width := int64(b.DType.Lanes)
	if r, ok := indices[0].(*tir.Ramp); ok {
		at, ok := evalInt(r.Start)
		if !ok || !tir.IsConst(r.Stride, 1) {
			return constAccess{}, false
		}
		return constAccess{at * width, int64(r.Lanes) * width}, at >= 0
	}
	at, ok := evalInt(indices[0])
	return constAccess{at * width, width}, ok && at >= 0 && indices[0].DType().Lanes == 1
}

// evalInt computes a constant integer expression.
func evalInt(e tir.Expr) (int64, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value, true
	case *tir.Cast:
		if e.Type.IsInteger() {
			return evalInt(e.Value)
		}
	case *tir.Binary:
		a, ok := evalInt(e.A)
		if !ok {
			return 0, false
		}
		b, ok := evalInt(e.B)
		if !ok {
			return 0, false
		}
		return tir.FoldInt(e.Op, e.A.DType(), a, b)
	}
	return 0, false
}
