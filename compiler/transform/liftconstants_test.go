package transform_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// onceKernels are the kernels of the modules below.
const onceKernels = `
@T.prim_func(private=True)
def flip(a: T.Buffer((2,), "float32"), b: T.Buffer((2,), "float32")):
    for i in range(2):
        with T.block("b"):
            v = T.axis.spatial(2, i)
            b[v] = a[1 - v]

@T.prim_func(private=True)
def add(a: T.Buffer((2,), "float32"), b: T.Buffer((2,), "float32"), c: T.Buffer((2,), "float32")):
    for i in range(2):
        with T.block("c"):
            v = T.axis.spatial(2, i)
            c[v] = a[v] + b[v]

@T.prim_func(private=True)
def over(a: T.Buffer((2,), "float32")):
    for i in range(2):
        with T.block("a"):
            v = T.axis.spatial(2, i)
            a[v] = a[v] * T.float32(2)

@T.prim_func(private=True)
def both(a: T.Buffer((2,), "float32"), b: T.Buffer((2,), "float32"), c: T.Buffer((2,), "float32")):
    for i in range(2):
        with T.block("c"):
            v = T.axis.spatial(2, i)
            b[v] = a[v] + T.float32(1)
            c[v] = a[v] + T.float32(2)
`

// once is a module of the kernels and of functions, in which INFO and CONST stand for what is long.
func once(functions string) string {
	functions = strings.ReplaceAll(strings.ReplaceAll(functions, "INFO", `out_sinfo=R.Tensor((2,), "float32")`), "CONST", `R.const([1.0, 2.0], "float32")`)
	return onceKernels + functions
}

func TestLiftConstantCallsPairs(t *testing.T) {
	two := `out_sinfo=[R.Tensor((2,), "float32"), R.Tensor((2,), "float32")]`
	runPairs(t, transform.LiftConstantCalls,
		pair{name: "one result, of two calls", before: once(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.flip, (CONST,), INFO)
        b = R.call_tir(cls.add, (a, CONST), INFO)
        y = R.call_tir(cls.add, (x, b), INFO)
        R.output(y)
    return y
`), after: once(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        params: R.Tensor((2,), "float32") = cls.main_once()
        b: R.Tensor((2,), "float32") = params
        y = R.call_tir(cls.add, (x, b), INFO)
        R.output(y)
    return y

@R.function(private=True)
def main_once() -> R.Tensor((2,), "float32"):
    R.func_attr({"run_once": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.flip, (CONST,), INFO)
        b = R.call_tir(cls.add, (a, CONST), INFO)
        params: R.Tensor((2,), "float32") = b
        R.output(params)
    return params
`)},
		pair{name: "fields of a tuple, an output and what depends on x", before: once(strings.ReplaceAll(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        y = R.call_tir(cls.add, (x, x), INFO)
        a = R.call_tir(cls.both, (CONST,), TWO)
        b = a[0]
        c = a[1]
        z = R.call_tir(cls.add, (y, b), INFO)
        d = R.call_tir(cls.flip, (c,), INFO)
        R.output(z, d)
    return (z, d)
`, "TWO", two)), after: once(strings.ReplaceAll(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        y = R.call_tir(cls.add, (x, x), INFO)
        params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")) = cls.main_once()
        b = params[0]
        z = R.call_tir(cls.add, (y, b), INFO)
        d = params[1]
        R.output(z, d)
    return (z, d)

@R.function(private=True)
def main_once() -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    R.func_attr({"run_once": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.both, (CONST,), TWO)
        b = a[0]
        c = a[1]
        d = R.call_tir(cls.flip, (c,), INFO)
        params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")) = (b, d)
        R.output(params)
    return params
`, "TWO", two))},
		pair{name: "what several blocks use is an output of the first", before: once(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.flip, (CONST,), INFO)
        y = R.call_tir(cls.add, (x, a), INFO)
        R.output(y)
    with R.dataflow():
        b = R.call_tir(cls.add, (CONST, CONST), INFO)
        z = R.call_tir(cls.add, (y, b), INFO)
        R.output(z)
    return z
`), after: once(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")) = cls.main_once()
        a: R.Tensor((2,), "float32") = params[0]
        y = R.call_tir(cls.add, (x, a), INFO)
        R.output(params, y)
    with R.dataflow():
        b: R.Tensor((2,), "float32") = params[1]
        z = R.call_tir(cls.add, (y, b), INFO)
        R.output(z)
    return z

@R.function(private=True)
def main_once() -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    R.func_attr({"run_once": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.flip, (CONST,), INFO)
        b = R.call_tir(cls.add, (CONST, CONST), INFO)
        params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")) = (a, b)
        R.output(params)
    return params
`)},
		pair{name: "what is written over", before: once(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.flip, (CONST,), INFO)
        b = R.call_tir_inplace(cls.over, (a,), INFO, inplace_indices=[0])
        y = R.call_tir(cls.add, (x, b), INFO)
        R.output(y)
    return y
`)},
		pair{name: "outside of dataflow blocks, and nothing constant", before: once(`
@R.function
def main(x: R.Tensor((2,), "float32")):
    cls = Module
    a = R.call_tir(cls.flip, (CONST,), INFO)
    with R.dataflow():
        y = R.call_tir(cls.add, (x, a), INFO)
        R.output(y)
    return y
`)},
	)
}

// TestLiftConstantCallsKeepsMeaning lifts out of the kernels of random graphs, whose weights are constants.
func TestLiftConstantCallsKeepsMeaning(t *testing.T) {
	lifted, blocks := 0, must(transform.BlockConvLayout.With(ir.NewAttrs("block", int64(4))))
	seed.Check(t, func(t *rapid.T) {
		m := runPass(t, passtest.NewContext(), tunedLegalizeOps, runPass(t, passtest.NewContext(), transform.DecomposeOps, runPass(t, passtest.NewContext(), blocks, drawScaled(t))))
		want := outputs(t, m, 2, true)
		out, _ := check(t, passtest.NewContext(), transform.LiftConstantCalls, m)
		sameOutputs(t, want, outputs(t, out, 2, true))
		if f, ok := out.Lookup("main_once").(*relax.Function); ok {
			lifted++
			if !f.Attrs.Bool(ir.AttrRunOnce, false) || ir.GlobalSymbol(f) != "" {
				t.Errorf("main_once has the attributes %v", f.Attrs)
			}
		}
		if t.Failed() {
			t.Fatalf("made\n%s\nof\n%s", passtest.Text(out), passtest.Text(m))
		}
	})
	if lifted == 0 {
		t.Error("nothing was ever lifted")
	}
}
