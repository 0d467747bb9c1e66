package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestEliminateCommonSubexprPairs has what is left when the names of equal values are gone.
func TestEliminateCommonSubexprPairs(t *testing.T) {
	runPairs(t, pass.NewSequential("shared", transform.EliminateCommonSubexpr, transform.DeadCodeElimination),
		pair{name: "nothing twice", before: `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, y)
    b = R.add(y, x)
    c = R.subtract(x, y)
    d = R.sum(a, axis=[0])
    e = R.sum(a, axis=[0], keepdims=True)
    f = R.add(b, c)
    g = R.add(d, e)
    h = R.add(f, g)
    return h
`},
		pair{name: "chains", before: `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, y)
    b = R.multiply(a, x)
    c = R.add(x, y)
    d = R.multiply(c, x)
    e = R.subtract(b, d)
    return e
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, y)
    b = R.multiply(a, x)
    e = R.subtract(b, b)
    return e
`},
		pair{name: "other types are other values", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor("float32", ndim=1):
    a = R.add(x, x)
    b: R.Tensor("float32", ndim=1) = R.add(x, x)
    c = R.multiply(a, b)
    return c
`},
		pair{name: "an output keeps its name, and an output stands for one", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.add(x, x)
        c = R.add(x, x)
        R.output(b, c)
    d = R.multiply(b, c)
    return d
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = a
        c = a
        R.output(b, c)
    d = R.multiply(b, c)
    return d
`},
		pair{name: "an output before stands for what is local and for outputs", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    with R.dataflow():
        a = R.add(x, x)
        b = R.add(x, x)
        c = R.add(x, x)
        d = R.multiply(b, c)
        R.output(a, c, d)
    e = R.add(x, x)
    f = R.multiply(e, c)
    return (f, d)
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    with R.dataflow():
        a = R.add(x, x)
        d = R.multiply(a, a)
        R.output(a, d)
    return (d, d)
`},
		pair{name: "local values are seen in their own block only", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.multiply(a, x)
        R.output(b)
    c = R.add(x, x)
    with R.dataflow():
        d = R.subtract(x, x)
        e = R.multiply(d, b)
        R.output(e)
    with R.dataflow():
        f = R.subtract(x, x)
        g = R.subtract(x, x)
        h = R.add(x, x)
        i = R.add(f, g)
        j = R.add(i, h)
        k = R.add(j, e)
        R.output(k)
    l = R.add(k, c)
    return l
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.multiply(a, x)
        R.output(b)
    c = R.add(x, x)
    with R.dataflow():
        d = R.subtract(x, x)
        e = R.multiply(d, b)
        R.output(e)
    with R.dataflow():
        f = R.subtract(x, x)
        i = R.add(f, f)
        j = R.add(i, c)
        k = R.add(j, e)
        R.output(k)
    l = R.add(k, c)
    return l
`},
		pair{name: "branches see what is before, and nothing after sees them", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    if p:
        b = R.add(x, x)
        c = R.multiply(b, b)
        r = c
    else:
        d = R.multiply(a, a)
        r = d
    e = R.multiply(a, a)
    f = R.add(x, x)
    g = R.add(e, f)
    h = R.add(g, r)
    return h
`, after: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    if p:
        c = R.multiply(a, a)
        r = c
    else:
        d = R.multiply(a, a)
        r = d
    e = R.multiply(a, a)
    g = R.add(e, a)
    h = R.add(g, r)
    return h
`},
		pair{name: "equal conditionals stay", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if p:
        r = x
    else:
        a = R.add(x, x)
        r = a
    if p:
        s = x
    else:
        b = R.add(x, x)
        s = b
    t = R.add(r, s)
    return t
`},
		pair{name: "a local function is a world of its own", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        R.output(a)

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        b = R.add(x, x)
        c = R.add(x, x)
        d = R.multiply(b, c)
        e = R.multiply(d, z)
        return e

    g = R.add(x, x)
    s = f(g)
    h = R.multiply(s, a)
    return h
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        R.output(a)

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        b = R.add(x, x)
        c = b
        d = R.multiply(b, b)
        e = R.multiply(d, z)
        return e

    s = f(a)
    h = R.multiply(s, a)
    return h
`},
		pair{name: "calls of Relax functions that are pure, and none that are not", before: `
@R.function(private=True)
def pure(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    return a

@R.function(private=True, pure=False)
def loud(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.print(x, format=R.str("x"))
    return x

@R.function(pure=False)
def main(x: R.Tensor((2,), "float32"), f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True), g: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), False)) -> R.Tensor((2,), "float32"):
    cls = Module
    a = cls.pure(x)
    b = cls.pure(x)
    c = cls.loud(x)
    d = cls.loud(x)
    e = f(x)
    h = f(x)
    i = g(x)
    j = g(x)
    k = R.call_packed("packed", x, sinfo_args=(R.Tensor((2,), "float32"),))
    l = R.call_packed("packed", x, sinfo_args=(R.Tensor((2,), "float32"),))
    m = (a, b, c, d, e, h, i, j, k, l)
    n = m[0]
    return n
`, after: `
@R.function(private=True)
def pure(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    return a

@R.function(private=True, pure=False)
def loud(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.print(x, format=R.str("x"))
    return x

@R.function(pure=False)
def main(x: R.Tensor((2,), "float32"), f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True), g: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), False)) -> R.Tensor((2,), "float32"):
    cls = Module
    a = cls.pure(x)
    c = cls.loud(x)
    d = cls.loud(x)
    e = f(x)
    i = g(x)
    j = g(x)
    k = R.call_packed("packed", x, sinfo_args=(R.Tensor((2,), "float32"),))
    l = R.call_packed("packed", x, sinfo_args=(R.Tensor((2,), "float32"),))
    m = (a, a, c, d, e, e, i, j, k, l)
    n = m[0]
    return n
`},
		pair{name: "allocations and work in place stay apart", before: `
@T.prim_func(private=True)
def double(A: T.Buffer((T.int64(2),), "float32")):
    for i in range(T.int64(2)):
        with T.block("double"):
            v = T.axis.spatial(T.int64(2), i)
            A[v] = A[v] + A[v]

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    cls = Module
    a: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    b: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    c = R.call_tir_inplace(cls.double, (a,), out_sinfo=R.Tensor((2,), "float32"), inplace_indices=[0])
    d = R.call_tir_inplace(cls.double, (a,), out_sinfo=R.Tensor((2,), "float32"), inplace_indices=[0])
    e = R.add(b, c)
    return (d, e)
`},
		pair{name: "tuples and their fields", before: tuplesTwice, after: `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    u = (x, y)
    a = u[0]
    c = u[1]
    d = R.add(a, a)
    e = R.add(d, c)
    return e
`},
	)
	runPairs(t, transform.EliminateCommonSubexpr, pair{name: "calls only", args: ir.NewAttrs("call_only", true), before: tuplesTwice})
	if ok, _ := passtest.NewContext(pass.OptLevel(2)).PassEnabled(transform.EliminateCommonSubexpr); ok {
		t.Error("it runs at opt_level 2")
	}
}

const tuplesTwice = `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    u = (x, y)
    w = (x, y)
    a = u[0]
    b = w[0]
    c = u[1]
    d = R.add(a, b)
    e = R.add(d, c)
    return e
`
