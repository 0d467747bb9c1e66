package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Gate is an activation of a recurrent network, a function of one element with up to two parameters.
type Gate struct {
	Name        string
	Alpha, Beta float64
}

// gateOf applies the function of a name, one of those that ONNX lists, nil for others.
func gateOf(name string, x, a, b tir.Expr) tir.Expr {
	zero, one := tir.Const(x.DType(), 0), tir.Const(x.DType(), 1)
	switch name {
	case "sigmoid":
		return call(tir.OpSigmoid, x)
	case "tanh":
		return call(tir.OpTanh, x)
	case "relu":
		return tir.Max(x, zero)
	case "affine":
		return tir.Add(tir.Mul(a, x), b)
	case "leaky_relu":
		return &tir.Select{Cond: tir.LT(x, zero), True: tir.Mul(a, x), False: x}
	case "thresholded_relu":
		return &tir.Select{Cond: tir.GE(x, a), True: x, False: zero}
	case "scaled_tanh":
		return tir.Mul(a, call(tir.OpTanh, tir.Mul(b, x)))
	case "hard_sigmoid":
		return tir.Max(tir.Min(tir.Add(tir.Mul(a, x), b), one), zero)
	case "elu":
		return &tir.Select{Cond: tir.LT(x, zero), True: tir.Mul(a, tir.Sub(call(tir.OpExp, tir.Min(x, zero)), one)), False: x}
	case "softsign":
		return tir.Div(x, tir.Add(one, call(tir.OpFabs, x)))
	case "softplus":
		// log(1 + exp(x)) is the greater of x and 0 plus log(1 + exp(-|x|)), whose exponential does not overflow.
		small := call(tir.OpExp, tir.Sub(zero, call(tir.OpFabs, x)))
		return tir.Add(tir.Max(x, zero), call(tir.OpLog1p, small))
	}
	return nil
}

// RecurrentOpts says how a recurrent network computes.
type RecurrentOpts struct {
	Reverse           bool    // from the last step to the first
	Clip              float64 // bounds what gates are computed of, if it is above 0
	Gates             []Gate
	InputForget       bool // LSTM: the forget gate is 1 minus the input gate
	LinearBeforeReset bool // GRU: the reset gate scales the product, not the state
}

// recurrent is a network under construction. Rows of x, of shape (steps, batch, gates * hidden), have the share of the inputs in what the gates are
// computed of; r, of shape (hidden, gates * hidden), is what the state is multiplied with.
type recurrent struct {
	RecurrentOpts
	x, r          *te.Tensor
	lengths       *te.Tensor // steps of each sequence, nil for all
	batch, hidden tir.Expr
	step          *tir.Var
	at            tir.Expr    // the row of x that the step takes
	acc           dtype.DType // in which is computed
	h             *te.Tensor  // the state
	init, state   []*te.Tensor
}

func newRecurrent(x, r, lengths, h0 *te.Tensor, o RecurrentOpts) (*recurrent, error) {
	for _, g := range o.Gates {
		if one := tir.Const(x.DType, 1); gateOf(g.Name, one, one, one) == nil {
			return nil, fmt.Errorf("activation %q is not known", g.Name)
		}
	}
	n := &recurrent{RecurrentOpts: o, x: x, r: r, lengths: lengths, batch: x.Shape[1], hidden: r.Shape[0], acc: x.DType.Accumulator()}
	n.step = tir.NewVar("t", x.Shape[0].DType())
	n.at = n.step
	if o.Reverse {
		n.at = tir.Sub(tir.Sub(x.Shape[0], tir.Const(n.step.DType(), 1)), n.step)
	}
	n.h = n.stateOf("h", h0)
	return n, nil
}

// stateOf adds a state that begins as init.
func (n *recurrent) stateOf(name string, init *te.Tensor) *te.Tensor {
	s := te.Placeholder(name, init.DType, init.Shape...)
	n.init, n.state = append(n.init, init), append(n.state, s)
	return s
}

