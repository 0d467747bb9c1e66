package lower

import (
	"fmt"

	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// AllLanesOf returns the mask of which e is the conjunction of all lanes, as tir.LowerMath writes it; nil where e is something else.
func AllLanesOf(e *tir.Binary) *tir.Var {
	if _, ok := e.B.(*tir.Shuffle); !ok || e.Op != tir.OpAnd {
		return nil
	}
	terms := tir.Conjuncts(nil, e)
	var mask *tir.Var
	for i, t := range terms {
		s, ok := t.(*tir.Shuffle)
		if !ok || len(s.Vectors) != 1 || len(s.Indices) != 1 || !tir.IsConst(s.Indices[0], int64(i)) {
			return nil
		}
		v, ok := s.Vectors[0].(*tir.Var)
		if !ok || mask != nil && v != mask {
			return nil
		}
		mask = v
	}
	if int(mask.DType().Lanes) != len(terms) {
		return nil
	}
	return mask
}

// AccessType is the type of what an access to b at indices reads or writes: as many lanes as its elements and its last index have together.
func AccessType(b *tir.Buffer, indices []tir.Expr) dtype.DType {
	if n := len(indices); n > 0 {
		return b.DType.WithLanes(int(b.DType.Lanes) * int(indices[n-1].DType().Lanes))
	}
	return b.DType
}

// AllocatedElements is how many scalar elements an allocation has, and whether that is known when code is generated. A number beyond most
// may be any that is larger than it. A negative extent is an error.
func AllocatedElements(s *tir.Allocate, most int64) (n int64, known bool, err error) {
	n, known = int64(s.Type.Lanes), true
	for _, e := range s.Extents {
		k, ok := EvalInt(e)
		if k < 0 {
			return 0, false, fmt.Errorf("extent %d is negative", k)
		}
		if ok && k > 0 && n > most/k+1 {
			n = most + 1 // large: avoid overflow
		} else {
			n *= k
		}
		known = known && ok
	}
	return n, known, nil
}

// IsPacked reports whether p has the packed signature (handle, handle, int32, handle).
func IsPacked(p *tir.PrimFunc) bool {
	if len(p.Params) != 4 {
		return false
	}
	d := func(i int) dtype.DType { return p.Params[i].DType() }
	return d(0).IsHandle() && d(1).IsHandle() && d(2) == dtype.Int32T && d(3).IsHandle()
}
