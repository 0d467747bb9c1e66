package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

func TestReshapePairs(t *testing.T) {
	const viewKernel = `
@T.prim_func(private=True)
def view(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(6),), "float32")):
    for i in range(T.int64(6)):
        with T.block("view"):
            v = T.axis.spatial(T.int64(6), i)
            B[v] = A[v // T.int64(3), v % T.int64(3)]
`
	const fieldKernel = `
@T.prim_func(private=True)
def field(A: T.Buffer((T.int64(6),), "float32"), B: T.Buffer((T.int64(2), T.int64(3)), "float32"), C: T.Buffer((T.int64(6),), "float32")):
    for i in range(T.int64(6)):
        with T.block("field"):
            v = T.axis.spatial(T.int64(6), i)
            C[v] = B[v // T.int64(3), v % T.int64(3)]
`
	const dynamicKernel = `
@T.prim_func(private=True)
def dynamic(a: T.handle, b: T.handle, N: T.int64):
    A = T.match_buffer(a, (N * T.int64(16),))
    B = T.match_buffer(b, (N * T.int64(4), T.int64(4)))
    for i, j in T.grid(N * T.int64(4), T.int64(4)):
        with T.block("dynamic"):
            v, w = T.axis.remap("SS", [i, j])
            B[v, w] = A[(v * T.int64(4) + w) % (N * T.int64(16))]
`
	const fieldMain = `
@R.function
def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((6,), "float32"), z: R.Tensor(("N * 16",), "float32"), n: R.Prim(value="N")):
    N = T.int64()
    cls = Module
    with R.dataflow():
        a: R.Tensor((6,), "float32") = R.call_tir(cls.field, (y, x), out_sinfo=R.Tensor((6,), "float32"))
        b: R.Tensor((N * 4, 4), "float32") = R.call_tir(cls.dynamic, (z,), tir_vars=R.shape([N]), out_sinfo=R.Tensor((N * 4, 4), "float32"))
        c = R.add(a, a)
        d = R.add(b, b)
        R.output(c, d)
    return (c, d)
`
	runPairs(t, transform.RewriteDataflowReshape,
		pair{name: "local values only", before: viewKernel + reluKernel + `
@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tuple(R.Tensor((6,), "float32"), R.Tensor((6,), "float32")):
    cls = Module
    with R.dataflow():
        a = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
        b = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
        c = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((6,), "float32"))
        R.output(b, c)
    d = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
    e = R.add(b, d)
    return (e, c)
`, after: viewKernel + reluKernel + `
@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tuple(R.Tensor((6,), "float32"), R.Tensor((6,), "float32")):
    cls = Module
    with R.dataflow():
        a: R.Tensor((6,), "float32") = R.reshape(x, R.shape([6]))
        b = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
        c = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((6,), "float32"))
        R.output(b, c)
    d = R.call_tir(cls.view, (x,), out_sinfo=R.Tensor((6,), "float32"))
    e = R.add(b, d)
    return (e, c)
`},
		pair{name: "one of several inputs, extents from a scalar", before: fieldKernel + dynamicKernel + fieldMain, after: fieldKernel + dynamicKernel + strings.NewReplacer(
			`R.call_tir(cls.field, (y, x), out_sinfo=R.Tensor((6,), "float32"))`, `R.reshape(x, R.shape([6]))`,
			`R.call_tir(cls.dynamic, (z,), tir_vars=R.shape([N]), out_sinfo=R.Tensor((N * 4, 4), "float32"))`, `R.reshape(z, R.shape([N * 4, 4]))`,
		).Replace(fieldMain)},
		pair{name: "other values of a block", before: viewKernel + `
@R.function
def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((6,), "float32"):
    cls = Module
    with R.dataflow():
        a = R.match_cast(x, R.Tensor((2, 3), "float32"))
        b = R.call_dps_packed("view", (a,), out_sinfo=R.Tensor((6,), "float32"))
        c = R.add(b, b)
        R.output(c)
    return c
`},
	)
}

