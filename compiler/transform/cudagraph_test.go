package transform_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/transform"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

const graphKernels = `
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("add"):
                vi = T.axis.spatial(4, i)
                z[vi] = x[vi] + y[vi]
`

func TestRewriteCUDAGraphPairs(t *testing.T) {
	// What stays as it is.
	runPairs(t, transform.RewriteCUDAGraph,
		pair{name: "no storage, no weights", before: graphKernels + `
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        a: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0))
        cls.add(x, x, a)
        return a
`},
		pair{name: "the storage of a result", before: graphKernels + `
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((2, 2), "float32")):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        s: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        cls.add(x, x, a)
        b = R.reshape(a, R.shape([2, 2]))
        return (b,)
`},
		pair{name: "symbolic storage, another device, storage that nothing uses", before: graphKernels + `
    @R.function
    def main(x: R.Tensor(("n",), "float32")) -> R.Tuple:
        R.func_attr({"relax.force_pure": True})
        n = T.int64()
        r: R.Object = R.memory.alloc_storage(R.shape([n]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        a: R.Tensor((n,), "float32") = R.memory.alloc_tensor(r, R.prim_value(0), R.shape([n]), R.dtype("float32"))
        s: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(1), R.str("global"), R.dtype("float32"))
        b: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        u: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        return R.tuple()
`},
		pair{name: "storage of a branch alone, what the host does", before: graphKernels + `
    @R.function
    def main(p: R.Tensor((), "bool"), w: R.Tensor((4,), "float32")) -> R.Tuple:
        R.func_attr({"relax.force_pure": True, "num_input": 1})
        cls = Module
        if p:
            s: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
            a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
            cls.add(a, a, a)
            r = R.prim_value(1)
        else:
            r = R.prim_value(2)
        R.print(w, format="{}")
        R.call_packed("vm.builtin.dummy", w, sinfo_args=(R.Tuple,))
        return R.tuple()
`},
		pair{name: "a pure function", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    s: R.Object = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
    a: R.Tensor((4,), "float32") = R.memory.alloc_tensor(s, R.prim_value(0), R.shape([4]), R.dtype("float32"))
    b = R.add(x, x)
    return b
`},
		pair{name: "wrong hints", before: `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"relax.rewrite_cuda_graph.capture_symbolic_vars": [1]})
    return x
`, err: "the attribute relax.rewrite_cuda_graph.capture_symbolic_vars is [1], want a list of names"},
	)
}

// TestRewriteCUDAGraphKeepsMeaning lowers random functions up to where storage is planned, and runs what comes of them with graphs.
func TestRewriteCUDAGraphKeepsMeaning(t *testing.T) {
	rewritten := 0
	seed.Check(t, func(t *rapid.T) {
		m := drawModule(t)
		want := outputs(t, m, 3, false)
		f := ir.MustLookup[*relax.Function](m, "main")
		inputs := rapid.IntRange(0, len(f.Params)).Draw(t, "num_input")
		m = m.With("main", f.WithAttrs(f.Attrs.With("num_input", inputs)))
		c := passtest.NewContext()
		for _, p := range lowering {
			m = runPass(t, c, p, m)
			if p != transform.StaticPlanBlockMemory {
				continue
			}
			before := m
			m, _ = check(t, c, transform.RewriteCUDAGraph, before)
			if m != before {
				rewritten++
			}
			sameOutputs(t, want, outputs(t, m, 3, true))
			if t.Failed() {
				t.Fatalf("made\n%s\nof\n%s", script.Module(m, script.Options{}).Source, script.Module(before, script.Options{}).Source)
			}
		}
		sameOutputs(t, want, outputs(t, m, 3, true))
	})
	if rewritten == 0 {
		t.Error("no function was rewritten")
	}
}
