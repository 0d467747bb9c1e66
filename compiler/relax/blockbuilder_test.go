package relax_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

var f32 = dtype.Float32T

func tensorVar(name string, extents ...tir.Expr) *relax.Var {
	return &relax.Var{Name: name, SInfo: relax.TensorOf(f32, extents...)}
}

func sym(name string) *tir.Var { return tir.NewVar(name, dtype.Int64T) }

// dump writes the bindings of f, one on a line: name: struct info = callee or kind.
func dump(f *relax.Function) string {
	var b strings.Builder
	var last *relax.BindingBlock
	relax.EachBinding(f.Body, func(blk *relax.BindingBlock, bind relax.Binding) {
		if blk != last && blk.Dataflow {
			b.WriteString("dataflow:\n")
		}
		last = blk
		v := bind.Bound()
		b.WriteString(v.Name + ": " + relax.FormatSInfo(v.SInfo) + " = ")
		switch e := bind.BoundValue().(type) {
		case *relax.Call:
			if v, ok := e.Op.(*relax.Var); ok {
				b.WriteString(v.Name)
			} else {
				b.WriteString(e.Op.(ir.Callee).CalleeName())
			}
			for _, a := range e.Args {
				if x, ok := a.(*relax.Var); ok {
					b.WriteString(" " + x.Name)
				}
			}
		case *relax.If:
			b.WriteString("if")
		case *relax.Var:
			b.WriteString(e.Name)
		default:
			b.WriteString("?")
		}
		b.WriteString("\n")
	})
	return b.String() + "-> " + relax.FormatSInfo(f.Ret)
}

func must[T any](t *testing.T, x T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got = strings.TrimSpace(got); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nexpected\n%s", got, strings.TrimSpace(want))
	}
}

func TestBuilderKeepsNormalFormAndNames(t *testing.T) {
	n := sym("n")
	x, w := tensorVar("x", n, tir.Int(4)), tensorVar("w", tir.Int(4), tir.Int(8))
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x, w}, relax.FuncOpts{})
	bb.BeginDataflow()
	y := must2(bb.Emit(op.Relu(op.Add(op.Matmul(x, w, dtype.Void), op.Matmul(x, w, dtype.Void))), "/layer1/Relu_output_0"))
	z := must2(bb.EmitOutput(op.Unary("exp", y), "x"))
	bb.EndDataflow()
	must2(bb.EndFunction(z))
	f := bb.Module().Lookup("main").(*relax.Function)
	expect(t, dump(f), `
dataflow:
lv: Tensor((n, 8), "float32") = relax.matmul x w
lv1: Tensor((n, 8), "float32") = relax.matmul x w
lv2: Tensor((n, 8), "float32") = relax.add lv lv1
layer1_Relu_output_0: Tensor((n, 8), "float32") = relax.nn.relu lv2
x1: Tensor((n, 8), "float32") = relax.exp layer1_Relu_output_0
-> Tensor((n, 8), "float32")`)
	if !y.Dataflow || z.Dataflow {
		t.Error("only outputs of a dataflow block are visible after it")
	}
	if ir.GlobalSymbol(f) != "main" {
		t.Errorf("global symbol is %q", ir.GlobalSymbol(f))
	}
	verify(t, bb.Module())
}

func TestBuilderReportsWhere(t *testing.T) {
	x := tensorVar("x", tir.Int(2), tir.Int(3))
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	_, err := bb.Emit(op.Matmul(x, x, dtype.Void), "Gemm_0")
	want := "in main: at Gemm_0: relax.matmul: argument x2: expected 3 as extent of the reduction, as in the shape (2, 3) of x1, got (2, 3)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nexpected %s", err, want)
	}
	bb.BeginDataflow()
	y := must2(bb.Emit(op.Relu(x), ""))
	bb.EndDataflow()
	if _, err := bb.EndFunction(y); err == nil || !strings.Contains(err.Error(), "EmitOutput") {
		t.Errorf("a dataflow variable left its block: %v", err)
	}
}

