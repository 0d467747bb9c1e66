package transform_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
)

// product returns a function of x, A, B and C with a body.
func product(x, a, b, c, body string) string {
	return fmt.Sprintf(`
@R.function
def main(x: R.Tensor(%s, "float32"), A: R.Tensor(%s, "float32"), B: R.Tensor(%s, "float32"), C: R.Tensor(%s, "float32")):
    R.func_attr({"num_input": 3})
    with R.dataflow():
        %s
        R.output(y)
    return y
`, x, a, b, c, body)
}

func TestAdjustMatmulOrderPairs(t *testing.T) {
	const s = "\n        "
	runPairs(t, transform.AdjustMatmulOrder,
		pair{
			name: "a chain of four", before: product("(1, 64)", "(64, 64)", "(64, 64)", "(64, 64)", "a = R.matmul(A, B)"+s+"b = R.matmul(a, C)"+s+"y = R.matmul(x, b)"),
			after: product("(1, 64)", "(64, 64)", "(64, 64)", "(64, 64)", "lv1 = R.matmul(x, A)"+s+"lv = R.matmul(lv1, B)"+s+"y = R.matmul(lv, C)"),
		},
		pair{
			name: "weights come together", before: `
@R.function
def main(x: R.Tensor((1, 64), "float32"), A: R.Tensor((64, 2), "float32"), B: R.Tensor((2, 64), "float32")):
    R.func_attr({"num_input": 1})
    a = R.matmul(x, A)
    y = R.matmul(a, B)
    return y
`, after: `
@R.function
def main(x: R.Tensor((1, 64), "float32"), A: R.Tensor((64, 2), "float32"), B: R.Tensor((2, 64), "float32")):
    R.func_attr({"num_input": 1})
    gv = R.matmul(A, B)
    y = R.matmul(x, gv)
    return y
`,
		},
		pair{
			name: "transposed, with a bound from below", before: `
@R.function
def main(x: R.Tensor(("n", 8), "float32"), A: R.Tensor((8, 16), "float32"), B: R.Tensor((16, 8), "float32")):
    n = T.int64()
    R.func_attr({"tir_var_lower_bound": {"n": 100}, "tir_var_upper_bound": {"n": 200}})
    a = R.matmul(A, B)
    b = R.permute_dims(a)
    y = R.matmul(x, b)
    return y
`, after: `
@R.function
def main(x: R.Tensor(("n", 8), "float32"), A: R.Tensor((8, 16), "float32"), B: R.Tensor((16, 8), "float32")):
    n = T.int64()
    R.func_attr({"tir_var_lower_bound": {"n": 100}, "tir_var_upper_bound": {"n": 200}})
    gv = R.permute_dims(B)
    gv1 = R.permute_dims(A)
    gv2 = R.matmul(gv, gv1)
    y = R.matmul(x, gv2)
    return y
`,
		},
		pair{name: "axes that stay are no transposition", before: product("(1, 8)", "(8, 2)", "(2, 8)", "()", "a = R.matmul(A, B)"+s+"b = R.permute_dims(a, axes=[0, 1])"+s+"y = R.matmul(x, b)")},
		pair{name: "a vector in the middle", before: product("(8, 8)", "(8,)", "(8, 64)", "()", "a = R.matmul(x, A)"+s+"y = R.matmul(a, B)")},
		pair{name: "as cheap", before: product("(4, 4)", "(4, 4)", "(4, 4)", "()", "a = R.matmul(A, B)"+s+"y = R.matmul(x, a)")},
		pair{name: "another element type", before: product("(1, 8)", "(8, 2)", "(2, 8)", "()", `a = R.matmul(A, B, out_dtype="float64")`+s+"y = R.matmul(a, a)")},
	)
}

func TestExpandMatmulOfSumPairs(t *testing.T) {
	const s = "\n        "
	runPairs(t, transform.ExpandMatmulOfSum,
		pair{
			name: "permuted", before: product("(1, 4)", "(8, 4)", "(8, 4)", "()", "a = R.add(A, B)"+s+"b = R.permute_dims(a, axes=[1, 0])"+s+"y = R.matmul(x, b)"),
			after: product("(1, 4)", "(8, 4)", "(8, 4)", "()", "lv = R.permute_dims(A, axes=[1, 0])"+s+"lv1 = R.matmul(x, lv)"+s+"lv2 = R.permute_dims(B, axes=[1, 0])"+s+"lv3 = R.matmul(x, lv2)"+s+"y = R.add(lv1, lv3)"),
		},
		pair{name: "a summand that is repeated", before: product("(1, 4)", "(4, 8)", "(8,)", "()", "a = R.add(A, B)"+s+"y = R.matmul(x, a)")},
	)
}

