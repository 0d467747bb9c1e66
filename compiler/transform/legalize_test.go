package transform_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// tunedLegalizeOps is LegalizeOps as the default pipeline runs it.
var tunedLegalizeOps = must(transform.LegalizeOps.With(ir.NewAttrs("kernels", "tuned")))

func legalize(t testing.TB, mod *ir.Module) (*ir.Module, []ir.Diagnostic) {
	t.Helper()
	c, err := pass.NewContext(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Run(tunedLegalizeOps, mod)
	if err != nil {
		t.Fatal(err)
	}
	return out, c.Diagnostics()
}

// build makes a module with main, whose body emit fills.
func build(t *testing.T, params []*relax.Var, emit func(b *relax.BlockBuilder) relax.Expr) *ir.Module {
	t.Helper()
	b := op.NewBlockBuilder(nil)
	b.BeginFunction("main", params, relax.FuncOpts{})
	b.BeginDataflow()
	out, err := b.EmitOutput(emit(b), "out")
	if err != nil {
		t.Fatal(err)
	}
	b.EndDataflow()
	if _, err := b.EndFunction(out); err != nil {
		t.Fatal(err)
	}
	return b.Module()
}

func emit(t *testing.T, b *relax.BlockBuilder, e relax.Expr, hint string) *relax.Var {
	t.Helper()
	v, err := b.Emit(e, hint)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func param(name string, info relax.StructInfo) *relax.Var { return &relax.Var{Name: name, SInfo: info} }

func kernels(m *ir.Module) (names []string) {
	for gv, f := range m.Funcs() {
		if _, ok := f.(*tir.PrimFunc); ok {
			names = append(names, gv.Name)
		}
	}
	return names
}

func wantKernels(t *testing.T, m *ir.Module, want string) {
	t.Helper()
	if got := strings.Join(kernels(m), " "); got != want {
		t.Errorf("kernels: got %q, want %q", got, want)
	}
	for _, d := range relax.WellFormed(m, relax.VerifyOpts{Ops: op.Table(), Prover: arith.NewAnalyzer(), SInfo: true}) {
		t.Error(d)
	}
}

func f32(t *testing.T, shape []int64, vals ...float32) *tensor.Tensor {
	t.Helper()
	return tensor.MustOf(shape, vals)
}

func wantValues(t *testing.T, m *ir.Module, inputs []*tensor.Tensor, want ...float64) {
	t.Helper()
	outs, err := evalMain(t.Context(), m, inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range outs[0].Floats() {
		if math.Abs(g-want[i]) > 1e-5*math.Max(1, math.Abs(want[i])) {
			t.Fatalf("got %v, want %v", outs[0].Floats(), want)
		}
	}
}

func TestEqualKernelsAreShared(t *testing.T) {
	x, y := param("x", relax.StaticTensor(dtype.Float32T, 2)), param("y", relax.StaticTensor(dtype.Float32T, 2))
	m := build(t, []*relax.Var{x, y}, func(b *relax.BlockBuilder) relax.Expr {
		a := emit(t, b, op.Add(x, y), "first")
		c := emit(t, b, op.Add(a, y), "second")
		return op.Multiply(c, c)
	})
	out, found := legalize(t, m)
	wantKernels(t, out, "add multiply")
	if len(found) != 0 {
		t.Errorf("diagnostics: %v", found)
	}
	wantValues(t, out, []*tensor.Tensor{f32(t, []int64{2}, 1, 2), f32(t, []int64{2}, 10, 20)}, 21*21, 42*42)
	var names []string
	relax.EachBinding(ir.MustLookup[*relax.Function](out, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
		names = append(names, b.Bound().Name)
	})
	if got := strings.Join(names, " "); got != "first second out" {
		t.Errorf("names of variables survive: %s", got)
	}
	// What is lowered stays as it is.
	if again, _ := legalize(t, out); again != out {
		t.Error("a second run changes nothing")
	}
}

func TestScalarConstantsBecomePartOfTheKernel(t *testing.T) {
	x := param("x", relax.StaticTensor(dtype.Float32T, 3))
	two := &relax.Constant{Data: ir.Float32Blob([]int64{}, 2)}
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr { return op.Multiply(two, x) })
	out, _ := legalize(t, m)
	wantKernels(t, out, "multiply")
	if k := ir.MustLookup[*tir.PrimFunc](out, "multiply"); len(k.Params) != 2 {
		t.Errorf("the kernel has %d parameters, want the tensor and the result", len(k.Params))
	}
	wantValues(t, out, []*tensor.Tensor{f32(t, []int64{3}, 1, 2, 3)}, 2, 4, 6)
}

func TestTransposedWeightsStayInTheIndexing(t *testing.T) {
	x, w := param("x", relax.StaticTensor(dtype.Float32T, 1, 2)), param("w", relax.StaticTensor(dtype.Float32T, 3, 2))
	product := func(also bool) *ir.Module {
		return build(t, []*relax.Var{x, w}, func(b *relax.BlockBuilder) relax.Expr {
			wt := emit(t, b, op.PermuteDims(w), "wt")
			y := emit(t, b, op.Matmul(x, wt, dtype.Void), "y")
			if also {
				return op.Matmul(y, emit(t, b, op.PermuteDims(wt), "again"), dtype.Void)
			}
			return op.Unary("nn.relu", y)
		})
	}
	inputs := []*tensor.Tensor{f32(t, []int64{1, 2}, 1, 2), f32(t, []int64{3, 2}, 1, 0, 0, 1, -1, -1)}
	out, _ := legalize(t, product(false))
	wantKernels(t, out, "NT_matmul relu")
	wantValues(t, out, inputs, 1, 2, 0)
	out, _ = legalize(t, product(true)) // another use keeps the transposed weight
	wantKernels(t, out, "transpose NT_matmul transpose1 matmul")
	wantValues(t, out, inputs, 1+3, 2+3)
}

func TestSymbolicShapes(t *testing.T) {
	n := tir.NewSizeVar("n", dtype.Int64T)
	x := param("x", relax.TensorOf(dtype.Float32T, n, tir.Int(2)))
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr {
		y := emit(t, b, op.Reshape(x, tir.Mul(n, tir.Int(2))), "flat")
		z := emit(t, b, op.Concat(0, y, y), "twice")
		return op.Unary("exp", z)
	})
	out, _ := legalize(t, m)
	wantKernels(t, out, "reshape concatenate exp")
	// concatenate has a variable for the extent 2n of flat, and no use for n.
	k := ir.MustLookup[*tir.PrimFunc](out, "concatenate")
	if _, ok := k.Buffers[0].Shape[0].(*tir.Var); !ok || len(k.Params) != 2 {
		t.Errorf("concatenate takes %d parameters, the first of shape %v", len(k.Params), k.Buffers[0].Shape)
	}
	e := math.E
	wantValues(t, out, []*tensor.Tensor{f32(t, []int64{1, 2}, 0, 1)}, 1, e, 1, e)
	wantValues(t, out, []*tensor.Tensor{f32(t, []int64{2, 2}, 0, 1, 1, 0)}, 1, e, e, 1, 1, e, e, 1)
}

// TestSymbolicScalars: a kernel that needs a variable of the graph, here to know where to stop,
// takes it beside its tensors, whose extents are then expressions of it.
func TestSymbolicScalars(t *testing.T) {
	n := tir.NewSizeVar("n", dtype.Int64T)
	x := param("x", relax.TensorOf(dtype.Float32T, n, tir.Int(2)))
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr {
		y := emit(t, b, op.Reshape(x, tir.Mul(n, tir.Int(2))), "flat")
		return op.StridedSlice(y, []int64{0}, []tir.Expr{tir.Int(1)}, []tir.Expr{n}, []tir.Expr{tir.Int(1)})
	})
	out, _ := legalize(t, m)
	wantKernels(t, out, "reshape strided_slice")
	k := ir.MustLookup[*tir.PrimFunc](out, "strided_slice")
	if last := k.Params[len(k.Params)-1]; last.Name != "n" || last == n {
		t.Errorf("strided_slice takes a variable n of its own as last parameter, got %s", last.Name)
	}
	wantValues(t, out, []*tensor.Tensor{f32(t, []int64{3, 2}, 0, 1, 2, 3, 4, 5)}, 1, 2)
}

