package script_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/roundtrip"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// exactModule has integers of several types wherever text has them.
const exactModule = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Shape(["n * 2", 8]):
        n = T.int64()
        s: R.Shape([n * 2, 8]) = R.shape([n * 2, 8])
        lv: R.Prim("int64") = R.prim_value(3)
        return s

    @T.prim_func
    def wide(A: T.Buffer((T.int64(16), T.int64(4)), "float32"), i: T.int64):
        T.func_attr({"map": T.index_map(lambda a, b: (a // 4, T.int64(0), b), index_dtype="int64")})
        for a, b in T.grid(T.int64(16), T.int64(4)):
            with T.block("init"):
                va, vb = T.axis.remap("SS", [a, b])
                A[va, vb] = T.Cast("float32", va * T.int64(4) + T.if_then_else(vb < i, T.int64(1), T.int64(2)) + T.Cast("int64", 7))

    @T.prim_func
    def named(B: T.Buffer((4,), "int32")):
        with T.block("top"):
            T.reads()
            T.writes()
            for i in range(4):
                with T.block("b"):
                    vi = T.axis.spatial(4, i)
                    B[vi] = vi
`

func exact(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, diags := parse.Module("exact.py", text, parse.Options{})
	if len(diags) > 0 {
		t.Fatal(diags[0].Format())
	}
	return m
}

// TestTypesAreSpelled checks that the text, not a comment, says the type of each integer and
// the name of each block.
func TestTypesAreSpelled(t *testing.T) {
	m := exact(t, exactModule)
	text := script.Module(m, script.Options{}).Source
	for _, want := range []string{
		`-> R.Shape(["n * 2", 8])`, "R.shape([n * 2, 8])", "R.prim_value(3)", // readers know these as int64
		"A: T.Buffer((T.int64(16), T.int64(4)), \"float32\")",
		"T.grid(T.int64(16), T.int64(4))",
		`va * T.int64(4) + T.if_then_else(vb < i, T.int64(1), T.int64(2)) + T.Cast("int64", 7)`,
		`T.index_map(lambda a, b: (a // 4, T.int64(0), b), index_dtype="int64")`,
		"with T.block(\"top\"):\n            T.reads()\n            T.writes()\n            for i in range(4):",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %s:\n%s", want, text)
		}
	}
	for _, comment := range []string{"int_dtype", `# with T.block("top")`} {
		if strings.Contains(text, comment) {
			t.Errorf("the text has %s:\n%s", comment, text)
		}
	}
	if err := roundtrip.Check(m); err != nil {
		t.Error(err)
	}
}

// TestNestedExtents prints integers of the graph level that stand in no extent: readers give
// those no type.
func TestNestedExtents(t *testing.T) {
	n := tir.NewVar("n", dtype.Int64T)
	three := tir.Int(3)
	for _, tt := range []struct {
		e    tir.Expr
		want string
	}{
		{three, "R.prim_value(3)"},
		{tir.Int32(3), "R.prim_value(T.int32(3))"},
		{tir.Mul(n, three), "R.prim_value(n * 3)"},
		{tir.FloorDiv(tir.Add(n, tir.Int(7)), three), "R.prim_value((n + 7) // 3)"},
		{tir.NewBinary(tir.OpMul, three, three), "R.prim_value(T.Mul(T.int64(3), T.int64(3)))"},
		{tir.NewBinary(tir.OpAdd, n, tir.Int(0)), "R.prim_value(T.Add(n, T.int64(0)))"},
		{tir.NewBinary(tir.OpMin, n, three), "R.prim_value(T.min(n, T.int64(3)))"},
		{&tir.Select{Cond: tir.NewBinary(tir.OpGT, n, three), True: three, False: n}, "R.prim_value(T.Select(n > 3, T.int64(3), n))"},
	} {
		if got := script.Node(&relax.PrimValue{Value: tt.e}, script.Options{}); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestEarlierTexts reads texts in which comments say the type of integers and the name of the
// root block, as they were printed before.
func TestEarlierTexts(t *testing.T) {
	before := exact(t, `
# int_dtype: int64
@T.prim_func
def wide(A: T.Buffer((16, 4), "float32")):
    # with T.block("top"):
    for a, b in T.grid(16, 4):
        with T.block("init"):
            va, vb = T.axis.remap("SS", [a, b])
            T.reads()
            T.writes(A[va, vb])
            A[va, vb] = T.Cast("float32", va * 4 + T.Cast("int64", T.int32(7)))
`)
	now := exact(t, `
@T.prim_func
def wide(A: T.Buffer((T.int64(16), T.int64(4)), "float32")):
    with T.block("top"):
        T.reads()
        T.writes()
        for a, b in T.grid(T.int64(16), T.int64(4)):
            with T.block("init"):
                va, vb = T.axis.remap("SS", [a, b])
                T.reads()
                T.writes(A[va, vb])
                A[va, vb] = T.Cast("float32", va * T.int64(4) + T.Cast("int64", 7))
`)
	if d := ir.FirstModuleMismatch(before, now, ir.EqualOpts{}); d != nil {
		t.Error(d)
	}
	if a, b := script.Module(before, script.Options{}).Source, script.Module(now, script.Options{}).Source; a != b {
		t.Errorf("the two print as\n%s\nand\n%s", a, b)
	}
	// Asked for, the comment is still written, and read.
	if text := script.Module(now, script.Options{IntDType: dtype.Int64T}).Source; !strings.Contains(text, "# int_dtype: int64\n") || !strings.Contains(text, "T.grid(16, 4)") {
		t.Errorf("with int_dtype=int64:\n%s", text)
	}
	if err := roundtrip.CheckWith(now, script.Options{IntDType: dtype.Int64T}); err != nil {
		t.Error(err)
	}
}

// TestStripComments leaves strings alone.
func TestStripComments(t *testing.T) {
	const text = "a = \"# b\\\" # c\" # d\n'#' # e\n\"\"\" # f\n\" # g\"\"\" # h\n# i"
	const want = "a = \"# b\\\" # c\" \n'#' \n\"\"\" # f\n\" # g\"\"\" \n"
	if got := roundtrip.StripComments(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSharedOperands checks that the text of an operation is the same whether its equal operands are one node or two.
func TestSharedOperands(t *testing.T) {
	b := tir.NewBuffer("A", f32, []tir.Expr{tir.Int32(4)}, "")
	i := tir.NewVar("i", i32)
	load := func() tir.Expr { return tir.Load(b, i) }
	shared := load()
	module := func(value tir.Expr) *ir.Module {
		return ir.NewModule().With("f", &tir.PrimFunc{
			Params: []*tir.Var{tir.NewVar("a", dtype.HandleT), i}, Buffers: []*tir.Buffer{b, nil}, RetType: ir.VoidType(),
			Body: &tir.BufferStore{Buffer: b, Indices: []tir.Expr{i}, Value: value},
		})
	}
	for _, op := range []tir.BinaryOp{tir.OpMin, tir.OpMax, tir.OpAdd, tir.OpSub} {
		one, two := module(tir.NewBinary(op, shared, shared)), module(tir.NewBinary(op, load(), load()))
		if a, b := script.Module(one, script.Options{}).Source, script.Module(two, script.Options{}).Source; a != b {
			t.Errorf("%v of one node prints\n%s\nof two\n%s", op, a, b)
		}
		if err := roundtrip.Check(one); err != nil {
			t.Error(err)
		}
	}
	if text := script.Module(module(tir.CastTo(f32, tir.NewBinary(tir.OpMax, i, i))), script.Options{}).Source; !strings.Contains(text, "T.Max(i, i)") {
		t.Errorf("the text would be read as i alone:\n%s", text)
	}
}
