package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/transform"
)

func TestCanonicalizeBindingsPairs(t *testing.T) {
	runPairs(t, transform.CanonicalizeBindings,
		pair{name: "an output that only a field of another one names becomes local, and stays a field", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        t = (a, x)
        R.output(a, t)
    b = t[0]
    c = t[1]
    d = R.add(b, c)
    return d
`, after: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    with R.dataflow():
        a = R.exp(x)
        t = (a, x)
        R.output(t)
    b = t[0]
    d = R.add(b, x)
    return d
`},
		pair{name: "constants, in branches and as fields too; one that an output names stays, and what is killed", before: `
@R.function(pure=False)
def main(x: R.Tensor((), "int64")):
    p = R.const(True)
    a = R.const(1, "int64")
    b = a
    t = (R.const(2, "int64"), x)
    u = t[0]
    k = R.const(4, "int64")
    with R.dataflow():
        c = R.const(3, "int64")
        d = c
        e = R.add(d, b)
        R.output(d, e)
    if p:
        f = R.add(e, a)
        g = R.add(f, k)
    else:
        g = u
    R.vm.kill_object(k)
    return (g, d, u)
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((), "int64")):
    p = R.const(True)
    a = R.const(1, "int64")
    t = (R.const(2, "int64"), x)
    u = t[0]
    k = R.const(4, "int64")
    with R.dataflow():
        d = R.const(3, "int64")
        e = R.add(d, R.const(1, "int64"))
        R.output(d, e)
    if R.const(True):
        f = R.add(e, R.const(1, "int64"))
        gv = R.add(f, k)
        g = gv
    else:
        g = R.const(2, "int64")
    R.vm.kill_object(k)
    return (g, d, R.const(2, "int64"))
`},
		pair{name: "a chain of names", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = x
    z = y
    w = R.add(y, z)
    v = w
    return v
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    w: R.Tensor((2,), dtype="float32") = R.add(x, x)
    return w
`},
		pair{name: "a match_cast of a tuple, and what follows from it", before: `
@R.function
def main(x: R.Tuple(R.Tensor(("m", "n"), "float32"), R.Shape(["k"]))):
    m = T.int64()
    n = T.int64()
    k = T.int64()
    o = T.int64()
    p = T.int64()
    l = T.int64()
    z = R.match_cast(x, R.Tuple(R.Tensor((o, p), "float32"), R.Shape([l])))
    a = z[0]
    b = x[0]
    c = R.add(a, b)
    return c
`, after: `
@R.function
def main(x: R.Tuple(R.Tensor(("m", "n"), "float32"), R.Shape(["k"]))) -> R.Tensor(("m", "n"), "float32"):
    m = T.int64()
    n = T.int64()
    k = T.int64()
    a = x[0]
    b = x[0]
    c: R.Tensor((m, n), "float32") = R.add(a, b)
    return c
`},
		pair{name: "a tuple of other names says what is known of the values", before: `
@R.function
def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((3,), "float32")) -> R.Tuple(R.Tensor("float32", ndim=2), R.Tensor((3,), "float32")):
    with R.dataflow():
        a = y
        b: R.Tuple(R.Tensor("float32", ndim=2), R.Tensor((3,), "float32")) = (x, a)
        c = b
        R.output(c)
    return c
`, after: `
@R.function
def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((3,), "float32")) -> R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((3,), "float32")):
    with R.dataflow():
        c: R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((3,), "float32")) = (x, y)
        R.output(c)
    return c
