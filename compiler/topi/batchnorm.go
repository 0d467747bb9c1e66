package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

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
	d, e := mean.DType, variance.DType
	shape := make([]tir.Expr, x.NDim())
	for k := range shape {
		shape[k] = tir.Int(1)
	}
	shape[o.Axis] = x.Shape[o.Axis]
	channels := func(t *te.Tensor) *te.Tensor { return Reshape(t, shape) }
	from, of := channels(mean), variance
	if o.Training {
		over := rest(x.NDim(), []int{o.Axis})
		batch := newReduction(x, over, false).mean()
		from = channels(batch)
		of = newReduction(mul(T(sub(T(x), T(from))), T(sub(T(x), T(from)))), over, false).mean()
		mean, variance = running(mean, batch, o.Momentum), running(variance, of, o.Momentum)
	} else {
		mean, variance = mul(T(mean), number(mean, 1)), mul(T(variance), number(variance, 1))
	}
	root := elementwise(add(T(channels(of)), number(of, o.Epsilon)), call1(tir.OpSqrt))
	out := div(T(sub(T(x), T(from))), T(root))
	if gamma != nil {
		out = mul(T(out), T(channels(gamma)))
	}
	if beta != nil {
		out = add(T(out), T(channels(beta)))
	}
	return []*te.Tensor{converted(out, x.DType), converted(mean, d), converted(variance, e)}
}

// running moves the running statistic old by the share momentum towards that of the batch.
func running(old, batch *te.Tensor, momentum float64) *te.Tensor {
	return add(T(mul(number(old, 1-momentum), T(old))), T(mul(number(batch, momentum), T(batch))))
}