// TestWhatIsAReshape gives the pass kernels that copy in order, and others.
func TestWhatIsAReshape(t *testing.T) {
	const loops = `
    for x0, x1 in T.grid(T.int64(2), T.int64(3)):
        with T.block("b"):
            i, j = T.axis.remap("SS", [x0, x1])
            `
	const flat = `
    for x0 in range(T.int64(6)):
        with T.block("b"):
            i = T.axis.spatial(T.int64(6), x0)
            `
	const (
		arity    = "the kernel does not have one input and one output"
		computed = "the kernel computes what it stores: it does not only copy"
		count    = "input and output cannot be proven to have the same number of elements"
		order    = "the kernel cannot be proven to keep the elements in order"
	)
	for _, c := range []struct {
		name, params, body string
		declined           string // empty if it is one
	}{
		{"flattened", "A: 2, 3; B: 6", loops + "B[i * T.int64(3) + j] = A[i, j]", ""},
		{"flattened by the result", "A: 2, 3; B: 6", flat + "B[i] = A[i // T.int64(3), i % T.int64(3)]", ""},
		{"of another shape", "A: 3, 2; B: 2, 3", loops + "B[i, j] = A[(i * T.int64(3) + j) // T.int64(2), (i * T.int64(3) + j) % T.int64(2)]", ""},
		{"a copy", "A: 2, 3; B: 2, 3", loops + "B[i, j] = A[i, j]", ""},
		{"two copies of a dimension", "A: 2, 3; B: 1, 2, 3", loops + "B[T.int64(0), i, j] = A[i, j]", ""},
		{"transposed", "A: 3, 2; B: 2, 3", loops + "B[i, j] = A[j, i]", order},
		{"shifted", "A: 8; B: 6", flat + "B[i] = A[i + T.int64(2)]", count},
		{"the start of it", "A: 8; B: 6", flat + "B[i] = A[i]", count},
		{"a part of the result", "A: 6; B: 8", flat + "B[i] = A[i]", count},
		{"computed", "A: 6; B: 6", flat + "B[i] = A[i] + T.float32(1)", computed},
		{"a number", "A: 6; B: 6", flat + "B[i] = T.float32(1)", computed},
		{"of another type", "A: 6; C: 6", flat + "C[i] = T.Cast(\"float16\", A[i])", "the kernel changes the element type"},
		{"of itself", "A: 6; B: 6", flat + "B[i] = B[i]", "the kernel does not load from its input"},
		{"the other way", "A: 6; B: 6", flat + "A[i] = B[i]", "the kernel does not store to its output"},
		{"plain loops", "A: 6; B: 6", `
    for i in range(T.int64(6)):
        B[i] = A[i]`, ""},
		{"a condition", "A: 6; B: 6", `
    for x0 in range(T.int64(6)):
        with T.block("b"):
            T.where(x0 < T.int64(5))
            i = T.axis.spatial(T.int64(6), x0)
            B[i] = A[i]`, "a block of the kernel has a predicate"},
		{"a reduction", "A: 6; B: 6", `
    for x0, x1 in T.grid(T.int64(6), T.int64(1)):
        with T.block("b"):
            i, r = T.axis.remap("SR", [x0, x1])
            with T.init():
                B[i] = T.float32(0)
            B[i] = A[i]`, "a block of the kernel is a reduction"},
		{"memory of its own", "A: 6; B: 6", `
    t = T.alloc_buffer((T.int64(6),))` + flat + `B[i] = A[i]`, "the kernel allocates memory"},
		{"two stores", "A: 6; B: 6", flat + "B[i] = A[i]" + flat + "B[i] = A[i]", "the kernel is not a loop nest around a single store"},
		{"a third tensor", "A: 6; B: 6; D: 6", flat + "B[i] = A[i]", "the kernel does not store to its output"},
		{"an index from another tensor", "A: 6; E: 6; B: 6", flat + "B[i] = A[T.Cast(\"int64\", E[i])]", arity},
		{"no result", "A: 6", flat + "A[i] = A[i]", arity},
	} {
		t.Run(c.name, func(t *testing.T) {
			var params, names []string
			for p := range strings.SplitSeq(c.params, "; ") {
				name, shape, _ := strings.Cut(p, ": ")
				dtype := "float32"
				if name == "C" {
					dtype = "float16"
				}
				params = append(params, fmt.Sprintf("%s: T.Buffer((T.int64(%s),), \"%s\")", name, strings.ReplaceAll(shape, ", ", "), T.int64("), dtype))
				names = append(names, shape)
			}
			result, dtype := names[len(names)-1], "float32"
			if strings.Contains(c.params, "C:") {
				dtype = "float16"
			}
			m := read(t, "@T.prim_func(private=True)\ndef kernel("+strings.Join(params, ", ")+"):"+c.body+`

@R.function
def main(x: R.Tensor((`+names[0]+`,), "float32")):
    cls = Module
    with R.dataflow():
        y = R.call_tir(cls.kernel, (x,), out_sinfo=R.Tensor((`+result+`,), "`+dtype+`"))
        z = R.add(y, y)
        R.output(z)
    return z
`)
			var l passtest.Listener
			out := runPass(t, passtest.NewContext(pass.Observe(&l)), transform.RewriteDataflowReshape, m)
			if is := strings.Contains(passtest.Text(out), "R.reshape("); is != (c.declined == "") {
				t.Errorf("it is a reshape: %v, want %v", is, !is)
			}
			var got string
			for _, d := range l.Decisions {
				got += nameOf(d.Place) + ": " + d.Reason
			}
			if c.declined != "" && got != "y: "+c.declined || c.declined == "" && got != "" {
				t.Errorf("declined because of %q, want %q", got, c.declined)
			}
		})
	}
}

