package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestNaNPropagates runs operators on a matrix with a few NaNs at every level. What depends
// on a NaN must be NaN (of an index: the first NaN's), and nothing else may differ from the
// result for the same matrix without NaN.
func TestNaNPropagates(t *testing.T) {
	const rows, cols = 3, 37
	isNaN := func(r, c int) bool { return r == 1 && (c == 5 || c == 20 || c == 36) || r == 2 && c == 0 }
	ints := onnxbuild.IntList
	type node struct {
		op    string
		attrs []onnxpb.Attribute
		more  []string // operands behind x
		kind  string   // what an element of the result depends on
	}
	self, row, col := "element", "row", "column"
	nodes := []node{
		{"Relu", nil, nil, self},
		{"Elu", nil, nil, self},
		{"Selu", nil, nil, self},
		{"Celu", []onnxpb.Attribute{onnxbuild.Float("alpha", 2)}, nil, self},
		{"LeakyRelu", nil, nil, self},
		{"PRelu", nil, []string{"one"}, self},
		{"HardSigmoid", nil, nil, self},
		{"HardSwish", nil, nil, self},
		{"Sigmoid", nil, nil, self},
		{"Tanh", nil, nil, self},
		{"Erf", nil, nil, self},
		{"Exp", nil, nil, self},
		{"Softplus", nil, nil, self},
		{"Softsign", nil, nil, self},
		{"Mish", nil, nil, self},
		{"Gelu", nil, nil, self},
		{"Abs", nil, nil, self},
		{"Neg", nil, nil, self},
		{"Sign", nil, nil, self},
		{"Floor", nil, nil, self},
		{"Round", nil, nil, self},
		{"Max", nil, []string{"one"}, self},
		{"Min", nil, []string{"one"}, self},
		{"Max", nil, []string{"w"}, self},
		{"Min", nil, []string{"w"}, self},
		{"Clip", nil, []string{"low", "high"}, self},
		{"Clip", nil, []string{"low"}, self},
		{"Clip", nil, []string{"", "high"}, self},
		{"Sub", nil, []string{"x"}, self},
		{"Softmax", []onnxpb.Attribute{onnxbuild.Int("axis", 1)}, nil, row},
		{"Softmax", []onnxpb.Attribute{onnxbuild.Int("axis", 0)}, nil, col},
		{"LogSoftmax", []onnxpb.Attribute{onnxbuild.Int("axis", 1)}, nil, row},
	}
	for _, op := range []string{"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSumExp"} {
		nodes = append(nodes, node{op, nil, []string{"axis1"}, row}, node{op, nil, []string{"axis0"}, col})
	}
	for _, op := range []string{"ArgMax", "ArgMin"} {
		nodes = append(nodes, node{op, []onnxpb.Attribute{onnxbuild.Int("axis", 1)}, nil, "first"},
			node{op, []onnxpb.Attribute{onnxbuild.Int("axis", 1), onnxbuild.Int("select_last_index", 1)}, nil, "last"})
	}
	for _, op := range []string{"MaxPool", "AveragePool"} {
		nodes = append(nodes, node{op, []onnxpb.Attribute{ints("kernel_shape", 3), ints("pads", 1, 1)}, nil, "window"})
	}
	for _, pb := range []onnxpb.DataType{onnxpb.Float, onnxpb.Double, onnxpb.Float16, onnxpb.Bfloat16} {
		dt, err := pb.DType()
		if err != nil {
			t.Fatal(err)
		}
		b := onnxbuild.New("nan", 20)
		x := b.Input("x", pb, rows, cols)
		b.Input("w", pb, rows, cols)
		scalar := func(name string, v float64) {
			c := tensor.MustNew(dt)
			c.SetFloat(0, v)
			b.Initializer(name, onnxpb.Tensor{Type: pb, Data: c.Data})
		}
		scalar("one", 1)
		scalar("low", -0.5)
		scalar("high", 0.5)
		b.Initializer("axis0", onnxbuild.Shape(0))
		b.Initializer("axis1", onnxbuild.Shape(1))
		b.Initializer("axis2", onnxbuild.Shape(2))
		deep := b.Node("Unsqueeze", "deep", []string{x, "axis0"}) // a batch, for the pools
		for i, n := range nodes {
			in := x
			if n.kind == "window" {
				in = deep
			}
			y := fmt.Sprintf("y%d", i)
			out := pb
			if n.kind == "first" || n.kind == "last" {
				out = onnxpb.Int64
			}
			b.NodeOut(n.op, fmt.Sprintf("node%d", i), append([]string{in}, n.more...), []string{y}, n.attrs...)
			b.Output(y, out)
		}
		with, without := tensor.MustNew(dt, rows, cols), tensor.MustNew(dt, rows, cols)
		plain := tensor.MustNew(dt, rows, cols)
		for i := range rows * cols {
			v := float64((i*7)%23)/8 - 1.25
			without.SetFloat(i, v)
			plain.SetFloat(i, float64((i*5)%17)/8-1)
			if isNaN(i/cols, i%cols) {
				v = math.NaN()
			}
			with.SetFloat(i, v)
		}
		h := newHarness(t)
		mod := h.importModel(b.Model())
		for _, level := range levels() {
			outs, err := h.compileAndRun(mod, settings{level: level}, [][]*tensor.Tensor{{with, plain}, {without, plain}})
			if err != nil {
				t.Errorf("%s, level %d: %v", dt, level, err)
				continue
			}
			for k, n := range nodes {
				got, ref := outs[0][k], outs[1][k]
				for i := range got.Len() {
					g, want := got.Float(i), ref.Float(i)
					if got.DType == dtype.Int64T {
						g, want = float64(got.Int(i)), float64(ref.Int(i))
					}
					r := i
					if got.Len() == rows*cols {
						r = i / cols
					}
					switch nan, at := nanFor(n.kind, r, i%cols, rows, cols, isNaN); {
					case at >= 0:
						want = float64(at)
					case nan:
						want = math.NaN()
					}
					if g != want && (g == g || want == want) {
						t.Errorf("%s, level %d: %s %v by %s: element %d is %v, want %v", dt, level, n.op, n.more, n.kind, i, g, want)
						break
					}
				}
			}
		}
	}
}

// nanFor says whether what is in row r and column c of a result depends on a NaN, and, where
// the result is the index of a NaN in the row, which (else -1).
func nanFor(kind string, r, c, rows, cols int, isNaN func(r, c int) bool) (nan bool, at int) {
	among := func(r0, r1, c0, c1 int) (bool, int) {
		for r := r0; r < r1; r++ {
			for c := max(c0, 0); c < min(c1, cols); c++ {
				if isNaN(r, c) {
					return true, c
				}
			}
		}
		return false, -1
	}
	switch kind {
	case "element":
		nan, _ = among(r, r+1, c, c+1)
	case "window":
		nan, _ = among(r, r+1, c-1, c+2)
	case "column":
		nan, _ = among(0, rows, c, c+1)
	case "row":
		nan, _ = among(r, r+1, 0, cols)
	case "first":
		return among(r, r+1, 0, cols)
	case "last":
		for c := cols - 1; c >= 0; c-- {
			if isNaN(r, c) {
				return true, c
			}
		}
	}
	return nan, -1
}
