package topi

import (
	"slices"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// pick returns the entries of i at axes.
func pick(i []tir.Expr, axes []int) []tir.Expr {
	out := make([]tir.Expr, len(axes))
	for k, a := range axes {
		out[k] = i[a]
	}
	return out
}

func rest(n int, axes []int) []int {
	var out []int
	for k := range n {
		if !slices.Contains(axes, k) {
			out = append(out, k)
		}
	}
	return out
}

// affine multiplies by gamma and adds beta, either of which may be nil, both indexed by at.
func affine(e tir.Expr, gamma, beta *te.Tensor, at []tir.Expr) tir.Expr {
	if gamma != nil {
		e = tir.Mul(e, wide(gamma.At(at...)))
	}
	if beta != nil {
		e = tir.Add(e, wide(beta.At(at...)))
	}
	return e
}

// moments returns the tensors, of type d, of mean and variance of f over the reduced axes; f reads the
// element at index i of the statistics and the given reduction variables. Two passes keep
// the variance exact where the mean is large.
func moments(name string, d dtype.DType, shape, extents []tir.Expr, f func(i, r []tir.Expr) tir.Expr) (mean, variance *te.Tensor) {
	count := tir.Expr(tir.Int(1))
	for _, n := range extents {
		count = tir.Mul(count, n)
	}
	average := func(name string, g func(i, r []tir.Expr) tir.Expr) *te.Tensor {
		var axes []*tir.IterVar
		var vars []tir.Expr
		for k, n := range extents {
			axes = append(axes, te.ReduceAxis("k"+string(rune('0'+k%10)), n))
			vars = append(vars, axes[k].Var)
		}
		total := te.Compute(name+"_red", shape, func(i []tir.Expr) tir.Expr { return sum(g(i, vars), axes...) }, inRuns())
		return quotient(name, total, count, d)
	}
	mean = average(name+"_mean", func(i, r []tir.Expr) tir.Expr { return wide(f(i, r)) })
	variance = average(name+"_var", func(i, r []tir.Expr) tir.Expr {
		d := tir.Sub(wide(f(i, r)), mean.At(i...))
		return tir.Mul(d, d)
	})
	return mean, variance
}

// normalize is (e - mean) / sqrt(variance + epsilon).
func normalize(e tir.Expr, mean, variance tir.Expr, epsilon float64) tir.Expr {
	return tir.Mul(tir.Sub(wide(e), mean), call(tir.OpRsqrt, tir.Add(variance, num(variance, epsilon))))
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

// LayerNorm normalises x over axes, then scales by gamma and shifts by beta (nil: not).
func LayerNorm(x, gamma, beta *te.Tensor, axes []int, epsilon float64) *te.Tensor {
	n := x.NDim()
	keep := rest(n, axes)
	mean, variance := moments("T_layer_norm", x.DType.Accumulator(), pick(x.Shape, keep), pick(x.Shape, axes), func(i, r []tir.Expr) tir.Expr {
		return x.At(merge(n, axes, i, r)...)
	})
	return te.Compute("T_layer_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		at := pick(i, keep)
		e := normalize(x.At(i...), mean.At(at...), variance.At(at...), epsilon)
		return tir.CastTo(x.DType, affine(e, gamma, beta, pick(i, axes)))
	})
}

// InstanceNorm normalises x over axes; gamma and beta have an entry for each channel.
func InstanceNorm(x, gamma, beta *te.Tensor, channel int, axes []int, epsilon float64) *te.Tensor {
	n := x.NDim()
	keep := rest(n, axes)
	mean, variance := moments("T_instance_norm", x.DType.Accumulator(), pick(x.Shape, keep), pick(x.Shape, axes), func(i, r []tir.Expr) tir.Expr {
		return x.At(merge(n, axes, i, r)...)
	})
	return te.Compute("T_instance_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		at := pick(i, keep)
		e := normalize(x.At(i...), mean.At(at...), variance.At(at...), epsilon)
		return tir.CastTo(x.DType, affine(e, gamma, beta, i[channel:channel+1]))
	})
}

