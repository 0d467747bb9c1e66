package onnx

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// recurrentRows are the recurrent networks. Their operands are X, W, R, B, sequence_lens, initial_h, and for LSTM initial_c and P.
func recurrentRows() []operator {
	row := func(name string, gates int64, maxIn int, activations []string, attrs ...string) operator {
		attrs = append(attrs, "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "layout")
		return operator{name: name, minIn: 3, maxIn: maxIn, attrs: attrs, convert: func(n *node) {
			newRecurrent(n, gates, activations).convert()
		}}
	}
	return []operator{
		row("RNN", 1, 6, []string{"Tanh"}),
		row("GRU", 3, 6, []string{"Sigmoid", "Tanh"}, "linear_before_reset"),
		row("LSTM", 4, 8, []string{"Sigmoid", "Tanh", "Tanh"}, "input_forget"),
	}
}

// recurrent is a node of a recurrent network while it is converted: for each direction, the product of all inputs with W is one
// matmul, and an operator of Relax steps through time.
type recurrent struct {
	*node
	gates               int64
	activations         []recurrentActivation // of all directions
	reverse             []bool                // by direction
	byBatch             bool                  // layout 1, in which the batch is the first axis
	elem, wide          dtype.DType
	steps, batch, input tir.Expr
	hidden              int64
	x, w, r             relax.Expr // (steps * batch, input), (directions, input, gates * hidden), (directions, hidden, gates * hidden)
}

func newRecurrent(n *node, gates int64, activations []string) *recurrent {
	n.floats(0)
	n.sameDType(0, 1, 2, 3, 5, 6, 7)
	c := &recurrent{node: n, gates: gates, elem: n.dtype(0), wide: n.dtype(0).Accumulator(), byBatch: n.bool("layout", false)}
	switch n.str("direction", "forward", "forward", "reverse", "bidirectional") {
	case "forward":
		c.reverse = []bool{false}
	case "reverse":
		c.reverse = []bool{true}
	default:
		c.reverse = []bool{false, true}
	}
	for i := range 3 {
		if r := n.rank(i); r != 3 {
			n.fail("input %d (%q) has %d dimensions, expected 3", i, n.pb.Inputs[i], r)
		}
	}
	c.steps, c.batch, c.input = n.dims(0)[0], n.dims(0)[1], n.dims(0)[2]
	if c.byBatch {
		c.steps, c.batch = c.batch, c.steps
	}
	h, ok := tir.AsInt(n.dims(2)[2])
	if !ok || h < 1 {
		n.fail("R (input 2) has %s hidden units, expected a constant of 1 or more", relax.FormatPrim(n.dims(2)[2]))
	}
	c.hidden = n.int("hidden_size", h)
	d, units, columns := tir.Int(int64(len(c.reverse))), tir.Int(c.hidden), tir.Int(c.hidden*gates)
	c.expectShape(1, "W", d, columns, c.input)
	c.expectShape(2, "R", d, columns, units)
	c.expectShape(3, "B", d, tir.Int(2*gates*c.hidden))
	c.expectShape(4, "sequence_lens", c.batch)
	state := []tir.Expr{d, c.batch, units}
	if c.byBatch {
		state = []tir.Expr{c.batch, d, units}
	}
	c.expectShape(5, "initial_h", state...)
	c.expectShape(6, "initial_c", state...)
	c.expectShape(7, "P", d, tir.Int(3*c.hidden))
	c.activations = c.readActivations(activations)
	return c
}

// operand is operand i, which holds numbers, in the type of the computation.
func (c *recurrent) operand(i int) relax.Expr { return c.widened(c.expr(i), c.elem) }

// direction is the share of direction d in a tensor that has directions as an axis, with the extents given.
func (c *recurrent) direction(x relax.Expr, axis, d int, dims ...tir.Expr) relax.Expr {
	if len(c.reverse) > 1 {
		x = c.part(x, axis, tir.Int(int64(d)), tir.Int(int64(d+1)))
	}
	return c.reshape(x, dims)
}

// state is what a state begins as for direction d: operand i, or zeros.
func (c *recurrent) state(i, d int) relax.Expr {
	dims := []tir.Expr{c.batch, tir.Int(c.hidden)}
	switch {
	case !c.has(i):
		return c.filled(c.wide, dims, 0)
	case c.byBatch:
		return c.direction(c.operand(i), 1, d, dims...)
	}
	return c.direction(c.operand(i), 0, d, dims...)
}

func (c *recurrent) convert() {
	c.x = c.operand(0)
	if c.byBatch {
		c.x = c.emit("relax.permute_dims", args(c.x), "axes", []int64{1, 0, 2})
	}
	c.x = c.reshape(c.x, []tir.Expr{tir.Mul(c.steps, c.batch), c.input})
	c.w = c.emit("relax.permute_dims", args(c.operand(1)), "axes", []int64{0, 2, 1})
	c.r = c.emit("relax.permute_dims", args(c.operand(2)), "axes", []int64{0, 2, 1})
	results := make([][]relax.Expr, 2)
	if c.gates == 4 {
		results = make([][]relax.Expr, 3)
	}
	units := tir.Int(c.hidden)
	for d := range c.reverse {
		t := c.network(d)
		for k := range results {
			if !c.wants(k) {
				continue
			}
			y := c.bind(&relax.TupleGetItem{Base: ir.Base{Origin: c.origin}, Tuple: t, Index: k}, c.base+"_"+[]string{"y", "h", "c"}[k], false)
			dims := []tir.Expr{tir.Int(1), c.batch, units}
			if k == 0 {
				dims = append([]tir.Expr{c.steps}, dims...)
			}
			results[k] = append(results[k], c.reshape(y, dims))
		}
	}
	for k, parts := range results {
		if parts == nil {
			continue
		}
		axis, perm := int64(0), []int64{1, 0, 2}
		if k == 0 {
			axis, perm = 1, []int64{2, 0, 1, 3}
		}
		y := parts[0]
		if len(parts) > 1 {
			y = c.emit("relax.concat", args(tuple(parts)), "axis", axis)
		}
		if c.byBatch {
			y = c.emit("relax.permute_dims", args(y), "axes", perm)
		}
		c.set(k, c.rounded(y, c.elem))
	}
}

// network calls the operator for direction d.
func (c *recurrent) network(d int) relax.Expr {
	units, columns := tir.Int(c.hidden), tir.Int(c.hidden*c.gates)
	x := c.emit("relax.matmul", args(c.x, c.direction(c.w, 0, d, c.input, columns)))
	bias := c.splat(c.wide, []int64{c.hidden}, 0) // of the product for the new state of a GRU
	if c.has(3) {
		b := c.direction(c.operand(3), 0, d, tir.Mul(columns, tir.Int(2)))
		ofInput, ofState := c.part(b, 0, tir.Int(0), columns), c.part(b, 0, columns, tir.Mul(columns, tir.Int(2)))
		if c.gates == 3 {
			last := tir.Int(2 * c.hidden)
			bias = c.part(ofState, 0, last, columns)
			ofState = c.emit("relax.nn.pad", args(c.part(ofState, 0, tir.Int(0), last)), "pad_width", []int64{0, c.hidden}, "pad_mode", "constant", "pad_value", 0.0)
		}
		x = c.emit("relax.add", args(x, c.emit("relax.add", args(ofInput, ofState))))
	}
	as := args(c.reshape(x, []tir.Expr{c.steps, c.batch, columns}), c.direction(c.r, 0, d, units, columns), c.state(5, d))
	names, alpha, beta := []string{}, []float64{}, []float64{}
	per := len(c.activations) / len(c.reverse)
	for _, a := range c.activations[d*per : (d+1)*per] {
		names, alpha, beta = append(names, a.name), append(alpha, a.alpha), append(beta, a.beta)
	}
	clip := c.float("clip", 0)
	if clip < 0 {
		c.fail("attribute \"clip\" is %g, expected 0 or more", clip)
	}
	kv := []any{"reverse", c.reverse[d], "clip", clip, "activations", strings.Join(names, ","), "alpha", alpha, "beta", beta}
	switch c.gates {
	case 3:
		as = append(as, bias)
		kv = append(kv, "linear_before_reset", c.bool("linear_before_reset", false))
	case 4:
		as = append(as, c.state(6, d))
		kv = append(kv, "input_forget", c.bool("input_forget", false))
	}
	if c.has(4) {
		c.wantDType(4, "an integer", dtype.DType.IsInteger)
		as = append(as, c.expr(4))
	}
	if c.has(7) {
		if !c.has(4) {
			as = append(as, c.filled(dtype.Int32T, []tir.Expr{c.batch}, math.MaxInt32))
		}
		as = append(as, c.direction(c.operand(7), 0, d, tir.Int(3*c.hidden)))
	}
	return c.emit("relax.nn."+strings.ToLower(c.pb.OpType), as, kv...)
}
