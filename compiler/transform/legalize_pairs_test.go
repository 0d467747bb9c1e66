package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestLegalizeOpsSays lists what is left alone and what is said of it.
func TestLegalizeOpsSays(t *testing.T) {
	main := func(params, body string) string {
		return "@R.function\ndef main(" + params + "):\n    n = T.int64()\n    m = T.int64()\n" + body + "\n    return y\n"
	}
	const vector = `x: R.Tensor((4,), "float32")`
	const warning = "warning: y = relax."
	for _, c := range []struct{ name, text, want string }{
		{"lowered", main(vector, `    y = R.exp(x)`), ""},
		{"no operators", main(vector, `    y = (x, x)`), ""},
		{"operators that other passes lower", main(vector, `
    a = R.shape_of(x)
    b: R.Object = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    c: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    d = R.call_pure_packed("f", x, sinfo_args=(R.Object,))
    e: R.Object = R.null_value()
    y = R.call_dps_packed("f", (x,), out_sinfo=R.Tensor((4,), "float32"))`), ""},
		{
			"no kernel", main(`x: R.Tensor((1, 4), "float32"), u: R.Tensor((1, 1), "float32"), i: R.Tensor((1, 1), "int64")`, `    y = R.multinomial_from_uniform(x, u, i)`),
			"pair.py:5:9: main: " + warning + "multinomial_from_uniform was not lowered: it has no kernel",
		},
		{
			"a result of unknown shape", main(`x: R.Tensor("float32", ndim=1)`, `    y = R.exp(x)`),
			"pair.py:5:9: main: " + warning + `exp was not lowered: left alone: the shape of its result is not known: Tensor(ndim=1, "float32"); give the inputs fixed shapes, or say by a match_cast which shape it is`,
		},
		{
			"a result of unknown type", main(`x: R.Tensor((4,))`, `    y = R.exp(x)`),
			"pair.py:5:9: main: " + warning + `exp was not lowered: left alone: the shape of its result is not known: Tensor((4,))`,
		},
		{
			"an argument of unknown shape", main(`x: R.Tensor("float32", ndim=1)`, `    y = R.reshape(x, R.shape([4]))`),
			"pair.py:5:9: main: " + warning + `reshape was not lowered: left alone: argument 0: its shape or element type is not known: Tensor(ndim=1, "float32")`,
		},
		{
			"a field of an argument of unknown shape", main(`x: R.Tuple(R.Tensor((4,), "float32"), R.Tensor("float32", ndim=1))`, `    y: R.Tensor((8,), "float32") = R.concat(x, axis=0)`),
			"pair.py:5:36: main: " + warning + `concat was not lowered: left alone: argument 0: its shape or element type is not known: Tensor(ndim=1, "float32")`,
		},
		{"scalars that are not known are parameters", main(vector+`, p: R.Prim("float32")`, `    y = R.clip(x, p, R.prim_value(4))`), ""},
		{
			"indices whose length is not known", main(vector+`, i: R.Tensor((2, "n"), "int64"), u: R.Tensor((2,), "float32")`, `    y = R.scatter_nd(x, i, u)`),
			"pair.py:5:9: main: " + warning + `scatter_nd was not lowered: left alone: the number of dimensions that an index has is not known`,
		},
		{
			"a slice of steps that are not known", main(vector+`, s: R.Shape(["n"])`, `    y: R.Tensor((4,), "float32") = R.strided_slice(x, (R.prim_value(0),), (R.prim_value(0),), (R.prim_value(4),), (R.prim_value(n),))`),
			"pair.py:5:36: main: " + warning + `strided_slice was not lowered: left alone: its axes or steps are not constants`,
		},
		{
			"a slice of bounds that are a parameter", main(vector+`, b: R.Tuple(R.Prim("int64"))`, `    y: R.Tensor((4,), "float32") = R.strided_slice(x, (R.prim_value(0),), b, (R.prim_value(4),))`),
			"pair.py:5:36: main: " + warning + `strided_slice was not lowered: left alone: the values of argument 2 are not known`,
		},
		{
			"a slice of a bound that is not known", main(vector+`, b: R.Prim("int64")`, `    y: R.Tensor((4,), "float32") = R.strided_slice(x, (R.prim_value(0),), (b,), (R.prim_value(4),))`),
			"pair.py:5:36: main: " + warning + `strided_slice was not lowered: left alone: the values of argument 2 are not known`,
		},
		{
			"said once of each reason", main(`x: R.Tensor("float32", ndim=1)`, `    a = R.exp(x)
    y = R.exp(a)`),
			`pair.py:5:9: main: warning: a = relax.exp was not lowered: left alone: the shape of its result is not known: Tensor(ndim=1, "float32"); give the inputs fixed shapes, or say by a match_cast which shape it is`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, c.text)
			passtest.WellFormed(t, "before", m)
			pc := passtest.NewContext()
			out := runPass(t, pc, transform.LegalizeOps, m)
			passtest.WellFormed(t, "after", out)
			var said []string
			for _, d := range pc.Diagnostics() {
				said = append(said, d.String())
			}
			if got := strings.Join(said, "\n"); got != c.want {
				t.Errorf("it says\n%s\nwant\n%s", got, c.want)
			}
			quiet := passtest.NewContext()
			runPass(t, quiet, must(transform.LegalizeOps.With(ir.NewAttrs("enable_warning", false))), m)
			if found := quiet.Diagnostics(); len(found) > 0 {
				t.Errorf("with warnings off it says %v", found)
			}
		})
	}
}

