package onnx

import (
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// branches is a model that squeezes x where it has three dimensions, as exporters write it, and computes with what is outside of the branches.
func branches(cond, elseOp string, dims ...any) *ob.Builder {
	graph := func(op string, inputs ...string) *onnxpb.Graph {
		return &onnxpb.Graph{
			Initializers: []onnxpb.Tensor{func() onnxpb.Tensor { s := ob.Shape(0); s.Name = "axis"; return s }()},
			Nodes: []onnxpb.Node{
				{OpType: op, Inputs: inputs, Outputs: []string{"inner"}},
				{OpType: "Neg", Inputs: []string{"inner"}, Outputs: []string{"result"}},
			},
			Outputs: []onnxpb.ValueInfo{{Name: "result"}},
		}
	}
	b := ob.New("g", 17)
	b.Input("x", onnxpb.Float, dims...)
	// The node is in front of what its branches read.
	b.NodeOut("If", "choice", []string{cond}, []string{"y"},
		ob.Graph("then_branch", graph("Squeeze", "outer", "axis")), ob.Graph("else_branch", graph(elseOp, "outer")))
	b.NodeOut("Relu", "before", []string{"x"}, []string{"outer"})
	b.NodeOut("Shape", "shape", []string{"x"}, []string{"s"})
	b.NodeOut("Gather", "first", []string{"s", b.Initializer("zero", ob.Ints(nil, 0))}, []string{"n"})
	b.NodeOut("Equal", "equal", []string{"n", b.Initializer("one", ob.Ints(nil, 1))}, []string{"single"})
	b.Input("data", onnxpb.Bool)
	b.Output("y", onnxpb.Float)
	return b
}

func TestIf(t *testing.T) {
	wantBindings(t, importFn(t, branches("single", "Nothing", 1, 4), Options{}),
		`before = relax.nn.relu: Tensor((1, 4), "float32")`, `inner = relax.squeeze: Tensor((4,), "float32")`,
		`result = relax.negative: Tensor((4,), "float32")`, `y = *relax.Var: Tensor((4,), "float32")`)
	wantBindings(t, importFn(t, branches("single", "Abs", 3, 4), Options{}),
		`before = relax.nn.relu: Tensor((3, 4), "float32")`, `inner = relax.abs: Tensor((3, 4), "float32")`,
		`result = relax.negative: Tensor((3, 4), "float32")`, `y = *relax.Var: Tensor((3, 4), "float32")`)
	twice := branches("single", "Abs", 3, 4)
	twice.NodeOut("Neg", "clash", []string{"x"}, []string{"inner"})
	for want, b := range map[string]*ob.Builder{
		`graph.node[0].then_branch.node[0]: Squeeze "inner" (operator set 17): axis 0 has extent 3, expected 1`:                                     branches("data", "Abs", 3, 4),
		`graph.node[0].else_branch.node[0]: Nothing "inner" (operator set 17): the operator is not supported`:                                       branches("single", "Nothing", 3, 4),
		`graph.node[0].else_branch.node[0]: Concat "inner" (operator set 17): attribute "axis" is missing`:                                          branches("single", "Concat", 3, 4),
		`graph.node[0]: If "choice" (operator set 17): graph.node[0].else_branch.node[0]: Abs "inner" (operator set 17): output "inner" is also an`: twice,
	} {
		if _, err := tryImport(t, b, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