func TestReorderTakeAfterMatmulPairs(t *testing.T) {
	runPairs(t, transform.ReorderTakeAfterMatmul,
		pair{name: "one matrix for each batch", before: `
@R.function
def main(x: R.Tensor(("n", 3, 4), "float32"), table: R.Tensor((5, 4, 6), "float32"), i: R.Tensor(("n",), "int64")):
    n = T.int64()
    with R.dataflow():
        w = R.take(table, i, axis=0)
        y = R.matmul(x, w)
        R.output(y)
    return y
`, after: `
@R.function
def main(x: R.Tensor(("n", 3, 4), "float32"), table: R.Tensor((5, 4, 6), "float32"), i: R.Tensor(("n",), "int64")):
    n = T.int64()
    with R.dataflow():
        lv = R.permute_dims(table, axes=[1, 0, 2])
        lv1 = R.reshape(lv, R.shape([4, 30]))
        lv2 = R.matmul(x, lv1)
        lv3 = R.reshape(lv2, R.shape([n, 3, 5, 6]))
        lv4 = R.take(lv3, i, axis=2)
        y = R.einsum((lv4,), subscripts="ijik->ijk")
        R.output(y)
    return y
`},
		pair{name: "rows, which are multiplied over", before: `
@R.function
def main(x: R.Tensor((3, 4), "float32"), table: R.Tensor((9, 6), "float32"), i: R.Tensor((4,), "int64")):
    w = R.take(table, i, axis=0)
    y = R.matmul(x, w)
    return y
`},
	)
}

func TestReorderPermuteDimsAfterConcatPairs(t *testing.T) {
	const s = "\n        "
	runPairs(t, transform.ReorderPermuteDimsAfterConcat,
		pair{
			name: "three, along the last axis", before: product("(2, 3, 4)", "(2, 3, 4)", "(5, 3, 4)", "()", "a = R.permute_dims(x, axes=[2, 1, 0])"+s+"b = R.permute_dims(A, axes=[-1, 1, 0])"+s+"c = R.permute_dims(B)"+s+"y = R.concat((a, b, c), axis=-1)"),
			after: product("(2, 3, 4)", "(2, 3, 4)", "(5, 3, 4)", "()", "lv = R.concat((x, A, B), axis=0)"+s+"y = R.permute_dims(lv, axes=[2, 1, 0])"),
		},
		pair{name: "in different ways", before: product("(4, 4)", "(4, 4)", "()", "()", "a = R.permute_dims(x)"+s+"b = R.permute_dims(A, axes=[0, 1])"+s+"y = R.concat((a, b), axis=1)")},
	)
}

func TestCombineParallelMatmulPairs(t *testing.T) {
	const s = "\n        "
	runPairs(t, transform.CombineParallelMatmul,
		pair{
			name: "a matrix that comes later, behind an earlier result", before: product("(2, 4)", "(4, 3)", "(4, 5)", "()", "a = R.matmul(x, A)"+s+"w = R.exp(B)"+s+"b = R.matmul(x, w)"+s+"y = R.concat((a, b), axis=1)"),
			after: product("(2, 4)", "(4, 3)", "(4, 5)", "()", "w = R.exp(B)"+s+`lv = R.concat((A, w), axis=1)`+s+`lv1 = R.matmul(x, lv, out_dtype="float32")`+s+"lv2 = R.split(lv1, indices_or_sections=[3], axis=1)"+s+"a = lv2[0]"+s+"b = lv2[1]"+s+"y = R.concat((a, b), axis=1)"),
		},
		pair{name: "an earlier result as the matrix", before: product("(4, 4)", "(4, 4)", "()", "()", "a = R.matmul(x, A)"+s+"y = R.matmul(x, a)")},
		pair{name: "a matrix that follows from an earlier result", before: product("(4, 4)", "(4, 4)", "()", "()", "a = R.matmul(x, A)"+s+"w = R.exp(a)"+s+"y = R.matmul(x, w)")},
		pair{
			name: "biases of all, activations of some", before: product("(2, 4)", "(4, 3)", "(3,)", "(4, 3)", "a = R.matmul(x, A)"+s+"b = R.add(a, B)"+s+"c = R.nn.relu(b)"+s+"d = R.matmul(x, C)"+s+"e = R.add(d, B)"+s+"y = R.add(c, e)"),
			after: product("(2, 4)", "(4, 3)", "(3,)", "(4, 3)", `lv = R.concat((A, C), axis=1)`+s+`lv1 = R.matmul(x, lv, out_dtype="float32")`+s+"lv2 = R.concat((B, B), axis=0)"+s+"lv3 = R.add(lv1, lv2)"+s+"lv4 = R.split(lv3, indices_or_sections=[3], axis=1)"+s+"b = lv4[0]"+s+"c = R.nn.relu(b)"+s+"e = lv4[1]"+s+"y = R.add(c, e)"),
		},
		pair{name: "a bias that is repeated", before: product("(2, 4)", "(4, 3)", "(1,)", "(2, 4, 3)", "a = R.matmul(x, A)"+s+"b = R.add(a, B)"+s+"d = R.matmul(x, C)"+s+"y = R.add(b, d)")},
	)
}

