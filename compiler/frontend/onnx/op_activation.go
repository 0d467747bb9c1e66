package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// activationRows are the activation functions. Those without an operator of the same
// meaning are spelled with elementary ones, which fusion puts into one kernel.
func activationRows() []operator {
	row := func(name string, convert func(*node), attrs ...string) operator {
		return operator{name: name, minIn: 1, maxIn: 1, attrs: attrs, convert: convert}
	}
	return []operator{
		row("Relu", unaryOp("nn.relu")),
		row("LeakyRelu", func(n *node) {
			n.result("relax.nn.leakyrelu", args(n.expr(0)), "alpha", n.float("alpha", 0.01))
		}, "alpha"),
		row("Elu", func(n *node) { n.elu(n.float("alpha", 1), 1, 1) }, "alpha"),
		row("Celu", func(n *node) { a := n.float("alpha", 1); n.elu(a, 1, a) }, "alpha"),
		row("Selu", func(n *node) {
			n.elu(n.float("alpha", 1.67326319217681884765625), n.float("gamma", 1.05070102214813232421875), 1)
		}, "alpha", "gamma"),
		row("ThresholdedRelu", func(n *node) {
			x := n.floats(0)
			above := n.emit("relax.greater", args(x, n.constant(n.dtype(0), n.float("alpha", 1)))) // a NaN is not
			n.result("relax.where", args(above, x, n.constant(n.dtype(0), 0)))
		}, "alpha"),
		row("HardSigmoid", func(n *node) { n.hardSigmoid(n.float("alpha", 0.2), n.float("beta", 0.5), true) }, "alpha", "beta"),
		row("HardSwish", func(n *node) {
			n.result("relax.multiply", args(n.expr(0), n.hardSigmoid(1.0/6, 0.5, false)))
		}),
		row("Gelu", func(n *node) {
			name := "relax.nn.gelu"
			if n.str("approximate", "none", "none", "tanh") == "tanh" {
				name = "relax.nn.gelu_tanh"
			}
			n.result(name, args(n.expr(0)))
		}, "approximate"),
		row("Mish", func(n *node) {
			n.result("relax.multiply", args(n.expr(0), n.emit("relax.tanh", args(n.softplus(false)))))
		}),
		row("Softplus", func(n *node) { n.softplus(true) }),
		row("Softsign", func(n *node) {
			x := n.floats(0)
			one := n.constant(n.dtype(0), 1)
			n.result("relax.divide", args(x, n.emit("relax.add", args(one, n.emit("relax.abs", args(x))))))
		}),
		row("Swish", func(n *node) { n.result("relax.multiply", n.swish()) }, "alpha"),
		{name: "SwiGLU", minIn: 2, maxIn: 2, attrs: []string{"alpha"}, convert: func(n *node) {
			n.sameDType(0, 1)
			gate := n.emit("relax.multiply", n.swish())
			n.result("relax.multiply", args(gate, n.expr(1)))
		}},
		row("Shrink", shrink, "bias", "lambd"),
		{name: "PRelu", minIn: 2, maxIn: 2, convert: prelu},
		{name: "Softmax", minIn: 1, maxIn: 1, attrs: []string{"axis"}, convert: softmax("relax.nn.softmax")},
		{name: "LogSoftmax", minIn: 1, maxIn: 1, attrs: []string{"axis"}, convert: softmax("relax.nn.log_softmax")},
		{name: "Hardmax", minIn: 1, maxIn: 1, attrs: []string{"axis"}, convert: hardmax},
	}
}

// floats returns operand i, which must be of a floating-point type.
func (n *node) floats(i int) relax.Expr {
	n.wantDType(i, "a floating-point type", dtype.DType.IsFloat)
	return n.expr(i)
}

// swish are the factors of x * sigmoid(alpha * x) for operand 0.
func (n *node) swish() []relax.Expr {
	x, z := n.floats(0), n.floats(0)
	if a := n.float("alpha", 1); a != 1 {
		z = n.emit("relax.multiply", args(x, n.constant(n.dtype(0), a)))
	}
	return args(x, n.emit("relax.sigmoid", args(z)))
}

// elu is gamma * (max(x, 0) + alpha * (exp(min(x, 0)/scale) - 1)). The minimum keeps the
// exponential from overflowing where it does not count.
func (n *node) elu(alpha, gamma, scale float64) {
	x, d := n.floats(0), n.dtype(0)
	zero := n.constant(d, 0)
	neg := n.emit("relax.minimum", args(x, zero))
	if scale != 1 {
		neg = n.emit("relax.divide", args(neg, n.constant(d, scale)))
	}
	neg = n.emit("relax.subtract", args(n.emit("relax.exp", args(neg)), n.constant(d, 1)))
	if alpha != 1 {
		neg = n.emit("relax.multiply", args(neg, n.constant(d, alpha)))
	}
	sum := args(n.emit("relax.nn.relu", args(x)), neg)
	if gamma == 1 {
		n.result("relax.add", sum)
		return
	}
	n.result("relax.multiply", args(n.emit("relax.add", sum), n.constant(d, gamma)))
}

