package topi

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// reduction splits the axes of a tensor into those that stay and those that are reduced.
type reduction struct {
	x        *te.Tensor
	keep     []int // axes that stay
	over     []int
	keepDims bool
	shape    []tir.Expr // of the result
}

// newReduction reduces x over axes, all of them where axes is nil.
func newReduction(x *te.Tensor, axes []int, keepDims bool) *reduction {
	r := &reduction{x: x, keepDims: keepDims, over: []int{}} // nil would mean all axes
	for k := range x.Shape {
		switch {
		case axes == nil || slices.Contains(axes, k):
			r.over = append(r.over, k)
			if keepDims {
				r.shape = append(r.shape, tir.Int(1))
			}
		default:
			r.keep = append(r.keep, k)
			r.shape = append(r.shape, x.Shape[k])
		}
	}
	return r
}

// axes returns new reduction axes, called after their positions.
func (r *reduction) axes() []*tir.IterVar {
	out := make([]*tir.IterVar, len(r.over))
	for k, a := range r.over {
		out[k] = te.ReduceAxis("k"+strconv.Itoa(a), r.x.Shape[a])
	}
	return out
}

// index returns the index into x for index i of the result and the reduction axes.
func (r *reduction) index(i []tir.Expr, axes []*tir.IterVar) []tir.Expr {
	out := make([]tir.Expr, len(r.x.Shape))
	for k, a := range r.over {
		out[a] = axes[k].Var
	}
	for k, a := range r.keep {
		if r.keepDims {
			out[a] = i[a]
		} else {
			out[a] = i[k]
		}
	}
	return out
}

// count is the number of elements that are reduced to one.
func (r *reduction) count() tir.Expr {
	n := tir.Expr(tir.Int(1))
	for _, a := range r.over {
		n = tir.Mul(n, r.x.Shape[a])
	}
	return n
}

type reducer func(e tir.Expr, axes ...*tir.IterVar) tir.Expr

// compute reduces f of each element by g.
func (r *reduction) compute(name string, g reducer, f unary) *te.Tensor {
	if len(r.over) == 0 {
		return te.Compute(name, r.shape, func(i []tir.Expr) tir.Expr { return f(r.x.At(i...)) })
	}
	axes := r.axes()
	return te.Compute(name, r.shape, func(i []tir.Expr) tir.Expr {
		return g(f(r.x.At(r.index(i, axes)...)), axes...)
	}, inRuns())
}

func same(x tir.Expr) tir.Expr { return x }

// Reduce reduces x over axes (nil: all) by "sum", "prod", "max", "min", "mean", "variance",
// "std", "any" or "all". Reduced axes stay with extent 1 if keepDims.
func Reduce(kind string, x *te.Tensor, axes []int, keepDims bool) (*te.Tensor, error) {
	r := newReduction(x, axes, keepDims)
	name := x.Name + "_red"
	switch kind {
	case "sum":
		return converted(r.compute(name, sum, same), x.DType), nil
	case "prod":
		return converted(r.compute(name, prod, same), x.DType), nil
	case "max":
		return r.compute(name, te.Max, same), nil
	case "min":
		return r.compute(name, te.Min, same), nil
	case "any":
		return r.compute(name, te.Any, asBool), nil
	case "all":
		return r.compute(name, te.All, asBool), nil
	case "mean":
		return r.mean(name, same, x.DType), nil
	case "variance":
		return r.variance(x.DType), nil
	case "std":
		return elementwise(r.variance(x.DType.Accumulator()), func(e tir.Expr) tir.Expr {
			return tir.CastTo(x.DType, call(tir.OpSqrt, e))
		}), nil
	}
	return nil, fmt.Errorf("no reduction is called %q", kind)
}

// mean is the sum of f of the elements over their number, as type d.
func (r *reduction) mean(name string, f unary, d dtype.DType) *te.Tensor {
	return quotient("T_divide", r.compute(name, sum, f), r.count(), d)
}

// quotient divides the elements of x by count and converts them to type d.
func quotient(name string, x *te.Tensor, count tir.Expr, d dtype.DType) *te.Tensor {
	return te.Compute(name, x.Shape, func(i []tir.Expr) tir.Expr {
		e := x.At(i...)
		return tir.CastTo(d, tir.Div(e, tir.CastTo(e.DType(), count)))
	})
}

// variance is the mean of the squared distances from the mean, as type d.
func (r *reduction) variance(d dtype.DType) *te.Tensor {
	mean := newReduction(r.x, r.over, true).mean(r.x.Name+"_red", same, r.x.DType.Accumulator())
	sq := te.Compute("T_multiply", r.x.Shape, func(i []tir.Expr) tir.Expr {
		d := tir.Sub(wide(r.x.At(i...)), mean.At(broadcastIndex(mean.Shape, i, r.x.Shape)...))
		return tir.Mul(d, d)
	})
	return newReduction(sq, r.over, r.keepDims).mean("T_multiply_red", same, d)
}

// ArgReduce returns the index (of type d) of the greatest element of x along axis, or over
// the flattened tensor where axis is -1; least asks for the least instead. Of equal
// elements the first wins, the last if last. A NaN wins over all numbers, as in NumPy. Where
// there is no element the index is -1.
func ArgReduce(x *te.Tensor, axis int, keepDims, least, last bool, d dtype.DType) *te.Tensor {
	axes := []int{axis}
	if axis < 0 {
		axes = nil
	}
	r := newReduction(x, axes, keepDims)
	combine := func(a, b []tir.Expr) []tir.Expr {
		better, equal := tir.GT(a[1], b[1]), tir.EQ(a[1], b[1])
		if least {
			better = tir.LT(a[1], b[1])
		}
		if x.DType.IsFloat() {
			// x != x holds for NaN alone
			nan := tir.NewBinary(tir.OpNE, a[1], a[1])
			better = tir.Or(better, tir.And(nan, tir.NewBinary(tir.OpEQ, b[1], b[1])))
			equal = tir.Or(equal, tir.And(nan, tir.NewBinary(tir.OpNE, b[1], b[1])))
		}
		earlier := tir.LT(a[0], b[0])
		if last {
			earlier = tir.GT(a[0], b[0])
		}
		first := tir.Or(better, tir.And(equal, earlier))
		return []tir.Expr{
			&tir.Select{Cond: first, True: a[0], False: b[0]},
			&tir.Select{Cond: better, True: a[1], False: b[1]},
		}
	}
	worst := te.Lowest(x.DType)
	if least {
		worst = te.Highest(x.DType)
	}
	none := &tir.IntImm{Type: d, Value: -1}
	start := none
	if !last {
		start = &tir.IntImm{Type: d, Value: int64(1)<<(d.Bits-1) - 1} // later than any index: the first element that is no better wins
	}
	rv := r.axes()
	both := te.ComputeN(x.Name+"_red_temp", r.shape, func(i []tir.Expr) []tir.Expr {
		at := r.index(i, rv)
		flat := tir.Expr(tir.Int(0))
		for k, a := range r.over {
			flat = tir.Add(tir.Mul(flat, x.Shape[a]), rv[k].Var)
		}
		return te.Reduction(combine, []tir.Expr{start, worst}, []tir.Expr{tir.CastTo(d, flat), x.At(at...)}, rv...)
	})
	n, static := tir.AsInt(r.count())
	return te.Compute(x.Name+"_red", r.shape, func(i []tir.Expr) tir.Expr {
		at := both[0].At(i...)
		if last || static && n > 0 {
			return at
		}
		return &tir.Select{Cond: tir.EQ(at, start), True: none, False: at}
	})
}
