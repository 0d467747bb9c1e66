package tirpass

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// vecAlloc is memory allocated inside the loop: each lane has its own copy, lanes innermost.
type vecAlloc struct{ buffers map[*tir.Buffer]*tir.Buffer }

func (v *vectorizer) allocate(s *tir.Allocate) tir.Stmt {
	if len(s.Extents) == 0 || slices.ContainsFunc(s.Extents, func(e tir.Expr) bool { return v.depends(e) }) {
		return v.serial(s)
	}
	v.vecBufs[s.Var] = &vecAlloc{map[*tir.Buffer]*tir.Buffer{}}
	c := *s
	c.Extents = append([]tir.Expr{}, s.Extents...)
	n := len(c.Extents) - 1
	c.Extents[n] = tir.Mul(c.Extents[n], tir.Const(c.Extents[n].DType(), int64(v.lanes)))
	c.Body = v.stmt(s.Body)
	return &c
}

// access vectorizes indices. Only the last one may become a vector.
func (v *vectorizer) access(b *tir.Buffer, indices []tir.Expr) (*tir.Buffer, []tir.Expr) {
	idx := ir.MapSame(indices, v.expr)
	for i, e := range idx {
		if e.DType().Lanes > 1 && i < len(idx)-1 {
			v.refuse("an index before the last differs between the lanes")
		}
	}
	if va := v.vecBufs[b.Data]; va != nil && len(idx) > 0 {
		n := len(idx) - 1
		last := idx[n]
		if indices[n].DType().Lanes > 1 {
			v.refuse("an index into memory of each lane is a vector")
			return b, idx
		}
		d := last.DType().Elem()
		lanes := tir.Const(d, int64(v.lanes))
		out := append([]tir.Expr{}, idx...)
		own := &tir.Ramp{Start: tir.Const(d, 0), Stride: tir.Const(d, 1), Lanes: v.lanes}
		if last.DType().Lanes == 1 {
			out[n] = &tir.Ramp{Start: tir.Mul(last, lanes), Stride: tir.Const(d, 1), Lanes: v.lanes}
		} else {
			out[n] = tir.Add(tir.Mul(last, lanes), own)
		}
		return va.buffer(b, v.lanes), out
	}
	return b, idx
}

// laneOf rewrites accesses to memory allocated inside the loop to the copy of lane i.
func (v *vectorizer) laneOf(s tir.Stmt, i tir.Expr) tir.Stmt {
	at := func(b *tir.Buffer, idx []tir.Expr) (*tir.Buffer, []tir.Expr) {
		va := v.vecBufs[b.Data]
		if va == nil {
			return b, idx
		}
		nb := va.buffer(b, v.lanes)
		out := append([]tir.Expr{}, idx...)
		n := len(out) - 1
		out[n] = tir.Add(tir.Mul(out[n], tir.Const(out[n].DType(), int64(v.lanes))), tir.CastTo(out[n].DType().Elem(), i))
		return nb, out
	}
	return tir.RewriteStmt(s, func(s tir.Stmt) tir.Stmt {
		if st, ok := s.(*tir.BufferStore); ok {
			if b, idx := at(st.Buffer, st.Indices); b != st.Buffer {
				return st.WithBuffer(b).WithIndices(idx)
			}
		}
		return s
	}, func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok {
			if b, idx := at(l.Buffer, l.Indices); b != l.Buffer {
				return l.WithBuffer(b).WithIndices(idx)
			}
		}
		return e
	})
}

func (va *vecAlloc) buffer(b *tir.Buffer, lanes int) *tir.Buffer {
	if out := va.buffers[b]; out != nil {
		return out
	}
	out := *b
	out.Shape = append([]tir.Expr{}, b.Shape...)
	n := len(out.Shape) - 1
	out.Shape[n] = tir.Mul(out.Shape[n], tir.Const(out.Shape[n].DType(), int64(lanes)))
	va.buffers[b] = &out
	return &out
}
