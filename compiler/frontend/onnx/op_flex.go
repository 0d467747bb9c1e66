package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// previewRows are the operators of the domain of previews.
func previewRows() []operator {
	return []operator{
		{name: "FlexAttention", minIn: 3, maxIn: 3, attrs: []string{"prob_mod", "scale", "score_mod", "softmax_precision"}, convert: flexAttention},
	}
}

// flexAttention is attention by heads (batch, heads, length, elements) whose scores and probabilities graphs may change.
func flexAttention(n *node) {
	n.floats(0)
	n.sameDType(0, 1, 2)
	elem := n.dtype(0)
	q, k, v := n.ranked(0, 4, 4), n.ranked(1, 4, 4), n.ranked(2, 4, 4)
	n.expectShape(1, "K", q[0], k[1], k[2], q[3])
	n.expectShape(2, "V", q[0], k[1], k[2], v[3])
	heads, ok := tir.AsInt(q[1])
	shared, ok2 := tir.AsInt(k[1])
	if !ok || !ok2 || shared < 1 || heads%shared != 0 {
		n.fail("there are %s heads of queries and %s of keys, expected constants of which one divides the other", relax.FormatPrim(q[1]), relax.FormatPrim(k[1]))
	}
	wide := elem.Accumulator()
	precise := wide
	if n.pb.Attribute("softmax_precision") != nil {
		var err error
		precise, err = n.elemType("softmax_precision")
		n.check(err)
		if !precise.IsFloat() || precise.Bits < 16 {
			n.fail("attribute \"softmax_precision\" names %s, expected float32, float64, float16 or bfloat16", precise)
		}
	}
	scale := n.float("scale", 0)
	if n.pb.Attribute("scale") == nil {
		scale = n.headScale(q[3])
	}
	// The queries of the heads that share keys are rows of one product.
	rows := []tir.Expr{q[0], k[1], tir.Mul(tir.Int(heads/shared), q[2])}
	scores := []tir.Expr{q[0], q[1], q[2], k[2]}
	x := n.emit("relax.multiply", args(n.as(n.expr(0), wide), n.constant(wide, scale)))
	keys := n.emit("relax.permute_dims", args(n.as(n.expr(1), wide)), "axes", []int64{0, 1, 3, 2})
	x = n.emit("relax.matmul", args(n.reshape(x, append(rows[:3:3], q[3])), keys))
	x = n.modified("score_mod", n.as(n.reshape(x, scores), precise))
	x = n.modified("prob_mod", n.emit("relax.nn.softmax", args(x), "axis", int64(3)))
	x = n.emit("relax.matmul", args(n.reshape(x, append(rows[:3:3], k[2])), n.as(n.expr(2), precise)))
	n.set(0, n.as(n.reshape(x, []tir.Expr{q[0], q[1], q[2], v[3]}), elem))
}

// modified is what the graph that an attribute holds makes of x, which must have the same type. Without one it is x.
func (n *node) modified(attr string, x relax.Expr) relax.Expr {
	if n.pb.Attribute(attr) == nil {
		return x
	}
	body := n.graph(attr, 1, 1)
	name := body.Inputs[0].Name
	if name == "" {
		n.fail("attribute %q: the input has no name", attr)
	}
	n.check(n.g.define(name, &value{expr: x}))
	outs, err := n.g.inline(body, n.path+"."+attr)
	n.check(err)
	delete(n.g.values, name)
	y := n.tensor(outs[0])
	want, got := relax.SInfoOf(x).(*relax.TensorStructInfo), outs[0].tensorInfo()
	dims, ok := got.Dims()
	have, _ := want.Dims()
	if !ok || got.DType != want.DType || !sameDims(dims, have) {
		n.fail("attribute %q yields %s, expected %s as it takes", attr, relax.FormatSInfo(got), relax.FormatSInfo(want))
	}
	return y
}
