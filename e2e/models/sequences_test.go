package models

import (
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// sequence adds an input that is a sequence of tensors.
func sequence(b *Builder, name string, t onnxpb.DataType, dims ...any) string {
	b.Input(name, t, dims...)
	g := b.Model().Graph
	in := &g.Inputs[len(g.Inputs)-1]
	in.Type = &onnxpb.Type{Sequence: in.Type}
	return name
}

func sequenceModels() []control {
	vec := func(list ...float64) *tensor.Tensor { return f32([]int64{int64(len(list))}, list...) }
	scalar := func(v float64) *tensor.Tensor { return i64([]int64{}, v) }
	return []control{
		{"a list that a loop appends to, as exporters of PyTorch write it", func(b *Builder) {
			m, x := b.Input("m", onnxpb.Int64), b.Input("x", onnxpb.Float, "n")
			b.NodeOut("SequenceEmpty", "empty", nil, ids("none"))
			b.NodeOut("SequenceConstruct", "begin", ids(x), ids("begun"))
			b.NodeOut("Loop", "loop", ids(m, "", "none", x, "begun"), ids("parts", "last", "more", "sums"), Graph("body", turns(ids("i", "c", "s", "a", "q"), ids("c", "t", "e", "r", "z"),
				node("Add", ids("a", x), ids("e")), node("SequenceInsert", ids("s", "e"), ids("t")), node("Neg", ids("e"), ids("k")), node("SequenceInsert", ids("q", "k"), ids("r")),
				node("ReduceSum", ids("e"), ids("z"), Int("keepdims", 0)))))
			b.Output(b.Node("ConcatFromSequence", "rows", ids("parts"), Int("axis", -1), Int("new_axis", 1)), onnxpb.Float)
			b.Output(b.Node("ConcatFromSequence", "flat", ids("more"), Int("axis", 0)), onnxpb.Float)
			b.Output(b.Node("SequenceLength", "length", ids("parts")), onnxpb.Int64)
			b.Output("last", onnxpb.Float)
			b.Output("sums", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(scalar(3), vec(1, 2)), tensors(scalar(0), vec(1, 2, 3))}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 3}, 2, 3, 4, 4, 6, 8), vec(1, 2, -2, -4, -3, -6, -4, -8), scalar(3), vec(4, 8), vec(6, 9, 12)),
			tensors(f32([]int64{3, 0}), vec(1, 2, 3), scalar(0), vec(1, 2, 3), vec()),
		}},
		{"a sequence that is an input", func(b *Builder) {
			s, at, x := sequence(b, "s", onnxpb.Float, 2), b.Input("at", onnxpb.Int64), b.Input("x", onnxpb.Float, 2)
			b.Output(b.Node("SequenceAt", "one", ids(s, at)), onnxpb.Float)
			b.Output(b.Node("SequenceLength", "length", ids(s)), onnxpb.Int64)
			b.NodeOut("SequenceInsert", "more", ids(s, x), ids("longer"))
			b.NodeOut("SequenceInsert", "front", ids("longer", x, at), ids("longest"))
			b.NodeOut("SequenceErase", "less", ids("longest"), ids("shorter"))
			b.NodeOut("SequenceErase", "least", ids("shorter", at), ids("again"))
			b.Output(b.Node("ConcatFromSequence", "rows", ids("longest"), Int("axis", 0), Int("new_axis", 1)), onnxpb.Float)
			b.Output(b.Node("ConcatFromSequence", "columns", ids("again"), Int("axis", 0)), onnxpb.Float)
			b.Output(b.Node("SequenceAt", "last", ids("longer", b.Initializer("minus", Ints(nil, -1)))), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(counted(3, 2), scalar(-1), vec(7, 8)), tensors(counted(1, 2), scalar(0), vec(7, 8))}, [][]*tensor.Tensor{
			tensors(vec(4, 5), scalar(3), f32([]int64{5, 2}, 0, 1, 2, 3, 4, 5, 7, 8, 7, 8), vec(0, 1, 2, 3, 4, 5), vec(7, 8)),
			tensors(vec(0, 1), scalar(1), f32([]int64{3, 2}, 7, 8, 0, 1, 7, 8), vec(0, 1), vec(7, 8)),
		}},
		{"a function of each element, and sequences as results", func(b *Builder) {
			s, x := sequence(b, "s", onnxpb.Float, "k"), b.Input("x", onnxpb.Float, "n", 3)
			b.NodeOut("SplitToSequence", "rows", ids(x), ids("r"), Int("keepdims", 0))
			b.NodeOut("SplitToSequence", "columns", ids(x), ids("c"), Int("axis", 1))
			b.NodeOut("SequenceMap", "map", ids(s, x), ids("y", "z"), Graph("body", body(ids("e", "w"), ids("f", "g"), node("Neg", ids("e"), ids("f")), node("ReduceSum", ids("w"), ids("v"), Int("keepdims", 0)), node("Add", ids("v", "f"), ids("g")))))
			b.NodeOut("SequenceMap", "both", ids("r", "y"), ids("d"), Graph("body", body(ids("e2", "h"), ids("l"), node("ReduceSum", ids("h"), ids("hs"), Int("keepdims", 0)), node("Mul", ids("e2", "hs"), ids("l")))))
			for _, name := range ids("y", "z", "c", "d") {
				b.Output(name, onnxpb.Undefined)
			}
		}, [][]*tensor.Tensor{tensors(counted(2, 2), counted(2, 3))}, [][]*tensor.Tensor{tensors(
			f32([]int64{2, 2}, 0, -1, -2, -3), f32([]int64{2, 2}, 15, 14, 13, 12), f32([]int64{3, 2, 1}, 0, 3, 1, 4, 2, 5), f32([]int64{2, 3}, 0, -1, -2, -15, -20, -25),
		)}},
		{"parts of given sizes of an extent that shows at run time", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n")
			b.NodeOut("SplitToSequence", "split", ids(x, b.Initializer("sizes", Ints([]int64{3}, 2, 0, 1))), ids("s"))
			b.Output(b.Node("SequenceAt", "first", ids("s", b.Initializer("zero", Ints(nil, 0)))), onnxpb.Float)
			b.Output(b.Node("SequenceAt", "last", ids("s", b.Initializer("minus", Ints(nil, -1)))), onnxpb.Float)
			b.Output(b.Node("SequenceLength", "length", ids("s")), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(vec(4, 5, 6))}, [][]*tensor.Tensor{tensors(vec(4, 5), vec(6), scalar(3))}},
		{"a sequence outside of a loop that reads it", func(b *Builder) {
			s := sequence(b, "s", onnxpb.Float, "n")
			b.NodeOut("SequenceEmpty", "empty", nil, ids("none"))
			b.NodeOut("SequenceLength", "length", ids(s), ids("m"))
			b.NodeOut("Loop", "loop", ids("m", "", "none"), ids("y"), Graph("body", turns(ids("i", "c", "q"), ids("c", "r"),
				node("SequenceAt", ids(s, "i"), ids("e")), node("Neg", ids("e"), ids("f")), node("SequenceInsert", ids("q", "f"), ids("r")))))
			b.Output("y", onnxpb.Undefined)
		}, [][]*tensor.Tensor{tensors(counted(3, 2)), tensors(counted(1, 1))}, [][]*tensor.Tensor{
			tensors(f32([]int64{3, 2}, 0, -1, -2, -3, -4, -5)), tensors(f32([]int64{1, 1}, 0)),
		}},
		{"sequences as results of branches, beside a tensor", func(b *Builder) {
			c, x := b.Input("c", onnxpb.Bool), b.Input("x", onnxpb.Float, "n")
			b.NodeOut("If", "choice", ids(c), ids("s", "t"), Graph("then_branch", body(nil, ids("a", "b"),
				node("Neg", ids(x), ids("u")), node("SequenceConstruct", ids(x, "u"), ids("a")), node("Abs", ids("u"), ids("b")))),
				Graph("else_branch", body(nil, ids("a2", "b2"), node("Add", ids(x, x), ids("v")), node("SequenceConstruct", ids("v", "v"), ids("a2")), node("Identity", ids("v"), ids("b2")))))
			b.Output(b.Node("ConcatFromSequence", "rows", ids("s"), Int("axis", 0)), onnxpb.Float)
			b.Output(b.Node("Neg", "after", ids("t")), onnxpb.Float)
		}, [][]*tensor.Tensor{
			tensors(filled(dtype.BoolT, []int64{}, 1), vec(-1, 2)), tensors(filled(dtype.BoolT, []int64{}, 0), vec(3)),
		}, [][]*tensor.Tensor{
			tensors(vec(-1, 2, 1, -2), vec(-1, -2)), tensors(vec(6, 6), vec(-6)),
		}},
	}
}

