package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/transform"
)

func TestRemoveUnusedParametersPairs(t *testing.T) {
	runPairs(t, transform.RemoveUnusedParameters,
		pair{name: "with what was computed for them", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.exp(x)
        b = Module.part(x, a, x)
        return b

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32"), z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.add(x, z)
        return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = Module.part(x, x)
        return b

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32"), z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.add(x, z)
        return r
`},
		pair{name: "a symbolic variable becomes a parameter", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
        k = T.int64()
        a = Module.part(x)
        return a

    @R.function(private=True)
    def part(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        r = R.zeros(R.shape([n]), "float32")
        return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("k",), "float32")) -> R.Tensor(("k",), "float32"):
        k = T.int64()
        a = Module.part(R.prim_value(k))
        return a

    @R.function(private=True)
    def part(param_n: R.Prim(value="n")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        r = R.zeros(R.shape([n]), "float32")
        return r
`},
		pair{name: "an extent that a caller does not know keeps its parameter", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        a = Module.part(x)
        return a

    @R.function(private=True)
    def part(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        r = R.zeros(R.shape([n]), "float32")
        return r
`},
		pair{name: "public functions and functions that are values stay", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        f = Module.part
        b = f(x, x)
        return b

    @R.function
    def known(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return x

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.exp(x)
        return r
`},
	)
}

func TestExpandTupleArgumentsPairs(t *testing.T) {
	runPairs(t, transform.ExpandTupleArguments,
		pair{name: "fields of fields", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((4,), "float32"):
        t = (x, (y, x))
        a = Module.part(t, x)
        return a

    @R.function(private=True)
    def part(t: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((2,), "float32"), R.Tensor((4,), "float32"))), z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        u = t[1]
        v = u[1]
        r = R.add(v, z)
        return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((4,), "float32"):
        a = Module.part(x, y, x, x)
        return a

    @R.function(private=True)
    def part(t_0: R.Tensor((4,), "float32"), t_1_0: R.Tensor((2,), "float32"), t_1_1: R.Tensor((4,), "float32"), z: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.add(t_1_1, z)
        return r
`},
		pair{name: "a tuple that comes from outside", before: `
@I.ir_module
class Module:
    @R.function
    def main(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
        a = Module.part(t)
        return a

    @R.function(private=True)
    def part(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
        u = t[1]
        r = R.exp(u)
        return r
`, after: `
@I.ir_module
class Module:
    @R.function
    def main(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tensor((4,), "float32"):
        gv = t[0]
        gv1 = t[1]
        a = Module.part(gv, gv1)
        return a

    @R.function(private=True)
    def part(t_0: R.Tensor((4,), "float32"), t_1: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        r = R.exp(t_1)
        return r
`},
	)
}

func TestRemoveUnusedOutputsPairs(t *testing.T) {
	const callee = `
    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.exp(x)
        b = R.sqrt(x)
        c = R.tanh(x)
        r = (a, b, c)
        return r
`
	runPairs(t, transform.RemoveUnusedOutputs,
		pair{name: "one is left", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Module.part(x)
        u = t[1]
        r = R.add(u, x)
        return r
` + callee, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Module.part(x)
        r = R.add(t, x)
        return r

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        b = R.sqrt(x)
        return b
`},
		pair{name: "two callers use two", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Module.part(x)
        u = t[2]
        return u

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Module.part(x)
        u = t[0]
        return u
` + callee, after: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Module.part(x)
        u = t[1]
        return u

    @R.function
    def other(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        t = Module.part(x)
        u = t[0]
        return u

    @R.function(private=True)
    def part(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        a = R.exp(x)
        c = R.tanh(x)
        return (a, c)
`},
		pair{name: "a tuple that is used as a whole stays", before: `
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
        t = Module.part(x)
        return t
` + callee},
	)
}

func TestBindSymbolicVarsPairs(t *testing.T) {
	const text = `
@R.function
def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("n * m",), "float32"):
    n = T.int64()
    m = T.int64()
    y = R.reshape(x, (n * m,))
    return y
`
	bind := func(args ...any) *ir.Attrs {
		out := &ir.Attrs{}
		for i := 0; i < len(args); i += 2 {
			out = out.With(args[i].(string), args[i+1])
		}
		return out
	}
	runPairs(t, transform.BindSymbolicVars,
		pair{name: "one of two", before: text, args: bind("binding_map", bind("n", 3)), after: `
@R.function
def main(x: R.Tensor((3, "m"), "float32")) -> R.Tensor(("m * 3",), "float32"):
    m = T.int64()
    y = R.reshape(x, (m * 3,))
    return y
`},
		pair{name: "nothing", before: text},
		pair{name: "both", before: text, args: bind("binding_map", bind("m", 0, "n", 5)), after: `
@R.function
def main(x: R.Tensor((5, 0), "float32")) -> R.Tensor((0,), "float32"):
    y = R.reshape(x, (0,))
    return y
`},
		pair{name: "no such variable", before: text, args: bind("binding_map", bind("k", 3)), err: "binding_map: no function has a symbolic variable called k; there are m, n"},
		pair{name: "no such function", before: text, args: bind("func_name", "other"), err: "func_name: the module has no Relax function called other"},
		pair{name: "no number", before: text, args: bind("binding_map", bind("n", "three")), err: "binding_map: the value of n is three, want a whole number"},
		pair{name: "too small a number", before: text, args: bind("binding_map", bind("n", -1)), err: "binding_map: the value of n is -1, want 0 or more"},
	)
}

func TestConvertToDataflowPairs(t *testing.T) {
	args := (&ir.Attrs{}).With("min_size", 2)
	runPairs(t, transform.ConvertToDataflow,
		pair{name: "a run between effects", args: args, before: `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    a = R.exp(x)
    p = R.print(a, format="{}")
    b = R.sqrt(a)
    c = R.tanh(b)
    d = R.add(c, a)
    q = R.print(d, format="{}")
    return d
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    a = R.exp(x)
    p = R.print(a, format="{}")
    with R.dataflow():
        b = R.sqrt(a)
        c = R.tanh(b)
        d = R.add(c, a)
        R.output(d)
    q = R.print(d, format="{}")
    return d
`},
		pair{name: "branches", args: args, before: `
@R.function
def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
    if c:
        a = R.exp(x)
        b = R.sqrt(a)
        r = R.add(a, b)
    else:
        r = R.tanh(x)
    return r
`, after: `
@R.function
def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")) -> R.Tensor((4,), "float32"):
    if c:
        with R.dataflow():
            a = R.exp(x)
            b = R.sqrt(a)
            gv = R.add(a, b)
            R.output(gv)
        r = gv
    else:
        r = R.tanh(x)
    return r
`},
		pair{name: "a block grows", args: args, before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        R.output(a)
    b = R.sqrt(a)
    return b
`, after: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        b = R.sqrt(a)
        R.output(b)
    return b
`},
		pair{name: "a negative size", args: (&ir.Attrs{}).With("min_size", -1), before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    b = R.sqrt(x)
    return b
`, err: "min_size is -1, want a number of bindings"},
	)
}

func TestTopologicalSortPairs(t *testing.T) {
	const text = `
@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        b = R.sqrt(y)
        c = R.tanh(a)
        d = R.sin(b)
        e = R.add(c, d)
        R.output(e)
    return e
`
	const depth = `
@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        c = R.tanh(a)
        b = R.sqrt(y)
        d = R.sin(b)
        e = R.add(c, d)
        R.output(e)
    return e
`
	of := func(order, direction string) *ir.Attrs {
		return (&ir.Attrs{}).With("order", order).With("direction", direction)
	}
	runPairs(t, transform.TopologicalSort,
		pair{name: "depth first", before: text, after: depth},
		pair{name: "breadth first", before: depth, args: of("breadth-first", "from-inputs"), after: text},
		pair{name: "from the outputs", before: text, args: of("depth-first", "from-outputs"), after: depth},
		pair{name: "breadth first from the outputs", before: depth, args: of("breadth-first", "from-outputs"), after: `
@R.function
def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        b = R.sqrt(y)
        a = R.exp(x)
        d = R.sin(b)
        c = R.tanh(a)
        e = R.add(c, d)
        R.output(e)
    return e
`},
		pair{name: "a symbolic variable is used behind its definition", args: of("breadth-first", "from-inputs"), before: `
@R.function
def main(x: R.Tensor(dtype="float32", ndim=1), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    m = T.int64()
    with R.dataflow():
        s = R.exp(x)
        b = R.match_cast(s, R.Tensor((m,), "float32"))
        z = R.zeros(R.shape([m]), "float32")
        w = R.sum(z, axis=None)
        v = R.sum(b, axis=None)
        r = R.add(y, w)
        u = R.add(r, v)
        R.output(u)
    return u
`, after: `
@R.function
def main(x: R.Tensor(dtype="float32", ndim=1), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    m = T.int64()
    with R.dataflow():
        s = R.exp(x)
        b = R.match_cast(s, R.Tensor((m,), "float32"))
        z = R.zeros(R.shape([m]), "float32")
        v = R.sum(b, axis=None)
        w = R.sum(z, axis=None)
        r = R.add(y, w)
        u = R.add(r, v)
        R.output(u)
    return u
`},
	)
}

func TestNormalizePairs(t *testing.T) {
	runPairs(t, transform.Normalize, pair{name: "what is normal stays", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        R.output(a)
    return a
`}, pair{name: "a branch that compares with an extent of a parameter stays", before: `
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor("float32", ndim=1), c: R.Tensor((), "bool")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    if c:
        a = R.match_cast(y, R.Tensor((n,), "float32"))
        z = a
    else:
        z = x
    return z
`})
}
