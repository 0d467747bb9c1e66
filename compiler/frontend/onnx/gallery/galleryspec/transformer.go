package galleryspec

import (
	"math"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

const (
	tokens = 16
	width  = 32
	heads  = 4
	hidden = 64
)

func (n net) layerNorm(name, x string) string {
	return n.Node("LayerNormalization", "/"+name+"/LayerNormalization", in(x,
		n.Weights(name+".weight", 1, 0.2, width), n.Weights(name+".bias", 0, 0.1, width)),
		ob.Int("axis", -1), ob.Float("epsilon", 1e-5))
}

// scalar is a Constant node that holds one float.
func (n net) scalar(name string, v float64) string {
	return n.Node("Constant", name, nil, ob.Tensor("value", ob.Floats(nil, float32(v))))
}

// split reshapes [1, tokens, width] into heads and moves them before the tokens; with
// perm 0 2 3 1 it transposes keys on the way.
func (n net) split(name, x string, perm ...int64) string {
	shape := n.Node("Constant", name+"/Constant", nil, ob.Tensor("value", ob.Shape(1, tokens, heads, width/heads)))
	x = n.Node("Reshape", name+"/Reshape", in(x, shape))
	return n.Node("Transpose", name+"/Transpose", in(x), ob.IntList("perm", perm...))
}

func (n net) attention(x string) string {
	q := n.split("/attn/split_q", n.dense("attn.q_proj", x, width, width), 0, 2, 1, 3)
	k := n.split("/attn/split_k", n.dense("attn.k_proj", x, width, width), 0, 2, 3, 1)
	v := n.split("/attn/split_v", n.dense("attn.v_proj", x, width, width), 0, 2, 1, 3)
	s := n.Node("MatMul", "/attn/scores/MatMul", in(q, k))
	s = n.Node("Div", "/attn/scores/Div", in(s, n.scalar("/attn/scores/Constant", math.Sqrt(width/heads))))
	s = n.Node("Softmax", "/attn/Softmax", in(s), ob.Int("axis", -1))
	y := n.Node("MatMul", "/attn/context/MatMul", in(s, v))
	y = n.Node("Transpose", "/attn/merge/Transpose", in(y), ob.IntList("perm", 0, 2, 1, 3))
	shape := n.Node("Constant", "/attn/merge/Constant", nil, ob.Tensor("value", ob.Shape(0, 0, width)))
	y = n.Node("Reshape", "/attn/merge/Reshape", in(y, shape))
	return n.dense("attn.out_proj", y, width, width)
}

// gelu is x/2 (1 + erf(x/√2)), as exporters spell it before operator set 20.
func (n net) gelu(name, x string) string {
	y := n.Node("Div", name+"/Div", in(x, n.scalar(name+"/Constant", math.Sqrt2)))
	y = n.Node("Erf", name+"/Erf", in(y))
	y = n.Node("Add", name+"/Add", in(y, n.scalar(name+"/Constant_1", 1)))
	y = n.Node("Mul", name+"/Mul", in(x, y))
	return n.Node("Mul", name+"/Mul_1", in(y, n.scalar(name+"/Constant_2", 0.5)))
}

func transformer() *onnxpb.Model {
	n := net{ob.New("transformer", 17)}
	x := n.Input("hidden_states", onnxpb.Float, 1, tokens, width)
	x = n.Node("Add", "/attn/residual/Add", in(x, n.attention(n.layerNorm("norm1", x))))
	y := n.dense("mlp.fc1", n.layerNorm("norm2", x), width, hidden)
	y = n.dense("mlp.fc2", n.gelu("/mlp/gelu", y), hidden, width)
	n.NodeOut("Add", "/mlp/residual/Add", in(x, y), in("output"))
	n.Output("output", onnxpb.Float, 1, tokens, width)
	return n.Model()
}
