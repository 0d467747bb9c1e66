package transform_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

func TestBundleModelParamsPairs(t *testing.T) {
	const two = `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    y = R.multiply(w, w)
    z = R.add(x, y)
    return z
`
	runPairs(t, transform.BundleModelParams,
		pair{name: "a weight that is used twice, and one that is not", before: two, after: `
@R.function
def main(x: R.Tensor((4,), "float32"), model_params: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    w = model_params[0]
    w1 = model_params[0]
    y = R.multiply(w, w1)
    z = R.add(x, y)
    return z
`},
		pair{name: "without num_input", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    y = R.multiply(w, x)
    return y
`},
		pair{name: "more inputs than parameters", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 2})
    return x
`, err: "the attribute num_input is 2, want a number from 0 to 1, the number of parameters"},
	)
}

func TestLazyGetInputPairs(t *testing.T) {
	runPairs(t, transform.LazyGetInput,
		pair{name: "a weight that nothing uses", before: `
@R.function
def main(x: R.Tensor((2,), "float32"), w: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"num_input": 1})
    y = R.add(x, x)
    return y
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32"), fget_param: R.Callable((R.Prim("int64"), R.Object), R.Object)) -> R.Tensor((2,), "float32"):
    R.func_attr({"num_input": 2})
    y = R.add(x, x)
    return y
`},
		pair{name: "an extent of a weight that is not asked for yet, and branches", before: `
@R.function
def main(c: R.Tensor((), "bool"), w: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    R.func_attr({"num_input": 1})
    z = R.zeros(R.shape([n]), "float32")
    if c:
        r = R.add(z, w)
    else:
        r = z
    s = R.multiply(r, w)
    return s
`, after: `
@R.function
def main(c: R.Tensor((), "bool"), fget_param: R.Callable((R.Prim("int64"), R.Object), R.Object)) -> R.Tensor(dtype="float32", ndim=1):
    n = T.int64()
    R.func_attr({"num_input": 2})
    w_untyped = fget_param(R.prim_value(0), R.str("w"))
    w = R.match_cast(w_untyped, R.Tensor((n,), "float32"))
    z = R.zeros(R.shape([n]), "float32")
    if c:
        r = R.add(z, w)
    else:
        r = z
    s = R.multiply(r, w)
    return s
`},
		pair{name: "in a dataflow block and behind it", before: `
@R.function
def main(w: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.add(w, w)
        R.output(a)
    b = R.add(a, w)
    return b
`, after: `
@R.function
def main(fget_param: R.Callable((R.Prim("int64"), R.Object), R.Object)) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        w_untyped = fget_param(R.prim_value(0), R.str("w"))
        w = R.match_cast(w_untyped, R.Tensor((4,), "float32"))
        a = R.add(w, w)
        R.output(a)
    w_untyped1 = fget_param(R.prim_value(0), R.str("w"))
    w1 = R.match_cast(w_untyped1, R.Tensor((4,), "float32"))
    b = R.add(a, w1)
    return b
`},
		pair{name: "inputs only", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"num_input": 1})
    return x
`},
	)
}

func TestLazySetOutputPairs(t *testing.T) {
	runPairs(t, transform.LazySetOutput,
		pair{name: "a parameter, a dataflow block, and a constant", before: `
@R.function
def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
    R.func_attr({"num_input": 1})
    with R.dataflow():
        a = R.exp(w)
        b = R.sin(a)
        R.output(a, b)
    return (b, x, a, R.const(1.0, "float32"))
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32"), fset_output: R.Callable((R.Prim("int64"), R.Object), R.Tuple([]), False), w: R.Tensor((4,), "float32")) -> R.Tuple([]):
    R.func_attr({"num_input": 2})
    _void = fset_output(R.prim_value(1), x)
    with R.dataflow():
        a = R.exp(w)
        b = R.sin(a)
        R.output(a, b)
    _void = fset_output(R.prim_value(2), a)
    _void = fset_output(R.prim_value(0), b)
    _void = fset_output(R.prim_value(3), R.const(1.0, "float32"))
    return R.tuple()
`},
		pair{name: "a function within a dataflow block", before: `
@R.function
def main(x: R.Tensor((4,), "float32")):
    with R.dataflow():
        a = R.exp(x)

        @R.function
        def inner(p: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            with R.dataflow():
                q = R.sin(p)
                R.output(q)
            return q

        b = inner(a)
        R.output(a, b)
    return (a, b)
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32"), fset_output: R.Callable((R.Prim("int64"), R.Object), R.Tuple([]), False)) -> R.Tuple([]):
    with R.dataflow():
        a = R.exp(x)

        @R.function
        def inner(p: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            with R.dataflow():
                q = R.sin(p)
                R.output(q)
            return q

        b = inner(a)
        R.output(a, b)
    _void = fset_output(R.prim_value(0), a)
    _void = fset_output(R.prim_value(1), b)
    return R.tuple()
`},
		pair{name: "private", before: `
@R.function(private=True)
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    return x
`},
	)
}

func TestNormalizeGlobalVarPairs(t *testing.T) {
	runPairs(t, transform.NormalizeGlobalVar,
		pair{name: "names agree", before: caller},
		pair{name: "two functions of one symbol", before: `
@I.ir_module(check_well_formed=False)
class Module:
    @R.function
    def a(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x

    @R.function
    def b(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"global_symbol": "a"})
        return x
`, err: "functions a and b have the same global_symbol a"},
	)
}

const caller = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = Module.part(x)
        return r

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.exp(x)
        return r
`

// TestNormalizeGlobalVarRenames gives a public function the name of a private one: the verifier accepts the result only.
func TestNormalizeGlobalVarRenames(t *testing.T) {
	m := read(t, caller)
	m = m.With("main", m.Lookup("main").WithFuncAttrs((&ir.Attrs{}).With(ir.AttrGlobalSymbol, "part")))
	out := runPass(t, passtest.NewContext(), transform.NormalizeGlobalVar, m)
	passtest.WellFormed(t, "renamed", out)
	want := strings.ReplaceAll(caller, "part", "part1")
	want = strings.ReplaceAll(want, "main", "part")
	if got, want := passtest.Text(out), passtest.Text(read(t, want)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := runPass(t, passtest.NewContext(), transform.NormalizeGlobalVar, out); again != out {
		t.Error("a second run changed the module")
	}
}

// TestWeightsKeepMeaning runs random functions whose inputs are the first, or the first two, parameters.
func TestWeightsKeepMeaning(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		main := ir.MustLookup[*relax.Function](m, "main")
		n := rapid.IntRange(0, len(main.Params)-1).Draw(t, "num_input")
		m = m.With("main", main.WithAttrs(main.Attrs.With("num_input", n)))
		inputs, err := graphrun.Inputs(main, 2, 7)
		if err != nil {
			t.Fatal(err)
		}
		want := outputs(t, m, 2, false)
		c := passtest.NewContext(pass.OptLevel(3))
		out := m
		for _, p := range []*pass.Pass{transform.LazyGetInput, transform.BundleModelParams, transform.LazySetOutput} {
			if rapid.Bool().Draw(t, p.Name) {
				out, _ = check(t, c, p, out)
			}
		}
		ready := runPass(t, c, transform.LegalizeOps, runPass(t, c, transform.DecomposeOps, out))
		got, err := passtest.Outputs(ready, ir.MustLookup[*relax.Function](ready, "main"), inputs)
		if err != nil {
			t.Fatalf("%v in\n%s", err, passtest.Text(out))
		}
		sameOutputs(t, want, got)
	})
}