func TestTuplesAndScalars(t *testing.T) {
	x := param("x", relax.StaticTensor(dtype.Float32T, 4))
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr {
		c, err := op.New("relax.split", []relax.Expr{x}, ir.NewAttrs("indices_or_sections", 2, "axis", 0))
		if err != nil {
			t.Fatal(err)
		}
		parts := emit(t, b, c, "parts")
		cat, err := op.New("relax.concat", []relax.Expr{parts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		joined := emit(t, b, cat, "joined")
		return op.StridedSlice(joined, []int64{0}, relax.Ints([]int64{-1}), relax.Ints([]int64{-5}), relax.Ints([]int64{-2}))
	})
	out, _ := legalize(t, m)
	wantKernels(t, out, "split concatenate strided_slice")
	wantValues(t, out, []*tensor.Tensor{f32(t, []int64{4}, 1, 2, 3, 4)}, 4, 2)
}

func TestUnknownShapesAreLeftAlone(t *testing.T) {
	x := param("x", relax.TensorOfRank(dtype.Float32T, 2))
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr { return op.Unary("exp", x) })
	out, found := legalize(t, m)
	if out != m {
		t.Error("the module does not change")
	}
	if len(found) != 1 || found[0].Func != "main" || !strings.Contains(found[0].Message, "out = relax.exp was not lowered: left alone: the shape of its result is not known") {
		t.Errorf("got %v", found)
	}
}

