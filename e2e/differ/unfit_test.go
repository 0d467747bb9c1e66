package differ

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
	"github.com/irscope/irscope/target"
)

// unfit is a model of one node whose extents have to fit each other in a way that the names of its extents do not say.
type unfit struct {
	op     string
	attrs  []onnxpb.Attribute
	inputs [][]any // their extents: numbers, or symbols
	types  []onnxpb.DataType
	consts []onnxpb.Tensor
	outs   int // 1 where it is 0
	// fits and fails are numbers for the symbols a, b, and so on.
	fits, fails [][]int64
}

var unfits = []unfit{
	{op: "MatMul", inputs: [][]any{{"a", "b"}}, consts: []onnxpb.Tensor{ones(2, 3)}, fits: [][]int64{{4, 2}}, fails: [][]int64{{4, 1}, {4, 3}, {4, 200}}},
	{op: "MatMul", inputs: [][]any{{3, "a"}, {"b", 5}}, fits: [][]int64{{2, 2}}, fails: [][]int64{{1, 2}, {2, 1}}},
	{op: "Gemm", inputs: [][]any{{3, "a"}, {"b", 5}}, fits: [][]int64{{2, 2}}, fails: [][]int64{{1, 2}, {3, 2}}},
	{op: "Conv", inputs: [][]any{{1, "a", 5, 5}}, consts: []onnxpb.Tensor{ones(4, 3, 1, 1)}, fits: [][]int64{{3}}, fails: [][]int64{{2}, {4}}},
	{op: "ConvTranspose", inputs: [][]any{{1, "a", 5}}, consts: []onnxpb.Tensor{ones(3, 2, 2)}, fits: [][]int64{{3}}, fails: [][]int64{{2}, {4}}},
	{op: "Concat", attrs: []onnxpb.Attribute{ob.Int("axis", 1)}, inputs: [][]any{{"a", 3}, {"b", 4}}, fits: [][]int64{{2, 2}, {0, 0}}, fails: [][]int64{{2, 1}, {1, 2}}},
	{op: "Einsum", attrs: []onnxpb.Attribute{ob.Str("equation", "ij,jk->ik")}, inputs: [][]any{{2, "a"}, {"b", 3}}, fits: [][]int64{{4, 4}}, fails: [][]int64{{4, 3}, {4, 5}}},
	{op: "Reshape", inputs: [][]any{{"a", 6}}, consts: []onnxpb.Tensor{ob.Ints([]int64{2}, 2, 6)}, fits: [][]int64{{2}}, fails: [][]int64{{0}, {1}, {3}}},
	{op: "Reshape", inputs: [][]any{{"a", 5}}, consts: []onnxpb.Tensor{ob.Ints([]int64{2}, 3, -1)}, fits: [][]int64{{3}, {6}}, fails: [][]int64{{2}, {4}}},
	{op: "DepthToSpace", attrs: []onnxpb.Attribute{ob.Int("blocksize", 2)}, inputs: [][]any{{1, "a", 3, 3}}, fits: [][]int64{{4}, {8}}, fails: [][]int64{{3}, {6}}},
	{op: "Squeeze", inputs: [][]any{{"a", 6}}, consts: []onnxpb.Tensor{ob.Ints([]int64{1}, 0)}, fits: [][]int64{{1}}, fails: [][]int64{{0}, {2}}},
	{op: "LayerNormalization", inputs: [][]any{{2, "a"}}, consts: []onnxpb.Tensor{ones(5), ones(5)}, fits: [][]int64{{5}}, fails: [][]int64{{4}, {6}}},
	{op: "InstanceNormalization", inputs: [][]any{{2, "a", 7}}, consts: []onnxpb.Tensor{ones(5), ones(5)}, fits: [][]int64{{5}}, fails: [][]int64{{1}, {4}, {6}}},
	{op: "GroupNormalization", attrs: []onnxpb.Attribute{ob.Int("num_groups", 2)}, inputs: [][]any{{2, "a", 7}}, consts: []onnxpb.Tensor{ones(4), ones(4)}, fits: [][]int64{{4}}, fails: [][]int64{{3}, {5}}},
	{op: "LSTM", attrs: []onnxpb.Attribute{ob.Int("hidden_size", 1)}, inputs: [][]any{{2, 3, "a"}}, consts: []onnxpb.Tensor{ones(1, 4, 5), ones(1, 4, 1)}, fits: [][]int64{{5}}, fails: [][]int64{{4}, {6}}},
	{op: "ReverseSequence", inputs: [][]any{{3, "a"}, {"b"}}, types: []onnxpb.DataType{onnxpb.Float, onnxpb.Int64}, fits: [][]int64{{4, 4}}, fails: [][]int64{{4, 3}, {4, 5}}},
	{op: "ScatterND", inputs: [][]any{{4, "a"}, {"b", 1}, {"b", "c"}}, types: []onnxpb.DataType{onnxpb.Float, onnxpb.Int64, onnxpb.Float}, fits: [][]int64{{3, 2, 3}}, fails: [][]int64{{3, 2, 2}, {3, 2, 4}}},
	{op: "Compress", attrs: []onnxpb.Attribute{ob.Int("axis", 0)}, inputs: [][]any{{"a", 2}}, consts: []onnxpb.Tensor{{Type: onnxpb.Bool, Dims: []int64{4}, Data: []byte{1, 0, 1, 0}}}, fits: [][]int64{{3}, {4}, {5}}, fails: [][]int64{{0}, {2}}},
	{op: "TopK", inputs: [][]any{{2, "a"}}, consts: []onnxpb.Tensor{ob.Ints([]int64{1}, 3)}, outs: 2, fits: [][]int64{{3}, {4}}, fails: [][]int64{{0}, {2}}},
	{op: "GatherElements", attrs: []onnxpb.Attribute{ob.Int("axis", 1)}, inputs: [][]any{{"a", 3}, {"b", 5}}, types: []onnxpb.DataType{onnxpb.Float, onnxpb.Int64}, fits: [][]int64{{4, 4}, {4, 2}}, fails: [][]int64{{4, 5}, {0, 1}}},
	{op: "GatherND", attrs: []onnxpb.Attribute{ob.Int("batch_dims", 1)}, inputs: [][]any{{"a", 3}, {"b", 1}}, types: []onnxpb.DataType{onnxpb.Float, onnxpb.Int64}, fits: [][]int64{{4, 4}}, fails: [][]int64{{4, 5}, {4, 3}}},
	{op: "ScatterElements", attrs: []onnxpb.Attribute{ob.Int("axis", 1)}, inputs: [][]any{{"a", 3}, {"b", 5}, {"b", 5}}, types: []onnxpb.DataType{onnxpb.Float, onnxpb.Int64, onnxpb.Float}, fits: [][]int64{{4, 4}, {4, 2}}, fails: [][]int64{{4, 5}, {0, 1}}},
	{op: "Resize", inputs: [][]any{{1, 1, "a", "b"}}, consts: []onnxpb.Tensor{ob.Floats([]int64{0}), ob.Floats([]int64{4}, 1, 1, 0.5, 1.25)}, fits: [][]int64{{2, 4}, {6, 8}}, fails: [][]int64{{3, 4}, {2, 6}}},
	{op: "AffineGrid", inputs: [][]any{{"a", 2, 3}}, consts: []onnxpb.Tensor{ob.Ints([]int64{4}, 2, 1, 3, 4)}, fits: [][]int64{{2}}, fails: [][]int64{{1}, {3}}},
	{op: "NonMaxSuppression", inputs: [][]any{{1, 6, "a"}, {1, 2, "b"}}, fits: [][]int64{{4, 6}}, fails: [][]int64{{3, 6}, {5, 6}, {4, 5}}},
	{op: "MaxRoiPool", attrs: []onnxpb.Attribute{ob.IntList("pooled_shape", 1, 1)}, inputs: [][]any{{1, 2, 4, 4}, {3, "a"}}, fits: [][]int64{{5}}, fails: [][]int64{{4}, {6}}},
	{op: "DequantizeLinear", inputs: [][]any{{2, "a"}, {"b"}}, types: []onnxpb.DataType{onnxpb.Uint8, onnxpb.Float}, fits: [][]int64{{3, 3}}, fails: [][]int64{{3, 2}, {3, 4}}},
	{op: "Attention", attrs: []onnxpb.Attribute{ob.Float("scale", 1)}, inputs: [][]any{{1, 2, 3, "a"}, {1, 2, "b", 4}, {1, 2, 5, 4}}, fits: [][]int64{{4, 5}}, fails: [][]int64{{3, 5}, {4, 4}, {4, 6}}},
}