func TestToNonDataflowPairs(t *testing.T) {
	runPairs(t, transform.ToNonDataflow,
		pair{name: "no dataflow", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    return y
`},
		pair{name: "blocks of both kinds, in a branch and in a local function", before: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    with R.dataflow():
        b = R.add(a, a)
        c = R.match_cast(b, R.Tensor((2,), "float32"))
        R.output(c)
    if p:
        with R.dataflow():
            d = R.add(c, c)
            e = R.add(d, d)
            R.output(e)
        r = e
    else:
        r = c

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            w = R.add(z, z)
            R.output(w)
        return w

    s = f(r)
    return s
`, after: `
@R.function
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    b = R.add(a, a)
    c = R.match_cast(b, R.Tensor((2,), "float32"))
    if p:
        d = R.add(c, c)
        e = R.add(d, d)
        r = e
    else:
        r = c

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        w = R.add(z, z)
        return w

    s = f(r)
    return s
`},
	)
}

func TestRemovePurityPairs(t *testing.T) {
	runPairs(t, transform.RemovePurityChecking,
		pair{name: "functions that are not pure, and one that is marked", before: `
@R.function(pure=False)
def loud(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.print(x, format=R.str("x"))
    return x

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    y = R.add(x, x)
    return y
`},
		pair{name: "calls that say that they are pure", before: `
@R.function
def main(x: R.Tensor((2,), "float32"), c: R.Object) -> R.Tensor((2,), "float32"):
    y = R.call_pure_packed("packed", x, x, sinfo_args=(R.Tensor((2,), "float32"),))
    z = R.invoke_pure_closure(c, (x,), sinfo_args=(R.Tensor((2,), "float32"),))

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        w = R.call_pure_packed("packed", z, sinfo_args=(R.Tensor((2,), "float32"),))
        return w

    v = f(y)
    w = R.add(v, z)
    return w
`, after: `
@R.function
def main(x: R.Tensor((2,), "float32"), c: R.Object) -> R.Tensor((2,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    y = R.call_packed("packed", x, x, sinfo_args=(R.Tensor((2,), "float32"),))
    z = R.invoke_closure(c, (x,), sinfo_args=(R.Tensor((2,), "float32"),))

    @R.function
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"relax.force_pure": T.bool(True)})
        w = R.call_packed("packed", z, sinfo_args=(R.Tensor((2,), "float32"),))
        return w

    v = f(y)
    w = R.add(v, z)
    return w
`},
	)
}

