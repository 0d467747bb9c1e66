package relaypass

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// reduceGradients are the rules of reductions.
func reduceGradients() map[string]relayGradient {
	return map[string]relayGradient{
		"sum": of(func(d *derivation, x relax.Expr) relax.Expr { return repeatedLike(d.widened(d.g), x) }),
		"mean": of(func(d *derivation, x relax.Expr) relax.Expr {
			return repeatedLike(d.widened(op.Multiply(d.g, d.number(1/d.count(x)))), x)
		}),
		"max":            of(gradMax),
		"variance":       gradVariance,
		"nn.softmax":     of(gradSoftmax),
		"nn.log_softmax": of(gradLogSoftmax),
	}
}

// axes are those along which the call reduces argument 0, in order.
func (d *derivation) axes() []int64 {
	t := d.info(d.x(0))
	if t.NDim < 0 {
		d.fail("the rank is not known")
		return nil
	}
	return axesOf(d.call, t.NDim)
}

// count is the number of elements that the call puts together.
func (d *derivation) count(x relax.Expr) float64 {
	n, dims := 1.0, d.static(x)
	if d.err != nil {
		return n
	}
	for _, a := range d.axes() {
		n *= float64(dims[a])
	}
	return n
}

// widened gives a reduced tensor the axes that it lost.
func (d *derivation) widened(e relax.Expr) relax.Expr {
	axes := d.axes()
	if d.call.Attrs.Bool("keepdims", false) {
		return e
	}
	for _, a := range axes { // one by one, as Relay's expand_dims has axes behind each other alone
		e = op.ExpandDims(e, a)
	}
	return e
}

// gradMax divides the adjoint among the elements that are the greatest.
func gradMax(d *derivation, x relax.Expr) relax.Expr {
	axes := d.axes()
	dt := d.info(d.g).DType
	if d.err != nil || !floats(dt) {
		d.fail("the elements are no float32 or float64")
		return nil
	}
	greatest := op.AsType(op.Binary("equal", x, d.widened(d.z)), dt)
	n := greatest.Args[0]
	if len(axes) > 0 {
		return op.Divide(op.Multiply(greatest, d.widened(d.g)), op.Reduce("sum", greatest, axes, true))
	}
	return op.Multiply(op.AsType(n, dt), d.g)
}

// gradVariance is that of the squared distances from the mean, which is an argument of its own. TVM leaves out of each the part that the other makes up
// for if the second is the mean of the first.
func gradVariance(d *derivation) []relax.Expr {
	n := d.count(d.x(0))
	if d.call.Attrs.Bool("unbiased", false) {
		n--
	}
	each := op.Multiply(op.Multiply(d.widened(d.g), d.number(2/n)), op.Subtract(d.x(0), d.x(1)))
	return []relax.Expr{each, callOf("relax.collapse_sum_like", nil, negative(each), d.x(1))}
}

// gradSoftmax: (g - sum(g z)) z along the axis.
func gradSoftmax(d *derivation, _ relax.Expr) relax.Expr {
	axis := []int64{d.call.Attrs.Int("axis", -1)}
	return op.Multiply(op.Subtract(d.g, op.Reduce("sum", op.Multiply(d.g, d.z), axis, true)), d.z)
}

// gradLogSoftmax: g - sum(g) exp z along the axis.
func gradLogSoftmax(d *derivation, _ relax.Expr) relax.Expr {
	axis := []int64{d.call.Attrs.Int("axis", -1)}
	return op.Subtract(d.g, op.Multiply(op.Reduce("sum", d.g, axis, true), op.Unary("exp", d.z)))
}
