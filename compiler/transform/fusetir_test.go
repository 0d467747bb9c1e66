package transform_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// reluTwice is the kernel of relu after relu.
const reluTwice = `
@T.prim_func(private=True)
def group(p_x: T.handle, p_out: T.handle):
    T.func_attr({"tir.noalias": T.bool(True)})
    n = T.int64()
    x = T.match_buffer(p_x, (n,))
    out = T.match_buffer(p_out, (n,))
    a = T.alloc_buffer((n,))
    for i in range(n):
        with T.block("relu"):
            v = T.axis.spatial(n, i)
            a[v] = T.max(x[v], T.float32(0))
    for i in range(n):
        with T.block("relu_1"):
            v = T.axis.spatial(n, i)
            out[v] = T.max(a[v], T.float32(0))
`

// fillKernels fill a vector, return two vectors, and add to a vector.
const fillKernels = `
@T.prim_func(private=True)
def fill(a: T.handle, n: T.int64):
    A = T.match_buffer(a, (n,))
    for i in range(n):
        with T.block("fill"):
            v = T.axis.spatial(n, i)
            A[v] = T.float32(1)

@T.prim_func(private=True)
def both(x: T.Buffer((T.int64(4),)), y: T.Buffer((T.int64(4),)), z: T.Buffer((T.int64(4),))):
    for i in range(T.int64(4)):
        with T.block("both"):
            v = T.axis.spatial(T.int64(4), i)
            y[v] = x[v]
            z[v] = T.float32(2) * x[v]

@T.prim_func(private=True)
def add(x: T.Buffer((T.int64(4),)), y: T.Buffer((T.int64(4),))):
    for i in range(T.int64(4)):
        with T.block("add"):
            v = T.axis.spatial(T.int64(4), i)
            x[v] = x[v] + y[v]
`