func TestLowerAllocTensorPairs(t *testing.T) {
	runPairs(t, transform.LowerAllocTensor,
		pair{name: "shapes that are known, that follow from others, and that are not known", before: `
@R.function
def main(x: R.Tensor(("n",), "float32"), s: R.Shape(ndim=1), storage: R.Object):
    n = T.int64()
    R.func_attr({"relax.force_pure": T.bool(True)})
    a: R.Tensor((2, 3), "float16") = R.builtin.alloc_tensor(R.shape([2, 3]), R.dtype("float16"), R.prim_value(1), R.str("local"))
    b: R.Tensor((n, 3), "float32") = R.builtin.alloc_tensor(R.shape([n, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    c: R.Tensor("float32", ndim=1) = R.builtin.alloc_tensor(s, R.dtype("float32"), R.prim_value(0), R.str("global"))
    d = R.match_cast(c, R.Tensor((3,), "float32"))
    return (a, b, d)
`, after: `
@R.function
def main(x: R.Tensor(("n",), "float32"), s: R.Shape(ndim=1), storage: R.Object):
    n = T.int64()
    R.func_attr({"relax.force_pure": T.bool(True)})
    storage1: R.Object = R.memory.alloc_storage(R.shape([12]), R.prim_value(1), R.str("local"), R.dtype("uint8"))
    a: R.Tensor((2, 3), "float16") = R.memory.alloc_tensor(storage1, R.prim_value(0), R.shape([2, 3]), R.dtype("float16"), R.prim_value(1))
    storage2: R.Object = R.memory.alloc_storage(R.shape([4 * n * 3]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    b: R.Tensor((n, 3), "float32") = R.memory.alloc_tensor(storage2, R.prim_value(0), R.shape([n, 3]), R.dtype("float32"))
    c: R.Tensor("float32", ndim=1) = R.builtin.alloc_tensor(s, R.dtype("float32"), R.prim_value(0), R.str("global"))
    d = R.match_cast(c, R.Tensor((3,), "float32"))
    return (a, b, d)
`},
	)
}