func must2[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestBuilderOrigins(t *testing.T) {
	mod := ir.NewModule()
	node := mod.Origins().Add(ir.Origin{Pass: "import", Name: "Relu_1"})
	bb := op.NewBlockBuilder(mod)
	x := tensorVar("x", tir.Int(2))
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.SetOrigin(node)
	y := must2(bb.Emit(op.Relu(op.Relu(x)), "y"))
	must2(bb.EndFunction(y))
	relax.EachBinding(bb.Module().Lookup("main").(*relax.Function).Body, func(_ *relax.BindingBlock, b relax.Binding) {
		if b.Meta().Origin != node || b.Bound().Origin != node || b.BoundValue().Meta().Origin != node {
			t.Errorf("binding %s lacks the origin", b.Bound().Name)
		}
	})
}

func TestBuilderIf(t *testing.T) {
	n := sym("n")
	x, c := tensorVar("x", n, tir.Int(4)), &relax.Var{Name: "c", SInfo: relax.ScalarTensor(dtype.BoolT)}
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x, c}, relax.FuncOpts{})
	y, err := bb.EmitIf(c,
		func() (relax.Expr, error) { return op.Relu(x), nil },
		func() (relax.Expr, error) { return op.Concat(0, x, x), nil }, "y")
	must(t, y, err)
	must2(bb.EndFunction(y))
	expect(t, dump(bb.Module().Lookup("main").(*relax.Function)), `
y: Tensor(ndim=2, "float32") = if
gv: Tensor((n, 4), "float32") = relax.nn.relu x
gv1: Tensor((n * 2, 4), "float32") = relax.concat
-> Tensor(ndim=2, "float32")`)
	verify(t, bb.Module())
}

func TestBuilderMatchCastDefinesVariables(t *testing.T) {
	x := &relax.Var{Name: "x", SInfo: relax.TensorOfRank(f32, 2)}
	k := sym("k")
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	y := must2(bb.EmitMatchCast(x, relax.TensorOf(f32, k, tir.Mul(k, tir.Int(2))), "y"))
	z := must2(bb.Emit(op.Unary("exp", y), "z"))
	must2(bb.EndFunction(z))
	expect(t, dump(bb.Module().Lookup("main").(*relax.Function)), `
y: Tensor((k, k * 2), "float32") = x
z: Tensor((k, k * 2), "float32") = relax.exp y
-> Tensor(ndim=2, "float32")`)
	verify(t, bb.Module())
	bb.BeginFunction("bad", []*relax.Var{tensorVar("x", tir.Int(3))}, relax.FuncOpts{})
	if _, err := bb.EmitMatchCast(tensorVar("v", tir.Int(3)), relax.TensorOf(f32, tir.Int(4)), ""); err == nil {
		t.Error("a cast that must fail is accepted")
	}
}

func TestNormalizeIsIdempotentByPointer(t *testing.T) {
	bb := op.NewBlockBuilder(nil)
	x := tensorVar("x", sym("n"))
	bb.BeginFunction("main", []*relax.Var{x}, relax.FuncOpts{})
	bb.BeginDataflow()
	y := must2(bb.EmitOutput(op.Relu(op.Unary("exp", x)), ""))
	bb.EndDataflow()
	must2(bb.EndFunction(&relax.Tuple{Fields: []relax.Expr{y, x}}))
	f := bb.Module().Lookup("main").(*relax.Function)
	again, err := op.NewBlockBuilder(bb.Module()).NormalizeFunction(f)
	if must(t, again, err) != f {
		t.Error("normalizing a function in normal form changed it")
	}
}

