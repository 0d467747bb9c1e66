package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// SortOpts says what Sort yields, for the axis that is sorted.
type SortOpts struct {
	Axis       int
	Descending bool
	Keep       tir.Expr // how many elements are kept from the front
	Indices    dtype.DType
}

// Sort returns the elements of x in order along an axis and their indices. Equal elements
// keep their order; where NaNs stand is left open. Each element counts those that come
// before it, so the time grows with the square of the extent.
func Sort(x *te.Tensor, o SortOpts) (values, indices *te.Tensor) {
	n := x.Shape[o.Axis]
	j := te.ReduceAxis("k", n)
	rank := te.Compute("sort_rank", x.Shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		at[o.Axis] = j.Var
		own, other := x.At(i...), x.At(at...)
		if !o.Descending {
			own, other = other, own
		}
		first, tie := tir.GT(other, own), tir.LogicalNot(tir.GT(own, other))
		before := tir.Or(first, tir.And(tie, tir.LT(j.Var, i[o.Axis])))
		return te.Sum(tir.CastTo(dtype.Int64T, before), j)
	})
	shape := append([]tir.Expr{}, x.Shape...)
	shape[o.Axis] = o.Keep
	outs := te.Extern("sort", []te.Out{{DType: x.DType, Shape: shape}, {DType: o.Indices, Shape: shape}}, []*te.Tensor{x, rank},
		func(in, out []*tir.Buffer) tir.Stmt {
			var fill []tir.Stmt
			for _, b := range out {
				z := newLoops("z", shape)
				fill = append(fill, z.wrap(tir.Store(b, tir.Const(b.DType, 0), z.vars...)))
			}
			l := newLoops("i", x.Shape)
			at := append([]tir.Expr{}, l.vars...)
			at[o.Axis] = tir.Load(in[1], l.vars...)
			put := tir.Seq(
				tir.Store(out[0], tir.Load(in[0], l.vars...), at...),
				tir.Store(out[1], tir.CastTo(o.Indices, l.vars[o.Axis]), at...),
			)
			if !sameExpr(o.Keep, n) {
				put = &tir.IfThenElse{Cond: tir.LT(at[o.Axis], o.Keep), Then: put}
			}
			return tir.Seq(append(fill, l.wrap(put))...)
		})
	return outs[0], outs[1]
}