// GroupNorm normalises x over axes and the channels of each of the groups; gamma and beta
// have an entry for each channel.
func GroupNorm(x, gamma, beta *te.Tensor, groups int64, channel int, axes []int, epsilon float64) *te.Tensor {
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
	mean, variance := moments("T_group_norm", x.DType.Accumulator(), shape, extents, func(i, r []tir.Expr) tir.Expr {
		last := len(i) - 1
		r = append([]tir.Expr{tir.Add(tir.Mul(i[last], size), r[0])}, r[1:]...)
		return x.At(merge(n, over, i[:last], r)...)
	})
	return te.Compute("T_group_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		at := append(pick(i, keep), tir.FloorDiv(i[channel], size))
		e := normalize(x.At(i...), mean.At(at...), variance.At(at...), epsilon)
		return tir.CastTo(x.DType, affine(e, gamma, beta, i[channel:channel+1]))
	})
}

// RMSNorm divides x by the root of its mean square over axes and scales by weight.
func RMSNorm(x, weight *te.Tensor, axes []int, epsilon float64) *te.Tensor {
	r := newReduction(x, axes, false)
	sq := r.mean("T_multiply_red", func(e tir.Expr) tir.Expr { return tir.Mul(wide(e), wide(e)) }, x.DType.Accumulator())
	inv := te.Compute("rsqrt", sq.Shape, func(i []tir.Expr) tir.Expr {
		e := sq.At(i...)
		return call(tir.OpRsqrt, tir.Add(e, num(e, epsilon)))
	})
	return te.Compute("T_rms_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		e := tir.Mul(wide(x.At(i...)), inv.At(pick(i, r.keep)...))
		return tir.CastTo(x.DType, tir.Mul(e, wide(weight.At(pick(i, axes)...))))
	})
}

// BatchNormOpts are the parameters of BatchNorm.
type BatchNormOpts struct {
	Axis     int // of the channels
	Epsilon  float64
	Momentum float64
	Training bool // use the statistics of the batch and update the running ones
}

// BatchNorm normalises each channel of x by mean and variance, scales by gamma and shifts by
// beta (nil: not). It returns the result and the running mean and variance after it.
func BatchNorm(x, gamma, beta, mean, variance *te.Tensor, o BatchNormOpts) []*te.Tensor {
	newMean, newVar := Copy(mean), Copy(variance)
	useMean, useVar := mean, variance
	if o.Training {
		n := x.NDim()
		over := rest(n, []int{o.Axis})
		useMean, useVar = moments("T_batch_norm", x.DType.Accumulator(), x.Shape[o.Axis:o.Axis+1], pick(x.Shape, over), func(i, r []tir.Expr) tir.Expr {
			return x.At(merge(n, over, i, r)...)
		})
		newMean, newVar = running(mean, useMean, o.Momentum), running(variance, useVar, o.Momentum)
	}
	out := te.Compute("T_batch_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		c := i[o.Axis : o.Axis+1]
		v := wide(useVar.At(c...))
		root := call(tir.OpSqrt, tir.Add(v, num(v, o.Epsilon)))
		e := tir.Div(tir.Sub(wide(x.At(i...)), wide(useMean.At(c...))), root)
		return tir.CastTo(x.DType, affine(e, gamma, beta, c))
	})
	return []*te.Tensor{out, newMean, newVar}
}

// running moves the running statistic old by the share momentum towards that of the batch.
func running(old, batch *te.Tensor, momentum float64) *te.Tensor {
	return te.Compute("T_add", old.Shape, func(i []tir.Expr) tir.Expr {
		e := wide(old.At(i...))
		e = tir.Add(tir.Mul(e, num(e, 1-momentum)), tir.Mul(batch.At(i...), num(e, momentum)))
		return tir.CastTo(old.DType, e)
	})
}