func TestFuseTIRPairs(t *testing.T) {
	runPairs(t, transform.FuseTIR,
		pair{name: "no group", before: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        out = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        R.output(out)
    return out
`},
		pair{name: "two kernels, of symbolic extents", before: reluKernel + `
@R.function(private=True)
def group(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((n,), "float32"))
        out = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((n,), "float32"))
        R.output(out)
    return out

@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        y: R.Tensor((n,), "float32") = cls.group(x)
        R.output(y)
    return y
`, after: reluTwice + `
@R.function
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    cls = Module
    with R.dataflow():
        y = R.call_tir(cls.group, (x,), out_sinfo=R.Tensor((n,), "float32"))
        R.output(y)
    return y
`},
		pair{name: "equal kernels, scalars, and other functions", before: scaleKernel + addKernel + `
@R.function(private=True)
def one(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.scale, (x, R.const(3.0, "float32")), out_sinfo=R.Tensor((2,), "float32"))
        out = R.call_tir(cls.add, (a, y), out_sinfo=R.Tensor((2,), "float32"))
        R.output(out)
    return out

@R.function(private=True)
def two(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.scale, (x, R.const(3.0, "float32")), out_sinfo=R.Tensor((2,), "float32"))
        out = R.call_tir(cls.add, (a, y), out_sinfo=R.Tensor((2,), "float32"))
        R.output(out)
    return out

@R.function(private=True)
def helper(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    return y

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    with R.dataflow():
        a: R.Tensor((2,), "float32") = cls.one(x, x)
        b: R.Tensor((2,), "float32") = cls.two(a, x)
        c: R.Tensor((2,), "float32") = cls.helper(b)
        d = R.match_cast(c, R.Tensor((2,), "float32"))
        R.output(d)
    return d
`, after: `
@T.prim_func(private=True)
def one(p_x: T.handle, p_y: T.handle, p_out: T.handle):
    T.func_attr({"tir.noalias": T.bool(True)})
    x = T.match_buffer(p_x, (T.int64(2),))
    y = T.match_buffer(p_y, (T.int64(2),))
    out = T.match_buffer(p_out, (T.int64(2),))
    a = T.alloc_buffer((T.int64(2),))
    for i in range(T.int64(2)):
        with T.block("scale"):
            v = T.axis.spatial(T.int64(2), i)
            a[v] = x[v] * T.float32(3)
    for i in range(T.int64(2)):
        with T.block("add"):
            v = T.axis.spatial(T.int64(2), i)
            out[v] = a[v] + y[v]

@R.function(private=True)
def helper(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    return y

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.one, (x, x), out_sinfo=R.Tensor((2,), "float32"))
        b = R.call_tir(cls.one, (a, x), out_sinfo=R.Tensor((2,), "float32"))
        c: R.Tensor((2,), "float32") = cls.helper(b)
        d = R.match_cast(c, R.Tensor((2,), "float32"))
        R.output(d)
    return d
`},
		pair{name: "scalars, several results, and memory of arguments", before: fillKernels + `
@R.function(private=True)
def group(x: R.Tensor((4,), "float32"), s: R.Shape(["n"]), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
    n = T.int64()
    R.func_attr({"Primitive": True})
    cls = Module
    with R.dataflow():
        y = t[1]
        a = R.call_tir(cls.fill, (), out_sinfo=R.Tensor((n,), "float32"), tir_vars=R.shape([n]))
        b = R.call_tir(cls.both, (x,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
        c = b[1]
        d = R.call_tir_inplace(cls.add, (y, c), out_sinfo=R.Tensor((4,), "float32"), inplace_indices=[0])
        out = (a, (d, b[0]))
        result = (out[0], out[1][0], out[1][1])
        R.output(result)
    return result

@R.function
def main(x: R.Tensor((4,), "float32"), s: R.Shape(["n"]), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
    n = T.int64()
    cls = Module
    with R.dataflow():
        r: R.Tuple(R.Tensor((n,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")) = cls.group(x, s, t)
        R.output(r)
    return r
`, after: `
@T.prim_func(private=True)
def group(p_x: T.handle, p_t_1: T.handle, p_a: T.handle, p_b_0: T.handle, n: T.int64):
    T.func_attr({"tir.noalias": T.bool(True)})
    x = T.match_buffer(p_x, (T.int64(4),))
    t_1 = T.match_buffer(p_t_1, (T.int64(4),))
    a = T.match_buffer(p_a, (n,))
    b_0 = T.match_buffer(p_b_0, (T.int64(4),))
    b_1 = T.alloc_buffer((T.int64(4),))
    for i in range(n):
        with T.block("fill"):
            v = T.axis.spatial(n, i)
            a[v] = T.float32(1)
    for i in range(T.int64(4)):
        with T.block("both"):
            v = T.axis.spatial(T.int64(4), i)
            b_0[v] = x[v]
            b_1[v] = T.float32(2) * x[v]
    for i in range(T.int64(4)):
        with T.block("add"):
            v = T.axis.spatial(T.int64(4), i)
            t_1[v] = t_1[v] + b_1[v]

@R.function
def main(x: R.Tensor((4,), "float32"), s: R.Shape(["n"]), t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))) -> R.Tuple(R.Tensor(("n",), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")):
    n = T.int64()
    cls = Module
    with R.dataflow():
        lv1 = t[1]
        r = R.call_tir_inplace(cls.group, (x, lv1), tir_vars=R.shape([n]), out_sinfo=[R.Tensor((n,), "float32"), R.Tensor((4,), "float32"), R.Tensor((4,), "float32")], inplace_indices=[-1, 1, -1])
        R.output(r)
    return r
`},
	)
}

// refusedGroup is a group with kernels that it may call.
func refusedGroup(params, result, body string) string {
	const twoInputs = `
@T.prim_func(private=True)
def square(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (n, m))
    for i, j in T.grid(n, m):
        with T.block("square"):
            v, w = T.axis.remap("SS", [i, j])
            B[v, w] = A[v, w] * A[v, w]

@T.prim_func(private=True)
def counted(a: T.handle, n: T.int64, b: T.handle):
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n,))
    for i in range(n):
        with T.block("counted"):
            v = T.axis.spatial(n, i)
            B[v] = A[v]
`
	return reluKernel + twoInputs + `
@R.function(private=True)
def group(` + params + `) -> ` + result + `:
    R.func_attr({"Primitive": True})
    cls = Module` + body
}

const groupVector = `R.Tensor((4,), "float32")`

// TestFuseTIRRefuses gives the pass groups that call kernels wrongly.
func TestFuseTIRRefuses(t *testing.T) {
	group, vector := refusedGroup, groupVector
	for _, c := range []struct{ name, text, want string }{
		{"two results", group("x: "+vector, "R.Tuple("+vector+", "+vector+")", `
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=[`+vector+`, `+vector+`])
        R.output(a)
    return a
`), "variable a: kernel relu takes 2 parameters, but it is called with 3 tensors and 0 scalars"},
		{"a Relax function as a kernel", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.call_tir(cls.helper, (x,), out_sinfo=`+vector+`)
        R.output(a)
    return a
`) + `
@R.function(private=True)
def helper(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    y = R.add(x, x)
    return y
`, "variable a: kernel helper is not in the module"},
		{"a constant tensor", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.call_tir(cls.relu, (R.const([1.0, 2.0, 3.0, 4.0], "float32"),), out_sinfo=`+vector+`)
        R.output(a)
    return a
`), "variable a: kernel relu takes a constant tensor: it must be a parameter of the function"},
		{"a scalar among the tensors", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.call_tir(cls.relu, (x, R.prim_value(3)), out_sinfo=`+vector+`)
        R.output(a)
    return a
`), "variable a: argument 1 of kernel relu is a *relax.PrimValue: only tensors can be fused"},
		{"too many arguments", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.call_tir(cls.relu, (x, x), out_sinfo=`+vector+`)
        R.output(a)
    return a
`), "variable a: kernel relu takes 2 parameters, but it is called with 3 tensors and 0 scalars"},
		{"a scalar parameter", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.call_tir(cls.counted, (x, x), out_sinfo=`+vector+`)
        R.output(a)
    return a
`), "variable a: parameter 1 of kernel counted is not a buffer"},
		{"another rank", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.call_tir(cls.square, (x,), out_sinfo=`+vector+`)
        R.output(a)
    return a
`), "variable a: parameter A of kernel square has 2 dimensions, the argument has 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := read(t, c.text)
			_, err := passtest.NewContext().Run(transform.FuseTIR, m)
			if want := "pass FuseTIRInner (step 1.1/FuseTIRInner) in function group: " + c.want; err == nil || err.Error() != want {
				t.Errorf("the error is %v, want %s", err, want)
			}
		})
	}
}

// TestFuseTIRLeaves gives the pass groups that are no kernel: they stay functions, and code is made of them as of others.
func TestFuseTIRLeaves(t *testing.T) {
	group, vector := refusedGroup, groupVector
	for _, c := range []struct{ name, text, want string }{
		{"a parameter that is not a tensor", group("x: R.Object", vector, `
    with R.dataflow():
        a = R.zeros(R.shape([4]), "float32")
        R.output(a)
    return a
`), "parameter x: it is not a tensor, shape or scalar but Object"},
		{"a scalar that is known", group("x: R.Shape([4])", vector, `
    with R.dataflow():
        a = R.zeros(x, "float32")
        R.output(a)
    return a
`), "parameter x: a scalar of a kernel must be a symbolic variable: Shape((4,))"},
		{"a parameter of unknown shape", group(`x: R.Tensor("float32", ndim=1)`, `R.Tensor("float32", ndim=1)`, `
    with R.dataflow():
        a = R.add(x, x)
        R.output(a)
    return a
`), `parameter x: its shape is unknown: Tensor(ndim=1, "float32")`},
		{"a result that is not a tensor", group("x: "+vector, "R.Shape([4])", `
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=`+vector+`)
        R.output(a)
    return R.shape([4])
`), "the result is not a tensor that a kernel returns, or a tuple of such, but a *relax.ShapeExpr"},
		{"one tensor twice", group("x: "+vector, "R.Tuple("+vector+", "+vector+")", `
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=`+vector+`)
        R.output(a)
    return (a, a)
`), "two results are the same tensor, a"},
		{"a result that is a parameter", group("x: "+vector, vector, `
    return x
`), "a result is the parameter x, which no kernel writes"},
		{"an operator", group("x: "+vector, vector, `
    with R.dataflow():
        a = R.add(x, x)
        R.output(a)
    return a
`), "variable a: it is not bound to a call_tir or call_tir_inplace"},
		{"a result of unknown shape", group("x: "+vector, `R.Tensor("float32", ndim=1)`, `
    with R.dataflow():
        a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor("float32", ndim=1))
        R.output(a)
    return a
`), `variable a: its shape is unknown: Tensor(ndim=1, "float32")`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := passtest.Listener{}
			out := runPass(t, passtest.NewContext(pass.Observe(&l)), transform.FuseTIR.Children[0], read(t, c.text))
			f, ok := out.Lookup("group").(*relax.Function)
			if !ok || f.Attrs.Has("Primitive") {
				t.Errorf("the group became\n%s", passtest.Text(out))
			}
			if !slices.ContainsFunc(l.Decisions, func(d pass.Decision) bool { return d.Reason == c.want }) {
				t.Errorf("the pass says %v, want %s", l.Decisions, c.want)
			}
		})
	}
}
