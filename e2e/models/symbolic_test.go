package models

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// symbolicCase is a model with symbolic dimensions and sizes for them that it must run with.
type symbolicCase struct {
	name  string
	model *onnxpb.Model
	sizes []map[string]int64
	bad   []map[string]int64 // refused when it runs
	exact bool               // nothing is left to check or to compute when it runs
}

// scaledDownAndUp adds what was pooled and resized again, as feature pyramids do: n//2*2 is n
// or the model is wrong.
func scaledDownAndUp() *onnxpb.Model {
	b := New("pyramid", 13)
	x := b.Input("x", onnxpb.Float, 1, 2, "n", 4)
	down := b.Node("MaxPool", "down", []string{x}, IntList("kernel_shape", 2, 2), IntList("strides", 2, 2))
	scales := b.Initializer("scales", Floats([]int64{4}, 1, 1, 2, 2))
	up := b.Node("Resize", "up", []string{down, "", scales}, Str("mode", "nearest"))
	sum := b.Node("Add", "sum", []string{x, up})
	b.Output(b.Node("Relu", "y", []string{sum}), onnxpb.Float)
	return b.Model()
}

// castExtents reshapes by an extent that went through int32, as models from TensorFlow do, and
// joins what it split. The extent is doubled in int32, where that might wrap, or in int64.
func castExtents(doubled onnxpb.DataType) *onnxpb.Model {
	b := New("casts", 13)
	x := b.Input("x", onnxpb.Float, "n", 4)
	shape := b.Node("Cast", "narrow", []string{b.Node("Shape", "shape", []string{x})}, Int("to", int64(onnxpb.Int32)))
	zero := b.Initializer("zero", Ints([]int64{1}, 0))
	n := b.Node("Gather", "n", []string{shape, zero}, Int("axis", 0))
	to := func(name, x string, t onnxpb.DataType) string {
		return b.Node("Cast", name, []string{x}, Int("to", int64(t)))
	}
	two := to("two", b.Initializer("two64", Ints([]int64{1}, 2)), doubled)
	twice := to("wide", b.Node("Mul", "twice", []string{to("n_to", n, doubled), two}), onnxpb.Int64)
	rest := b.Initializer("rest", Ints([]int64{1}, -1))
	halves := b.Node("Reshape", "halves", []string{x, b.Node("Concat", "to", []string{twice, rest}, Int("axis", 0))})
	b.NodeOut("Split", "parts", []string{halves}, []string{"left", "right"}, Int("axis", 1))
	joined := b.Node("Concat", "joined", []string{"right", "left"}, Int("axis", 1))
	back := b.Node("Reshape", "back", []string{joined, b.Node("Cast", "again", []string{shape}, Int("to", int64(onnxpb.Int64)))})
	b.Output(b.Node("Add", "y", []string{x, back}), onnxpb.Float)
	return b.Model()
}

// strided adds two ways through a convolution with stride 2 of odd and even extents.
func strided() *onnxpb.Model {
	b := New("strided", 13)
	x := b.Input("x", onnxpb.Float, "b", 3, "h", "w")
	conv := func(name string) string {
		return b.Node("Conv", name, []string{x, b.Weights(name+"_w", 0, 0.5, 5, 3, 3, 3)}, IntList("kernel_shape", 3, 3), IntList("strides", 2, 2), IntList("pads", 1, 1, 1, 1))
	}
	sum := b.Node("Add", "sum", []string{conv("a"), conv("c")})
	pool := b.Node("AveragePool", "pool", []string{sum}, IntList("kernel_shape", 3, 3), IntList("strides", 2, 2), IntList("pads", 1, 1, 1, 1))
	b.Output(b.Node("Softmax", "y", []string{pool}, Int("axis", 3)), onnxpb.Float)
	return b.Model()
}

