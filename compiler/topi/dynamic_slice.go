package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sliceRange is the range that an index into an axis of extent n is kept in, by the sign of the step.
func sliceRange(step, n tir.Expr) (first, last tir.Expr) {
	back := tir.LT(step, tir.Int(0))
	return &tir.Select{Cond: back, True: tir.Int(-1), False: tir.Int(0)}, &tir.Select{Cond: back, True: tir.Sub(n, tir.Int(1)), False: n}
}

// sliceBound is an index of a slice, counted from the end where it is negative and kept in range.
func sliceBound(at, step, n tir.Expr) tir.Expr {
	first, last := sliceRange(step, n)
	at = &tir.Select{Cond: tir.LT(at, tir.Int(0)), True: tir.Add(at, n), False: at}
	return tir.Min(tir.Max(at, first), last)
}

func ceilDiv(a, b tir.Expr) tir.Expr {
	return tir.FloorDiv(tir.Sub(tir.Add(a, b), tir.Int(1)), b)
}

// DynamicSliceShape returns the extents of the slice of x from begin to end by strides, which are vectors
// with an entry for each axis. A slice in which nothing lies has a negative extent in TVM's form.
func DynamicSliceShape(x, begin, end, strides *te.Tensor) *te.Tensor {
	shape := func(least func(tir.Expr) tir.Expr) *te.Tensor {
		return te.Compute("T_shape_func_strided_slice_dynamic", begin.Shape, func(i []tir.Expr) tir.Expr {
			n := tir.Expr(tir.Int(-1))
			for k, d := range x.Shape {
				n = &tir.Select{Cond: tir.EQ(i[0], tir.Int(int64(k))), True: d, False: n}
			}
			read := func(t *te.Tensor) tir.Expr { return tir.CastTo(dtype.Int64T, t.At(i[0])) }
			step := read(strides)
			from, to := sliceBound(read(begin), step, n), sliceBound(read(end), step, n)
			back := ceilDiv(tir.Sub(from, to), tir.Mul(step, tir.Int(-1)))
			return least(&tir.Select{Cond: tir.LT(step, tir.Int(0)), True: back, False: ceilDiv(tir.Sub(to, from), step)})
		}, te.AxisNames("i"))
	}
	return te.Better(shape(same), func() []*te.Tensor {
		return []*te.Tensor{shape(func(e tir.Expr) tir.Expr { return tir.Max(e, tir.Int(0)) })}
	})
}

// DynamicSlice is the slice of x that has the given extents and starts at begin. TVM's form takes no begin below
// zero.
func DynamicSlice(x, begin, strides *te.Tensor, shape []tir.Expr) *te.Tensor {
	slice := func(start func(at, step, n tir.Expr) tir.Expr) *te.Tensor {
		return te.Compute("T_strided_slice_dynamic", shape, func(i []tir.Expr) tir.Expr {
			at := make([]tir.Expr, len(i))
			for k := range i {
				step := tir.CastTo(dtype.Int64T, strides.At(tir.Int(int64(k))))
				from := start(tir.CastTo(dtype.Int64T, begin.At(tir.Int(int64(k)))), step, x.Shape[k])
				at[k] = tir.Add(tir.Mul(i[k], step), from)
			}
			return x.At(at...)
		})
	}
	plain := slice(func(at, _, n tir.Expr) tir.Expr { return tir.Min(at, tir.Sub(n, tir.Int(1))) })
	return te.Better(plain, func() []*te.Tensor { return []*te.Tensor{slice(sliceBound)} })
}