func TestNormalizeNestedExpressions(t *testing.T) {
	x := tensorVar("x", tir.Int(2), tir.Int(6))
	parts, err := op.New("relax.split", []relax.Expr{x}, ir.NewAttrs("indices_or_sections", 2, "axis", 1))
	must(t, parts, err)
	body := op.Add(&relax.TupleGetItem{Tuple: parts, Index: 0}, &relax.TupleGetItem{Tuple: parts, Index: 1})
	f := &relax.Function{Params: []*relax.Var{x}, Pure: true, Body: &relax.SeqExpr{Body: body}}
	g, err := op.NewBlockBuilder(nil).NormalizeFunction(f)
	expect(t, dump(must(t, g, err)), `
gv: Tuple(Tensor((2, 3), "float32"), Tensor((2, 3), "float32")) = relax.split x
gv1: Tensor((2, 3), "float32") = ?
gv2: Tensor((2, 3), "float32") = ?
gv3: Tensor((2, 3), "float32") = relax.add gv1 gv2
-> Tensor((2, 3), "float32")`)
}

func TestSharedExpressionsAreBoundOnce(t *testing.T) {
	x := tensorVar("x", tir.Int(2))
	var e relax.Expr = x
	for range 64 {
		e = op.Add(e, e)
	}
	f := &relax.Function{Params: []*relax.Var{x}, Pure: true, Body: &relax.SeqExpr{Body: e}}
	g, err := op.NewBlockBuilder(nil).NormalizeFunction(f)
	if n := len(must(t, g, err).Body.Blocks[0].Bindings); n != 64 {
		t.Errorf("%d bindings for 64 calls", n)
	}
}

func TestAddFuncDeduplicates(t *testing.T) {
	kernel := func(name string) *tir.PrimFunc {
		b := tir.NewBuffer(name, f32, []tir.Expr{tir.Int(4)}, "")
		i := tir.NewVar(name+"i", dtype.Int64T)
		return &tir.PrimFunc{
			Params: []*tir.Var{tir.NewVar(name, dtype.HandleT)}, Buffers: []*tir.Buffer{b}, RetType: ir.VoidType(),
			Body: &tir.For{LoopVar: i, Min: tir.Int(0), Extent: tir.Int(4), Body: tir.Store(b, tir.FloatConst(f32, 1), i)},
		}
	}
	bb := op.NewBlockBuilder(ir.NewModule().With("fill", kernel("a")))
	if gv := bb.AddFunc("fill", kernel("b")); gv.Name != "fill" || bb.Module().Len() != 1 {
		t.Errorf("an equal function was added again as %s", gv.Name)
	}
	other := kernel("c").WithFuncAttrs(ir.NewAttrs("k", 1))
	if gv := bb.AddFunc("fill", other); gv.Name != "fill1" || bb.Module().Len() != 2 {
		t.Errorf("a different function is called %s", gv.Name)
	}
	// Of another kind, one that was there and one that came since.
	outside := func(symbol string) *relax.ExternFunc { return &relax.ExternFunc{Symbol: symbol} }
	bb = op.NewBlockBuilder(ir.NewModule().With("fill", kernel("a")).With("there", outside("x")))
	bb.AddFunc("fill", kernel("b"))
	bb.UpdateFunc("since", outside("y"))
	for symbol, want := range map[string]string{"x": "there", "y": "since"} {
		if gv := bb.AddFunc("again", outside(symbol)); gv.Name != want || bb.Module().Len() != 3 {
			t.Errorf("an equal function of another kind was added again as %s", gv.Name)
		}
	}
	bb.UpdateFunc("late", outside("z"))
	if gv := bb.AddFunc("again", outside("z")); gv.Name != "late" {
		t.Errorf("an equal function that came since was added again as %s", gv.Name)
	}
}

func TestIdentifier(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b.c": "a_b_c", "input.1": "input_1", "0": "v0", "": "v", "é": "_", "ok_1": "ok_1", "/": "v",
	} {
		if got := relax.Identifier(in); got != want {
			t.Errorf("Identifier(%q) is %q, expected %q", in, got, want)
		}
	}
}

func verify(t *testing.T, mod *ir.Module) {
	t.Helper()
	for _, d := range findings(mod) {
		t.Errorf("not well-formed: %s", d)
	}
}

func findings(mod *ir.Module) []ir.Diagnostic {
	return relax.WellFormed(mod, relax.VerifyOpts{Ops: op.Table(), Prover: arith.NewAnalyzer(), SInfo: true})
}
