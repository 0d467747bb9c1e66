package topi

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
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
	})
}

func same(x tir.Expr) tir.Expr { return x }

// Reduce reduces x over axes (nil: all) by "sum", "prod", "max", "min", "mean", "variance",
// "std", "any" or "all". Reduced axes stay with extent 1 if keepDims.
func Reduce(kind string, x *te.Tensor, axes []int, keepDims bool) (*te.Tensor, error) {
	r := newReduction(x, axes, keepDims)
	name := x.Name + "_red"
	switch kind {
	case "sum":
		return r.compute(name, te.Sum, same), nil
	case "prod":
		return r.compute(name, te.Prod, same), nil
	case "max":
		return r.compute(name, te.Max, same), nil
	case "min":
		return r.compute(name, te.Min, same), nil
	case "any":
		return r.compute(name, te.Any, asBool), nil
	case "all":
		return r.compute(name, te.All, asBool), nil
	case "mean":
		return r.mean(), nil
	case "variance":
		return r.variance(), nil
	case "std":
		return elementwise(r.variance(), call1(tir.OpSqrt)), nil
	}
	return nil, fmt.Errorf("no reduction is called %q", kind)
}

// mean is the sum of the elements over their number.
func (r *reduction) mean() *te.Tensor {
	x := r.compute(r.x.Name+"_red", te.Sum, same)
	return div(T(x), Operand{Scalar: tir.CastTo(x.DType, r.count())})
}

// variance is the mean of the squared distances from the mean.
func (r *reduction) variance() *te.Tensor {
	from := sub(T(r.x), T(newReduction(r.x, r.over, true).mean()))
	return newReduction(mul(T(from), T(from)), r.over, r.keepDims).mean()
}