func (n *node) hardSigmoid(alpha, beta float64, last bool) relax.Expr {
	x, d := n.floats(0), n.dtype(0)
	y := n.emit("relax.multiply", args(x, n.constant(d, alpha)))
	y = n.emit("relax.add", args(y, n.constant(d, beta)))
	limits := args(y, primFloat(d, 0), primFloat(d, 1))
	if last {
		n.result("relax.clip", limits)
		return nil
	}
	return n.emit("relax.clip", limits)
}

// softplus is max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
func (n *node) softplus(last bool) relax.Expr {
	x, d := n.floats(0), n.dtype(0)
	e := n.emit("relax.exp", args(n.emit("relax.negative", args(n.emit("relax.abs", args(x))))))
	e = n.emit("relax.log", args(n.emit("relax.add", args(e, n.constant(d, 1)))))
	sum := args(n.emit("relax.nn.relu", args(x)), e)
	if last {
		n.result("relax.add", sum)
		return nil
	}
	return n.emit("relax.add", sum)
}

// shrink is x+bias below -lambd, x-bias above lambd, and 0 between.
func shrink(n *node) {
	x, d := n.expr(0), n.dtype(0)
	bias, lambd := n.float("bias", 0), n.float("lambd", 0.5)
	low := n.emit("relax.less", args(x, n.constant(d, -lambd)))
	high := n.emit("relax.greater", args(x, n.constant(d, lambd)))
	up := n.emit("relax.add", args(x, n.constant(d, bias)))
	down := n.emit("relax.subtract", args(x, n.constant(d, bias)))
	rest := n.emit("relax.where", args(high, down, n.constant(d, 0)))
	n.result("relax.where", args(low, up, rest))
}

// prelu is slope * x where x is negative, and x elsewhere, whatever the slope is there; the slope broadcasts to x.
func prelu(n *node) {
	n.sameDType(0, 1)
	x := n.expr(0)
	negative := n.emit("relax.less", args(x, n.constant(n.dtype(0), 0)))
	n.result("relax.where", args(negative, n.emit("relax.multiply", args(n.expr(1), x)), x))
}

// softmax normalises along one axis. Before operator set 13 all dimensions from axis on
// count as one, which needs a reshape unless those behind it have extent 1.
func softmax(name string) func(*node) {
	return func(n *node) {
		x, dims := n.floats(0), n.dims(0)
		if len(dims) == 0 {
			n.fail("input 0 has no dimensions")
		}
		if n.opset >= 13 {
			n.result(name, args(x), "axis", int64(n.axis(n.int("axis", -1), len(dims))))
			return
		}
		axis := n.axis(n.int("axis", 1), len(dims))
		rest := product(dims[axis+1:])
		if tir.IsConst(rest, 1) {
			n.result(name, args(x), "axis", int64(axis))
			return
		}
		y := n.reshape(x, []tir.Expr{product(dims[:axis]), tir.Mul(dims[axis], rest)})
		y = n.emit(name, args(y), "axis", int64(1))
		n.reshapeResult(y, dims)
	}
}

// hardmax is 1 at the first of the largest elements along an axis and 0 elsewhere. Before operator
// set 13 all dimensions from axis on count as one.
func hardmax(n *node) {
	x, dims, d := n.floats(0), n.dims(0), n.dtype(0)
	if len(dims) == 0 {
		n.fail("input 0 has no dimensions")
	}
	shape, axis := dims, 0
	if n.opset >= 13 {
		axis = n.axis(n.int("axis", -1), len(dims))
	} else {
		at := n.axis(n.int("axis", 1), len(dims))
		shape, axis = []tir.Expr{product(dims[:at]), product(dims[at:])}, 1
		x = n.reshape(x, shape)
	}
	if tir.IsConst(shape[axis], 0) {
		n.set(0, n.expr(0))
		return
	}
	first := n.emit("relax.argmax", args(x), "axis", int64(axis), "keepdims", true)
	along := make([]tir.Expr, len(shape))
	for i := range along {
		along[i] = tir.Int(1)
	}
	along[axis] = shape[axis]
	y := n.emit("relax.equal", args(n.reshape(n.counting(0, shape[axis]), along), first))
	if sameDims(shape, dims) {
		n.result("relax.astype", args(y), "dtype", d)
		return
	}
	n.reshapeResult(n.emit("relax.astype", args(y), "dtype", d), dims)
}
