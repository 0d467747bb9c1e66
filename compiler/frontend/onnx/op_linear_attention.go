package onnx

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// linearAttention carries a matrix for each head of keys from token to token: it fades by the decay, the outer product of key and value is added, of
// which a delta rule subtracts what the matrix gives for the key already, and the queries are multiplied with it. It is a loop over the tokens. Operands
// are query, key, value, past_state, decay, beta.
func linearAttention(n *node) {
	n.floats(0)
	n.sameDType(0, 1, 2, 4, 5)
	elem := n.dtype(0)
	rule := n.str("update_rule", "gated_delta", "linear", "gated", "delta", "gated_delta")
	gated, delta := strings.HasPrefix(rule, "gated"), strings.HasSuffix(rule, "delta")
	for i, wants := range map[int]bool{4: gated, 5: delta} {
		if n.has(i) != wants {
			n.fail("decay (input 4) and beta (input 5) are given: %t and %t, but update_rule %q takes: %t and %t", n.has(4), n.has(5), rule, gated, delta)
		}
	}
	for i := range n.in {
		if i != 3 && n.has(i) {
			n.ranked(i, 3, 3)
		}
	}
	heads, shared := n.int("q_num_heads", 0), n.int("kv_num_heads", 0)
	if heads < 1 || shared < 1 || heads%shared != 0 {
		n.fail("attributes \"q_num_heads\" and \"kv_num_heads\" are %d and %d, expected 1 or more, and one a multiple of the other", heads, shared)
	}
	batch, tokens := n.dims(0)[0], n.dims(0)[1]
	kv, one := tir.Int(shared), tir.Int(1)
	dk, dv := n.divided(n.dims(0)[2], heads, 2), n.divided(n.dims(2)[2], shared, 2)
	n.expectShape(1, "key", batch, tokens, tir.Mul(kv, dk))
	n.expectShape(2, "value", batch, tokens, tir.Mul(kv, dv))
	n.expectShape(3, "past_state", batch, kv, dk, dv)
	wide := elem.Accumulator()
	scale := n.float("scale", 0)
	if scale == 0 {
		scale = n.headScale(dk)
	}
	b := newTurnGraph(n, "state")
	state := relax.Expr(nil)
	stored := elem
	if n.has(3) {
		stored = n.dtype(3)
		state = n.as(n.floats(3), wide)
	} else {
		state = n.filled(wide, []tir.Expr{batch, kv, dk, dv}, 0)
	}
	l := &loop{node: n, path: n.path + ".body", carried: []*value{{expr: state}}, scans: 1, limit: &value{known: scalar(dtype.Int64T, tokens)}}
	source := func(name string, x relax.Expr, dims ...tir.Expr) string {
		x = n.reshape(x, append([]tir.Expr{batch, tokens}, dims...))
		l.sources = append(l.sources, &source{v: &value{expr: x}, axis: 1})
		return b.input(name)
	}
	queries := n.emit("relax.multiply", args(n.as(n.expr(0), wide), n.constant(wide, scale)))
	keys, values := n.as(n.expr(1), wide), n.as(n.expr(2), wide)
	q := source("q", queries, kv, tir.Int(heads/shared), dk)
	k := source("k", keys, kv, dk, one)
	v := source("v", values, kv, one, dv)
	s := b.inputs[0]
	if gated {
		var per tir.Expr = one
		if last := n.dims(4)[2]; !tir.IsConst(last, shared) || tir.IsConst(dk, 1) {
			n.expectShape(4, "decay", batch, tokens, tir.Mul(kv, dk))
			per = dk
		}
		s = b.node("Mul", s, source("decay", n.emit("relax.exp", args(n.as(n.expr(4), wide))), kv, per, one))
	}
	if delta {
		var rates tir.Expr = kv
		if tir.IsConst(n.dims(5)[2], 1) {
			rates = one
		}
		n.expectShape(5, "beta", batch, tokens, rates)
		got := b.node("MatMul", source("row", keys, kv, one, dk), s)
		v = b.node("Mul", source("beta", n.as(n.expr(5), wide), rates, one, one), b.node("Sub", v, got))
	}
	s = b.node("Add", s, b.node("Mul", k, v))
	l.body = b.graph(s, b.node("MatMul", q, s))
	carried, collected := l.repeat()
	// The tokens are the first axis of what is collected.
	y := n.emit("relax.permute_dims", args(n.tensor(collected[0])), "axes", []int64{1, 0, 2, 3, 4})
	y = n.reshape(y, []tir.Expr{batch, tokens, tir.Mul(tir.Int(heads), dv)})
	n.set(0, n.as(y, elem))
	n.set(1, n.as(n.tensor(carried[0]), stored))
}

// turnGraph builds the body of a loop that stands for an operator. Its names are none of the model's.
type turnGraph struct {
	prefix string
	inputs []string
	nodes  []onnxpb.Node
}

// newTurnGraph begins a body whose first input is what is carried.
func newTurnGraph(n *node, carried string) *turnGraph {
	b := &turnGraph{}
	for i := 0; b.prefix == "" || n.g.values[b.prefix+carried] != nil; i++ {
		b.prefix = fmt.Sprintf("%s/%d/", n.label(), i)
	}
	b.input(carried)
	return b
}

func (b *turnGraph) input(name string) string {
	b.inputs = append(b.inputs, b.prefix+name)
	return b.prefix + name
}

// node adds a node and returns the name of its result.
func (b *turnGraph) node(op string, inputs ...string) string {
	out := fmt.Sprintf("%s%s%d", b.prefix, strings.ToLower(op), len(b.nodes))
	b.nodes = append(b.nodes, onnxpb.Node{OpType: op, Inputs: inputs, Outputs: []string{out}})
	return out
}

func (b *turnGraph) graph(outputs ...string) *onnxpb.Graph {
	g := &onnxpb.Graph{Nodes: b.nodes}
	for _, name := range b.inputs {
		g.Inputs = append(g.Inputs, onnxpb.ValueInfo{Name: name})
	}
	for _, name := range outputs {
		g.Outputs = append(g.Outputs, onnxpb.ValueInfo{Name: name})
	}
	return g
}