// same adds convolutions and a pooling whose padding auto_pad leaves to their extents, which are the same for all.
func same(mode string, kernel, stride int64) *onnxpb.Model {
	b := New("same", 13)
	x := b.Input("x", onnxpb.Float, "b", 3, "h", "w")
	attrs := []onnxpb.Attribute{IntList("strides", stride, 2), Str("auto_pad", mode)}
	conv := b.Node("Conv", "conv", []string{x, b.Weights("w0", 0, 0.5, 3, 3, kernel, 3)}, append(attrs, IntList("kernel_shape", kernel, 3))...)
	wide := b.Node("Conv", "wide", []string{x, b.Weights("w1", 0, 0.5, 3, 3, kernel+1, 2)}, append(attrs, IntList("kernel_shape", kernel+1, 2))...)
	pool := b.Node("MaxPool", "pool", []string{b.Node("Neg", "neg", []string{b.Node("Exp", "exp", []string{x})})}, append(attrs, IntList("kernel_shape", kernel, 3))...)
	sum := b.Node("Add", "sum", []string{b.Node("Add", "convs", []string{conv, wide}), pool})
	// A second one, whose extents are ceil(ceil(h/s)/s).
	b.Output(b.Node("Conv", "y", []string{sum, b.Weights("w2", 0, 0.5, 2, 3, kernel, 3)}, append(attrs, IntList("kernel_shape", kernel, 3))...), onnxpb.Float)
	return b.Model()
}

// means are poolings whose padding auto_pad leaves to their extents, as is that of a convolution backwards.
func means(mode string, include int64) *onnxpb.Model {
	b := New("means", 22)
	x := b.Input("x", onnxpb.Float, "b", 3, "h", "w")
	attrs := []onnxpb.Attribute{IntList("strides", 2, 3), Str("auto_pad", mode), IntList("kernel_shape", 3, 4)}
	mean := b.Node("AveragePool", "mean", []string{x}, append(attrs, Int("count_include_pad", include))...)
	b.Output(b.Node("Add", "y", []string{mean, b.Node("LpPool", "norm", []string{x}, attrs...)}), onnxpb.Float)
	b.Output(b.Node("ConvTranspose", "z", []string{x, b.Weights("w", 0, 0.5, 3, 2, 3, 4)}, attrs...), onnxpb.Float)
	return b.Model()
}

// byteMeans is a convolution of bytes whose padding, by zero points, auto_pad leaves to its extents.
func byteMeans(mode string) *onnxpb.Model {
	b := New("bytes", 21)
	x := b.Input("x", onnxpb.Float, "b", 3, "h", "w")
	b.Initializer("s", Floats(nil, 0.02))
	b.Initializer("z", onnxpb.Tensor{Type: onnxpb.Uint8, Dims: []int64{}, Data: []byte{37}})
	b.Initializer("wz", onnxpb.Tensor{Type: onnxpb.Uint8, Dims: []int64{}, Data: []byte{5}})
	weights := make([]byte, 2*3*3*3)
	for i := range weights {
		weights[i] = byte(i*7) % 11
	}
	b.Initializer("w", onnxpb.Tensor{Type: onnxpb.Uint8, Dims: []int64{2, 3, 3, 3}, Data: weights})
	attrs := []onnxpb.Attribute{IntList("strides", 2, 2), Str("auto_pad", mode)}
	q := b.Node("QuantizeLinear", "q", []string{x, "s", "z"})
	b.Output(b.Node("ConvInteger", "sums", []string{q, "w", "z", "wz"}, attrs...), onnxpb.Int32)
	b.Output(b.Node("QLinearConv", "y", []string{q, "s", "z", "w", "s", "wz", "s", "z"}, attrs...), onnxpb.Uint8)
	return b.Model()
}

// unpooled puts maxima back where they were, in the shape that the input has.
func unpooled(order int64) *onnxpb.Model {
	b := New("unpooled", 13)
	x := b.Input("x", onnxpb.Float, "b", "c", "h", "w")
	window := []onnxpb.Attribute{IntList("strides", 2, 3), IntList("kernel_shape", 2, 3)}
	b.NodeOut("MaxPool", "pool", []string{x}, []string{"y", "i"}, append(window, Int("storage_order", order), IntList("pads", 1, 0, 0, 2), IntList("dilations", 1, 2))...)
	b.Output("i", onnxpb.Int64)
	b.NodeOut("MaxPool", "even", []string{x}, []string{"even_y", "even_i"}, window...)
	back := b.Node("MaxUnpool", "back", []string{"even_y", "even_i"}, window...)
	b.Output(back, onnxpb.Float)
	shape := b.Node("Add", "larger", []string{b.Node("Shape", "shape", []string{back}), b.Initializer("more", Ints([]int64{4}, 0, 0, 2, 1))})
	b.Output(b.Node("MaxUnpool", "wide", []string{"even_y", "even_i", shape}, window...), onnxpb.Float)
	return b.Model()
}

