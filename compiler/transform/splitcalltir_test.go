package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/transform"
)

const splitPatterns = `
    @T.prim_func(private=True)
    def matmul_of(A: T.Buffer((2, 3), "float32"), B: T.Buffer((3, 4), "float32"), C: T.Buffer((2, 4), "float32"), s: T.float32):
        for i, j, k in T.grid(2, 4, 3):
            with T.block("C"):
                v, w, r = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[v, w] = T.float32(0)
                C[v, w] = C[v, w] + s * (B[r, w] * A[v, r])
`

const splitKernels = `
@I.ir_module
class Module:` + splitPatterns + `
    @T.prim_func(private=True)
    def matmul_relu(x: T.Buffer((2, 3), "float32"), w: T.Buffer((3, 4), "float32"), b: T.Buffer((4,), "float32"), out: T.Buffer((2, 4), "float32")):
        mm = T.alloc_buffer((2, 4), "float32")
        sum = T.alloc_buffer((2, 4), "float32")
        for i, j, k in T.grid(2, 4, 3):
            with T.block("mm"):
                v, u, r = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    mm[v, u] = T.float32(0)
                mm[v, u] = mm[v, u] + x[v, r] * w[r, u]
        for i, j in T.grid(2, 4):
            with T.block("sum"):
                v, u = T.axis.remap("SS", [i, j])
                sum[v, u] = mm[v, u] + b[u]
        for i, j in T.grid(2, 4):
            with T.block("out"):
                v, u = T.axis.remap("SS", [i, j])
                out[v, u] = T.max(sum[v, u], T.float32(0))

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((2, 4), "float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.matmul_relu, (x, w, b), out_sinfo=R.Tensor((2, 4), "float32"))
            c = R.call_tir(cls.matmul_relu, (x, w, b), out_sinfo=R.Tensor((2, 4), "float32"))
            d = R.add(a, c)
            R.output(d)
        return d
`

// TestSplitCallTIRByPattern splits a kernel into a product, which a pattern with a factor matches, and the rest, once for two calls.
func TestSplitCallTIRByPattern(t *testing.T) {
	after := splitKernels[:strings.Index(splitKernels, "    @R.function")] + `
    @T.prim_func
    def matmul_relu_library(x: T.Buffer((2, 3), "float32"), w: T.Buffer((3, 4), "float32"), mm: T.Buffer((2, 4), "float32")):
        for i, j, k in T.grid(2, 4, 3):
            with T.block("mm"):
                v, u, r = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    mm[v, u] = T.float32(0)
                mm[v, u] = mm[v, u] + x[v, r] * w[r, u]

    @T.prim_func(private=True)
    def unfused_epilogue(mm: T.Buffer((2, 4), "float32"), b: T.Buffer((4,), "float32"), out: T.Buffer((2, 4), "float32")):
        sum = T.alloc_buffer((2, 4), "float32")
        for i, j in T.grid(2, 4):
            with T.block("sum"):
                v, u = T.axis.remap("SS", [i, j])
                sum[v, u] = mm[v, u] + b[u]
        for i, j in T.grid(2, 4):
            with T.block("out"):
                v, u = T.axis.remap("SS", [i, j])
                out[v, u] = T.max(sum[v, u], T.float32(0))

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((4,), "float32")) -> R.Tensor((2, 4), "float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_dps_packed("matmul_relu_library", (x, w), out_sinfo=R.Tensor((2, 4), "float32"))
            a = R.call_tir(cls.unfused_epilogue, (lv, b), out_sinfo=R.Tensor((2, 4), "float32"))
            lv1 = R.call_dps_packed("matmul_relu_library", (x, w), out_sinfo=R.Tensor((2, 4), "float32"))
            c = R.call_tir(cls.unfused_epilogue, (lv1, b), out_sinfo=R.Tensor((2, 4), "float32"))
            d = R.add(a, c)
            R.output(d)
        return d
`
	p := must(transform.SplitCallTIRByPattern.With(ir.NewAttrs("patterns", []ir.Value{"matmul_of"})))
	runPairs(t, p, pair{name: "a product and what follows", before: splitKernels, after: after},
		pair{name: "another constant", before: strings.Replace(splitKernels, "T.float32(0)\n                mm", "T.float32(1)\n                mm", 1)},
		pair{name: "a transposed operand", before: strings.Replace(splitKernels, "w[r, u]", "w[r, u] * x[v, r]", 1)},
		pair{name: "the rest reads what the product reads twice", before: strings.Replace(splitKernels, "sum[v, u] = mm[v, u] + b[u]", "mm[v, u] = mm[v, u] + b[u]", 1)},
	)
}

