package onnx

import (
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// ownModel is a test of several operators, of which the values of all count as compared.
func ownModel(name string, inputs, outputs []*onnxpb.Tensor, nodes ...onnxpb.Node) onnxtest.NodeCase {
	b := ob.New("own_"+name, 17)
	dims := func(t *onnxpb.Tensor) (out []any) {
		for _, d := range t.Dims {
			out = append(out, int(d))
		}
		return out
	}
	for i, x := range inputs {
		b.Input(string(rune('a'+i)), x.Type, dims(x)...)
	}
	for name, v := range map[string]int64{"zero": 0, "one": 1, "two": 2, "last": -1} {
		b.Initializer(name, ob.Ints(nil, v))
	}
	b.Model().Graph.Nodes = nodes
	for i, y := range outputs {
		b.Output(string(rune('p'+i)), y.Type)
	}
	return onnxtest.NodeCase{Name: "own_" + name, Op: name, Model: b.Bytes(), Sets: []onnxtest.Set{{Inputs: inputs, Outputs: outputs}}}
}

// ownSequences test sequences by what is taken from them.
func ownSequences() []onnxtest.NodeCase {
	in := func(names ...string) []string { return names }
	floats := func(dims []int64, v ...float32) *onnxpb.Tensor { return ptr(ob.Floats(dims, v...)) }
	x := []*onnxpb.Tensor{floats([]int64{3, 2}, 1, 2, 3, 4, 5, 6), floats([]int64{2}, 7, 8)}
	difference := &onnxpb.Graph{
		Name: "body", Inputs: []onnxpb.ValueInfo{{Name: "e"}, {Name: "f"}}, Outputs: []onnxpb.ValueInfo{{Name: "g"}},
		Nodes: []onnxpb.Node{inner("Sub", in("e", "f"), in("g"))},
	}
	return []onnxtest.NodeCase{
		ownModel("SequenceInsert", x, []*onnxpb.Tensor{floats([]int64{2}, 7, 8), ptr(ob.Ints(nil, 3)), floats([]int64{2}, -7, -8)},
			inner("SequenceEmpty", nil, in("s0")), inner("SequenceInsert", in("s0", "b"), in("s1")), inner("Neg", in("b"), in("n")),
			inner("SequenceInsert", in("s1", "n", "zero"), in("s2")), inner("SequenceInsert", in("s2", "b", "last"), in("s3")),
			inner("SequenceAt", in("s3", "one"), in("p")), inner("SequenceLength", in("s3"), in("q")), inner("SequenceAt", in("s3", "zero"), in("r"))),
		ownModel("ConcatFromSequence", x, []*onnxpb.Tensor{floats([]int64{4}, 7, 8, 7, 8), floats([]int64{2, 2}, 7, -7, 8, -8), floats([]int64{2}, 7, 8)},
			inner("Neg", in("b"), in("n")), inner("SequenceConstruct", in("b", "n", "b"), in("s")), inner("SequenceErase", in("s", "one"), in("t")),
			inner("ConcatFromSequence", in("t"), in("p"), ob.Int("axis", 0)), inner("SequenceErase", in("s"), in("u")),
			inner("ConcatFromSequence", in("u"), in("q"), ob.Int("axis", -1), ob.Int("new_axis", 1)),
			inner("SequenceAt", in("t", "last"), in("r"))),
		ownModel("SplitToSequence", x, []*onnxpb.Tensor{floats([]int64{1, 2}, 5, 6), floats([]int64{3}, 2, 4, 6), floats([]int64{2}, -4, -4)},
			inner("SplitToSequence", in("a", "two"), in("s")), inner("SequenceAt", in("s", "one"), in("p")),
			inner("SplitToSequence", in("a"), in("t"), ob.Int("axis", 1), ob.Int("keepdims", 0)), inner("SequenceAt", in("t", "last"), in("q")),
			inner("SplitToSequence", in("a"), in("u"), ob.Int("keepdims", 0)),
			inner("SequenceMap", in("u", "b"), in("v"), ob.Graph("body", difference)), inner("SequenceAt", in("v", "one"), in("r"))),
		ownModel("Optional", x, []*onnxpb.Tensor{floats([]int64{2}, 7, 8), {Type: onnxpb.Bool, Data: []byte{1}}, {Type: onnxpb.Bool, Data: []byte{0}}},
			inner("Optional", in("b"), in("o")), inner("OptionalGetElement", in("o"), in("e")), inner("Identity", in("e"), in("p")),
			inner("OptionalHasElement", in("o"), in("q")), inner("Optional", nil, in("none")), inner("OptionalHasElement", in("none"), in("r"))),
	}
}