`},
		pair{name: "a name that says less stays", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor("float32", ndim=1):
    y: R.Tensor("float32", ndim=1) = x
    return y
`},
		pair{name: "nothing to do", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        y = R.add(x, x)
        z = R.add(y, x)
        R.output(z)
    return z
`},
		pair{name: "a local value takes the name of the output", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        lv = R.add(x, x)
        lv1 = R.multiply(lv, lv)
        gv = lv1
        R.output(gv)
    return gv
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        lv = R.add(x, x)
        gv = R.multiply(lv, lv)
        R.output(gv)
    return gv
`},
		pair{name: "the first of two names of a local value is its name", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    with R.dataflow():
        lv = R.add(x, x)
        first = lv
        second = lv
        third = R.add(lv, lv)
        R.output(first, second, third)
    z = R.add(first, second)
    return (z, third)
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    with R.dataflow():
        first = R.add(x, x)
        third = R.add(first, first)
        R.output(first, third)
    z = R.add(first, first)
    return (z, third)
`},
		pair{name: "an output that says less than its value stays", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor("float32", ndim=1):
    with R.dataflow():
        lv = R.add(x, x)
        gv: R.Tensor("float32", ndim=1) = lv
        R.output(gv)
    return gv
`},
		pair{name: "an output that names a parameter goes, and so does its block", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        gv = x
        R.output(gv)
    return gv
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    return x
`},
		pair{name: "outputs that nothing outside uses are local", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.multiply(a, a)
        R.output(a, b)
    c = R.add(b, b)
    return c
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        a = R.add(x, x)
        b = R.multiply(a, a)
        R.output(b)
    c = R.add(b, b)
    return c
`},
		pair{name: "uses in a condition, in branches and in a local function are outside", before: `
@R.function
def main(x: R.Tensor((), "bool"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        c = R.logical_not(x)
        a = R.add(y, y)
        b = R.multiply(y, y)
        d = R.subtract(y, y)
        R.output(c, a, b, d)
    if c:
        p = R.add(a, a)
        r = p
    else:
        r = b

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        w = R.add(z, d)
        return w

    s = f(r)
    return s
`},
		pair{name: "a match_cast to what is known", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.match_cast(x, R.Tensor((2,), "float32"))
    z = R.add(y, y)
    return z
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    z = R.add(x, x)
    return z
`},
		pair{name: "a match_cast that says more or less stays", before: `
@R.function
def main(x: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
    y = R.match_cast(x, R.Tensor((2,), "float32"))
    z = R.match_cast(y, R.Tensor("float32", ndim=1))
    return z
`},
		pair{name: "an output that casts a local value to what is known stays", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        lv = R.add(x, x)
        gv = R.match_cast(lv, R.Tensor((2,), "float32"))
        R.output(gv)
    return gv
`},
		pair{name: "fields of tuples built in sight", before: `
@R.function
def main(x: R.Tensor((2,), "float32"), t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32"))) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    u = (x, y)
    w = u
    a = u[1]
    b = w[0]
    c = t[0]
    d = R.add(a, b)
    e = R.add(d, c)
    return e
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32"), t: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32"))) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    u = (x, y)
    c = t[0]
    d = R.add(y, x)
    e = R.add(d, c)
    return e
`},
		pair{name: "fields that are killed are taken from the tuple", before: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    z = R.add(x, y)
    u = (y, z)
    a = u[0]
    b = u[1]
    R.vm.kill_object(y)
    c = R.add(a, b)
    return c
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    z = R.add(x, y)
    u = (y, z)
    a = u[0]
    R.vm.kill_object(y)
    c = R.add(a, z)
    return c
`},
		pair{name: "names in branches", before: `
@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    d = c
    if d:
        a = x
        p = R.add(a, x)
        r = p
    else:
        q = x
        r = q
    return r
`, after: `
@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    if c:
        p = R.add(x, x)
        r = p
    else:
        r = x
    return r
`},
	)
}

func TestCanonicalizeSymbolsPairs(t *testing.T) {
	runPairs(t, transform.CanonicalizeBindings.Children[0],
		pair{name: "a variable that a match_cast defines to be one that is known", before: `
@R.function
def main(x: R.Tensor(("n", "n * 2"), "float32")) -> R.Tensor(("n", "n * 2"), "float32"):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    y = R.match_cast(x, R.Tensor((m, k), "float32"))
    s = R.shape([m, k, m + k])
    z = R.zeros(R.shape([m, k]), "float32")
    w = R.add(y, z)
    return w
`, after: `
@R.function
def main(x: R.Tensor(("n", "n * 2"), "float32")) -> R.Tensor(("n", "n * 2"), "float32"):
    n = T.int64()
    y = R.match_cast(x, R.Tensor((n, n * 2), "float32"))
    s = R.shape([n, n * 2, n * 3])
    z = R.zeros(R.shape([n, n * 2]), "float32")
    w = R.add(y, z)
    return w
`},
		pair{name: "of a shape", before: `
@R.function
def main(x: R.Shape(["n"])) -> R.Shape(ndim=1):
    n = T.int64()
    m = T.int64()
    y = R.match_cast(x, R.Shape([m]))
    s = R.shape([m + 1])
    return s
`, after: `
@R.function
def main(x: R.Shape(["n"])) -> R.Shape(ndim=1):
    n = T.int64()
    y = R.match_cast(x, R.Shape([n]))
    s = R.shape([n + 1])
    return s
`},
		pair{name: "by way of another such variable", before: `
@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    y = R.match_cast(x, R.Tensor((m,), "float32"))
    z = R.match_cast(y, R.Tensor((k,), "float32"))
    return z
`, after: `
@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    y = R.match_cast(x, R.Tensor((n,), "float32"))
    z = R.match_cast(y, R.Tensor((n,), "float32"))
    return z
`},
		pair{name: "a variable that is compared stays", before: `
@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    m = T.int64()
    z = R.match_cast(y, R.Tensor((n,), "float32"))
    w = R.add(x, z)
    return w
`},
		pair{name: "a variable that an earlier match_cast defines is compared", before: `
@R.function
def main(x: R.Tensor("float32", ndim=1), y: R.Tensor(("n",), "float32")) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    m = T.int64()
    z = R.match_cast(x, R.Tensor((m,), "float32"))
    w = R.match_cast(y, R.Tensor((m,), "float32"))
    v = R.add(z, w)
    return v
`},
		pair{name: "extents that are not known, and none that are variables", before: `
@R.function
def main(x: R.Tensor("float32", ndim=1), y: R.Tensor(("n",), "float32"), o: R.Object) -> R.Tensor("float32", ndim=1):
    n = T.int64()
    m = T.int64()
    z = R.match_cast(x, R.Tensor((m,), "float32"))
    w = R.match_cast(y, R.Tensor((4,), "float32"))
    u = R.match_cast(o, R.Tensor((m, m), "float32"))
    v = R.match_cast(o, R.Tensor("float32", ndim=1))
    return v
`},
		pair{name: "in a branch whose result does not tell the extent", before: `
@R.function
def main(s: R.Tensor(("n",), "float32"), a: R.Tensor((16,), "float32")) -> R.Tensor((), "float32"):
    n = T.int64()
    if n == 16:
        u = R.match_cast(a, R.Tensor((n,), "float32"))
        w = R.sum(u)
    else:
        w = R.sum(s)
    return w
`},
	)
}