// vectorKernel is the kernel of an elementwise operator on a vector of 4 elements.
func vectorKernel(name, params, block, buffer, value string) string {
	return `
@T.prim_func(private=True)
def ` + name + `(` + params + `, ` + buffer + `: T.Buffer((T.int64(4),), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i0 in range(T.int64(4)):
        with T.block("` + block + `"):
            v_i0 = T.axis.spatial(T.int64(4), i0)
            ` + buffer + `[v_i0] = ` + value + `
`
}

func TestLegalizeOpsPairs(t *testing.T) {
	const x4 = `x: T.Buffer((T.int64(4),), "float32")`
	expKernel := vectorKernel("exp", x4, "compute", "compute", "T.exp(x[v_i0])")
	const two = `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    a = R.exp(x)
    b = R.abs(a)
    return b
`
	call := func(name, arg string) string {
		return "R.call_tir(cls." + name + `, (` + arg + `,), out_sinfo=R.Tensor((4,), "float32"))`
	}
	runPairs(t, transform.LegalizeOps,
		pair{name: "one operator is skipped", before: two, args: ir.NewAttrs("skip_ops", []string{"relax.abs"}), after: expKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    a = ` + call("exp", "x") + `
    b = R.abs(a)
    return b
`},
		pair{name: "both are skipped", before: two, args: ir.NewAttrs("skip_ops", []string{"relax.abs", "relax.exp"})},
		pair{name: "switched off", before: two, opts: []pass.ContextOption{pass.Configure(map[string]any{"relax.transform.apply_legalize_ops": false})}},
		pair{
			name: "an equal kernel of the module is used, and another of its name is not", before: strings.Replace(expKernel, "def exp", "def mine", 1) + vectorKernel("abs", x4, "b", "y", "x[v_i0]") + two,
			after: strings.Replace(expKernel, "def exp", "def mine", 1) + vectorKernel("abs", x4, "b", "y", "x[v_i0]") + vectorKernel("abs1", strings.Replace(x4, "x", "a", 1), "compute", "compute", "T.fabs(a[v_i0])") + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    a = ` + call("mine", "x") + `
    b = ` + call("abs1", "a") + `
    return b
`,
		},
		pair{name: "in branches and local functions", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    if p:
        a = R.exp(x)
        r = a
    else:
        r = x

    @R.function
    def f(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = R.exp(x)
        return b

    s = f(r)
    return s
`, after: expKernel + `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    if p:
        a = ` + call("exp", "x") + `
        r = a
    else:
        r = x

    @R.function
    def f(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = ` + call("exp", "x") + `
        return b

    s = f(r)
    return s
`},
	)
}
