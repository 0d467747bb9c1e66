package models

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
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
	g := &onnxpb.Graph{Name: "body", Nodes: nodes}
	for _, name := range inputs {
		g.Inputs = append(g.Inputs, onnxpb.ValueInfo{Name: name})
	}
	for _, name := range outputs {
		g.Outputs = append(g.Outputs, onnxpb.ValueInfo{Name: name})
	}
	return g
}

// turns is the body of a loop, whose first two inputs are numbers and conditions.
func turns(inputs, outputs []string, nodes ...onnxpb.Node) *onnxpb.Graph {
	g := body(inputs, outputs, nodes...)
	g.Inputs[0].Type, g.Inputs[1].Type = TypeOf(onnxpb.Int64), TypeOf(onnxpb.Bool)
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
		{target: target.Of("interp"), verify: true, readBack: true},
		{level: 0, verify: true},
		{level: 1, verify: true},
		{level: 2, verify: true, readBack: true},
		{level: 3, verify: true},
		{target: target.Of("wasm"), level: 2, verify: true},
		{target: target.Of("x86"), level: 2},
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
				if c.want[k][i] == nil { // only the bits are compared
				} else if d, err := tensor.Compare(got, c.want[k][i], tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil || !d.OK() {
					t.Errorf("%s: set %d: output %d is %v %v, want %v %v: %v", s, k, i, got.Shape, got.Floats(), c.want[k][i].Shape, c.want[k][i].Floats(), err)
				}
				if !bytes.Equal(got.Data, first[k][i].Data) {
					t.Errorf("%s: set %d: output %d has other bits than with the interpreter", s, k, i)
				}
			}
		}
	}
}

func f32(shape []int64, list ...float64) *tensor.Tensor {
	return filled(dtype.Float32T, shape, list...)
}

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
		{"branches that compute again what is outside twice", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n")
			sum := b.Node("Add", "both", ids(b.Node("Abs", "first", ids(x)), x))
			b.Output(b.Node("Abs", "second", ids(x)), onnxpb.Float)
			b.NodeOut("If", "if", ids(positive(b, sum)), ids("r"),
				Graph("then_branch", body(nil, ids("p"), node("Abs", ids(x), ids("p")))),
				Graph("else_branch", body(nil, ids("p"), node("Neg", ids(x), ids("p")))))
			b.Output("r", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(vec(1, -2)), tensors(vec(-1, -3))}, [][]*tensor.Tensor{tensors(vec(1, 2), vec(1, 2)), tensors(vec(1, 3), vec(1, 3))}},
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
		{
			"branches in branches, with a condition of one element in a row", func(b *Builder) {
				x, c := b.Input("x", onnxpb.Float, 2), b.Input("c", onnxpb.Bool, 1)
				inner := body(nil, ids("p"), node("If", ids(positive(b, x)), ids("p"),
					Graph("then_branch", body(nil, ids("k"), node("Neg", ids(x), ids("k")))), Graph("else_branch", body(nil, ids("k"), node("Identity", ids(x), ids("k"))))))
				b.NodeOut("If", "if", ids(c), ids("r"), Graph("then_branch", inner), Graph("else_branch", body(nil, ids("p"), node("Sqrt", ids(x), ids("p")))))
				b.Output("r", onnxpb.Float)
			},
			[][]*tensor.Tensor{tensors(vec(1, 4), filled(dtype.BoolT, []int64{1}, 1)), tensors(vec(-1, -4), filled(dtype.BoolT, []int64{1}, 1)), tensors(vec(1, 4), filled(dtype.BoolT, []int64{1}, 0))},
			[][]*tensor.Tensor{tensors(vec(-1, -4)), tensors(vec(-1, -4)), tensors(vec(1, 2))},
		},
	}
}

func TestBranches(t *testing.T) {
	for _, c := range branchModels() {
		t.Run(c.name, func(t *testing.T) { checkControl(t, c) })
	}
}

