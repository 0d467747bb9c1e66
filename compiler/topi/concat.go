package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// Concat joins tensors along axis.
func Concat(xs []*te.Tensor, axis int) *te.Tensor {
	shape := append([]tir.Expr{}, xs[0].Shape...)
	starts := make([]tir.Expr, len(xs))
	total := tir.Expr(tir.Int(0))
	for k, x := range xs {
		starts[k] = total
		total = tir.Add(total, x.Shape[axis])
	}
	shape[axis] = total
	return te.Compute("T_concat", shape, func(i []tir.Expr) tir.Expr {
		return choose(i[axis], starts, func(k int) tir.Expr {
			at := i
			if k > 0 {
				at = append([]tir.Expr{}, i...)
				at[axis] = tir.Sub(i[axis], starts[k])
			}
			return xs[k].At(at...)
		})
	})
}

// maxChain is how many parts are told apart one after the other. More are halved first, so that the
// kernel of a join of thousands neither nests thousands deep nor takes thousands of steps for
// an element.
const maxChain = 64

// choose returns part k for the last k with starts[k] <= i. The starts do not fall.
func choose(i tir.Expr, starts []tir.Expr, part func(k int) tir.Expr) tir.Expr {
	var among func(lo, hi int) tir.Expr
	among = func(lo, hi int) tir.Expr {
		if hi-lo > maxChain {
			mid := lo + (hi-lo)/2
			return tir.IfThenElseExpr(tir.LE(starts[mid], i), among(mid, hi), among(lo, mid))
		}
		e := part(lo)
		for k := lo + 1; k < hi; k++ {
			e = tir.IfThenElseExpr(tir.LE(starts[k], i), part(k), e)
		}
		return e
	}
	return among(0, len(starts))
}

// Stack joins tensors of one shape along a new axis.
func Stack(xs []*te.Tensor, axis int) *te.Tensor {
	shape := with(xs[0].Shape, axis, tir.Int(int64(len(xs))))
	starts := make([]tir.Expr, len(xs))
	for k := range starts {
		starts[k] = tir.Int(int64(k))
	}
	return te.Compute("T_stack", shape, func(i []tir.Expr) tir.Expr {
		at := without(i, axis)
		return choose(i[axis], starts, func(k int) tir.Expr { return xs[k].At(at...) })
	})
}

// Split cuts x along axis into parts that start at starts and have the given extents.
func Split(x *te.Tensor, axis int, starts, extents []tir.Expr) []*te.Tensor {
	out := make([]*te.Tensor, len(starts))
	for k := range starts {
		shape := append([]tir.Expr{}, x.Shape...)
		shape[axis] = extents[k]
		out[k] = te.Compute("T_split", shape, func(i []tir.Expr) tir.Expr {
			at := append([]tir.Expr{}, i...)
			at[axis] = tir.Add(i[axis], starts[k])
			return x.At(at...)
		})
	}
	return out
}

// Repeat repeats each element n times along axis.
func Repeat(x *te.Tensor, n int64, axis int) *te.Tensor {
	shape := append([]tir.Expr{}, x.Shape...)
	shape[axis] = tir.Mul(shape[axis], tir.Int(n))
	return te.Compute("T_repeat", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		at[axis] = tir.FloorDiv(i[axis], tir.Int(n))
		return x.At(at...)
	})
}

// Tile repeats x as a whole along its last axes, adding axes in front if there are more
// numbers than axes.
func Tile(x *te.Tensor, reps []int64) *te.Tensor {
	n := max(x.NDim(), len(reps))
	shape := make([]tir.Expr, n)
	for k := range n {
		e := tir.Expr(tir.Int(1))
		if a := k - (n - x.NDim()); a >= 0 {
			e = x.Shape[a]
		}
		if r := k - (n - len(reps)); r >= 0 {
			e = tir.Mul(e, tir.Int(reps[r]))
		}
		shape[k] = e
	}
	tile := func(repeated func(k, a int) bool) *te.Tensor {
		return te.Compute("T_tile", shape, func(i []tir.Expr) tir.Expr {
			at := make([]tir.Expr, x.NDim())
			for a := range at {
				k := a + n - x.NDim()
				at[a] = i[k]
				if repeated(k, a) {
					at[a] = tir.FloorMod(i[k], x.Shape[a])
				}
			}
			return x.At(at...)
		})
	}
	return te.Better(tile(func(int, int) bool { return true }), func() []*te.Tensor {
		return []*te.Tensor{tile(func(k, a int) bool { return !sameExpr(shape[k], x.Shape[a]) })}
	})
}

// SliceAxis is a slice along one axis: indices Begin, Begin+Stride, ...
type SliceAxis struct {
	Axis   int
	Begin  tir.Expr // as in Python: negative counts from the end, beyond the ends is cut
	Stride int64
}

// StridedSlice takes slices along axes; shape is that of the result. With inbound, begins
// are known to be inside.
func StridedSlice(x *te.Tensor, axes []SliceAxis, shape []tir.Expr, inbound bool) *te.Tensor {
	return te.Compute("T_strided_slice_with_axes", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		for _, s := range axes {
			first := s.Begin
			if !inbound {
				first = sliceStart(s.Begin, s.Stride, x.Shape[s.Axis])
			}
			at[s.Axis] = tir.Add(tir.Mul(i[s.Axis], tir.Int(s.Stride)), first)
		}
		return x.At(at...)
	})
}

// sliceStart is the first index of a slice that begins at b on an axis of extent n.
func sliceStart(b tir.Expr, stride int64, n tir.Expr) tir.Expr {
	lo, hi := tir.Expr(tir.Int(0)), n
	if stride < 0 {
		lo, hi = tir.Int(-1), tir.Sub(n, tir.Int(1))
	}
	if v, ok := tir.AsInt(b); ok {
		if v < 0 {
			return tir.Max(tir.Add(tir.Int(v), n), lo)
		}
		if v == 0 && stride > 0 {
			return b
		}
		return tir.Min(b, hi)
	}
	b = &tir.Select{Cond: tir.LT(b, tir.Int(0)), True: tir.Add(b, n), False: b}
	return tir.Max(tir.Min(b, hi), lo)
}