func TestLowerRuntimeBuiltinPairs(t *testing.T) {
	runPairs(t, transform.LowerRuntimeBuiltin,
		pair{name: "nothing of the machine", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    z = R.match_cast(y, R.Tensor((2,), "float32"))
    w = (z, y)
    v = w[0]
    return v
`},
		pair{name: "operators", before: reluKernel + `
@R.function(private=True)
def helper(x: R.Tensor((6,), "float32")) -> R.Tensor((6,), "float32"):
    return x

@R.function(pure=False)
def main(x: R.Tensor((2, 3), "float32"), s: R.Tensor((2,), "int64"), c: R.Object):
    n = T.int64()
    cls = Module
    a = R.reshape(x, R.shape([6]))
    b = R.shape_of(x)
    d = R.tensor_to_shape(s)
    e = R.memory.ensure_zero_offset(x)
    f = R.memory.view(x, R.shape([6]))
    g: R.Object = R.memory.alloc_storage(R.shape([24]), R.prim_value(1), R.str("local"), R.dtype("uint8"))
    h: R.Tensor((6,), "float32") = R.memory.alloc_tensor(g, R.prim_value(0), R.shape([6]), R.dtype("float32"))
    R.vm.call_tir_dyn(cls.relu, (a, h, R.shape([1])))
    R.memory.kill_tensor(h)
    R.memory.kill_storage(g)
    i = R.make_closure(cls.helper, (x,))
    j = R.invoke_closure(i, (a,), sinfo_args=(R.Tensor((6,), "float32"),))
    return (a, b, d, e, f, j)
`, after: reluKernel + `
@R.function(private=True)
def helper(x: R.Tensor((6,), "float32")) -> R.Tensor((6,), "float32"):
    return x

@R.function(pure=False)
def main(x: R.Tensor((2, 3), "float32"), s: R.Tensor((2,), "int64"), c: R.Object):
    cls = Module
    a: R.Tensor((6,), "float32") = R.call_packed("vm.builtin.reshape", x, R.shape([6]), sinfo_args=(R.Tensor((6,), "float32"),))
    b: R.Shape([2, 3]) = R.call_packed("vm.builtin.shape_of", x, sinfo_args=(R.Shape([2, 3]),))
    d: R.Shape(ndim=2) = R.call_packed("vm.builtin.tensor_to_shape", s, sinfo_args=(R.Shape(ndim=2),))
    e: R.Tensor((2, 3), "float32") = R.call_packed("vm.builtin.ensure_zero_offset", x, sinfo_args=(R.Tensor((2, 3), "float32"),))
    f: R.Tensor((6,), "float32") = R.call_packed(R.ExternFunc("runtime.TVMTensorCreateView", R.Callable(ret=R.Object, purity=True, derive_func="tvm.relax.struct_info.infer_view_sinfo")), x, R.shape([6]), R.dtype("float32"), R.prim_value(0))
    g: R.Object = R.vm.alloc_storage(R.shape([24]), R.prim_value(1), R.dtype("uint8"), R.str("local"))
    h: R.Tensor((6,), "float32") = R.vm.alloc_tensor(g, R.prim_value(0), R.shape([6]), R.dtype("float32"))
    R.call_builtin_with_ctx("vm.builtin.call_tir_dyn", (cls.relu, a, h, R.shape([1])), sinfo_args=(R.Tuple,))
    R.vm.kill_object(h)
    R.vm.kill_object(g)
    i: R.Object = R.call_builtin_with_ctx("vm.builtin.make_closure", (cls.helper, x), sinfo_args=(R.Object,))
    j: R.Tensor((6,), "float32") = R.call_builtin_with_ctx("vm.builtin.invoke_closure", (i, a), sinfo_args=(R.Tensor((6,), "float32"),))
    return (a, b, d, e, f, j)
`},
		pair{name: "operands that are bound before", before: reluKernel + `
@R.function(private=True)
def helper(x: R.Tensor((6,), "float32")) -> R.Tensor((6,), "float32"):
    return x

@R.function(pure=False)
def main(x: R.Tensor((6,), "float32"), h: R.Tensor((6,), "float32")):
    cls = Module
    t = (x, h, R.shape([1]))
    R.vm.call_tir_dyn(cls.relu, t)
    u = (x,)
    i = R.make_closure(cls.helper, u)
    return i
`, after: reluKernel + `
@R.function(private=True)
def helper(x: R.Tensor((6,), "float32")) -> R.Tensor((6,), "float32"):
    return x

@R.function(pure=False)
def main(x: R.Tensor((6,), "float32"), h: R.Tensor((6,), "float32")):
    cls = Module
    t = (x, h, R.shape([1]))
    gv: R.Tensor((6,), "float32") = t[0]
    gv1: R.Tensor((6,), "float32") = t[1]
    gv2: R.Shape([1]) = t[2]
    R.call_builtin_with_ctx("vm.builtin.call_tir_dyn", (cls.relu, gv, gv1, gv2), sinfo_args=(R.Tuple,))
    u = (x,)
    gv3: R.Tensor((6,), "float32") = u[0]
    i: R.Object = R.call_builtin_with_ctx("vm.builtin.make_closure", (cls.helper, gv3), sinfo_args=(R.Object,))
    return i
`},
	)
}

func TestComputePrimValuePairs(t *testing.T) {
	runPairs(t, transform.ComputePrimValue,
		pair{name: "constants, variables and what is not a scalar", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), "float32")):
    n = T.int64()
    a = R.prim_value(3)
    b = R.prim_value(T.float32(2))
    c = R.prim_value(n)
    d = R.add(x, x)
    e = R.call_packed("f", R.prim_value(n), R.prim_value(4), sinfo_args=(R.Object,))
    f = R.shape([n + 1])
    g = R.match_cast(x, R.Tensor((n,), "float32"))
    return (a, b, c, d, e, f, g)
`},
		pair{name: "expressions", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n", "m"), "float32"), prim: R.Object):
    n = T.int64()
    m = T.int64()
    a = R.prim_value(n + m * 2)
    b = R.call_packed("f", R.prim_value(n + 1), R.prim_value(4), R.prim_value(m + 1), sinfo_args=(R.Object,))
    c = R.call_packed("f", (R.prim_value(n * 3), x), sinfo_args=(R.Object,))
    return (a, b, c)
`, after: `
@T.prim_func(private=True)
def compute_symbolic_expr(n: T.int64, m: T.int64) -> T.int64:
    T.func_attr({"tir.is_host_func": T.bool(True)})
    T.ret(n + m * T.int64(2))

@T.prim_func(private=True)
def compute_symbolic_expr1(n: T.int64) -> T.int64:
    T.func_attr({"tir.is_host_func": T.bool(True)})
    T.ret(n + T.int64(1))

@T.prim_func(private=True)
def compute_symbolic_expr2(m: T.int64) -> T.int64:
    T.func_attr({"tir.is_host_func": T.bool(True)})
    T.ret(m + T.int64(1))

@T.prim_func(private=True)
def compute_symbolic_expr3(n: T.int64) -> T.int64:
    T.func_attr({"tir.is_host_func": T.bool(True)})
    T.ret(n * T.int64(3))

@R.function(pure=False)
def main(x: R.Tensor(("n", "m"), "float32"), prim: R.Object):
    n = T.int64()
    m = T.int64()
    cls = Module
    a: R.Prim(value=n + m * 2) = cls.compute_symbolic_expr(R.prim_value(n), R.prim_value(m))
    prim1: R.Prim("int64") = cls.compute_symbolic_expr1(R.prim_value(n))
    prim2: R.Prim("int64") = cls.compute_symbolic_expr2(R.prim_value(m))
    b = R.call_packed("f", prim1, R.prim_value(4), prim2, sinfo_args=(R.Object,))
    prim3: R.Prim("int64") = cls.compute_symbolic_expr3(R.prim_value(n))
    c = R.call_packed("f", (prim3, x), sinfo_args=(R.Object,))
    return (a, b, c)
`},
	)
}

func TestAttachGlobalSymbolPairs(t *testing.T) {
	main := `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    y = cls.helper(x)
    return y

@R.function(private=True)
def helper(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    y = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
    return y
`
	public := strings.Replace(reluKernel+main, "(private=True)", "", 2)
	library := func(functions string) string {
		return "@I.ir_module\nclass Module:\n    I.module_attrs({\"system_lib_prefix\": \"lib_\"})\n" + strings.ReplaceAll(functions, "\n", "\n    ")
	}
	runPairs(t, transform.AttachGlobalSymbol,
		pair{name: "every function", before: reluKernel + main, after: public},
		pair{name: "they have them", before: public},
		pair{
			name: "kernels under the prefix of a library", before: library(reluKernel + main),
			after: library(strings.Replace(strings.Replace(public, "def relu", "def lib_relu", 1), "cls.relu", "cls.lib_relu", 1)),
		},
		pair{
			name: "a name that is taken", before: library(reluKernel + main + strings.Replace(reluKernel, "def relu", "def lib_relu", 1)),
			err: "PrimFunc relu is called lib_relu, and so is another function: rename one of them",
		},
	)
	renamed := read(t, public).Edit()
	renamed.Set("main", read(t, public).Lookup("main").WithFuncAttrs(ir.NewAttrs(ir.AttrGlobalSymbol, "other")))
	if got := ir.GlobalSymbol(runPass(t, passtest.NewContext(), transform.AttachGlobalSymbol, renamed.Done()).Lookup("main")); got != "main" {
		t.Errorf("the symbol of a function that was renamed is %q, want main", got)
	}
}