// wide reads an element in the type of the computation.
func (n *recurrent) wide(t *te.Tensor, i ...tir.Expr) tir.Expr { return tir.CastTo(n.acc, t.At(i...)) }

// gate applies activation k.
func (n *recurrent) gate(k int, x tir.Expr) tir.Expr {
	g := n.Gates[k]
	return gateOf(g.Name, x, tir.FloatConst(n.acc, g.Alpha), tir.FloatConst(n.acc, g.Beta))
}

// clipped bounds what a gate is computed of.
func (n *recurrent) clipped(x tir.Expr) tir.Expr {
	if n.Clip <= 0 {
		return x
	}
	return tir.Max(tir.Min(x, tir.FloatConst(n.acc, n.Clip)), tir.FloatConst(n.acc, -n.Clip))
}

// product is the state times columns of r from one on.
func (n *recurrent) product(state *te.Tensor, from, columns tir.Expr) *te.Tensor {
	k := te.ReduceAxis("k", n.hidden)
	return te.Compute("product", []tir.Expr{n.batch, columns}, func(i []tir.Expr) tir.Expr {
		return te.Sum(tir.Mul(n.wide(state, i[0], k.Var), n.wide(n.r, k.Var, tir.Add(i[1], from))), k)
	}, te.AxisNames("b", "j"))
}

// each is a tensor of (batch, hidden) elements in the type of the computation.
func (n *recurrent) each(name string, f func(b, j tir.Expr) tir.Expr) *te.Tensor {
	return te.Compute(name, []tir.Expr{n.batch, n.hidden}, func(i []tir.Expr) tir.Expr { return f(i[0], i[1]) }, te.AxisNames("b", "j"))
}

// column is that of gate g.
func (n *recurrent) column(g int64, j tir.Expr) tir.Expr {
	return tir.Add(tir.Mul(n.hidden, tir.Const(n.hidden.DType(), g)), j)
}

// input is the share of the inputs in gate g.
func (n *recurrent) input(b tir.Expr, g int64, j tir.Expr) tir.Expr {
	return n.wide(n.x, n.at, b, n.column(g, j))
}

// results are what all steps yield and the last states, for the values of a step, the first of which it yields. Behind the end of a sequence states
// stay as they are, and zeros are yielded.
func (n *recurrent) results(name string, next ...*te.Tensor) []*te.Tensor {
	stored := func(name string, k int, other func(b, j tir.Expr) tir.Expr) *te.Tensor {
		d := n.init[k].DType
		return n.each(name, func(b, j tir.Expr) tir.Expr {
			v := tir.CastTo(d, next[k].At(b, j))
			if n.lengths == nil {
				return v
			}
			inside := tir.LT(n.at, tir.CastTo(n.step.DType(), n.lengths.At(b)))
			return &tir.Select{Cond: inside, True: v, False: other(b, j)}
		})
	}
	r := te.Recurrence{Name: name, Step: n.step, Steps: n.x.Shape[0], Init: n.init, State: n.state, At: n.at}
	for k, s := range n.state {
		r.Next = append(r.Next, stored("next", k, func(b, j tir.Expr) tir.Expr { return s.At(b, j) }))
	}
	zero := tir.Const(n.init[0].DType, 0)
	r.Each = []*te.Tensor{stored("yield", 0, func(_, _ tir.Expr) tir.Expr { return zero })}
	states, each := r.Results()
	return append(each, states...)
}

// RNN is a network whose state is one activation of its inputs and itself. It returns the states of all steps, of shape (steps, batch, hidden), and the
// last one. lengths may be nil.
func RNN(x, r, h0, lengths *te.Tensor, o RecurrentOpts) ([]*te.Tensor, error) {
	n, err := newRecurrent(x, r, lengths, h0, o)
	if err != nil {
		return nil, err
	}
	product := n.product(n.h, tir.Const(n.hidden.DType(), 0), n.hidden)
	return n.results("rnn", n.each("hidden", func(b, j tir.Expr) tir.Expr {
		return n.gate(0, n.clipped(tir.Add(product.At(b, j), n.input(b, 0, j))))
	})), nil
}