// TestSequences: a sequence that is an input or a result is a tensor with one more axis in front.
func TestSequences(t *testing.T) {
	for _, c := range sequenceModels() {
		t.Run(c.name, func(t *testing.T) { checkControl(t, c) })
	}
}

// TestPositionsOutside: a position that is data and outside of a sequence is an error of the run.
func TestPositionsOutside(t *testing.T) {
	for op, inputs := range map[string][]string{"SequenceAt": ids("s", "at"), "SequenceInsert": ids("s", "x", "at"), "SequenceErase": ids("s", "at")} {
		h, b := newHarness(t), New("positions", 17)
		sequence(b, "s", onnxpb.Float, 2)
		b.Input("x", onnxpb.Float, 2)
		b.Input("at", onnxpb.Int64)
		b.Output(b.Node(op, "y", inputs), onnxpb.Undefined)
		for _, s := range []settings{{target: target.Of("interp")}, {target: target.Of("wasm"), level: 2}, {target: target.Of("x86"), level: 2}} {
			res, err := h.compile(h.importModel(b.Model()), s)
			if err != nil {
				t.Fatal(err)
			}
			prog := h.open(res.Artifact)
			for _, at := range []float64{3, 4, 1e9, 1e15, -4, -1e15, 0, 2, -3} {
				out, err := prog.Run(t.Context(), "main", counted(3, 2), f32([]int64{2}, 7, 8), i64([]int64{}, at))
				if ok := at >= -3 && at < 3 || at == 3 && op == "SequenceInsert"; ok != (err == nil) {
					t.Errorf("%s: %s at %g: %v, %v", s, op, at, out, err)
				}
			}
			prog.Close()
		}
	}
}
