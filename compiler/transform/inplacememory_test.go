package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// overwriting is a module with kernels for tensors of four numbers, one of which writes over its argument, and a dataflow block.
func overwriting(params, attrs string, lines ...string) string {
	text := `
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def twice(A: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 8, "tir.noalias": True})
        for i in range(T.int64(4)):
            with T.block("A"):
                v = T.axis.spatial(T.int64(4), i)
                A[v] = A[v] * T.float32(2)

    @T.prim_func(private=True)
    def exp(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": True})
        for i in range(T.int64(4)):
            with T.block("B"):
                v = T.axis.spatial(T.int64(4), i)
                B[v] = T.exp(A[v])

    @T.prim_func(private=True)
    def square(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": True})
        for i, j in T.grid(T.int64(2), T.int64(2)):
            with T.block("B"):
                v, w = T.axis.remap("SS", [i, j])
                B[v, w] = A[v * T.int64(2) + w]

    @R.function
    def main(` + params + `):
` + attrs + `        cls = Module
        with R.dataflow():
`
	for _, l := range lines {
		text += "            " + l + "\n"
	}
	return text + "            R.output(r)\n        return r\n"
}

const (
	fourX   = `x: R.Tensor((4,), "float32")`
	twiceOf = `R.call_tir_inplace(cls.twice, (y,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))`
	expOf   = `R.call_tir(cls.exp, (y,), out_sinfo=R.Tensor((4,), "float32"))`
	expOfX  = `R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), "float32"))`
)

// TestPassesKeepWhatIsWrittenOver runs passes that share, fold, delay, or hand on values where a call writes over these.
func TestPassesKeepWhatIsWrittenOver(t *testing.T) {
	for _, tt := range []struct {
		p     *pass.Pass
		pairs []pair
	}{
		{transform.EliminateCommonSubexpr, []pair{
			{name: "the second is written over", before: overwriting(fourX, "", "a = R.exp(x)", "y = R.exp(x)", "z = "+twiceOf, "r = R.add(z, a)")},
			{name: "a tuple of it", before: overwriting(fourX, "", "y = R.exp(x)", "z = "+twiceOf, "t = (z, x)", "a = R.exp(x)", "r = (t, a)")},
		}},
		{transform.FoldConstant, []pair{
			{name: "of constants", before: overwriting(fourX, "", `y = R.exp(R.const([1, 2, 3, 4], "float32"))`, "z = "+twiceOf, "r = R.add(z, x)")},
		}},
		{transform.RewriteDataflowReshape, []pair{
			{name: "the input", before: overwriting(fourX, "", "y = R.exp(x)", `s = R.call_tir(cls.square, (y,), out_sinfo=R.Tensor((2, 2), "float32"))`, "z = "+twiceOf, "r = (s, z)")},
			{name: "a packed function", before: overwriting(fourX, "", "y = R.exp(x)", `s = R.call_tir(cls.square, (y,), out_sinfo=R.Tensor((2, 2), "float32"))`, `z = R.call_inplace_packed("f", y, inplace_indices=[0], sinfo_args=R.Tensor((4,), "float32"))`, "r = (s, z)")},
		}},
		{transform.FuseOps, []pair{
			{name: "a kernel that reads it before", before: overwriting(fourX, "", "y = "+expOfX, "a = "+expOf, "z = "+twiceOf, `b = R.call_tir(cls.exp, (a,), out_sinfo=R.Tensor((4,), "float32"))`, "r = (b, z)")},
		}},
		{transform.RemoveRedundantReshape, []pair{
			{name: "a reshape of a reshape", before: overwriting(fourX, "", "y = R.exp(x)", "s = R.reshape(y, (2, 2))", "z = "+twiceOf, "u = R.reshape(s, (4, 1))", "r = (u, z)")},
		}},
		{transform.FuseTransposeMatmul, []pair{
			{name: "the matrix", before: overwriting(`x: R.Tensor((4,), "float32"), w: R.Tensor((4, 4), "float32")`, "", "y = R.exp(x)", "m = R.exp(w)", "t = R.permute_dims(m)", "z = "+twiceOf, "r = R.matmul(z, t)")},
		}},
		{transform.BindParams, []pair{
			{name: "a parameter", before: overwriting(`y: R.Tensor((4,), "float32")`, "", "r = "+twiceOf), args: ir.NewAttrs("params", ir.NewAttrs("y", 1)), err: "params: the function writes over y in place, and so over a constant in its place"},
		}},
	} {
		t.Run(tt.p.Name, func(t *testing.T) { runPairs(t, tt.p, tt.pairs...) })
	}
}

// TestLiftKeepsWhatIsWrittenOver keeps what follows from a weight in the model, which makes it anew in each run.
func TestLiftKeepsWhatIsWrittenOver(t *testing.T) {
	attrs := "        R.func_attr({\"num_input\": 1})\n"
	m := read(t, overwriting(fourX+`, w: R.Tensor((4,), "float32")`, attrs, "y = R.exp(w)", "z = "+twiceOf, "r = R.add(z, x)"))
	if out := runPass(t, passtest.NewContext(), transform.LiftTransformParams, m); !ir.StructuralEqual(out.Lookup("main"), m.Lookup("main"), ir.EqualOpts{}) {
		t.Errorf("main changed to\n%s", passtest.Text(out))
	}
}

// TestTopologicalSortKeepsOrder sorts a block whose kernels are bound in the order that the walk would not take.
func TestTopologicalSortKeepsOrder(t *testing.T) {
	for _, order := range []string{"depth-first", "breadth-first"} {
		for _, direction := range []string{"from-inputs", "from-outputs"} {
			m := read(t, overwriting(fourX, "", "y = R.exp(x)", "a = "+expOf, "z = "+twiceOf, "b = "+expOfX, "r = (z, b, a)"))
			want := outputs(t, m, 4, false)
			p := must(transform.TopologicalSort.With(ir.NewAttrs("order", order, "direction", direction)))
			sameOutputs(t, want, outputs(t, runPass(t, passtest.NewContext(), p, m), 4, false))
		}
	}
}
