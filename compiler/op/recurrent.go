package op

import (
	"fmt"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// gatesOf returns how many times hidden units the columns of the products of a recurrent network are, and how many activations it has.
func gatesOf(name string) (gates int64, activations int) {
	switch name {
	case "relax.nn.gru":
		return 3, 2
	case "relax.nn.lstm":
		return 4, 3
	}
	return 1, 1
}

// gateNames are the activations that recurrent networks may have.
var gateNames = []string{
	"affine", "elu", "hard_sigmoid", "leaky_relu", "relu", "scaled_tanh", "sigmoid", "softplus", "softsign", "tanh", "thresholded_relu",
}

// recurrentOps are the recurrent networks of ONNX in one direction. The product of the inputs with their weights is done by what comes before.
func recurrentOps() []*Op {
	data := Arg{Name: "data", Doc: "The share of the inputs in what the gates are computed of: (steps, batch, gates * hidden)."}
	weight := Arg{Name: "weight", Doc: "What the state is multiplied with: (hidden, gates * hidden)."}
	hidden := Arg{Name: "hidden", Doc: "The state in front of the first step: (batch, hidden)."}
	lengths := Arg{Name: "lengths", Doc: "How many steps each sequence has, integers: (batch). States stay as they are behind the end.", Optional: true}
	attrs := func(activations string, more ...Attr) []Attr {
		return append([]Attr{
			{Name: "reverse", Type: BoolAttr, Default: false, Doc: "Whether the last step is the first."},
			{Name: "clip", Type: FloatAttr, Default: 0.0, Doc: "The bound of what gates are computed of, 0 for none."},
			{Name: "activations", Type: StringAttr, Default: activations, Doc: "The activations, with commas between: " + strings.Join(gateNames, ", ") + "."},
			{Name: "alpha", Type: FloatsAttr, Default: ir.Normalize([]float64{}), Doc: "The first parameter of each activation; may be empty if none has one."},
			{Name: "beta", Type: FloatsAttr, Default: ir.Normalize([]float64{}), Doc: "The second parameter of each activation; may be empty if none has one."},
		}, more...)
	}
	return []*Op{
		{
			Name: "relax.nn.rnn", Args: []Arg{data, weight, hidden, lengths}, Attrs: attrs("tanh"), Infer: inferRecurrent, Pattern: Opaque,
			Doc: "A simple recurrent network: the states of all steps, and the last one.",
		},
		{
			Name: "relax.nn.gru", Infer: inferRecurrent, Pattern: Opaque,
			Args:  []Arg{data, weight, hidden, {Name: "bias", Doc: "Added to the product for the new state: (hidden)."}, lengths},
			Attrs: attrs("sigmoid,tanh", Attr{Name: "linear_before_reset", Type: BoolAttr, Default: false, Doc: "Whether the reset gate scales the product, not the state."}),
			Doc:   "A network of gated recurrent units, with gates in the order update, reset, new: the states of all steps, and the last one.",
		},
		{
			Name: "relax.nn.lstm", Infer: inferRecurrent, Pattern: Opaque,
			Args: []Arg{
				data, weight, hidden,
				{Name: "cell", Doc: "The cell in front of the first step: (batch, hidden)."},
				lengths,
				{Name: "peephole", Doc: "The weights of the cell in the input, output, and forget gates: (3 * hidden).", Optional: true},
			},
			Attrs: attrs("sigmoid,tanh,tanh", Attr{Name: "input_forget", Type: BoolAttr, Default: false, Doc: "Whether the forget gate is 1 minus the input gate."}),
			Doc:   "A network with long short-term memory, with gates in the order input, output, forget, cell: the states of all steps, the last one, and the last cell.",
		},
	}
}

// inferRecurrent yields the states of all steps, then for each state the last one.
func inferRecurrent(_ *relax.Call, c *InferContext) (relax.StructInfo, error) {
	gates, activations := gatesOf(c.Op.Name)
	if err := c.activations(activations); err != nil {
		return nil, err
	}
	ranks := []int{3, 2, 2, 1, 1}
	if gates == 4 {
		ranks = []int{3, 2, 2, 2, 1, 1}
	}
	ts := make([]*relax.TensorStructInfo, c.NumArgs())
	for i := range ts {
		var err error
		if ts[i], err = c.ranked(i, ranks[i]); err != nil {
			return nil, err
		}
		length := c.Op.Args[i].Name == "lengths"
		switch d := ts[i].DType; {
		case d.IsVoid():
		case length && !d.IsInteger():
			return nil, c.argErr(i, describe(ts[i]), "a tensor of integers")
		case !length && (!d.IsFloat() || d != ts[0].DType && !ts[0].DType.IsVoid()):
			return nil, c.argErr(i, describe(ts[i]), "a tensor of floating-point numbers of the type of data")
		}
	}
	out := []relax.StructInfo{rankOf(ts[0].DType, 3, ts[0])}
	for range c.states() {
		out = append(out, rankOf(ts[0].DType, 2, ts[0]))
	}
	x, ok := c.dimsOf(ts[0])
	h, ok2 := c.dimsOf(ts[2])
	if !ok || !ok2 {
		return &relax.TupleStructInfo{Fields: out}, nil
	}
	columns, err := c.times("weight", h[1], gates)
	if err != nil {
		return nil, err
	}
	triple, _ := c.times("weight", h[1], 3)
	wants := map[string][]tir.Expr{
		"data": {x[0], h[0], columns}, "weight": {h[1], columns}, "hidden": h, "cell": h, "bias": {h[1]}, "lengths": {h[0]}, "peephole": {triple},
	}
	for i, t := range ts {
		for k, want := range wants[c.Op.Args[i].Name] {
			if err := c.extent(i, t, k, want); err != nil {
				return nil, err
			}
		}
	}
	out = []relax.StructInfo{tensorOf(ts[0].DType, []tir.Expr{x[0], h[0], h[1]}, ts[0])}
	for range c.states() {
		out = append(out, tensorOf(ts[0].DType, []tir.Expr{h[0], h[1]}, ts[0]))
	}
	return &relax.TupleStructInfo{Fields: out}, nil
}

// states is how many states a network has.
func (c *InferContext) states() int {
	if c.Op.Name == "relax.nn.lstm" {
		return 2
	}
	return 1
}

// activations checks the activations of a recurrent network and their parameters.
func (c *InferContext) activations(n int) error {
	text := c.Str("activations")
	names := strings.Split(text, ",")
	if len(names) != n {
		return c.attrErr("activations", fmt.Sprintf("%q", text), "%d names with commas between", n)
	}
	for _, name := range names {
		if !slices.Contains(gateNames, name) {
			return c.attrErr("activations", fmt.Sprintf("%q", name), "one of %s", strings.Join(gateNames, ", "))
		}
	}
	for _, attr := range []string{"alpha", "beta"} {
		list, _ := c.attr(attr).([]any)
		if len(list) != 0 && len(list) != n {
			return c.attrErr(attr, fmt.Sprintf("%d numbers", len(list)), "one for each of the %d activations, or none", n)
		}
	}
	return nil
}