// TestSplitCallTIRKeepsValues runs a kernel before and after it was cut behind one, two and all of its nests of loops.
func TestSplitCallTIRKeepsValues(t *testing.T) {
	m := read(t, splitKernels)
	patterns := read(t, splitKernels[:strings.Index(splitKernels, "    @R.function")]+`
    @T.prim_func(private=True)
    def sum_of(A: T.Buffer((2, 4), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((2, 4), "float32")):
        for i, j in T.grid(2, 4):
            with T.block("C"):
                v, u = T.axis.remap("SS", [i, j])
                C[v, u] = B[u] + A[v, u]

    @T.prim_func(private=True)
    def most_of(A: T.Buffer((2, 4), "float32"), C: T.Buffer((2, 4), "float32"), least: T.float32):
        for i, j in T.grid(2, 4):
            with T.block("C"):
                v, u = T.axis.remap("SS", [i, j])
                C[v, u] = T.max(A[v, u], least)
`)
	var list []*tir.PrimFunc
	for _, name := range []string{"matmul_of", "sum_of", "most_of"} {
		list = append(list, ir.MustLookup[*tir.PrimFunc](patterns, name))
	}
	for n, want := range []string{"call_tir(cls.matmul_relu", "(lv, b)", "(lv,)", `R.call_dps_packed("matmul_relu", (x, w, b)`} {
		out := runPass(t, passtest.NewContext(), transform.SplitCallTIRByPatternWith(list, func(matches []transform.TIRMatch) (transform.LibraryCode, error) {
			if len(matches) != 3 || matches[0].Symbols[0].(*tir.FloatImm).Value != 1 || matches[2].Symbols[0].(*tir.FloatImm).Value != 0 || matches[1].Buffers[0].Name != "mm" {
				t.Errorf("the matches are %v", matches)
			}
			return transform.LibraryCode{Source: "void {global_symbol}();", Matched: n}, nil
		}), m)
		text := passtest.Text(out)
		if !strings.Contains(text, want) || n > 0 && !strings.Contains(text, `"library_kernel": "void matmul_relu`) {
			t.Errorf("%d nests: %s is missing in\n%s", n, want, text)
		}
		sameOutputs(t, outputs(t, m, 2, false), outputs(t, out, 2, false))
	}
	for want, code := range map[string]transform.LibraryCode{
		"takes 4 nests of loops, of the 3 that patterns match": {Matched: 4},
		"does not take x, which the nests":                     {Matched: 1, Args: []*tir.Buffer{}},
		"takes C, which is no input of the kernel":             {Matched: 1, Args: list[0].Buffers[2:3]},
	} {
		p := transform.SplitCallTIRByPatternWith(list, func([]transform.TIRMatch) (transform.LibraryCode, error) { return code, nil })
		if _, err := passtest.NewContext().Run(p, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestSplitCallTIRRefuses(t *testing.T) {
	runPairs(t, transform.SplitCallTIRByPattern,
		pair{name: "no such function", before: splitKernels, args: ir.NewAttrs("patterns", []ir.Value{"none"}), err: "patterns: none is not the name of a PrimFunc of the module"},
		pair{name: "two nests", before: splitKernels, args: ir.NewAttrs("patterns", []ir.Value{"matmul_relu"}), err: "expected one nest of loops without buffers of its own"},
		pair{name: "constants first", before: strings.Replace(strings.Replace(splitKernels, `, s: T.float32)`, ")", 1), "matmul_of(", "matmul_of(s: T.float32, ", 1), args: ir.NewAttrs("patterns", []ir.Value{"matmul_of"}), err: "expected the buffers first, and behind them what stands for constants"},
	)
}

// TestAttachExternModules attaches a kernel that a call by a symbol finds.
func TestAttachExternModules(t *testing.T) {
	const text = `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        y = R.call_dps_packed("twice", (x,), out_sinfo=R.Tensor((2, 3), "float32"))
        return y
`
	const kernel = `
@T.prim_func
def twice(a: T.Buffer((2, 3), "float32"), b: T.Buffer((2, 3), "float32")):
    T.func_attr({"global_symbol": "twice"})
    for i, j in T.grid(2, 3):
        with T.block("b"):
            v, w = T.axis.remap("SS", [i, j])
            b[v, w] = a[v, w] + a[v, w]
`
	other := strings.Replace(kernel, "+ a", "* a", 1)
	module := func(k string) string { return text + strings.ReplaceAll(k, "\n", "\n    ") }
	with := func(list ...ir.Value) *ir.Attrs { return ir.NewAttrs("extern_modules", list) }
	runPairs(t, transform.AttachExternModules,
		pair{name: "attached", before: text, after: module(kernel), args: with(kernel)},
		pair{name: "twice", before: text, after: module(kernel), args: with(kernel, kernel)},
		pair{name: "none", before: text, args: with()},
		pair{name: "there already", before: module(kernel), args: with(kernel)},
		pair{name: "two of a name", before: text, args: with(kernel, other), err: "extern_modules: the module has another function twice already"},
		pair{name: "another of the name", before: module(other), args: with(kernel), err: "extern_modules: the module has another function twice already"},
		pair{name: "private", before: text, args: with(strings.Replace(strings.Replace(kernel, "func\n", "func(private=True)\n", 1), "    T.func_attr({\"global_symbol\": \"twice\"})\n", "", 1)), err: "no PrimFunc with a global_symbol, by which it could be called: only such functions are attached"},
		pair{name: "no text", before: text, args: with("def"), err: "expected the name of the function, got the end of the line"},
	)
	m := read(t, text)
	out, _ := check(t, passtest.NewContext(), transform.AttachExternModulesWith(read(t, kernel)), m)
	sameOutputs(t, outputs(t, read(t, module(kernel)), 2, false), outputs(t, out, 2, false))
}