// cropped cuts and pads extents to constants and to each other.
func cropped() *onnxpb.Model {
	b := New("cropped", 18)
	x := b.Input("x", onnxpb.Float, "h", "w")
	b.Output(b.Node("CenterCropPad", "y", []string{x, b.Initializer("s", Ints([]int64{2}, 5, 4))}), onnxpb.Float)
	width := b.Node("Slice", "width", []string{b.Node("Shape", "shape", []string{x}), b.Initializer("one", Ints([]int64{1}, 1)), b.Initializer("two", Ints([]int64{1}, 2))})
	b.Output(b.Node("CenterCropPad", "z", []string{x, width}, IntList("axes", 0)), onnxpb.Float)
	return b.Model()
}

// resizedTo resizes images to sizes that are constants, those of the batch and the channels, too.
func resizedTo() *onnxpb.Model {
	b := New("resized", 13)
	x := b.Input("x", onnxpb.Float, "b", "c", "h", "w")
	b.Output(b.Node("Resize", "y", []string{x, "", "", b.Initializer("sizes", Ints([]int64{4}, 2, 3, 5, 6))}, Str("mode", "linear")), onnxpb.Float)
	return b.Model()
}

// halved exchanges the halves of an axis, whose sizes are computed from its extent, and those of a sequence of two parts whose sizes are data.
func halved() *onnxpb.Model {
	b := New("halved", 13)
	x := b.Input("x", onnxpb.Float, 2, "h", 3)
	b.Initializer("zero", Ints([]int64{1}, 0))
	b.Initializer("one", Ints([]int64{1}, 1))
	b.Initializer("two", Ints([]int64{1}, 2))
	h := b.Node("Gather", "h", []string{b.Node("Shape", "shape", []string{x}), "one"})
	half := b.Node("Div", "half", []string{h, "two"})
	sizes := b.Node("Concat", "sizes", []string{half, b.Node("Sub", "rest", []string{h, half})}, Int("axis", 0))
	b.NodeOut("Split", "split", []string{x, sizes}, []string{"upper", "lower"}, Int("axis", 1))
	b.Output(b.Node("Concat", "y", []string{"lower", "upper"}, Int("axis", 1)), onnxpb.Float)
	parts := b.Node("SplitToSequence", "parts", []string{x, sizes}, Int("axis", 1))
	b.Output(b.Node("SequenceAt", "z", []string{parts, "one"}), onnxpb.Float)
	return b.Model()
}

// scaledTo resizes an axis to an extent by a scale that is computed from its own.
func scaledTo() *onnxpb.Model {
	b := New("scaled", 13)
	x := b.Input("x", onnxpb.Float, 1, "c", "h", 2)
	b.Initializer("ones", Floats([]int64{2}, 1, 1))
	b.Initializer("twelve", Floats([]int64{1}, 12))
	b.Initializer("end", Floats([]int64{1}, 2))
	b.Initializer("at", Ints([]int64{1}, 2))
	h := b.Node("Cast", "float", []string{b.Node("Gather", "h", []string{b.Node("Shape", "shape", []string{x}), "at"})}, Int("to", int64(onnxpb.Float)))
	scales := b.Node("Concat", "scales", []string{"ones", b.Node("Div", "scale", []string{"twelve", h}), "end"}, Int("axis", 0))
	b.Output(b.Node("Resize", "y", []string{x, "", scales}, Str("mode", "linear")), onnxpb.Float)
	return b.Model()
}

// normalized is a normalization of as many channels as its operands say in turn.
func normalized(channels ...any) *onnxpb.Model {
	b := New("normalized", 17)
	in := []string{b.Input("x", onnxpb.Float, "n", channels[0], 2)}
	for i, c := range channels[1:] {
		in = append(in, b.Node("Exp", fmt.Sprint("e", i), []string{b.Input(fmt.Sprint("p", i), onnxpb.Float, c)}))
	}
	b.Output(b.Node("BatchNormalization", "y", in), onnxpb.Float)
	return b.Model()
}

