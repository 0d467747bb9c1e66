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

// tupleSum adds values side by side.
func tupleSum(values []tir.Expr, axes []*tir.IterVar) []tir.Expr {
	zero := make([]tir.Expr, len(values))
	for k, v := range values {
		zero[k] = tir.Const(v.DType(), 0)
	}
	return te.Reduction(func(a, b []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(a))
		for k := range a {
			out[k] = tir.Add(a[k], b[k])
		}
		return out
	}, zero, values, axes...)
}

// moments are the sums of the elements and of their squares over some axes, in one pass.
type moments struct {
	*reduction
	sum, square *te.Tensor
	count       tir.Expr
}

func newMoments(x *te.Tensor, axes []int) *moments {
	m := &moments{reduction: newReduction(x, axes, false)}
	rv := m.axes()
	if len(rv) == 0 { // each element is its own mean
		rv = []*tir.IterVar{te.ReduceAxis("k", tir.Int(1))}
	}
	d := x.DType.Accumulator()
	sums := te.ComputeN(x.Name+"_red_temp", m.shape, func(i []tir.Expr) []tir.Expr {
		e := tir.CastTo(d, x.At(m.index(i, rv)...))
		return tupleSum([]tir.Expr{e, tir.Mul(e, e)}, rv)
	})
	m.sum, m.square = sums[0], sums[1]
	m.count = tir.Const(d, 1)
	for _, a := range m.over {
		m.count = tir.Mul(m.count, tir.CastTo(d, x.Shape[a]))
	}
	if f, ok := m.count.(*tir.Binary); ok && isOne(f.A) {
		m.count = f.B
	}
	return m
}

func isOne(e tir.Expr) bool {
	f, ok := e.(*tir.FloatImm)
	return ok && f.Value == 1
}

// normalize is (x - mean) / sqrt(variance + epsilon) at index i of x.
func (m *moments) normalize(i []tir.Expr, epsilon float64) tir.Expr {
	at := pick(i, m.keep)
	mean := tir.Div(m.sum.At(at...), m.count)
	variance := tir.Sub(tir.Div(m.square.At(at...), m.count), tir.Mul(mean, mean))
	e := tir.CastTo(m.sum.DType, m.x.At(i...))
	return tir.Mul(tir.Sub(e, mean), call(tir.OpRsqrt, tir.Add(variance, num(variance, epsilon))))
}

// affine multiplies by gamma and adds beta, either of which may be nil, both indexed by at.
func affine(e tir.Expr, d dtype.DType, gamma, beta *te.Tensor, at []tir.Expr) tir.Expr {
	e = tir.CastTo(d, e)
	if gamma != nil {
		e = tir.Mul(e, gamma.At(at...))
	}
	if beta != nil {
		e = tir.Add(e, beta.At(at...))
	}
	return e
}

// LayerNorm normalises x over axes, then scales by gamma and shifts by beta (nil: not). As the
// other norms, TVM computes it in one pass from the sums of the elements and of their squares;
// what is tuned takes two, see statistics.
func LayerNorm(x, gamma, beta *te.Tensor, axes []int, epsilon float64) *te.Tensor {
	return onePassNorm("T_layer_norm", x, gamma, beta, axes, epsilon, func(i []tir.Expr) []tir.Expr { return pick(i, axes) })
}

// onePassNorm normalises x over axes with the entries of gamma and beta at scale(i).
func onePassNorm(name string, x, gamma, beta *te.Tensor, axes []int, epsilon float64, scale func(i []tir.Expr) []tir.Expr) *te.Tensor {
	m := newMoments(x, axes)
	out := te.Compute(name, x.Shape, func(i []tir.Expr) tir.Expr {
		return affine(m.normalize(i, epsilon), x.DType, gamma, beta, scale(i))
	})
	return te.Better(out, func() []*te.Tensor {
		return []*te.Tensor{twoPassNorm(name, x, gamma, beta, axes, epsilon, scale)}
	})
}

