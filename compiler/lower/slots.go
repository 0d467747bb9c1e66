package lower

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// Promotion of small arrays: an allocation whose every access has a constant index needs no memory. Each
// element, or each vector of them, becomes a variable, and a target keeps it in a register. Unrolled tiles of
// accumulators are the case that matters: 4 by 4 sums in memory cost 16 loads and stores per step.
//
// All accesses must agree on how elements are grouped: with vectors of n elements each access starts at
// a multiple of n, else one variable would have to be assembled from two; but a vector may be read of elements that lie apart, which are picked from variables. This is scalar replacement of
// aggregates for the easy case; a single access with a variable index, or a pointer passed on, keeps the
// array in memory (escapes).

// allocUse is how an allocation is accessed.
type allocUse struct {
	alloc   *tir.Allocate
	indices []constAccess
	picks   [][]int64 // elements of vectors that are read from several places
	escapes bool      // used other than by accesses with constant indices
}

// constAccess is an access to lanes elements from a constant index on.
type constAccess struct{ at, lanes int64 }

// access notes an access to an allocation.
func (s *scanner) access(b *tir.Buffer, indices []tir.Expr, predicate tir.Expr, store bool) {
	if predicate != nil {
		s.scan(predicate)
	}
	u := s.allocs[b.Data]
	if u == nil || u.escapes {
		return
	}
	a, ok := constantAccess(b, indices)
	if list, known := constantElements(b, indices); !ok && known && !store && len(list) > 1 && (predicate == nil || tir.IsTrue(predicate)) && b.DType == u.alloc.Type {
		u.picks = append(u.picks, list)
		return
	}
	if !ok || (predicate != nil && !tir.IsTrue(predicate)) || b.DType.Elem() != u.alloc.Type.Elem() {
		u.escapes = true
		return
	}
	u.indices = append(u.indices, a)
}

// Slots decides whether an allocation is kept in variables: all accesses must have constant
// indices, and those of vectors must be whole registers. It returns the number of variables, at most
// limit, and how many elements each holds; 0 keeps it in memory. lanes is the number of elements
// that a register holds of a vector of n, 0 if there is none for it.
func (e *Effects) Slots(s *tir.Allocate, limit int64, lanes func(n int64) int64) (count, k int64) {
	u := e.allocs[s.Var]
	if u == nil || u.escapes {
		return 0, 0
	}
	size := int64(s.Type.Lanes)
	for _, x := range s.Extents {
		n, ok := EvalInt(x)
		if !ok || n < 0 || n > 1<<16 || size > 1<<16 {
			return 0, 0
		}
		size *= n
	}
	for _, a := range u.indices {
		if a.at+a.lanes > size {
			return 0, 0
		}
		if a.lanes > 1 {
			n := max(lanes(a.lanes), 1)
			if k != 0 && k != n || a.at%n != 0 {
				return 0, 0
			}
			k = n
		}
	}
	for _, list := range u.picks {
		if slices.Max(list) >= size {
			return 0, 0
		}
	}
	k = max(k, 1)
	if count = (size + k - 1) / k; count > limit {
		return 0, 0
	}
	return count, k
}

// ConstantIndex returns the element at which an access with constant indices starts.
func ConstantIndex(b *tir.Buffer, indices []tir.Expr) int64 {
	a, _ := constantAccess(b, indices)
	return a.at
}

// constantAccess returns the elements that an access with constant indices touches.
func constantAccess(b *tir.Buffer, indices []tir.Expr) (constAccess, bool) {
	if len(indices) != 1 || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0) || len(b.Strides) > 0 && !tir.IsConst(b.Strides[0], 1) {
		return constAccess{}, false
	}
	width := int64(b.DType.Lanes)
	if r, ok := indices[0].(*tir.Ramp); ok {
		at, ok := EvalInt(r.Start)
		if !ok || !tir.IsConst(r.Stride, 1) {
			return constAccess{}, false
		}
		return constAccess{at * width, int64(r.Lanes) * width}, at >= 0
	}
	at, ok := EvalInt(indices[0])
	return constAccess{at * width, width}, ok && at >= 0 && indices[0].DType().Lanes == 1
}

// constantElements returns the elements that an access with constant indices touches, in the order of its lanes; ok is false where indices are others, or negative.
func constantElements(b *tir.Buffer, indices []tir.Expr) (list []int64, ok bool) {
	if a, ok := constantAccess(b, indices); ok {
		list = make([]int64, a.lanes)
		for i := range list {
			list[i] = a.at + int64(i)
		}
		return list, true
	}
	if len(indices) != 1 || b.DType.Lanes != 1 || b.ElemOffset != nil && !tir.IsConst(b.ElemOffset, 0) || len(b.Strides) > 0 && !tir.IsConst(b.Strides[0], 1) {
		return nil, false
	}
	list, ok = evalInts(indices[0])
	return list, ok && slices.Min(list) >= 0
}

// evalInts computes the lanes of a constant expression of integers.
func evalInts(e tir.Expr) ([]int64, bool) {
	lanes := make([]int64, e.DType().Lanes)
	switch e := e.(type) {
	case *tir.Ramp:
		at, ok := EvalInt(e.Start)
		step, known := EvalInt(e.Stride)
		for i := range lanes {
			lanes[i] = at + int64(i)*step
		}
		return lanes, ok && known
	case *tir.Broadcast:
		v, ok := EvalInt(e.Value)
		for i := range lanes {
			lanes[i] = v
		}
		return lanes, ok
	case *tir.Binary:
		if e.DType().Lanes == 1 {
			break
		}
		a, ok := evalInts(e.A)
		b, known := evalInts(e.B)
		for i := range lanes {
			if ok && known {
				lanes[i], ok = tir.FoldInt(e.Op, e.A.DType().Elem(), a[i], b[i])
			}
		}
		return lanes, ok && known
	case *tir.Call:
		if !dividesByPower(e) {
			break
		}
		a, ok := evalInts(e.Args[0])
		b, known := evalInts(e.Args[1])
		for i := range lanes {
			if ok && known {
				lanes[i], ok = shifted(e, a[i], b[i])
			}
		}
		return lanes, ok && known
	}
	v, ok := EvalInt(e)
	return []int64{v}, ok && len(lanes) == 1
}

// dividesByPower reports whether e is what a division by a power of two becomes, or its remainder.
func dividesByPower(e *tir.Call) bool {
	return (e.Op == tir.OpShiftRight || e.Op == tir.OpBitwiseAnd) && e.Type.IsInt()
}

// shifted computes such a call.
func shifted(e *tir.Call, a, b int64) (int64, bool) {
	if e.Op == tir.OpBitwiseAnd {
		return a & b, true
	}
	return a >> (b & 63), b >= 0 && b < int64(e.Type.Bits)
}

// EvalInt computes a constant integer expression.
func EvalInt(e tir.Expr) (int64, bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value, true
	case *tir.Cast:
		if v, ok := EvalInt(e.Value); ok && e.Type.IsInteger() {
			return tir.AsInt(tir.CastTo(e.Type, tir.Const(e.Value.DType(), v)))
		}
	case *tir.Call:
		if dividesByPower(e) {
			list, ok := evalInts(e)
			return list[0], ok && len(list) == 1
		}
	case *tir.Binary:
		a, ok := EvalInt(e.A)
		if !ok {
			return 0, false
		}
		b, ok := EvalInt(e.B)
		if !ok {
			return 0, false
		}
		return tir.FoldInt(e.Op, e.A.DType(), a, b)
	}
	return 0, false
}