func ones(dims ...int64) onnxpb.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = 1
	}
	return ob.Floats(dims, data...)
}

// TestUnfit runs models with extents that do not fit each other, which only a run can tell: it ends with an error, and reads nothing that is not there.
func TestUnfit(t *testing.T) {
	for i, u := range unfits {
		t.Run(fmt.Sprint(u.op, i), func(t *testing.T) {
			b := ob.New("main_graph", 23)
			b.Model().IRVersion = 11
			var names []string
			for i, dims := range u.inputs {
				names = append(names, fmt.Sprint("x", i))
				b.Input(names[i], u.dtype(i), dims...)
			}
			for i, c := range u.consts {
				names = append(names, fmt.Sprint("c", i))
				b.Initializer(names[len(names)-1], c)
			}
			b.NodeOut(u.op, "node", names, []string{"y", "z"}[:max(u.outs, 1)], u.attrs...)
			b.Output("y", onnxpb.Float)
			b.Model().Graph.Outputs[0].Type.Tensor.HasShape = false
			if u.op == "NonMaxSuppression" {
				b.Model().Graph.Outputs[0].Type.Tensor.Elem = onnxpb.Int64
			}
			pb, err := onnxpb.Read(b.Bytes(), onnxpb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			mod, err := onnx.Import(t.Context(), pb, onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			runUnfit(t, mod, u)
		})
	}
}

// TestUnfitScripts is TestUnfit for programs of Relax.
func TestUnfitScripts(t *testing.T) {
	for _, u := range []struct {
		text string
		unfit
	}{
		{`x: R.Tensor(("a", "b"), "float32"), y: R.Tensor((2, 3), "float32")) -> R.Tensor(("a", 3), "float32"):
    a = T.int64()
    b = T.int64()
    with R.dataflow():
        z = R.matmul(x, y)
        R.output(z)
    return z`, unfit{inputs: [][]any{{"a", "b"}, {2, 3}}, fits: [][]int64{{4, 2}}, fails: [][]int64{{4, 1}, {4, 3}}}},
		{`x: R.Tensor(("a", 3), "float32"), y: R.Tensor(("b", 3), "float32")) -> R.Tensor(("a", 6), "float32"):
    a = T.int64()
    b = T.int64()
    z = R.concat((x, y), axis=1)
    return z`, unfit{inputs: [][]any{{"a", 3}, {"b", 3}}, fits: [][]int64{{2, 2}}, fails: [][]int64{{2, 1}, {1, 2}}}},
		// What a branch checks holds only there.
		{`p: R.Tensor((), "bool"), x: R.Tensor((2, "a"), "float32"), y: R.Tensor(("b", 3), "float32")) -> R.Tensor((2, 3), "float32"):
    a = T.int64()
    b = T.int64()
    if p:
        u = R.matmul(x, y)
        v = R.exp(u)
    else:
        v = R.ones(R.shape([2, 3]), "float32")
    w = R.matmul(x, y)
    z = R.add(v, w)
    return z`, unfit{inputs: [][]any{{}, {2, "a"}, {"b", 3}}, types: []onnxpb.DataType{onnxpb.Bool, onnxpb.Float, onnxpb.Float}, fits: [][]int64{{2, 2}}, fails: [][]int64{{2, 1}, {1, 2}}}},
	} {
		mod, found := parse.Module("main.py", "@R.function\ndef main("+u.text+"\n", parse.Options{})
		for _, d := range found {
			t.Fatal(d.Format())
		}
		runUnfit(t, mod, u.unfit)
	}
}

func (u unfit) dtype(i int) onnxpb.DataType {
	if u.types == nil {
		return onnxpb.Float
	}
	return u.types[i]
}

// args are zeros of the extents that numbers give.
func (u unfit) args(t *testing.T, numbers []int64) []*tensor.Tensor {
	var out []*tensor.Tensor
	for i, in := range u.inputs {
		dims := []int64{}
		for _, d := range in {
			switch d := d.(type) {
			case int:
				dims = append(dims, int64(d))
			case string:
				dims = append(dims, numbers[d[0]-'a'])
			}
		}
		dt, err := u.dtype(i).DType()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tensor.MustNew(dt, dims...))
	}
	return out
}

func runUnfit(t *testing.T, mod *ir.Module, u unfit) {
	for _, name := range []string{"x86", "wasm"} {
		to, err := target.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "x86" {
			if to, err = compiler.ForMachine(to); err != nil {
				t.Skip(err)
			}
		}
		for level := range 4 {
			res, err := compiler.Compile(t.Context(), compiler.Request{Module: mod, Target: to, OptLevel: &level})
			if err != nil {
				t.Fatal(err)
			}
			eng := compiler.NewEngineWith(compiler.EngineOptions{Threads: 1})
			prog, err := res.Artifact.Open(t.Context(), eng, runtime.DeviceOptions{}, vm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, numbers := range u.fits {
				if _, err := prog.Run(t.Context(), "main", u.args(t, numbers)...); err != nil {
					t.Errorf("%s, opt_level %d, %v: %v", name, level, numbers, err)
				}
			}
			for _, numbers := range u.fails {
				out, err := prog.Run(t.Context(), "main", u.args(t, numbers)...)
				if err == nil || !strings.Contains(err.Error(), "mismatch") && !strings.Contains(err.Error(), "unsatisfied constraint") {
					t.Errorf("%s, opt_level %d: extents %v give %v, %v", name, level, numbers, out, err)
				}
			}
			if err := prog.Close(); err != nil {
				t.Error(err)
			}
			if err := eng.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