func loopModels() []control {
	scalar := func(v float64) *tensor.Tensor { return i64([]int64{}, v) }
	truth := func(v float64) *tensor.Tensor { return filled(dtype.BoolT, []int64{}, v) }
	vec := func(list ...float64) *tensor.Tensor { return f32([]int64{int64(len(list))}, list...) }
	row := func(shape []int64, list ...float64) *tensor.Tensor { return f32(shape, list...) }
	return []control{
		{"a trip count that is data", func(b *Builder) {
			m, x := b.Input("m", onnxpb.Int64), b.Input("x", onnxpb.Float, "n")
			b.NodeOut("Loop", "loop", ids(m, "", x), ids("y", "all"), Graph("body", turns(ids("i", "c", "a"), ids("c2", "b", "e"),
				node("Identity", ids("c"), ids("c2")), node("Cast", ids("i"), ids("fi"), Int("to", 1)), node("Add", ids("a", "fi"), ids("b")), node("Mul", ids("b", x), ids("e")))))
			b.Output("y", onnxpb.Float)
			b.Output("all", onnxpb.Float)
			b.Output(b.Node("Shape", "size", ids("all")), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(scalar(3), vec(1, 2)), tensors(scalar(0), vec(1, 2, 3))}, [][]*tensor.Tensor{
			tensors(vec(4, 5), row([]int64{3, 2}, 1, 4, 2, 6, 4, 10), i64([]int64{2}, 3, 2)),
			tensors(vec(1, 2, 3), row([]int64{0, 3}), i64([]int64{2}, 0, 3)),
		}},
		{"a condition that is data, and no trip count", func(b *Builder) {
			c, x := b.Input("c", onnxpb.Bool), b.Input("x", onnxpb.Float)
			limit := b.Initializer("ten", Floats(nil, 10))
			b.NodeOut("Loop", "loop", ids("", c, x), ids("y", "all"), Graph("body", turns(ids("i", "c1", "a"), ids("c2", "b", "e"),
				node("Add", ids("a", "a"), ids("b")), node("Less", ids("b", limit), ids("c2")), node("Identity", ids("a"), ids("e")))))
			b.Output("y", onnxpb.Float)
			b.Output("all", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(truth(1), row([]int64{}, 1)), tensors(truth(0), row([]int64{}, 1)), tensors(truth(1), row([]int64{}, 20))}, [][]*tensor.Tensor{
			tensors(row([]int64{}, 16), vec(1, 2, 4, 8)), tensors(row([]int64{}, 1), row([]int64{0})), tensors(row([]int64{}, 40), vec(20)),
		}},
		{"a tensor that grows with each turn, and one that does not", func(b *Builder) {
			m, x := b.Input("m", onnxpb.Int64), b.Input("x", onnxpb.Float, "n", 2)
			yes := b.Initializer("yes", onnxpb.Tensor{Type: onnxpb.Bool, Data: []byte{1}})
			b.NodeOut("Loop", "loop", ids(m, yes, x, x), ids("y", "z"), Graph("body", turns(ids("i", "c1", "a", "k"), ids("c1", "b", "k2"),
				node("Concat", ids("a", x), ids("b"), Int("axis", 0)), node("Add", ids("k", x), ids("k2")))))
			b.Output(b.Node("Neg", "after", ids("y")), onnxpb.Float)
			b.Output(b.Node("Add", "both", ids("z", x)), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(scalar(2), counted(1, 2)), tensors(scalar(0), counted(2, 2))}, [][]*tensor.Tensor{
			tensors(row([]int64{3, 2}, 0, -1, 0, -1, 0, -1), row([]int64{1, 2}, 0, 4)), tensors(row([]int64{2, 2}, 0, -1, -2, -3), row([]int64{2, 2}, 0, 2, 4, 6)),
		}},
		{"a trip count that is an extent, in which another loop stands", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", "k")
			b.NodeOut("Shape", "shape", ids(x), ids("s"))
			m := b.Node("Gather", "m", ids("s", b.Initializer("zero", Ints(nil, 0))))
			k := b.Node("Gather", "k", ids("s", b.Initializer("one", Ints(nil, 1))))
			zero := b.Initializer("nothing", Floats(nil, 0))
			inside := turns(ids("j", "d1", "t"), ids("d1", "t2"), node("Gather", ids("r", "j"), ids("v"), Int("axis", 0)), node("Mul", ids("v", "v"), ids("vv")), node("Add", ids("t", "vv"), ids("t2")))
			b.NodeOut("Loop", "loop", ids(m, "", zero), ids("sum", "rows"), Graph("body", turns(ids("i", "c1", "a"), ids("c1", "b", "q"),
				node("Gather", ids(x, "i"), ids("r"), Int("axis", 0)), node("Loop", ids(k, "", zero), ids("q"), Graph("body", inside)), node("Add", ids("a", "q"), ids("b")))))
			b.Output("sum", onnxpb.Float)
			b.Output(b.Node("Add", "twice", ids("rows", "rows")), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(counted(2, 3)), tensors(counted(0, 3)), tensors(counted(1, 1))}, [][]*tensor.Tensor{
			tensors(row([]int64{}, 55), vec(10, 100)), tensors(row([]int64{}, 0), row([]int64{0})), tensors(row([]int64{}, 0), vec(0)),
		}},
		{"a few turns that are written out, whose extents differ", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, 4)
			three := b.Initializer("three", Ints(nil, 3))
			b.NodeOut("Loop", "loop", ids(three, "", x), ids("y", "all"), Graph("body", turns(ids("i", "c1", "a"), ids("go", "b", "e"),
				node("Unsqueeze", ids("i", "first"), ids("from")), node("Slice", ids("a", "from", "end"), ids("b")), node("ReduceSum", ids("b"), ids("e"), Int("keepdims", 0)),
				node("Less", ids("i", "one"), ids("go")))))
			b.Initializer("first", Shape(0))
			b.Initializer("one", Ints(nil, 1))
			b.Initializer("end", Shape(9))
			b.Output("y", onnxpb.Float)
			b.Output("all", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(counted(4))}, [][]*tensor.Tensor{tensors(vec(1, 2, 3), vec(6, 6))}},
		{"bounds of a slice that are data", func(b *Builder) {
			x, from, to := b.Input("x", onnxpb.Float, "n", 3), b.Input("from", onnxpb.Int64, 1), b.Input("to", onnxpb.Int32, 1)
			axis := b.Initializer("axis", Shape(1))
			b.Output(b.Node("Slice", "s", ids(x, from, b.Node("Cast", "wide", ids(to), Int("to", 7)), axis)), onnxpb.Float)
			b.Output(b.Node("Slice", "t", ids(x, from, b.Initializer("end", Shape(1<<62)), axis, b.Initializer("step", Shape(2)))), onnxpb.Float)
			both := b.Node("Concat", "both", ids(from, from), Int("axis", 0))
			b.Output(b.Node("Slice", "u", ids(x, both, b.Initializer("ends", Shape(9, 9)))), onnxpb.Float)
		}, [][]*tensor.Tensor{
			tensors(counted(2, 3), i64([]int64{1}, 1), filled(dtype.Int32T, []int64{1}, 2)), tensors(counted(2, 3), i64([]int64{1}, -1), filled(dtype.Int32T, []int64{1}, 1)),
			tensors(counted(1, 3), i64([]int64{1}, -9), filled(dtype.Int32T, []int64{1}, -1)),
		}, [][]*tensor.Tensor{
			tensors(row([]int64{2, 1}, 1, 4), row([]int64{2, 1}, 1, 4), row([]int64{1, 2}, 4, 5)), tensors(row([]int64{2, 0}), row([]int64{2, 1}, 2, 5), row([]int64{1, 1}, 5)),
			tensors(row([]int64{1, 2}, 0, 1), row([]int64{1, 2}, 0, 2), row([]int64{1, 3}, 0, 1, 2)),
		}},
		{"a branch in a loop", func(b *Builder) {
			m, x := b.Input("m", onnxpb.Int64), b.Input("x", onnxpb.Float, 2)
			zero := b.Initializer("zero", Floats(nil, 0))
			b.NodeOut("Loop", "loop", ids(m, "", x), ids("y"), Graph("body", turns(ids("i", "c1", "a"), ids("c1", "b"),
				node("ReduceSum", ids("a"), ids("s"), Int("keepdims", 0)), node("Greater", ids("s", zero), ids("p")),
				node("If", ids("p"), ids("b"), Graph("then_branch", body(nil, ids("u"), node("Sub", ids("a", x), ids("w")), node("Sub", ids("w", x), ids("u")))),
					Graph("else_branch", body(nil, ids("u"), node("Neg", ids("a"), ids("u"))))))))
			b.Output("y", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(scalar(1), vec(1, 2)), tensors(scalar(2), vec(1, 2)), tensors(scalar(3), vec(1, 2))}, [][]*tensor.Tensor{tensors(vec(-1, -2)), tensors(vec(1, 2)), tensors(vec(-1, -2))}},
		{"a scan forth and back along a symbolic axis", func(b *Builder) {
			x, s := b.Input("x", onnxpb.Float, 2, "n"), b.Input("s", onnxpb.Float, 2)
			b.NodeOut("Scan", "scan", ids(s, x, x), ids("last", "sums", "back"), Graph("body", body(ids("a", "e", "f"), ids("b", "o", "p"),
				node("Add", ids("a", "e"), ids("b")), node("Identity", ids("b"), ids("o")), node("Sub", ids("e", "f"), ids("p")))),
				Int("num_scan_inputs", 2), IntList("scan_input_axes", 1, -1), IntList("scan_input_directions", 0, 1),
				IntList("scan_output_axes", 1, 0), IntList("scan_output_directions", 0, 1))
			b.Output("last", onnxpb.Float)
			b.Output("sums", onnxpb.Float)
			b.Output(b.Node("Neg", "after", ids("back")), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(counted(2, 3), vec(10, 20))}, [][]*tensor.Tensor{
			tensors(vec(13, 32), row([]int64{2, 3}, 10, 11, 13, 23, 27, 32), row([]int64{3, 2}, -2, -2, 0, 0, 2, 2)),
		}},
		{"a scan of a known axis, which is written out", func(b *Builder) {
			x, s := b.Input("x", onnxpb.Float, 3, 2), b.Input("s", onnxpb.Float, 2)
			b.NodeOut("Scan", "scan", ids(s, x), ids("last", "sums"), Graph("body", body(ids("a", "e"), ids("b", "o"), node("Add", ids("a", "e"), ids("b")), node("Neg", ids("b"), ids("o")))),
				Int("num_scan_inputs", 1), IntList("scan_input_directions", 1))
			b.Output("last", onnxpb.Float)
			b.Output("sums", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(counted(3, 2), vec(10, 20))}, [][]*tensor.Tensor{tensors(vec(16, 29), row([]int64{3, 2}, -14, -25, -16, -28, -16, -29))}},
		{"scans of a batch, as before operator set 9", func(b *Builder) {
			b.Model().OpsetImports[0].Version = 8
			s, x, y := b.Input("s", onnxpb.Float, 2, 1), b.Input("x", onnxpb.Float, 2, "n", 1), b.Input("y", onnxpb.Float, 2, "n", 1)
			b.NodeOut("Scan", "scan", ids("", s, x, y), ids("last", "sums"), Graph("body", body(ids("a", "e", "f"), ids("b", "o"), node("Add", ids("a", "e"), ids("b")), node("Sub", ids("b", "f"), ids("o")))),
				Int("num_scan_inputs", 2), IntList("directions", 0, 1))
			b.Output("last", onnxpb.Float)
			b.Output("sums", onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(row([]int64{2, 1}, 10, 20), row([]int64{2, 3, 1}, 1, 2, 3, 4, 5, 6), row([]int64{2, 3, 1}, 100, 200, 300, 400, 500, 600))}, [][]*tensor.Tensor{
			tensors(row([]int64{2, 1}, 16, 35), row([]int64{2, 3, 1}, -289, -187, -84, -576, -471, -365)),
		}},
	}
}

func TestLoops(t *testing.T) {
	for _, c := range loopModels() {
		t.Run(c.name, func(t *testing.T) { checkControl(t, c) })
	}
}

// endless is a model whose loop runs m times, or for ever if its condition does not end it.
func endless(b *Builder) {
	m, c, x := b.Input("m", onnxpb.Int64), b.Input("c", onnxpb.Bool), b.Input("x", onnxpb.Float, 2)
	b.NodeOut("Loop", "loop", ids(m, c, x), ids("y"), Graph("body", turns(ids("i", "c1", "a"), ids("c2", "b"),
		node("Identity", ids("c1"), ids("c2")), node("Add", ids("a", x), ids("b")))))
	b.Output("y", onnxpb.Float)
}

// TestManyTurns: a loop of more turns than functions may call each other deep, and one that is stopped.
func TestManyTurns(t *testing.T) {
	h, b := newHarness(t), New("endless", 17)
	endless(b)
	for _, s := range []settings{{target: target.Of("interp")}, {level: 0}, {level: 2}} {
		res, err := h.compile(h.importModel(b.Model()), s)
		if err != nil {
			t.Fatal(err)
		}
		prog := h.open(res.Artifact)
		in := func(m int64) []*tensor.Tensor {
			return tensors(i64([]int64{}, float64(m)), filled(dtype.BoolT, []int64{}, 1), f32([]int64{2}, 1, 2))
		}
		if out := h.run(prog, in(5000)); !slices.Equal(out[0].Floats(), []float64{5001, 10002}) {
			t.Errorf("%s: %v", s, out[0].Floats())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		start := time.Now()
		if _, err := prog.Run(ctx, "main", in(1<<40)...); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
			t.Errorf("%s: %v after %v", s, err, time.Since(start))
		}
		cancel()
		prog.Close()
		few, err := res.Artifact.Open(t.Context(), h.eng, runtime.DeviceOptions{}, vm.Options{MaxTurns: 100})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := few.Run(t.Context(), "main", in(1<<40)...); !errors.Is(err, vm.ErrTurns) {
			t.Errorf("%s: %v", s, err)
		}
		few.Close()
	}
}

func dynamicModels() []control {
	vec := func(list ...float64) *tensor.Tensor { return f32([]int64{int64(len(list))}, list...) }
	ints := func(list ...float64) *tensor.Tensor { return i64([]int64{int64(len(list))}, list...) }
	bools := func(list ...float64) *tensor.Tensor { return filled(dtype.BoolT, []int64{int64(len(list))}, list...) }
	scalar := func(v float64) *tensor.Tensor { return i64([]int64{}, v) }
	float := func(v float64) *tensor.Tensor { return f32([]int64{}, v) }
	// Two batches of four boxes, and two classes.
	boxes := f32([]int64{2, 4, 4}, 0, 0, 1, 1, 0, .1, 1, 1.1, 0, 10, 1, 11, 1, 1, 0, 0, 0, 0, 2, 2, 5, 5, 7, 7, 0, 0, 2, 1.9, 9, 9, 9, 9)
	scores := f32([]int64{2, 2, 4}, .9, .75, .6, .95, .1, .8, .8, .05, .5, .5, .6, 0, .3, .2, .1, .9)
	return []control{
		{"where elements are not zero, and as many rows taken", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", 3)
			at := b.Node("NonZero", "at", ids(x))
			b.Output(at, onnxpb.Int64)
			b.Output(b.Node("GatherND", "values", ids(x, b.Node("Transpose", "pairs", ids(at)))), onnxpb.Float)
			b.Output(b.Node("Shape", "shape", ids(at)), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(f32([]int64{2, 3}, 0, 2, math.Copysign(0, -1), 3, 0, math.NaN())), tensors(f32([]int64{1, 3})), tensors(f32([]int64{0, 3}))}, [][]*tensor.Tensor{
			tensors(i64([]int64{2, 3}, 0, 1, 1, 1, 0, 2), vec(2, 3, math.NaN()), ints(2, 3)), tensors(i64([]int64{2, 0}), vec(), ints(2, 0)), tensors(i64([]int64{2, 0}), vec(), ints(2, 0)),
		}},
		{"elements that a condition selects", func(b *Builder) {
			x, c := b.Input("x", onnxpb.Float, 3, 2), b.Input("c", onnxpb.Bool, "m")
			b.Output(b.Node("Compress", "rows", ids(x, c), Int("axis", 0)), onnxpb.Float)
			b.Output(b.Node("Compress", "flat", ids(x, c)), onnxpb.Float)
			rows := b.Node("Compress", "back", ids(x, c), Int("axis", -2))
			b.Output(b.Node("ReduceSum", "sum", ids(rows, b.Initializer("zero", Shape(0))), Int("keepdims", 0)), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(counted(3, 2), bools(1, 0, 1)), tensors(counted(3, 2), bools(0, 1)), tensors(counted(3, 2), bools(0, 0, 0))}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 2}, 0, 1, 4, 5), vec(0, 2), vec(4, 6)), tensors(f32([]int64{1, 2}, 2, 3), vec(1), vec(2, 3)), tensors(f32([]int64{0, 2}), vec(), vec(0, 0)),
		}},
		{"distinct elements in order, and as they come", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n")
			for k, sorted := range []int64{1, 0} {
				y := ids("a", "b", "c", "d")
				for i := range y {
					y[i] += string(rune('0' + k))
				}
				b.NodeOut("Unique", "unique"+y[0], ids(x), y, Int("sorted", sorted))
				b.Output(y[0], onnxpb.Float)
				for _, name := range y[1:] {
					b.Output(name, onnxpb.Int64)
				}
			}
		}, [][]*tensor.Tensor{tensors(vec(2, 1, 1, 3, 4, 3)), tensors(vec(5)), tensors(vec(7, 7, 7))}, [][]*tensor.Tensor{
			tensors(vec(1, 2, 3, 4), ints(1, 0, 3, 4), ints(1, 0, 0, 2, 3, 2), ints(2, 1, 2, 1), vec(2, 1, 3, 4), ints(0, 1, 3, 4), ints(0, 1, 1, 2, 3, 2), ints(1, 2, 2, 1)),
			tensors(vec(5), ints(0), ints(0), ints(1), vec(5), ints(0), ints(0), ints(1)), tensors(vec(7), ints(0), ints(0, 0, 0), ints(3), vec(7), ints(0), ints(0, 0, 0), ints(3)),
		}},
		{"distinct rows and columns", func(b *Builder) {
			x := b.Input("x", onnxpb.Int64, "n", 3)
			b.NodeOut("Unique", "rows", ids(x), ids("r", "ri", "rv", "rc"), Int("axis", 0))
			b.NodeOut("Unique", "columns", ids(x), ids("c", "", "cv"), Int("axis", -1), Int("sorted", 0))
			for _, name := range ids("r", "ri", "rv", "rc", "c", "cv") {
				b.Output(name, onnxpb.Int64)
			}
		}, [][]*tensor.Tensor{tensors(i64([]int64{4, 3}, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, -1, 1))}, [][]*tensor.Tensor{
			tensors(i64([]int64{3, 3}, 1, -1, 1, 1, 0, 1, 2, 3, 2), ints(3, 1, 0), ints(2, 1, 2, 0), ints(1, 1, 2), i64([]int64{4, 2}, 2, 3, 1, 0, 2, 3, 1, -1), ints(0, 1, 0)),
		}},
		{"bits of numbers that are computed, and sequences in turns that are written out", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, 2)
			y := b.Node("BitCast", "bits", ids(b.Node("Neg", "n", ids(x))), Int("to", int64(onnxpb.Int32)))
			b.Output(y, onnxpb.Int32)
			b.Output(b.Node("BitCast", "back", ids(b.Node("Add", "twice", ids(y, y))), Int("to", int64(onnxpb.Float))), onnxpb.Float)
			b.Output(b.Node("BitCast", "again", ids(b.Node("BitCast", "raw", ids(x), Int("to", int64(onnxpb.Uint32)))), Int("to", int64(onnxpb.Float))), onnxpb.Float)
			b.NodeOut("SequenceEmpty", "empty", nil, ids("none"))
			b.NodeOut("Loop", "loop", ids(b.Initializer("two", Ints(nil, 2)), "", "none"), ids("parts"), Graph("body", turns(ids("i", "c", "s"), ids("c", "t"),
				node("Cast", ids("i"), ids("f"), Int("to", 1)), node("Add", ids(x, "f"), ids("e")), node("SequenceInsert", ids("s", "e"), ids("t")))))
			b.Output(b.Node("ConcatFromSequence", "all", ids("parts"), Int("axis", 0), Int("new_axis", 1)), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(vec(-1, 2))}, [][]*tensor.Tensor{tensors(
			filled(dtype.Int32T, []int64{2}, 1065353216, -1073741824), vec(1.7014118e38, 0), vec(-1, 2), f32([]int64{2, 2}, -1, 2, 0, 3),
		)}},
		{"extents that are data", func(b *Builder) {
			x, to := b.Input("x", onnxpb.Float, "n", 1), b.Input("to", onnxpb.Int64, 2)
			b.Output(b.Node("Expand", "wide", ids(x, to)), onnxpb.Float)
			b.Output(b.Node("Tile", "tiled", ids(x, to)), onnxpb.Float)
			one := b.Node("ConstantOfShape", "ones", ids(to), Tensor("value", Floats([]int64{1}, 1)))
			b.Output(b.Node("ReduceSum", "count", ids(one), Int("keepdims", 0)), onnxpb.Float)
			b.Output(b.Node("Transpose", "places", ids(b.Node("NonZero", "all", ids(one)))), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(counted(2, 1), ints(2, 3)), tensors(counted(1, 1), ints(2, 0)), tensors(counted(2, 1), ints(1, 2))}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 3}, 0, 0, 0, 1, 1, 1), f32([]int64{4, 3}, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1), f32([]int64{}, 6), i64([]int64{6, 2}, 0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2)),
			tensors(f32([]int64{2, 0}), f32([]int64{2, 0}), f32([]int64{}, 0), i64([]int64{0, 2})),
			tensors(f32([]int64{2, 2}, 0, 0, 1, 1), f32([]int64{2, 2}, 0, 0, 1, 1), f32([]int64{}, 2), i64([]int64{2, 2}, 0, 0, 0, 1)),
		}},
		{"a shape that is data", func(b *Builder) {
			x, to, from := b.Input("x", onnxpb.Float, "n", 4), b.Input("to", onnxpb.Int64, 3), b.Input("from", onnxpb.Int64, 1)
			y := b.Node("Reshape", "y", ids(x, to))
			b.Output(y, onnxpb.Float)
			b.Output(b.Node("Reshape", "flat", ids(b.Node("Neg", "n", ids(y)), from)), onnxpb.Float)
			b.Output(b.Node("ReduceSum", "sum", ids(y, b.Initializer("two", Shape(2))), Int("keepdims", 0)), onnxpb.Float)
		}, [][]*tensor.Tensor{
			tensors(counted(1, 4), ints(2, 1, 2), ints(4)), tensors(counted(1, 4), ints(0, -1, 2), ints(-1)), tensors(counted(3, 4), ints(-1, 0, 1), ints(12)),
			tensors(counted(0, 4), ints(0, 2, 3), ints(-1)), tensors(counted(2, 4), ints(8, 1, -1), ints(8)),
		}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 1, 2}, 0, 1, 2, 3), vec(0, -1, -2, -3), f32([]int64{2, 1}, 1, 5)),
			tensors(f32([]int64{1, 2, 2}, 0, 1, 2, 3), vec(0, -1, -2, -3), f32([]int64{1, 2}, 1, 5)),
			tensors(f32([]int64{3, 4, 1}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), vec(0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11), f32([]int64{3, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)),
			tensors(f32([]int64{0, 2, 3}), vec(), f32([]int64{0, 2})),
			tensors(f32([]int64{8, 1, 1}, 0, 1, 2, 3, 4, 5, 6, 7), vec(0, -1, -2, -3, -4, -5, -6, -7), f32([]int64{8, 1}, 0, 1, 2, 3, 4, 5, 6, 7)),
		}},
		{"ranges of data", func(b *Builder) {
			start, limit, delta := b.Input("start", onnxpb.Int64), b.Input("limit", onnxpb.Int64), b.Input("delta", onnxpb.Int64)
			f, g, h := b.Input("f", onnxpb.Float), b.Input("g", onnxpb.Float), b.Input("h", onnxpb.Float)
			b.Output(b.Node("Range", "ints", ids(start, limit, delta)), onnxpb.Int64)
			b.Output(b.Node("Range", "to", ids(b.Initializer("zero", Ints(nil, 0)), limit, b.Initializer("one", Ints(nil, 1)))), onnxpb.Int64)
			b.Output(b.Node("Range", "floats", ids(f, g, h)), onnxpb.Float)
		}, [][]*tensor.Tensor{
			tensors(scalar(2), scalar(9), scalar(3), float(0), float(.3), float(.1)), tensors(scalar(5), scalar(-2), scalar(-2), float(1), float(-1), float(-.75)),
			tensors(scalar(5), scalar(5), scalar(7), float(1), float(2), float(-1)), tensors(scalar(-4), scalar(2), scalar(3), float(0), float(1), float(.1)),
		}, [][]*tensor.Tensor{
			tensors(ints(2, 5, 8), ints(0, 1, 2, 3, 4, 5, 6, 7, 8), vec(0, .1, .2, .3)), tensors(ints(5, 3, 1, -1), ints(), vec(1, .25, -.5)),
			tensors(ints(), ints(0, 1, 2, 3, 4), vec()), tensors(ints(-4, -1), ints(0, 1), vec(0, .1, .2, .3, .4, .5, .6, .7, .8, .9)),
		}},
		{"determinants", func(b *Builder) {
			b.Output(b.Node("Det", "det", ids(b.Input("x", onnxpb.Float, "n", 4, 4))), onnxpb.Float)
			b.Output(b.Node("Det", "one", ids(b.Input("y", onnxpb.Float, 1, 1))), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(f32([]int64{3, 4, 4},
			0, 2, 1, 3, 1, 0, 0, 2, 4, 1, -1, 0, 2, 2, 5, 1,
			1, 2, 3, 4, 2, 4, 6, 8, 0, 1, 0, 1, 5, 6, 7, 8,
			0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0), f32([]int64{1, 1}, 7))}, [][]*tensor.Tensor{tensors(vec(-94, 0, -1), float(7))}},
		{"random numbers", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", 3)
			b.Output(b.Node("RandomNormalLike", "normal", ids(x)), onnxpb.Float)
			b.Output(b.Node("Multinomial", "classes", ids(x), Int("sample_size", 40), Float("seed", 5)), onnxpb.Int32)
			b.Output(b.Node("Bernoulli", "flags", ids(x)), onnxpb.Float)
			b.Output(b.Node("Shape", "shape", ids(b.Node("RandomUniform", "uniform", nil, IntList("shape", 2, 0)))), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(f32([]int64{2, 3}, 1, 2, 3, 0, .5, .25)), tensors(f32([]int64{0, 3}))}, [][]*tensor.Tensor{{nil, nil, nil, ints(2, 0)}, {nil, nil, nil, ints(2, 0)}}},
		{"boxes that are not suppressed", func(b *Builder) {
			x, s := b.Input("boxes", onnxpb.Float, "b", "n", 4), b.Input("scores", onnxpb.Float, "b", "c", "n")
			m, iou, least := b.Input("m", onnxpb.Int64), b.Input("iou", onnxpb.Float), b.Input("least", onnxpb.Float)
			y := b.Node("NonMaxSuppression", "chosen", ids(x, s, m, iou, least))
			b.Output(y, onnxpb.Int64)
			b.Output(b.Node("NonMaxSuppression", "no_threshold", ids(x, s, m, iou)), onnxpb.Int64)
			b.Output(b.Node("NonMaxSuppression", "no_limit", ids(x, s)), onnxpb.Int64)
			b.Output(b.Node("NonMaxSuppression", "centers", ids(x, s, m, iou, least), Int("center_point_box", 1)), onnxpb.Int64)
			b.Output(b.Node("Gather", "which", ids(y, b.Initializer("two", Ints(nil, 2))), Int("axis", 1)), onnxpb.Int64)
		}, [][]*tensor.Tensor{tensors(boxes, scores, scalar(2), float(.5), float(.4))}, [][]*tensor.Tensor{tensors(
			i64([]int64{7, 3}, 0, 0, 3, 0, 0, 2, 0, 1, 1, 0, 1, 2, 1, 0, 2, 1, 0, 1, 1, 1, 3), i64([]int64{8, 3}, 0, 0, 3, 0, 0, 2, 0, 1, 1, 0, 1, 2, 1, 0, 2, 1, 0, 1, 1, 1, 3, 1, 1, 0), i64([]int64{0, 3}),
			i64([]int64{7, 3}, 0, 0, 3, 0, 0, 0, 0, 1, 1, 0, 1, 2, 1, 0, 2, 1, 0, 1, 1, 1, 3), ints(3, 2, 1, 2, 2, 1, 3),
		)}},
	}
}