func attentionReshape(t *testing.T) *onnxpb.Model {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "attention_reshape.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnxpb.Read(data, onnxpb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func symbolicCases(t *testing.T) []symbolicCase {
	ns := func(name string, vs ...int64) (out []map[string]int64) {
		for _, v := range vs {
			out = append(out, map[string]int64{name: v})
		}
		return out
	}
	images := []map[string]int64{{"b": 1, "h": 8, "w": 8}, {"b": 2, "h": 7, "w": 13}, {"b": 1, "h": 1, "w": 2}, {"b": 1, "h": 12, "w": 33}}
	return []symbolicCase{
		{name: "scaled down and up", model: scaledDownAndUp(), sizes: ns("n", 2, 4, 16, 34), bad: ns("n", 3, 17)},
		{name: "extents through int32", model: castExtents(onnxpb.Int64), sizes: ns("n", 1, 2, 7, 8, 9, 33), exact: true},
		{name: "extents computed in int32", model: castExtents(onnxpb.Int32), sizes: ns("n", 1, 7, 8, 33)},
		{name: "strided", model: strided(), sizes: []map[string]int64{
			{"b": 1, "h": 8, "w": 8}, {"b": 2, "h": 7, "w": 13}, {"b": 3, "h": 1, "w": 1}, {"b": 1, "h": 2, "w": 65},
		}},
		{name: "padded for as many", model: same("SAME_UPPER", 3, 2), sizes: images, exact: true},
		{name: "padded for as many in front", model: same("SAME_LOWER", 5, 3), sizes: images, exact: true},
		{name: "means of what is there", model: means("SAME_UPPER", 0), sizes: images, exact: true},
		{name: "means with padding in front", model: means("SAME_LOWER", 1), sizes: images, exact: true},
		{name: "bytes padded by their zero point", model: byteMeans("SAME_UPPER"), sizes: images},
		{name: "maxima put back", model: unpooled(0), sizes: []map[string]int64{{"b": 2, "c": 3, "h": 4, "w": 9}, {"b": 1, "c": 1, "h": 7, "w": 10}}, exact: true},
		{name: "maxima numbered by columns", model: unpooled(1), sizes: []map[string]int64{{"b": 2, "c": 3, "h": 4, "w": 9}, {"b": 1, "c": 1, "h": 7, "w": 10}}, exact: true},
		{name: "cropped and padded", model: cropped(), sizes: []map[string]int64{{"h": 5, "w": 4}, {"h": 8, "w": 1}, {"h": 2, "w": 9}, {"h": 0, "w": 7}}, exact: true},
		{name: "halves exchanged", model: halved(), sizes: ns("h", 1, 2, 7, 8)},
		{name: "scaled to an extent", model: scaledTo(), sizes: []map[string]int64{{"c": 2, "h": 3}, {"c": 1, "h": 12}, {"c": 3, "h": 24}}},
		{
			name: "images of other sizes", model: resizedTo(), sizes: []map[string]int64{{"b": 2, "c": 3, "h": 4, "w": 9}, {"b": 2, "c": 3, "h": 5, "w": 6}},
			bad: []map[string]int64{{"b": 1, "c": 3, "h": 5, "w": 6}, {"b": 2, "c": 1, "h": 5, "w": 6}},
		},
		{
			name: "channels that differ in name", model: normalized("a", "b", "c", "d", "e"), sizes: []map[string]int64{{"n": 2, "a": 3, "b": 3, "c": 3, "d": 3, "e": 3}, {"n": 1, "a": 1, "b": 1, "c": 1, "d": 1, "e": 1}},
			bad: []map[string]int64{{"n": 1, "a": 3, "b": 3, "c": 3, "d": 2, "e": 3}, {"n": 1, "a": 2, "b": 3, "c": 3, "d": 3, "e": 3}},
		},
		{name: "channels of which one is known", model: normalized("a", "b", 3, "c", "c"), sizes: []map[string]int64{{"n": 2, "a": 3, "b": 3, "c": 3}}, bad: []map[string]int64{{"n": 2, "a": 3, "b": 3, "c": 1}}},
		{name: "channels that are known", model: normalized(3, "b", "b", "b", "b"), sizes: []map[string]int64{{"n": 2, "b": 3}}, bad: []map[string]int64{{"n": 2, "b": 4}}},
		{name: "attention", model: attentionReshape(t), sizes: []map[string]int64{
			{"batch": 1, "tokens": 1}, {"batch": 3, "tokens": 5}, {"batch": 2, "tokens": 16}, {"batch": 5, "tokens": 33},
		}},
	}
}

