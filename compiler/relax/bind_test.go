package relax_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// linear builds main(x: (n, 4), w: (4, k)) -> exp(x @ w).
func linear(t *testing.T) *relax.Function {
	t.Helper()
	n, k := sym("n"), sym("k")
	x, w := tensorVar("x", n, tir.Int(4)), tensorVar("w", tir.Int(4), k)
	bb := op.NewBlockBuilder(nil)
	bb.BeginFunction("main", []*relax.Var{x, w}, relax.FuncOpts{})
	bb.BeginDataflow()
	y := must2(bb.EmitOutput(op.Unary("exp", op.Matmul(x, w, f32)), "y"))
	bb.EndDataflow()
	must2(bb.EndFunction(y))
	return bb.Module().Lookup("main").(*relax.Function)
}

func TestBindParamsBindsExtents(t *testing.T) {
	f := linear(t)
	w := &relax.Constant{Data: ir.Float32Blob([]int64{4, 2}, make([]float32, 8)...)}
	g, err := relax.BindParams(f, map[*relax.Var]relax.Expr{f.Params[1]: w}, &relax.InferContext{})
	expect(t, dump(must(t, g, err)), `
dataflow:
lv: Tensor((n, 2), "float32") = relax.matmul x
y: Tensor((n, 2), "float32") = relax.exp lv
-> Tensor((n, 2), "float32")`)
	if len(g.Params) != 1 {
		t.Errorf("%d parameters are left", len(g.Params))
	}
	verify(t, ir.NewModule().With("main", g))
	bad := &relax.Constant{Data: ir.Float32Blob([]int64{3, 1}, 1, 2, 3)}
	if _, err := relax.BindParams(f, map[*relax.Var]relax.Expr{f.Params[1]: bad}, &relax.InferContext{}); err == nil {
		t.Error("a constant of another shape is accepted")
	}
}

func TestBindSymbolicVars(t *testing.T) {
	f := linear(t)
	n := relax.DefinedSymbolicVars(f)[0]
	g := relax.BindSymbolicVars(f, map[*tir.Var]tir.Expr{n: tir.Int(3)})
	expect(t, dump(g), `
dataflow:
lv: Tensor((3, k), "float32") = relax.matmul x w
y: Tensor((3, k), "float32") = relax.exp lv
-> Tensor((3, k), "float32")`)
	verify(t, ir.NewModule().With("main", g))
	if relax.BindSymbolicVars(f, map[*tir.Var]tir.Expr{sym("other"): tir.Int(3)}) != f {
		t.Error("binding a variable that does not occur copied the function")
	}
}

func TestCopyFunctionSharesNoVariables(t *testing.T) {
	f := linear(t)
	g := relax.CopyFunction(f)
	if !ir.StructuralEqual(f, g, ir.EqualOpts{}) {
		t.Errorf("the copy differs: %s", ir.FirstMismatch(f, g, ir.EqualOpts{}))
	}
	g = g.WithFuncAttrs(ir.NewAttrs(ir.AttrGlobalSymbol, "copy")).(*relax.Function)
	verify(t, ir.NewModule().With("main", f).With("copy", g))
}

func TestFreeVars(t *testing.T) {
	x, y := tensorVar("x", tir.Int(1)), tensorVar("y", tir.Int(1))
	f := &relax.Function{Params: []*relax.Var{x}, Body: &relax.SeqExpr{Body: op.Add(x, y)}}
	if got := relax.FreeVars(f); len(got) != 1 || got[0] != y {
		t.Errorf("free variables are %v", got)
	}
}
