package models

import (
	"bytes"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// control is a model whose graph depends on data, with sets of inputs and outputs by the text of the operators, which ONNX Runtime gives too.
type control struct {
	name  string
	build func(b *Builder)
	in    [][]*tensor.Tensor
	want  [][]*tensor.Tensor
}

func tensors(ts ...*tensor.Tensor) []*tensor.Tensor { return ts }

// body is a graph that an attribute holds.
func body(inputs, outputs []string, nodes ...onnxpb.Node) *onnxpb.Graph {
	g := &onnxpb.Graph{Nodes: nodes}
	for _, name := range inputs {
		g.Inputs = append(g.Inputs, onnxpb.ValueInfo{Name: name})
	}
	for _, name := range outputs {
		g.Outputs = append(g.Outputs, onnxpb.ValueInfo{Name: name})
	}
	return g
}

func node(op string, inputs, outputs []string, attrs ...onnxpb.Attribute) onnxpb.Node {
	return onnxpb.Node{OpType: op, Name: op + "_" + outputs[0], Inputs: inputs, Outputs: outputs, Attributes: attrs}
}

func ids(list ...string) []string { return list }

// checkControl runs a model at all levels, on all targets that run, and compares the results with what they are, and the bits of
// those of different settings.
func checkControl(t *testing.T, c control) {
	h, b := newHarness(t), New("control", 17)
	c.build(b)
	mod := h.importModel(b.Model())
	var first [][]*tensor.Tensor
	for _, s := range []settings{
		{target: target.Of("interp"), verify: true, readBack: true}, {level: 0, verify: true}, {level: 1, verify: true}, {level: 2, verify: true, readBack: true},
		{level: 3, verify: true}, {target: target.Of("wasm"), level: 2, verify: true}, {target: target.Of("x86"), level: 2},
	} {
		outs, err := h.compileAndRun(mod, s, c.in)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if first == nil {
			first = outs
		}
		for k := range outs {
			if len(outs[k]) != len(c.want[k]) {
				t.Fatalf("%s: %d outputs, want %d", s, len(outs[k]), len(c.want[k]))
			}
			for i, got := range outs[k] {
				if d, err := tensor.Compare(got, c.want[k][i], tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil || !d.OK() {
					t.Errorf("%s: set %d: output %d is %v %v, want %v %v: %v", s, k, i, got.Shape, got.Floats(), c.want[k][i].Shape, c.want[k][i].Floats(), err)
				}
				if !bytes.Equal(got.Data, first[k][i].Data) {
					t.Errorf("%s: set %d: output %d has other bits than with the interpreter", s, k, i)
				}
			}
		}
	}
}

func f32(shape []int64, list ...float64) *tensor.Tensor { return filled(dtype.Float32T, shape, list...) }
func i64(shape []int64, list ...float64) *tensor.Tensor { return filled(dtype.Int64T, shape, list...) }

func branchModels() []control {
	vec := func(list ...float64) *tensor.Tensor { return f32([]int64{int64(len(list))}, list...) }
	// positive is whether the sum of x is above 0.
	positive := func(b *Builder, x string) string {
		sum := b.Node("ReduceSum", "sum", ids(x), Int("keepdims", 0))
		return b.Node("Greater", "positive", ids(sum, b.Initializer("zero", Floats(nil, 0))))
	}
	return []control{
		{"branches that read what is outside", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n")
			y := b.Node("Exp", "outer", ids(x))
			b.NodeOut("If", "if", ids(positive(b, x)), ids("r"),
				Graph("then_branch", body(nil, ids("p"), node("Mul", ids(x, y), ids("q")), node("Neg", ids("q"), ids("p")))),
				Graph("else_branch", body(nil, ids("p"), node("Sub", ids(x, y), ids("p")))))
			b.Output(b.Node("Abs", "after", ids("r")), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(vec(1, 0)), tensors(vec(-1, 0, 0))}, [][]*tensor.Tensor{tensors(vec(2.7182817, 0)), tensors(vec(1.3678794, 1, 1))}},
		{"branches of other extents, with two results, one of them a shape", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n")
			shape := b.Node("Shape", "shape", ids(x))
			b.NodeOut("If", "if", ids(positive(b, x)), ids("r", "s"),
				Graph("then_branch", body(nil, ids("p", "t"), node("Concat", ids(x, x), ids("p"), Int("axis", 0)), node("Add", ids(shape, shape), ids("t")))),
				Graph("else_branch", body(nil, ids("p", "t"), node("Relu", ids(x), ids("p")), node("Identity", ids(shape), ids("t")))))
			b.Output(b.Node("Add", "after", ids("r", "r")), onnxpb.Float)
			b.Output("s", onnxpb.Int64)
			b.Output(b.Node("Shape", "size", ids("r")), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(vec(1, 2)), tensors(vec(-1, 0, 0))}, [][]*tensor.Tensor{
			tensors(vec(2, 4, 2, 4), i64([]int64{1}, 4), i64([]int64{1}, 4)), tensors(vec(0, 0, 0), i64([]int64{1}, 3), i64([]int64{1}, 3)),
		}},
		{"branches in branches, with a condition of one element in a row", func(b *Builder) {
			x, c := b.Input("x", onnxpb.Float, 2), b.Input("c", onnxpb.Bool, 1)
			inner := body(nil, ids("p"), node("If", ids(positive(b, x)), ids("p"),
				Graph("then_branch", body(nil, ids("k"), node("Neg", ids(x), ids("k")))), Graph("else_branch", body(nil, ids("k"), node("Identity", ids(x), ids("k"))))))
			b.NodeOut("If", "if", ids(c), ids("r"), Graph("then_branch", inner), Graph("else_branch", body(nil, ids("p"), node("Sqrt", ids(x), ids("p")))))
			b.Output("r", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(vec(1, 4), filled(dtype.BoolT, []int64{1}, 1)), tensors(vec(-1, -4), filled(dtype.BoolT, []int64{1}, 1)), tensors(vec(1, 4), filled(dtype.BoolT, []int64{1}, 0))},
			[][]*tensor.Tensor{tensors(vec(-1, -4)), tensors(vec(-1, -4)), tensors(vec(1, 2))}},
	}
}

func TestBranches(t *testing.T) {
	for _, c := range branchModels() {
		t.Run(c.name, func(t *testing.T) { checkControl(t, c) })
	}
}
