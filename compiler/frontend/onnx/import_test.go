package onnx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/arith"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
)

// importFn imports the builder's model as it would be read from a file, and returns main.
func importFn(t *testing.T, b *ob.Builder, o Options) *relax.Function {
	t.Helper()
	f, err := tryImport(t, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tryImport(t *testing.T, b *ob.Builder, o Options) (*relax.Function, error) {
	t.Helper()
	m, err := onnxpb.Read(b.Bytes(), onnxpb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := Import(t.Context(), m, o)
	if err != nil {
		return nil, err
	}
	return ir.MustLookup[*relax.Function](mod, "main"), nil
}

// bindings lists what main binds: name, operator and struct info.
func bindings(f *relax.Function) (out []string) {
	for _, blk := range f.Body.Blocks {
		for _, b := range blk.Bindings {
			what := fmt.Sprintf("%T", b.BoundValue())
			if c, ok := b.BoundValue().(*relax.Call); ok {
				what = c.Op.(*ir.Op).Name
			}
			out = append(out, fmt.Sprintf("%s = %s: %s", b.Bound().Name, what, relax.FormatSInfo(b.Bound().SInfo)))
		}
	}
	return out
}

func wantBindings(t *testing.T, f *relax.Function, want ...string) {
	t.Helper()
	if got := bindings(f); !slices.Equal(got, want) {
		t.Errorf("got:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestModels imports every model there is and compares the shapes of the results with the
// expected outputs.
func TestModels(t *testing.T) {
	cases := onnxtest.Gallery(t)
	t.Run("gallery", func(t *testing.T) { testModels(t, cases) })
	t.Run("real", func(t *testing.T) { testModels(t, onnxtest.Real(t)) })
	t.Run("light", func(t *testing.T) { testModels(t, onnxtest.Light(t)) })
}

func testModels(t *testing.T, cases []onnxtest.Case) {
	for _, c := range cases {
		seeded := c.Seeded
		c.Seeded = false // weights by ConstantOfShape, as published: the values do not matter here
		m := c.Model(t)
		if seeded && len(c.Sets[0].Outputs) == 2 {
			onnxtest.OutputLogits(m)
		}
		shapes := map[string][]Dim{}
		in := dataInput(m)
		for _, d := range c.Sets[0].Inputs[0].Dims {
			shapes[in.Name] = append(shapes[in.Name], Dim{Value: d})
		}
		start := time.Now()
		mod, err := Import(t.Context(), m, Options{Shapes: shapes})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		took := time.Since(start)
		f := ir.MustLookup[*relax.Function](mod, "main")
		fields := []relax.StructInfo{f.Ret}
		if tup, ok := f.Ret.(*relax.TupleStructInfo); ok {
			fields = tup.Fields
		}
		for i, want := range c.Sets[0].Outputs {
			d, err := want.Type.DType()
			if err != nil {
				t.Fatal(err)
			}
			if info := relax.StaticTensor(d, want.Dims...); !relax.EqualSInfo(fields[i], info) {
				t.Errorf("%s: output %d is %s, want %s", c.Name, i, relax.FormatSInfo(fields[i]), relax.FormatSInfo(info))
			}
		}
		for _, blk := range f.Body.Blocks {
			for _, b := range blk.Bindings {
				if o := mod.Origins().Get(b.Meta().Origin); o.Name == "" || o.Op == "" {
					t.Errorf("%s: the binding of %s has no origin", c.Name, b.Bound().Name)
				}
			}
		}
		wellFormed(t, c.Name, mod)
		t.Logf("%s: %v, %d bindings", c.Name, took, len(bindings(f)))
	}
}

// wellFormed verifies a module, the inferred struct info included.
func wellFormed(t *testing.T, name string, mod *ir.Module) {
	t.Helper()
	for _, d := range relax.WellFormed(mod, relax.VerifyOpts{Ops: op.Table(), Prover: arith.NewAnalyzer(), SInfo: true}) {
		t.Errorf("%s: %v", name, d)
	}
}

// dataInput returns the first input that is no initializer.
func dataInput(m *onnxpb.Model) onnxpb.ValueInfo {
	weights := map[string]bool{}
	for _, t := range m.Graph.Initializers {
		weights[t.Name] = true
	}
	i := slices.IndexFunc(m.Graph.Inputs, func(v onnxpb.ValueInfo) bool { return !weights[v.Name] })
	return m.Graph.Inputs[i]
}

func TestSymbolicBatch(t *testing.T) {
	b := ob.New("g", 17)
	x := b.Input("x", onnxpb.Float, "batch", 3, 4)
	x = b.Node("Relu", "/relu", []string{x})
	shape := b.Node("Shape", "/shape", []string{x})
	first := b.Node("Gather", "/first", []string{shape, b.Initializer("zero", ob.Ints(nil, 0))}, ob.Int("axis", 0))
	first = b.Node("Unsqueeze", "/unsqueeze", []string{first, b.Initializer("axes", ob.Shape(0))})
	rest := b.Initializer("rest", ob.Shape(-1))
	target := b.Node("Concat", "/concat", []string{first, rest}, ob.Int("axis", 0))
	b.NodeOut("Reshape", "/reshape", []string{x, target}, []string{"y"})
	b.Output("y", onnxpb.Float, "batch", 12)
	wantBindings(t, importFn(t, b, Options{}),
		`relu = relax.nn.relu: Tensor((batch, 3, 4), "float32")`,
		`y = relax.reshape: Tensor((batch, 12), "float32")`)
	wantBindings(t, importFn(t, b, Options{Shapes: map[string][]Dim{"x": {{Value: 5}, {Value: 3}, {Value: 4}}}}),
		`relu = relax.nn.relu: Tensor((5, 3, 4), "float32")`,
		`y = relax.reshape: Tensor((5, 12), "float32")`)
	wantBindings(t, importFn(t, b, Options{Shapes: map[string][]Dim{"batch": {{Value: 2}}}}),
		`relu = relax.nn.relu: Tensor((2, 3, 4), "float32")`,
		`y = relax.reshape: Tensor((2, 12), "float32")`)
}

func TestSoftmaxBefore13(t *testing.T) {
	for _, tc := range []struct {
		opset int64
		dims  []any
		want  []string
	}{
		{9, []any{1, 10, 1, 1}, []string{`y = relax.nn.softmax: Tensor((1, 10, 1, 1), "float32")`}},
		{9, []any{2, 3, 4}, []string{
			`y_reshape = relax.reshape: Tensor((2, 12), "float32")`,
			`y_softmax = relax.nn.softmax: Tensor((2, 12), "float32")`,
			`y = relax.reshape: Tensor((2, 3, 4), "float32")`,
		}},
		{13, []any{2, 3, 4}, []string{`y = relax.nn.softmax: Tensor((2, 3, 4), "float32")`}},
	} {
		b := ob.New("g", tc.opset)
		b.NodeOut("Softmax", "s", []string{b.Input("x", onnxpb.Float, tc.dims...)}, []string{"y"})
		b.Output("y", onnxpb.Float, tc.dims...)
		wantBindings(t, importFn(t, b, Options{}), tc.want...)
	}
}

func TestHardmaxBefore13(t *testing.T) {
	wantBindings(t, importFn(t, one(11, "Hardmax", nil, "x:f:n 3 4"), Options{}),
		`y_reshape = relax.reshape: Tensor((n, 12), "float32")`,
		`y_argmax = relax.argmax: Tensor((n, 1), "int64")`,
		`y_arange = relax.arange: Tensor((12,), "int64")`,
		`y_reshape_1 = relax.reshape: Tensor((1, 12), "int64")`,
		`y_equal = relax.equal: Tensor((n, 12), "bool")`,
		`y_astype = relax.astype: Tensor((n, 12), "float32")`,
		`y = relax.reshape: Tensor((n, 3, 4), "float32")`)
}

// one builds a model of one node with the given inputs, each a name and a shape.
func one(opset int64, op string, attrs []onnxpb.Attribute, inputs ...string) *ob.Builder {
	b := ob.New("g", opset)
	var names []string
	for _, in := range inputs {
		name, spec, given := strings.Cut(in, ":")
		names = append(names, name)
		if !given {
			continue
		}
		typ, shape, _ := strings.Cut(spec, ":")
		var dims []any
		for _, f := range strings.Fields(shape) {
			var d int
			if _, err := fmt.Sscan(f, &d); err != nil {
				dims = append(dims, f)
				continue
			}
			dims = append(dims, d)
		}
		b.Input(name, map[string]onnxpb.DataType{"f": onnxpb.Float, "i": onnxpb.Int64, "b": onnxpb.Bool, "s": onnxpb.String}[typ], dims...)
	}
	b.NodeOut(op, "node", names, []string{"y"}, attrs...)
	b.Output("y", onnxpb.Undefined)
	return b
}

func TestErrors(t *testing.T) {
	attrs := func(as ...onnxpb.Attribute) []onnxpb.Attribute { return as }
	x := "x:f:1 3 8 8"
	for _, tc := range []struct {
		name string
		b    *ob.Builder
		want string
	}{
		{"operator", one(17, "Convv", nil, x), `graph.node[0]: Convv "node" (operator set 17): the operator is not supported; did you mean Conv?`},
		{"domain", func() *ob.Builder {
			b := one(17, "Gelu", nil, x)
			b.Model().Graph.Nodes[0].Domain = "com.example"
			return b
		}(), `com.example.Gelu "node" (operator set 0): operators of the domain "com.example" are not supported; did you mean Gelu?`},
		{"layout of a processor", one(17, "com.microsoft.nchwc.Conv", nil, x), `com.microsoft.nchwc.Conv "node" (operator set 1): ONNX Runtime has put the weights in the order of one processor; save the model with the graph optimization level extended, or use the original; `},
		{"plugin", one(17, "EfficientNMS_TRT", nil, x), `EfficientNMS_TRT "node" (operator set 17): it is a plugin of TensorRT; export the model with NonMaxSuppression, or without the selection of boxes`},
		{"attribute", one(17, "Relu", attrs(ob.Int("alpha", 1)), x), `unknown attribute "alpha"; Relu has none`},
		{"attribute type", one(17, "Softmax", attrs(ob.Float("axis", 1)), x), `attribute "axis" is of type float, expected int`},
		{"attribute value", one(17, "Pad", attrs(ob.Str("mode", "mirror")), x, "p:i:8"), `attribute "mode" is "mirror", supported are "constant", "reflect", "edge" and "wrap"`},
		{"too few inputs", one(17, "Add", nil, x), `has 1 inputs, expected 2`},
		{"missing input", one(17, "Conv", nil, x, ""), `input 1 is missing`},
		{"too many inputs", one(17, "Relu", nil, "x1:f:3", "x2:f:3"), `has 2 inputs, expected 1`},
		{"element type", one(17, "Add", nil, x, "z:i:8"), `inputs 0 and 1 have element types float32 and int64, expected the same`},
		{"bool arithmetic", one(17, "Add", nil, "a:b:3", "c:b:3"), `has element type bool, expected a number`},
		{"string", one(17, "Identity", nil, "a:s:3"), `graph.input[0]: input "a": element type string has no counterpart`},
		{"broadcast", one(17, "Add", nil, "a:f:3", "c:f:4"), `relax.add`},
		{"channels", one(17, "Conv", nil, x, "w:f:4 2 3 3"), `the input has 3 channels, but the weights of shape (4, 2, 3, 3) in 1 groups take 2`},
		{"window", one(17, "MaxPool", attrs(ob.IntList("kernel_shape", 9, 9)), x), `the window covers 9 elements of spatial axis 0, but the padded input has 8`},
		{"kernel", one(17, "MaxPool", attrs(ob.IntList("kernel_shape", 3)), x), `attribute "kernel_shape" has 1 numbers, expected 2`},
		{"pads", one(17, "MaxPool", attrs(ob.IntList("kernel_shape", 3, 3), ob.IntList("pads", -1, 0, 0, 0)), x), `only pads of 0 or more`},
		{"data-dependent", one(17, "Reshape", nil, x, "s:i:n"), `the shape (input 1, "s") depends on data and has shape (n,), expected at most 16 numbers, whose count is known`},
		{"axis", one(17, "Softmax", attrs(ob.Int("axis", 4)), x), `axis 4 is out of range for 4 dimensions`},
		{"batch_dims", one(17, "GatherND", attrs(ob.Int("batch_dims", math.MaxInt64)), x, "i:i:2 1"), `the indices of shape (2, 1) do not fit an input of 4 dimensions`},
		{"perm", one(17, "Transpose", attrs(ob.IntList("perm", 0, 1, 1, 3)), x), `axis 1 is given twice`},
		{"undefined", one(17, "Tile", nil, x, "r"), `input "r" is not defined`},
		{"old opset", one(0, "Relu", nil, x), `operator set 0 is not supported; 1 to 28 are`},
		{"new opset", one(29, "Relu", nil, x), `operator set 29 is not supported`},
		{"no shape", func() *ob.Builder {
			b := one(17, "Relu", nil, "x:f:3")
			b.Model().Graph.Inputs[0].Type.Tensor.HasShape = false
			return b
		}(), `input "x" declares no shape: give one, such as 1x3x224x224`},
		{"no output", func() *ob.Builder {
			b := one(17, "Relu", nil, "x:f:3")
			b.Model().Graph.Outputs = nil
			return b
		}(), `the graph has no output`},
		{"wrong output type", func() *ob.Builder {
			b := one(17, "Relu", nil, "x:f:3")
			b.Model().Graph.Outputs[0].Type = ob.TypeOf(onnxpb.Int64, 3)
			return b
		}(), `graph.output[0]: "y" is declared as int64, but is computed as float32`},
		{"undefined output", func() *ob.Builder {
			b := one(17, "Relu", nil, "x:f:3")
			b.Output("z", onnxpb.Float, 3)
			return b
		}(), `graph.output[1]: "z" is not defined`},
		{"duplicate", func() *ob.Builder {
			b := one(17, "Relu", nil, "x:f:3")
			b.NodeOut("Abs", "again", []string{"x"}, []string{"y"})
			return b
		}(), `graph.node[1]: Abs "again" (operator set 17): output "y" is also an output of graph.node[0]`},
		{"shadows an input", func() *ob.Builder {
			b := one(17, "Relu", nil, "x:f:3")
			b.NodeOut("Abs", "again", []string{"y"}, []string{"x"})
			return b
		}(), `output "x" is also an input or initializer`},
		{"misspelt", func() *ob.Builder {
			b := one(17, "Relu", nil, "hidden:f:3")
			b.NodeOut("Abs", "abs", []string{"hiden"}, []string{"z"})
			return b
		}(), `input "hiden" is not defined; did you mean "hidden"?`},
		{"cycle", func() *ob.Builder {
			b := ob.New("g", 17)
			b.Input("x", onnxpb.Float, 3)
			b.NodeOut("Add", "first", []string{"x", "b"}, []string{"a"})
			b.NodeOut("Relu", "second", []string{"a"}, []string{"b"})
			b.Output("b", onnxpb.Float, 3)
			return b
		}(), `graph has a cycle of 2 nodes: the node depends on graph.node[`},
		{"self", func() *ob.Builder {
			b := ob.New("g", 17)
			b.Input("x", onnxpb.Float, 3)
			b.NodeOut("Add", "first", []string{"x", "a"}, []string{"a"})
			b.Output("a", onnxpb.Float, 3)
			return b
		}(), `the node uses its own output`},
		{"norm", one(17, "LpNormalization", attrs(ob.Int("p", 3)), x), `LpNormalization "node" (operator set 17): attribute "p" is 3, expected 1 or 2`},
		{"power", one(17, "GlobalLpPool", attrs(ob.Int("p", 0)), x), `attribute "p" is 0, expected 1 to 64`},
		{"eye", one(17, "EyeLike", nil, x), `input 0 ("x") has 4 dimensions, expected 2`},
		{"crop of all axes", func() *ob.Builder {
			b := one(18, "CenterCropPad", nil, "x:f:1 8", "s")
			b.Initializer("s", ob.Shape(7))
			return b
		}(), `shape (input 1) has 1 extents for 2 axes, expected one for each`},
		{"cache", one(24, "TensorScatter", nil, "c:f:2 8 4", "u:f:2 3 5"), `past_cache (input 0) and update (input 1) have shapes (2, 8, 4) and (2, 3, 5), expected the same but for axis 1`},
		{"cache axis", one(24, "TensorScatter", attrs(ob.Int("axis", 0)), "c:f:2 8 4", "u:f:2 3 4"), `attribute "axis" names axis 0, which is the batch`},
		{"window size", func() *ob.Builder {
			b := one(17, "HannWindow", nil, "s")
			b.Initializer("s", ob.Ints(nil, -1))
			return b
		}(), `size (input 0) is -1, expected 0 to 16777216`},
		{"window type", func() *ob.Builder {
			b := one(17, "HannWindow", attrs(ob.Int("output_datatype", 7)), "s")
			b.Initializer("s", ob.Ints(nil, 5))
			return b
		}(), `attribute "output_datatype" names int64, expected a floating-point type`},
		{"transform axis", one(17, "DFT", nil, "x:f:2 n 1"), `DFT "node" (operator set 17): the axis that is transformed is 1 with the extent n, expected one before the last`},
		{"transform parts", one(17, "DFT", nil, "x:f:2 8 3"), `the last axis of input 0 has extent 3, expected 1 for real numbers or 2 for complex ones`},
		{"transform size", one(17, "DFT", nil, "x:f:2 8000 1"), `the transform of length 8000 takes a matrix of 128000000 elements; the limit is 16777216`},
		{"transform back", one(17, "DFT", attrs(ob.Int("inverse", 1), ob.Int("onesided", 1)), "x:f:2 8 1"), `attributes "inverse" and "onesided" are both 1`},
		{"transform of complex", one(17, "DFT", attrs(ob.Int("onesided", 1)), "x:f:2 8 2"), `attribute "onesided" is 1 for complex numbers`},
		{"frames", func() *ob.Builder {
			b := one(17, "STFT", nil, "x:f:2 8 1", "s", "w:f:9")
			b.Initializer("s", ob.Ints(nil, 2))
			return b
		}(), `a frame has 9 elements, but the signal only 8`},
		{"no frames", func() *ob.Builder {
			b := one(17, "STFT", nil, "x:f:2 8 1", "s")
			b.Initializer("s", ob.Ints(nil, 2))
			return b
		}(), `frame_length (input 3) is left out, and there is no window (input 2) that gives it`},
		{"blocks", func() *ob.Builder {
			b := one(18, "Col2Im", nil, "x:f:1 8 5", "i", "k")
			b.Initializer("i", ob.Shape(4, 4))
			b.Initializer("k", ob.Shape(2, 2))
			return b
		}(), `Col2Im "node" (operator set 18): input 0 has 5 columns, expected 9, one for each block`},
		{"rows of blocks", func() *ob.Builder {
			b := one(18, "Col2Im", nil, "x:f:1 n 9", "i", "k")
			b.Initializer("i", ob.Shape(4, 4))
			b.Initializer("k", ob.Shape(2, 2))
			return b
		}(), `rows for blocks of 4 elements, expected a constant multiple of that`},
		{"labels", one(17, "SoftmaxCrossEntropyLoss", nil, "x:f:2 3 4", "l:i:2 5"), `scores (input 0) and labels (input 1) have shapes (2, 3, 4) and (2, 5), expected the same but for axis 1 of the scores`},
		{"unpooled shape", func() *ob.Builder {
			b := one(11, "MaxUnpool", attrs(ob.IntList("kernel_shape", 2)), "x:f:1 1 4", "i:i:1 1 4", "s")
			b.Initializer("s", ob.Shape(1, 1, 4))
			return b
		}(), `output_shape (input 2) is (1, 1, 4), expected extents that hold the shape (1, 1, 5)`},
		{"huge shape", func() *ob.Builder {
			b := ob.New("g", 17)
			b.Initializer("s", ob.Shape(1<<20, 1<<20, 1<<20))
			b.NodeOut("ConstantOfShape", "fill", []string{"s"}, []string{"y"})
			b.Output("y", onnxpb.Float)
			return b
		}(), `ConstantOfShape "fill" (operator set 17): shape [1048576 1048576 1048576] has more than`},
		{"2^40 elements", one(17, "Relu", nil, "x:f:1048576 1048576"), `graph.input[0]: input "x": shape (1048576, 1048576) has 1099511627776 elements; the limit is 2147483648`},
		{"2^40 elements inside", one(17, "Add", nil, "x:f:1048576 1", "y1:f:1 1048576"), `has 1099511627776 elements; the limit is 2147483648`},
		{"overflowing tile", func() *ob.Builder {
			b := one(17, "Tile", nil, "x:f:1 2 3", "r")
			b.Initializer("r", ob.Shape(1<<40, 1<<40, 1<<40))
			return b
		}(), `Tile "node" (operator set 17): relax.tile: attribute repeats`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := tryImport(t, tc.b, Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestOptionErrors(t *testing.T) {
	b := one(17, "Relu", nil, "x:f:batch 3")
	for want, o := range map[string]Options{
		`"z", which is neither an input nor a symbolic dimension; these are: "x" and "batch"`: {Shapes: map[string][]Dim{"z": {{Value: 1}}}},
		`has 1 dimensions, but the model declares 2`:                                          {Shapes: map[string][]Dim{"x": {{Value: 1}}}},
		`dimension 1 of input "x" is 3 in the model and cannot be changed`:                    {Shapes: map[string][]Dim{"x": {{Value: 1}, {Value: 4}}}},
		`"batch" is given as both 1 and 2`:                                                    {Shapes: map[string][]Dim{"batch": {{Value: 1}}, "x": {{Value: 2}, {Value: 3}}}},
		`"z", which is not an input of the graph`:                                             {Bind: map[string]*onnxpb.Tensor{"z": {Type: onnxpb.Float}}},
		`has element type int64, expected float32`:                                            {Bind: map[string]*onnxpb.Tensor{"x": {Type: onnxpb.Int64}}},
	} {
		if _, err := tryImport(t, b, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Import(ctx, b.Model(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after canceling: %v", err)
	}
}

func TestUnsortedNodes(t *testing.T) {
	b := ob.New("g", 17)
	b.Input("x", onnxpb.Float, 3)
	b.NodeOut("Relu", "last", []string{"a"}, []string{"y"})
	b.NodeOut("Abs", "first", []string{"x"}, []string{"a"})
	b.Output("y", onnxpb.Float, 3)
	wantBindings(t, importFn(t, b, Options{}),
		`first = relax.abs: Tensor((3,), "float32")`, `y = relax.nn.relu: Tensor((3,), "float32")`)
}

// TestLongChain imports as many nodes as are allowed, one behind the other.
func TestLongChain(t *testing.T) {
	b := ob.New("g", 17)
	x := b.Input("x", onnxpb.Float, 3)
	for i := range maxNodes {
		x = b.NodeOut("Relu", "", []string{x}, []string{fmt.Sprintf("r%d", i)})
	}
	b.Output(x, onnxpb.Float, 3)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := importFn(t, b, Options{})
	runtime.ReadMemStats(&after)
	if n := len(f.Body.Blocks[0].Bindings); n != maxNodes {
		t.Errorf("%d bindings, want %d", n, maxNodes)
	}
	if perNode := (after.TotalAlloc - before.TotalAlloc) / maxNodes; perNode > 8<<10 {
		t.Errorf("%d bytes were allocated for each node", perNode)
	}
	b.NodeOut("Relu", "", []string{x}, []string{"one_more"})
	if _, err := tryImport(t, b, Options{}); err == nil || !strings.Contains(err.Error(), "100001 nodes; the limit is 100000") {
		t.Errorf("one node more: %v", err)
	}
}

// TestHostile imports models that are small but ask for much.
func TestHostile(t *testing.T) {
	pools := func(n int) *ob.Builder {
		b := ob.New("g", 17)
		x := b.Input("x", onnxpb.Float, 1, 1, "h", "w")
		for i := range n {
			x = b.Node("MaxPool", fmt.Sprint("p", i), []string{x}, ob.IntList("kernel_shape", 3, 3), ob.IntList("strides", 2, 2), ob.IntList("pads", 1, 1, 1, 1))
		}
		b.Output(x, onnxpb.Float)
		return b
	}
	doubling := func(n int) *ob.Builder {
		b := ob.New("g", 17)
		x := b.Node("Shape", "shape", []string{b.Input("x", onnxpb.Float, "n", "m")})
		for i := range n {
			x = b.Node("Add", fmt.Sprint("a", i), []string{x, x})
		}
		b.Output(x, onnxpb.Int64)
		return b
	}
	longShapes := func(n int) *ob.Builder {
		b := ob.New("g", 17)
		x := b.Node("Range", "range", []string{b.Initializer("zero", ob.Ints(nil, 0)), b.Initializer("top", ob.Ints(nil, 4000)), b.Initializer("one", ob.Ints(nil, 1))})
		for i := range n {
			x = b.Node("Add", fmt.Sprint("a", i), []string{x, "one"})
		}
		b.Output(x, onnxpb.Int64)
		return b
	}
	wide := ob.New("g", 17)
	x := wide.Input("x", onnxpb.Float, 2)
	wide.NodeOut("Sum", "sum", slices.Repeat([]string{x}, 100_000), []string{"y"})
	wide.Output("y", onnxpb.Float)
	for name, b := range map[string]*ob.Builder{
		"symbolic pools": pools(5_000), "doubling": doubling(20_000), "long shapes": longShapes(50_000), "wide sum": wide,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := tryImport(t, b, Options{})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			mib := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%v, %d MiB: %v", took, mib, err)
			// The bounds are a second and 256 MiB; other work on the machine takes its share of time.
			if took > 10*time.Second || mib > 512 {
				t.Errorf("took %v and %d MiB", took, mib)
			}
		})
	}
}

func TestParseShape(t *testing.T) {
	for s, want := range map[string]string{
		"x=1x3x224x224": `x [{1 } {3 } {224 } {224 }]`, "a=b=2": `a=b [{2 }]`, "x=batchx3": `x [{0 batch} {3 }]`, "s=": `s []`,
	} {
		name, dims, err := ParseShape(s)
		if got := fmt.Sprint(name, " ", dims); err != nil || got != want {
			t.Errorf("ParseShape(%q) = %s, %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "x", "=1", "x=-1", "x=1xx2", "x=1,2", "x=1.5"} {
		if _, _, err := ParseShape(s); err == nil {
			t.Errorf("ParseShape(%q) is accepted", s)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	for _, c := range onnxtest.Light(b) {
		if c.Name != "light_densenet121" && c.Name != "light_resnet50" {
			continue
		}
		c.Seeded = false
		m := c.Model(b)
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Import(context.Background(), m, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