// TestSymbolicModels runs models with symbolic dimensions: for each size they compute what the
// same model computes when it is imported for that size.
func TestSymbolicModels(t *testing.T) {
	for _, c := range symbolicCases(t) {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			mod := h.importModel(c.model)
			if text := script.Module(mod, script.Options{}).Source; c.exact && (strings.Contains(text, "match_cast") || strings.Contains(text, "Cast(")) {
				t.Errorf("an extent is not known to be equal to itself:\n%s", text)
			}
			for _, level := range levels() {
				s := settings{level: level, verify: true, readBack: level == 2}
				res, err := h.compile(mod, s)
				if err != nil {
					t.Fatalf("%s: %v", s, err)
				}
				prog := h.open(res.Artifact)
				for _, size := range c.sizes {
					in := inputsFor(t, c.model, size)
					got := h.run(prog, in)
					sameTensors(t, fmt.Sprintf("%s, %v", s, size), got, h.bound(c.model, size, in))
				}
				for _, size := range c.bad {
					_, err := prog.Run(context.Background(), "main", inputsFor(t, c.model, size)...)
					if err == nil || !strings.Contains(err.Error(), "match_cast") {
						t.Errorf("%s, %v: error %v, want one of match_cast", s, size, err)
					}
				}
				prog.Close()
			}
		})
	}
}

// bound runs the model imported for a size, at level 2.
func (h *harness) bound(m *onnxpb.Model, size map[string]int64, in []*tensor.Tensor) []*tensor.Tensor {
	h.tb.Helper()
	o := onnx.Options{Shapes: map[string][]onnx.Dim{}}
	for name, n := range size {
		o.Shapes[name] = []onnx.Dim{{Value: n}}
	}
	mod, err := onnx.Import(context.Background(), m, o)
	if err != nil {
		h.tb.Fatal(err)
	}
	outs, err := h.compileAndRun(mod, settings{level: 2}, [][]*tensor.Tensor{in})
	if err != nil {
		h.tb.Fatal(err)
	}
	return outs[0]
}

// inputsFor makes inputs of a model for sizes of its symbolic dimensions.
func inputsFor(t *testing.T, m *onnxpb.Model, size map[string]int64) []*tensor.Tensor {
	t.Helper()
	weights := map[string]bool{}
	for _, w := range m.Graph.Initializers {
		weights[w.Name] = true
	}
	var out []*tensor.Tensor
	for _, in := range m.Graph.Inputs {
		if weights[in.Name] {
			continue
		}
		var dims []int64
		for _, d := range in.Type.Tensor.Shape {
			if v, ok := size[d.Param]; ok {
				dims = append(dims, v)
				continue
			}
			dims = append(dims, d.Value)
		}
		dt, err := in.Type.Tensor.Elem.DType()
		if err != nil {
			t.Fatal(err)
		}
		x := tensor.MustNew(dt, dims...)
		x.Random(1)
		out = append(out, x)
	}
	return out
}

func sameTensors(t *testing.T, what string, got, want []*tensor.Tensor) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d outputs, want %d", what, len(got), len(want))
	}
	for i := range got {
		if fmt.Sprint(got[i].Shape) != fmt.Sprint(want[i].Shape) {
			t.Errorf("%s: output %d has shape %v, want %v", what, i, got[i].Shape, want[i].Shape)
			continue
		}
		for j := range got[i].Len() {
			if g, w := got[i].Float(j), want[i].Float(j); !(math.Abs(g-w) <= 1e-5+1e-4*math.Abs(w)) {
				t.Errorf("%s: output %d, element %d is %v, want %v", what, i, j, g, w)
				break
			}
		}
	}
}

// TestBroadcastAtRunTime: extents of which it is not known whether they are 1 are repeated by
// NumPy's rules, or refused.
func TestBroadcastAtRunTime(t *testing.T) {
	b := New("where", 13)
	c := b.Input("c", onnxpb.Bool, "a", "b")
	x := b.Input("x", onnxpb.Float, "k", "l")
	b.Output(b.Node("Where", "y", []string{c, x, b.Initializer("two", Floats([]int64{2, 1}, 10, 20))}), onnxpb.Float)
	h := newHarness(t)
	mod := h.importModel(b.Model())
	for _, level := range levels() {
		res, err := h.compile(mod, settings{level: level, verify: true, readBack: true})
		if err != nil {
			t.Fatal(err)
		}
		prog := h.open(res.Artifact)
		for _, rows := range [][2]int64{{1, 1}, {1, 2}, {2, 1}, {2, 2}} {
			for _, cols := range [][2]int64{{1, 1}, {1, 5}, {5, 1}, {5, 5}, {1, 0}, {0, 1}, {1, 17}} {
				cond, x := tensor.MustNew(dtype.BoolT, rows[0], cols[0]), tensor.MustNew(dtype.Float32T, rows[1], cols[1])
				for i := range cond.Len() {
					cond.SetInt(i, int64(i%2))
				}
				for i := range x.Len() {
					x.SetFloat(i, float64(i)+1)
				}
				n := cols[0]
				if n == 1 {
					n = cols[1]
				}
				want := tensor.MustNew(dtype.Float32T, 2, n)
				at := func(t *tensor.Tensor, i, j int64) int {
					return int(min(i, t.Shape[0]-1)*t.Shape[1] + min(j, t.Shape[1]-1))
				}
				for i := range int64(2) {
					for j := range n {
						v := float64(10 * (i + 1))
						if cond.Int(at(cond, i, j)) != 0 {
							v = x.Float(at(x, i, j))
						}
						want.SetFloat(int(i*n+j), v)
					}
				}
				what := fmt.Sprintf("level %d, condition %v, x %v", level, cond.Shape, x.Shape)
				sameTensors(t, what, h.run(prog, []*tensor.Tensor{cond, x}), []*tensor.Tensor{want})
			}
		}
		for _, dims := range [][4]int64{{3, 1, 1, 1}, {1, 1, 3, 1}, {1, 2, 1, 3}, {0, 1, 2, 1}} {
			_, err := prog.Run(context.Background(), "main", tensor.MustNew(dtype.BoolT, dims[0], dims[1]), tensor.MustNew(dtype.Float32T, dims[2], dims[3]))
			if err == nil || !strings.Contains(err.Error(), "match_cast") {
				t.Errorf("level %d, extents %v: error %v, want one of match_cast", level, dims, err)
			}
		}
		prog.Close()
	}
}

