package topi

import (
	"strconv"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// statistics are mean and variance over some axes. Two passes keep the variance exact where the
// mean is large, and each is a sum that a schedule computes in vectors.
type statistics struct{ mean, variance *te.Tensor }

// newStatistics returns the statistics, called after name, of extents shape; f reads the element at
// index i of the statistics and the given indices of the axes, of the given extents.
func newStatistics(name string, shape, extents []tir.Expr, f func(i, r []tir.Expr) tir.Expr) statistics {
	count := product(extents)
	average := func(name string, g func(i, r []tir.Expr) tir.Expr) *te.Tensor {
		var axes []*tir.IterVar
		var vars []tir.Expr
		for k, n := range extents {
			axes = append(axes, te.ReduceAxis("k"+strconv.Itoa(k), n))
			vars = append(vars, axes[k].Var)
		}
		total := te.Compute(name+"_red", shape, func(i []tir.Expr) tir.Expr {
			if len(axes) == 0 {
				return g(i, nil)
			}
			return te.Sum(g(i, vars), axes...)
		})
		return te.Compute(name, shape, func(i []tir.Expr) tir.Expr {
			e := total.At(i...)
			return tir.Div(e, tir.CastTo(e.DType(), count))
		})
	}
	var s statistics
	s.mean = average(name+"_mean", f)
	s.variance = average(name+"_var", func(i, r []tir.Expr) tir.Expr {
		d := tir.Sub(f(i, r), s.mean.At(i...))
		return tir.Mul(d, d)
	})
	return s
}

// normalize is (e - mean) / sqrt(variance + epsilon) with the statistics at index at.
func (s statistics) normalize(e tir.Expr, at []tir.Expr, epsilon float64) tir.Expr {
	v := s.variance.At(at...)
	return tir.Mul(tir.Sub(e, s.mean.At(at...)), call(tir.OpRsqrt, tir.Add(v, num(v, epsilon))))
}

// merge returns the index into a tensor with n dimensions: r at axes, i elsewhere.
func merge(n int, axes []int, i, r []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, n)
	for k, a := range axes {
		out[a] = r[k]
	}
	for k, a := range rest(n, axes) {
		out[a] = i[k]
	}
	return out
}

// twoPassNorm normalises x over axes with the entries of gamma and beta at scale(i).
func twoPassNorm(name string, x, gamma, beta *te.Tensor, axes []int, epsilon float64, scale func(i []tir.Expr) []tir.Expr) *te.Tensor {
	n := x.NDim()
	keep := rest(n, axes)
	s := newStatistics(name, pick(x.Shape, keep), pick(x.Shape, axes), func(i, r []tir.Expr) tir.Expr {
		return x.At(merge(n, axes, i, r)...)
	})
	return te.Compute(name, x.Shape, func(i []tir.Expr) tir.Expr {
		return affine(s.normalize(x.At(i...), pick(i, keep), epsilon), x.DType, gamma, beta, scale(i))
	})
}

// twoPassGroupNorm indexes the channels of groups in place of a reshape.
func twoPassGroupNorm(x, gamma, beta *te.Tensor, groups int64, channel int, axes []int, epsilon float64) *te.Tensor {
	n := x.NDim()
	size := tir.FloorDiv(x.Shape[channel], tir.Int(groups))
	over := []int{channel}
	for _, a := range axes {
		if a != channel {
			over = append(over, a)
		}
	}
	keep := rest(n, over)
	shape := append(pick(x.Shape, keep), tir.Int(groups))
	extents := append([]tir.Expr{size}, pick(x.Shape, over[1:])...)
	s := newStatistics("T_group_norm", shape, extents, func(i, r []tir.Expr) tir.Expr {
		last := len(i) - 1
		r = append([]tir.Expr{tir.Add(tir.Mul(i[last], size), r[0])}, r[1:]...)
		return x.At(merge(n, over, i[:last], r)...)
	})
	return te.Compute("T_group_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		at := append(pick(i, keep), tir.FloorDiv(i[channel], size))
		return affine(s.normalize(x.At(i...), at, epsilon), x.DType, gamma, beta, i[channel:channel+1])
	})
}
