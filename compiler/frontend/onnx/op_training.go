package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// trainingRows are the operators of the domain ai.onnx.preview.training: one step of an optimizer for any number of tensors.
func trainingRows() []operator {
	return []operator{
		{name: "Adagrad", minIn: 2, maxIn: -1, attrs: []string{"decay_factor", "epsilon", "norm_coefficient"}, convert: adagrad},
		{name: "Adam", minIn: 2, maxIn: -1, attrs: []string{"alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"}, convert: adam},
		{name: "Momentum", minIn: 2, maxIn: -1, attrs: []string{"alpha", "beta", "mode", "norm_coefficient"}, convert: momentum},
	}
}

// optimizer is a step of one: the rate and the number of steps before, and tensors in groups.
type optimizer struct {
	*node
	rate, steps relax.Expr // both without dimensions
	groups      int        // how many tensors belong to each that is optimized, which is the first of them
	count       int        // how many are optimized
}

func (n *node) optimizer(groups int) *optimizer {
	rest := len(n.in) - 2
	if rest <= 0 || rest%groups != 0 {
		n.fail("has %d inputs, expected the rate, the number of steps, and %d tensors for each that is optimized", len(n.in), groups)
	}
	float := func(d dtype.DType) bool { return d == dtype.Float32T || d == dtype.Float64T }
	n.wantDType(0, "float32 or float64", float)
	n.wantDType(1, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	o := &optimizer{node: n, groups: groups, count: rest / groups}
	for i := range 2 {
		for _, e := range n.dims(i) {
			if !tir.IsConst(e, 1) {
				n.fail("input %d has shape %s, expected a scalar", i, relax.FormatDims(n.dims(i)))
			}
		}
	}
	o.rate, o.steps = n.reshape(n.expr(0), []tir.Expr{}), n.reshape(n.expr(1), []tir.Expr{})
	for i := range o.count {
		for g := range groups {
			at := 2 + g*o.count + i
			n.value(at)
			n.wantDType(at, "float32 or float64", float)
			n.sameDType(2+i, at)
			if !sameDims(n.dims(2+i), n.dims(at)) {
				n.fail("inputs %d and %d have shapes %s and %s, expected the same", 2+i, at, relax.FormatDims(n.dims(2+i)), relax.FormatDims(n.dims(at)))
			}
		}
	}
	return o
}

// each makes what step computes of the tensors of each that is optimized the results, by groups.
func (o *optimizer) each(step func(d dtype.DType, in []relax.Expr) []relax.Expr) {
	for i := range o.count {
		in := make([]relax.Expr, o.groups)
		for g := range in {
			in[g] = o.expr(2 + g*o.count + i)
		}
		for g, y := range step(o.dtype(2+i), in) {
			o.set(g*o.count+i, y)
		}
	}
}

func (o *optimizer) do(op string, xs ...relax.Expr) relax.Expr { return o.emit("relax."+op, xs) }

// scaled is x times a number.
func (o *optimizer) scaled(x relax.Expr, d dtype.DType, by float64) relax.Expr {
	return o.do("multiply", x, o.constant(d, by))
}

// regularized is the gradient g with that of the norm of x.
func (o *optimizer) regularized(d dtype.DType, x, g relax.Expr) relax.Expr {
	norm := o.float("norm_coefficient", 0)
	if norm == 0 {
		return g
	}
	return o.do("add", o.scaled(x, d, norm), g)
}

func adagrad(n *node) {
	o := n.optimizer(3)
	decay := n.float("decay_factor", 0)
	o.each(func(d dtype.DType, in []relax.Expr) []relax.Expr {
		rate := o.as(o.rate, d)
		if decay != 0 {
			rate = o.do("divide", rate, o.do("add", o.constant(d, 1), o.scaled(o.as(o.steps, d), d, decay)))
		}
		g := o.regularized(d, in[0], in[1])
		h := o.do("add", in[2], o.do("multiply", g, g))
		by := o.do("add", o.do("sqrt", h), o.constant(d, n.float("epsilon", 1e-6)))
		return args(o.do("subtract", in[0], o.do("divide", o.do("multiply", rate, g), by)), h)
	})
}

func momentum(n *node) {
	o := n.optimizer(3)
	for _, name := range []string{"alpha", "beta", "mode", "norm_coefficient"} {
		if n.pb.Attribute(name) == nil {
			n.fail("attribute %q is missing", name)
		}
	}
	alpha, beta := n.float("alpha", 0), n.float("beta", 0)
	nesterov := n.str("mode", "", "nesterov", "standard") == "nesterov"
	later := o.do("greater", o.steps, n.constant(dtype.Int64T, 0))
	o.each(func(d dtype.DType, in []relax.Expr) []relax.Expr {
		g := o.regularized(d, in[0], in[1])
		factor := o.do("where", later, o.constant(d, beta), o.constant(d, 1)) // the first gradient counts as it is
		v := o.do("add", o.scaled(in[2], d, alpha), o.do("multiply", factor, g))
		by := v
		if nesterov {
			by = o.do("add", g, o.scaled(v, d, alpha))
		}
		return args(o.do("subtract", in[0], o.do("multiply", o.as(o.rate, d), by)), v)
	})
}

func adam(n *node) {
	o := n.optimizer(4)
	alpha, beta := n.float("alpha", float64(float32(.9))), n.float("beta", float64(float32(.999)))
	epsilon, post := n.float("epsilon", float64(float32(1e-6))), n.float("norm_coefficient_post", 0)
	later := o.do("greater", o.steps, n.constant(dtype.Int64T, 0))
	o.each(func(d dtype.DType, in []relax.Expr) []relax.Expr {
		g := o.regularized(d, in[0], in[1])
		v := o.do("add", o.scaled(in[2], d, alpha), o.scaled(g, d, 1-alpha))
		h := o.do("add", o.scaled(in[3], d, beta), o.scaled(o.do("multiply", g, g), d, 1-beta))
		steps := o.as(o.steps, d)
		left := func(base float64) relax.Expr { // what base to the power of the steps leaves of 1
			return o.do("subtract", o.constant(d, 1), o.do("power", o.constant(d, base), steps))
		}
		rate := o.as(o.rate, d)
		rate = o.do("where", later, o.do("divide", o.do("multiply", rate, o.do("sqrt", left(beta))), left(alpha)), rate)
		by := o.do("add", o.do("sqrt", h), o.constant(d, epsilon))
		x := o.do("subtract", in[0], o.do("divide", o.do("multiply", rate, v), by))
		if post != 0 {
			x = o.scaled(x, d, 1-post)
		}
		return args(x, v, h)
	})
}