// TestCastThatMayWrap keeps a cast to int32 where the number need not fit: n*2^20 does not for
// n of 2^11.
func TestCastThatMayWrap(t *testing.T) {
	b := New("wraps", 13)
	x := b.Input("x", onnxpb.Bool, "n")
	shape := b.Node("Mul", "times", []string{b.Node("Shape", "shape", []string{x}), b.Initializer("c", Ints([]int64{1}, 1<<20))})
	narrow := b.Node("Cast", "narrow", []string{shape}, Int("to", int64(onnxpb.Int32)))
	b.Output(b.Node("Cast", "y", []string{narrow}, Int("to", int64(onnxpb.Int64))), onnxpb.Int64)
	h := newHarness(t)
	mod := h.importModel(b.Model())
	outs, err := h.compileAndRun(mod, settings{level: 2, verify: true}, [][]*tensor.Tensor{{tensor.MustNew(dtype.BoolT, 3)}, {tensor.MustNew(dtype.BoolT, 1<<11+1)}, {tensor.MustNew(dtype.BoolT, 1<<12)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{3 << 20, -1<<31 + 1<<20, 0} {
		if got := outs[i][0].Int(0); got != want {
			t.Errorf("set %d: %d, want %d", i, got, want)
		}
	}
}

// TestResizeByData has scales that are inputs: they must leave nothing over, and images are resized, not what they are stacked by.
func TestResizeByData(t *testing.T) {
	b := New("resize", 13)
	b.Output(b.Node("Resize", "y", []string{b.Input("x", onnxpb.Float, 1, 1, "h", 1), "", b.Input("scales", onnxpb.Float, 4)}, Str("mode", "nearest"), Str("coordinate_transformation_mode", "asymmetric")), onnxpb.Float)
	h := newHarness(t)
	res, err := h.compile(h.importModel(b.Model()), settings{level: 2, verify: true})
	if err != nil {
		t.Fatal(err)
	}
	prog := h.open(res.Artifact)
	defer prog.Close()
	scales := func(s ...float32) *tensor.Tensor { return tensor.MustOf([]int64{4}, s) }
	column := func(v ...float32) *tensor.Tensor { return tensor.MustOf([]int64{1, 1, int64(len(v)), 1}, v) }
	got := h.run(prog, []*tensor.Tensor{column(1, 2, 3, 4), scales(1, 1, .5, 2)})
	sameTensors(t, "half the rows", got, []*tensor.Tensor{tensor.MustOf([]int64{1, 1, 2, 2}, []float32{1, 1, 3, 3})})
	for what, in := range map[string][]*tensor.Tensor{
		"half of an odd extent": {column(1, 2, 3), scales(1, 1, .5, 1)}, "another batch": {column(1, 2), scales(2, 1, 1, 1)}, "other channels": {column(1, 2), scales(1, 3, 1, 1)},
	} {
		if _, err := prog.Run(context.Background(), "main", in...); err == nil || !strings.Contains(err.Error(), "match_cast") {
			t.Errorf("%s: error %v, want one of match_cast", what, err)
		}
	}
}