func TestDynamic(t *testing.T) {
	for _, c := range slices.Concat(dynamicModels(), operandModels()) {
		t.Run(c.name, func(t *testing.T) { checkControl(t, c) })
	}
}

// TestControlWithoutPasses turns random sets of optional passes off.
func TestControlWithoutPasses(t *testing.T) {
	optional := steps(t, false)
	r := seed.Rand(t)
	for _, c := range slices.Concat(branchModels(), loopModels(), dynamicModels(), operandModels()) {
		h, b := newHarness(t), New("control", 17)
		c.build(b)
		mod := h.importModel(b.Model())
		for range seed.Times(2, 40) {
			s := settings{level: 2, verify: true}
			for _, name := range optional {
				if r.IntN(3) == 0 {
					s.disabled = append(s.disabled, name)
				}
			}
			outs, err := h.compileAndRun(mod, s, c.in)
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, s, err)
				continue
			}
			for k := range outs {
				for i, got := range outs[k] {
					if c.want[k][i] == nil {
						continue
					}
					if d, err := tensor.Compare(got, c.want[k][i], tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil || !d.OK() {
						t.Errorf("%s: %s: set %d: output %d is %v, want %v: %v", c.name, s, k, i, got.Floats(), c.want[k][i].Floats(), err)
					}
				}
			}
		}
	}
}