func TestOptionsAndConfig(t *testing.T) {
	x := param("x", relax.StaticTensor(dtype.Float32T, 2))
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr {
		return op.Unary("exp", emit(t, b, op.Unary("abs", x), "a"))
	})
	p, err := transform.LegalizeOps.With(ir.NewAttrs("skip_ops", []string{"relax.abs"}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := pass.NewContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Run(p, m)
	if err != nil {
		t.Fatal(err)
	}
	wantKernels(t, out, "exp")
	off, err := pass.NewContext(t.Context(), pass.Configure(map[string]any{"relax.transform.apply_legalize_ops": false}))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := off.Run(transform.LegalizeOps, m); err != nil || same != m {
		t.Errorf("switched off: %v", err)
	}
}

func TestKernelsKeepOrigins(t *testing.T) {
	x := param("x", relax.StaticTensor(dtype.Float32T, 2))
	m := build(t, []*relax.Var{x}, func(b *relax.BlockBuilder) relax.Expr {
		orig := b.Module().Origins()
		b.SetOrigin(orig.Add(ir.Origin{Pass: "import", Name: "node_a", Op: "Exp"}))
		y := emit(t, b, op.Unary("exp", x), "a")
		b.SetOrigin(orig.Add(ir.Origin{Pass: "import", Name: "node_b", Op: "Exp"}))
		return op.Unary("exp", y)
	})
	out, _ := legalize(t, m)
	wantKernels(t, out, "exp")
	var names []string
	for _, o := range out.Origins().Sources(out.Lookup("exp").Meta().Origin) {
		names = append(names, o.Name)
	}
	if strings.Join(names, " ") != "node_a node_b" {
		t.Errorf("a shared kernel goes back to both nodes, got %v", names)
	}
}

// TestNodeSuite lowers the published node tests of ONNX and runs the kernels.
func TestNodeSuite(t *testing.T) {
	passed := 0
	for _, c := range onnxtest.Nodes(t) {
		if len(c.Sets) == 0 {
			continue
		}
		m, err := onnxpb.Read(c.Model, onnxpb.Options{})
		if err != nil {
			continue
		}
		bind, given := onnxtest.Bound(m, c.Sets[0])
		mod, err := onnx.Import(t.Context(), m, onnx.Options{Bind: bind})
		if err != nil {
			continue // what the importer refuses is its own test's affair
		}
		switch err := runNode(t, c.Sets[0], given, mod); {
		case errors.Is(err, errData), slices.Contains(onnxtest.Otherwise, c.Name):
		case err != nil:
			t.Errorf("%s: %v", c.Name, err)
		default:
			passed++
		}
	}
	t.Logf("%d node tests agree", passed)
	if passed < 500 {
		t.Errorf("%d node tests agree, expected at least 500", passed)
	}
}

// errNotKernel is the cause of errors about what the evaluator of this package does not run.
var errNotKernel = errors.New("neither a kernel nor a tuple")

var errData = errors.New("test data of another kind")

func runNode(t *testing.T, set onnxtest.Set, given []*onnxpb.Tensor, mod *ir.Module) error {
	inputs, err := onnxtest.Tensors(given)
	if err != nil {
		return errData
	}
	wanted, err := onnxtest.Tensors(set.Outputs)
	if err != nil {
		return errData
	}
	low, _ := legalize(t, mod)
	outs, err := evalMain(t.Context(), low, inputs)
	if errors.Is(err, errNotKernel) { // shapes that are data, branches, functions
		var args []graphrun.Value
		for _, x := range inputs {
			args = append(args, x)
		}
		var v graphrun.Value
		v, err = graphrun.Run(t.Context(), low, "main", args...)
		outs = graphrun.Tensors(v)
	}
	if err != nil {
		return err
	}
	for i, want := range wanted {
		rel, abs := 1e-3, 1e-6
		if want.DType.IsFloat() && want.DType.Bits < 32 {
			rel, abs = 1e-2, 1e-2
		}
		if !slices.Equal(outs[i].Shape, want.Shape) {
			return fmt.Errorf("output %d has shape %v, want %v", i, outs[i].Shape, want.Shape)
		}
		for k := range want.Len() {
			g, w := outs[i].Float(k), want.Float(k)
			if d := math.Abs(g - w); !(d <= abs+rel*math.Abs(w)) && g != w && !(g != g && w != w) {
				return errors.New(outs[i].String() + " output differs: got " + outs[i].Format(k, 9) + ", want " + want.Format(k, 9))
			}
		}
	}
	return nil
}