// drawProducts returns a function of random products of a few matrices, some of them transposed, selected, summed or biased.
func drawProducts(t *rapid.T) *ir.Module {
	pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	bb := op.NewBlockBuilder(nil)
	n := tir.Expr(tir.Int(3))
	if pick(2, "symbolic") == 1 {
		n = tir.NewVar("n", dtype.Int64T)
	}
	tensor := func(name string, dims ...tir.Expr) *relax.Var {
		return &relax.Var{Name: name, SInfo: relax.TensorOf(dtype.Float32T, dims...)}
	}
	four, three := tir.Int(4), tir.Int(3)
	x, stack := tensor("x", n, four), tensor("s", n, three, four)
	index := &relax.Var{Name: "i", SInfo: relax.TensorOf(dtype.Int64T, n)}
	square := []relax.Expr{tensor("A", four, four), tensor("B", four, four), tensor("C", four, four)}
	table, bias := tensor("T", tir.Int(3), four, four), tensor("b", four)
	params := []*relax.Var{x, stack, index, square[0].(*relax.Var), square[1].(*relax.Var), square[2].(*relax.Var), table, bias}
	bb.BeginFunction("main", params, relax.FuncOpts{Attrs: ir.NewAttrs("num_input", 3+pick(5, "num_input"))})
	dataflow := pick(2, "dataflow") == 1
	if dataflow {
		bb.BeginDataflow()
	}
	emit := func(e relax.Expr) relax.Expr { return must(bb.Emit(e, "")) }
	any := func() relax.Expr { return square[pick(len(square), "square")] }
	results := []relax.Expr{x}
	for range 2 + pick(6, "steps") {
		switch pick(8, "step") {
		case 0:
			square = append(square, emit(op.Matmul(any(), any(), dtype.Void)))
		case 1:
			square = append(square, emit(op.PermuteDims(any(), [][]int64{nil, {1, 0}}[pick(2, "axes")]...)))
		case 2:
			square = append(square, emit(op.Add(any(), any())))
		case 3:
			results = append(results, emit(op.Add(emit(op.Matmul(x, any(), dtype.Void)), bias)))
		case 4:
			results = append(results, emit(op.Relu(emit(op.Add(emit(op.Matmul(x, any(), dtype.Void)), bias)))))
		case 5:
			w := emit(op.Take(table, index, 0))
			results = append(results, emit(op.Matmul(stack, w, dtype.Void)))
		case 6:
			w := emit(op.Concat(int64(pick(2, "axis")), emit(op.PermuteDims(any())), emit(op.PermuteDims(any()))))
			results = append(results, w)
		case 7:
			results = append(results, emit(op.Matmul(x, any(), dtype.Void)))
		}
	}
	out := relax.Expr(&relax.Tuple{Fields: append(results, square[len(square)-1])})
	if dataflow {
		out = must(bb.EmitOutput(out, ""))
		bb.EndDataflow()
	}
	must(bb.EndFunction(out))
	return bb.Module()
}

func TestMatmulPassesKeepMeaning(t *testing.T) {
	passes := []*pass.Pass{transform.AdjustMatmulOrder, transform.ExpandMatmulOfSum, transform.ReorderTakeAfterMatmul, transform.ReorderPermuteDimsAfterConcat, transform.CombineParallelMatmul}
	seed.Check(t, func(t *rapid.T) {
		m := drawProducts(t)
		want := outputs(t, m, 3, false)
		for range 3 {
			p := passes[rapid.IntRange(0, len(passes)-1).Draw(t, "pass")]
			out, _ := check(t, passtest.NewContext(), p, m)
			sameOutputs(t, want, outputs(t, out, 3, false))
			if t.Failed() {
				t.Fatalf("%s made\n%s\nof\n%s", p.Name, passtest.Text(out), passtest.Text(m))
			}
			m = out
		}
	})
}
