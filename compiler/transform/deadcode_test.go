package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

func TestRemoveUnusedPairs(t *testing.T) {
	runPairs(t, transform.DeadCodeElimination,
		pair{name: "all is used", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.multiply(a, a)
        R.output(b)
    if p:
        c = R.add(b, b)
        r = c
    else:
        r = b
    return r
`},
		pair{name: "chains that end nowhere, in their blocks", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.multiply(x, x)
        c = R.multiply(a, b)
        d = R.add(b, b)
        e = R.add(d, b)
        R.output(c, e)
    with R.dataflow():
        f = R.add(c, c)
        R.output(f)
    return e
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        b = R.multiply(x, x)
        d = R.add(b, b)
        e = R.add(d, b)
        R.output(e)
    return e
`},
		pair{name: "a conditional that is used, with branches that hold more than they need", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    q = R.logical_not(p)
    a = R.add(x, x)
    b = R.multiply(x, x)
    if q:
        c = R.add(x, x)
        r = a
    else:
        d = R.subtract(x, x)
        e = R.add(d, b)
        f = R.add(e, e)
        r = e
    return r
`, after: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    q = R.logical_not(p)
    a = R.add(x, x)
    b = R.multiply(x, x)
    if q:
        r = a
    else:
        d = R.subtract(x, x)
        e = R.add(d, b)
        r = e
    return r
`},
		pair{name: "the other branch alone", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if p:
        a = R.add(x, x)
        r = a
    else:
        b = R.add(x, x)
        r = x
    return r
`, after: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if p:
        a = R.add(x, x)
        r = a
    else:
        r = x
    return r
`},
		pair{name: "conditionals that nothing needs go where both branches are pure", before: `
@R.function(pure=False)
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if p:
        r = x
    else:
        r = x
    if p:
        R.print(x, format=R.str("then"))
        s = x
    else:
        s = x
    if p:
        u = x
    else:
        a = R.add(x, x)
        R.print(x, format=R.str("else"))
        b = R.add(x, x)
        u = x
    return x
`, after: `
@R.function(pure=False)
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if p:
        R.print(x, format=R.str("then"))
        s = x
    else:
        s = x
    if p:
        u = x
    else:
        R.print(x, format=R.str("else"))
        u = x
    return x
`},
		pair{name: "calls with effects stay", before: `
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
    b = cls.loud(x)
    c = f(x)
    d = g(x)
    e = R.call_packed("packed", x, sinfo_args=(R.Tensor((2,), "float32"),))
    h = (a, c)
    return x
`, after: `
@R.function(private=True, pure=False)
def loud(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.print(x, format=R.str("x"))
    return x

@R.function(pure=False)
def main(x: R.Tensor((2,), "float32"), f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), True), g: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), False)) -> R.Tensor((2,), "float32"):
    cls = Module
    b = cls.loud(x)
    d = g(x)
    e = R.call_packed("packed", x, sinfo_args=(R.Tensor((2,), "float32"),))
    return x
`},
		pair{name: "a kernel is called for its effect", before: `
@T.prim_func(private=True)
def fill(A: T.Buffer((T.int64(2),), "float32")):
    for i in range(T.int64(2)):
        with T.block("fill"):
            v = T.axis.spatial(T.int64(2), i)
            A[v] = T.float32(1)

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    R.func_attr({"relax.force_pure": T.bool(True)})
    a: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    cls.fill(a)
    return a
`},
		pair{name: "match casts that define or compare what is used stay", before: `
@R.function
def main(x: R.Tensor("float32", ndim=1), y: R.Tensor("float32", ndim=1), z: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    a = R.match_cast(x, R.Tensor((n,), "float32"))
    b = R.match_cast(y, R.Tensor((m,), "float32"))
    c = R.match_cast(z, R.Tensor((m + n,), "float32"))
    d = R.match_cast(z, R.Tensor((k,), "float32"))
    e = R.match_cast(z, R.Tensor((n,), "float32"))
    f = R.zeros(R.shape([m]), "float32")
    g: R.Tensor("float32", ndim=1) = R.add(f, c)
    return g
`, after: `
@R.function
def main(x: R.Tensor("float32", ndim=1), y: R.Tensor("float32", ndim=1), z: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    m = T.int64()
    a = R.match_cast(x, R.Tensor((n,), "float32"))
    b = R.match_cast(y, R.Tensor((m,), "float32"))
    c = R.match_cast(z, R.Tensor((m + n,), "float32"))
    e = R.match_cast(z, R.Tensor((n,), "float32"))
    f = R.zeros(R.shape([m]), "float32")
    g: R.Tensor("float32", ndim=1) = R.add(f, c)
    return g
`},
		pair{name: "a match cast that compares what the result says stays", before: `
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor("float32", ndim=1)) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    a = R.match_cast(y, R.Tensor((n,), "float32"))
    return x
`},
		pair{name: "casts of shapes that define nothing check extents, and stay", before: `
@R.function
def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor("int64", ndim=1)) -> R.Tensor(("n", "m"), "float32"):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    l = T.int64()
    with R.dataflow():
        a = R.match_cast(R.shape([n]), R.Shape([2]))
        b = R.match_cast(R.shape([n]), R.Shape([m]))
        c = R.match_cast(R.shape([n * m]), R.Shape([k]))
        d = R.tensor_to_shape(y)
        e = R.match_cast(d, R.Shape([n, 3]))
        f = R.match_cast(d, R.Shape([l, 3]))
        g = R.add(x, x)
        R.output(g)
    return g
`, after: `
@R.function
def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor("int64", ndim=1)) -> R.Tensor(("n", "m"), "float32"):
    n = T.int64()
    m = T.int64()
    with R.dataflow():
        a = R.match_cast(R.shape([n]), R.Shape([2]))
        b = R.match_cast(R.shape([n]), R.Shape([m]))
        d = R.tensor_to_shape(y)
        e = R.match_cast(d, R.Shape([n, 3]))
        g = R.add(x, x)
        R.output(g)
    return g
`},
		pair{name: "what the result of a conditional says of its shape is used", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor("float32", ndim=1), y: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    a = R.match_cast(x, R.Tensor((n,), "float32"))
    b = R.match_cast(y, R.Tensor((n,), "float32"))
    if p:
        c: R.Tensor((n,), "float32") = R.add(b, b)
        r: R.Tensor((n,), "float32") = c
    else:
        r: R.Tensor((n,), "float32") = b
    return r
`},
	)
}

func TestRemoveUnreachablePairs(t *testing.T) {
	const functions = `
@R.function(private=True)
def inner(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    return a

@R.function(private=True)
def outer(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    a = cls.inner(x)
    return a
`
	const main = `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    a = cls.outer(x)
    return a
`
	const other = `
@R.function
def other(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    a = cls.inner(x)
    return a
`
	const lonely = `
@R.function(private=True)
def lonely(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    a = cls.lonely(x)
    return a
`
	entries := func(names ...ir.Value) *ir.Attrs { return ir.NewAttrs("entry_functions", names) }
	runPairs(t, transform.DeadCodeElimination,
		pair{name: "all that public functions reach", before: functions + main + other},
		pair{name: "a function that only calls itself", before: functions + main + lonely, after: functions + main},
		pair{name: "nothing is public", before: functions + lonely},
		pair{name: "public functions that are not entries", before: functions + main + other, args: entries("main")},
		pair{name: "two entries", before: functions + main + other + lonely, args: entries("main", "other"), after: functions + main + other},
		pair{name: "a private entry", before: functions + main + lonely, args: entries("lonely")},
		pair{name: "a private entry where nothing is public", before: functions + lonely, args: entries("lonely"), after: lonely},
		pair{name: "an entry that does not exist", before: main + functions, args: entries("main", "nope"), err: "entry_functions: the module has no function called nope"},
	)
	for level, want := range []bool{false, true} {
		if ok, _ := passtest.NewContext(pass.OptLevel(level)).PassEnabled(transform.DeadCodeElimination); ok != want {
			t.Errorf("at opt_level %d it runs: %v, want %v", level, ok, want)
		}
	}
}