// GRU is a network of gated recurrent units (Cho et al. 2014) with gates in the order update, reset, new. bias, of shape (hidden), is added to the
// product for the new state. It returns what RNN does.
func GRU(x, r, bias, h0, lengths *te.Tensor, o RecurrentOpts) ([]*te.Tensor, error) {
	n, err := newRecurrent(x, r, lengths, h0, o)
	if err != nil {
		return nil, err
	}
	zero := tir.Const(n.hidden.DType(), 0)
	columns := tir.Mul(n.hidden, tir.Const(n.hidden.DType(), 2))
	if o.LinearBeforeReset {
		columns = r.Shape[1]
	}
	product := n.product(n.h, zero, columns)
	gate := func(b tir.Expr, g int64, j tir.Expr) tir.Expr {
		return n.gate(0, n.clipped(tir.Add(product.At(b, n.column(g, j)), n.input(b, g, j))))
	}
	recurrent := func(b, j tir.Expr) tir.Expr {
		return tir.Mul(gate(b, 1, j), tir.Add(product.At(b, n.column(2, j)), n.wide(bias, j)))
	}
	if !o.LinearBeforeReset {
		reset := n.each("reset", func(b, j tir.Expr) tir.Expr { return tir.Mul(gate(b, 1, j), n.wide(n.h, b, j)) })
		candidate := n.product(reset, n.column(2, zero), n.hidden)
		recurrent = func(b, j tir.Expr) tir.Expr { return tir.Add(candidate.At(b, j), n.wide(bias, j)) }
	}
	return n.results("gru", n.each("hidden", func(b, j tir.Expr) tir.Expr {
		update := gate(b, 0, j)
		fresh := n.gate(1, n.clipped(tir.Add(n.input(b, 2, j), recurrent(b, j))))
		return tir.Add(tir.Mul(tir.Sub(tir.Const(n.acc, 1), update), fresh), tir.Mul(update, n.wide(n.h, b, j)))
	})), nil
}

// LSTM is a network with long short-term memory (Hochreiter and Schmidhuber 1997) with gates in the order input, output, forget, cell. peephole, of
// shape (3 * hidden), has the weights of the cell in the first three, or is nil. It returns what RNN does, and the last cell.
func LSTM(x, r, h0, c0, lengths, peephole *te.Tensor, o RecurrentOpts) ([]*te.Tensor, error) {
	n, err := newRecurrent(x, r, lengths, h0, o)
	if err != nil {
		return nil, err
	}
	c := n.stateOf("c", c0)
	product := n.product(n.h, tir.Const(n.hidden.DType(), 0), r.Shape[1])
	gate := func(act int, b tir.Expr, g int64, j, cell tir.Expr) tir.Expr {
		v := tir.Add(product.At(b, n.column(g, j)), n.input(b, g, j))
		if peephole != nil && cell != nil {
			v = tir.Add(v, tir.Mul(n.wide(peephole, n.column(g, j)), cell))
		}
		return n.gate(act, n.clipped(v))
	}
	cell := n.each("cell", func(b, j tir.Expr) tir.Expr {
		old := n.wide(c, b, j)
		in := gate(0, b, 0, j, old)
		forget := tir.Sub(tir.Const(n.acc, 1), in)
		if !o.InputForget {
			forget = gate(0, b, 2, j, old)
		}
		return tir.Add(tir.Mul(forget, old), tir.Mul(in, gate(1, b, 3, j, nil)))
	})
	hidden := n.each("hidden", func(b, j tir.Expr) tir.Expr {
		now := cell.At(b, j)
		return tir.Mul(gate(0, b, 1, j, now), n.gate(2, now))
	})
	return n.results("lstm", hidden, cell), nil
}