// InstanceNorm normalises x over axes; gamma and beta have an entry for each channel.
func InstanceNorm(x, gamma, beta *te.Tensor, channel int, axes []int, epsilon float64) *te.Tensor {
	return onePassNorm("T_instance_norm", x, gamma, beta, axes, epsilon, func(i []tir.Expr) []tir.Expr { return i[channel : channel+1] })
}

// GroupNorm normalises x over axes and the channels of each of the groups; gamma and beta
// have an entry for each channel.
func GroupNorm(x, gamma, beta *te.Tensor, groups int64, channel int, axes []int, epsilon float64) *te.Tensor {
	size := tir.FloorDiv(x.Shape[channel], tir.Int(groups))
	split := with(x.Shape, channel, tir.Int(groups))
	split[channel+1] = size
	y := Reshape(x, split)
	if d := x.DType.Accumulator(); d != x.DType {
		y = Cast(y, d)
	}
	byGroup := func(t *te.Tensor) *te.Tensor {
		if t == nil {
			return nil
		}
		return Reshape(t, []tir.Expr{tir.Int(groups), size})
	}
	scale, shift := byGroup(gamma), byGroup(beta)
	over := []int{channel + 1}
	for _, a := range axes {
		switch {
		case a < channel:
			over = append(over, a)
		case a > channel:
			over = append(over, a+1)
		}
	}
	m := newMoments(y, over)
	out := te.Compute("T_group_norm", split, func(i []tir.Expr) tir.Expr {
		return affine(m.normalize(i, epsilon), x.DType, scale, shift, i[channel:channel+2])
	})
	return te.Better(Reshape(out, x.Shape), func() []*te.Tensor {
		return []*te.Tensor{twoPassGroupNorm(x, gamma, beta, groups, channel, axes, epsilon)}
	})
}

// RMSNorm divides x by the root of its mean square over axes and scales by weight.
func RMSNorm(x, weight *te.Tensor, axes []int, epsilon float64) *te.Tensor {
	out := rmsNorm(x, weight, axes, epsilon, func(wide *te.Tensor) *te.Tensor {
		return newReduction(mul(T(wide), T(wide)), axes, false).compute("T_multiply_red", te.Sum, same)
	})
	return te.Better(out, func() []*te.Tensor {
		return []*te.Tensor{rmsNorm(x, weight, axes, epsilon, func(wide *te.Tensor) *te.Tensor {
			return newReduction(wide, axes, false).compute("T_multiply_red", te.Sum, func(e tir.Expr) tir.Expr { return tir.Mul(e, e) })
		})}
	})
}

func rmsNorm(x, weight *te.Tensor, axes []int, epsilon float64, squares func(x *te.Tensor) *te.Tensor) *te.Tensor {
	d := x.DType.Accumulator()
	wide := castTensor(x, d)
	total := squares(wide)
	r := newReduction(x, axes, false)
	count := tir.CastTo(d, r.count())
	inv := te.Compute("rsqrt", total.Shape, func(i []tir.Expr) tir.Expr {
		e := tir.Div(total.At(i...), count)
		return call(tir.OpRsqrt, tir.Add(e, num(e, epsilon)))
	})
	scale := castTensor(weight, d)
	out := te.Compute("T_rms_norm", x.Shape, func(i []tir.Expr) tir.Expr {
		return tir.Mul(tir.Mul(inv.At(pick(i, r.keep)...), wide.At(i...)), scale.At(pick(i, axes)...))
	})
	return castTensor(out, x.DType)
}

// castTensor is x with elements of type d, a computation of its own even where they are.
func castTensor(x *te.Tensor, d dtype.DType) *te.Tensor {
	return te.Compute("T_cast", x.Shape, func(i []tir.Expr) tir.Expr { return tir.CastTo(d, x.At(i...)) })
}

// converted is x with elements of type d; x itself where they are.
func converted(x *te.Tensor, d dtype.DType) *te.Tensor {
	if x.DType == d {
		return x
	}
	return castTensor(x, d)
}
