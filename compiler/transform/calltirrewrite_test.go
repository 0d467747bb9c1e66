package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/transform"
)

// splitKernel makes two results, and doubleKernel works in place.
const (
	splitKernel = `
@T.prim_func(private=True)
def split(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(2),), "float32"), C: T.Buffer((T.int64(2),), "float16")):
    for i in range(T.int64(2)):
        with T.block("split"):
            v = T.axis.spatial(T.int64(2), i)
            B[v] = A[v]
            C[v] = T.Cast("float16", A[v + T.int64(2)])
`
	doubleKernel = `
@T.prim_func(private=True)
def double(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(2),), "float32")):
    for i in range(T.int64(2)):
        with T.block("double"):
            v = T.axis.spatial(T.int64(2), i)
            B[v] = B[v] + A[v]
`
)

func TestCallTIRRewritePairs(t *testing.T) {
	runPairs(t, transform.CallTIRRewrite,
		pair{name: "nothing to rewrite", before: `
@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    with R.dataflow():
        y = R.add(x, x)
        R.output(y)
    z = R.match_cast(y, R.Tensor((2,), "float32"))
    return z
`},
		pair{name: "one result", before: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
    z = R.call_tir(cls.relu, (y,), out_sinfo=R.Tensor((4,), "float32"))
    return z
`, after: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    cls.relu(x, y)
    z: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    cls.relu(y, z)
    return z
`},
		pair{name: "two results, of names that are taken", before: splitKernel + `
@R.function
def main(x: R.Tensor((4,), "float32"), y_0: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float16")):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y = R.call_tir(cls.split, (x,), out_sinfo=[R.Tensor((2,), "float32"), R.Tensor((2,), "float16")])
    y_1 = R.add(y_0, y_0)
    return y
`, after: splitKernel + `
@R.function
def main(x: R.Tensor((4,), "float32"), y_0: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float16")):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y_01: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    y_11: R.Tensor((2,), "float16") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float16"), R.prim_value(0), R.str("global"))
    cls.split(x, y_01, y_11)
    y = (y_01, y_11)
    y_1 = R.add(y_0, y_0)
    return y
`},
		pair{name: "a tuple of one result", before: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32")):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y = R.call_tir(cls.relu, (x,), out_sinfo=R.Tuple(R.Tensor((4,), "float32")))
    return y
`, after: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tuple(R.Tensor((4,), "float32")):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y_0: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    cls.relu(x, y_0)
    y = (y_0,)
    return y
`},
		pair{name: "a function of another library", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    y = R.call_dps_packed("relu", (x,), out_sinfo=R.Tensor((4,), "float32"))
    return y
`, after: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    y: R.Tensor((4,), "float32") = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    R.call_packed("relu", x, y, sinfo_args=(R.Tuple,))
    return y
`},
		pair{name: "scalars of the graph", before: `
@T.prim_func(private=True)
def first(a: T.handle, b: T.handle, m: T.int64):
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (T.int64(1),))
    B[T.int64(0)] = A[m]

@R.function
def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["m"])) -> R.Tensor((1,), "float32"):
    n = T.int64()
    m = T.int64()
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y = R.call_tir(cls.first, (x,), out_sinfo=R.Tensor((1,), "float32"), tir_vars=R.shape([m]))
    return y
`, after: `
@T.prim_func(private=True)
def first(a: T.handle, b: T.handle, m: T.int64):
    n = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (T.int64(1),))
    B[T.int64(0)] = A[m]

@R.function
def main(x: R.Tensor(("n",), "float32"), s: R.Shape(["m"])) -> R.Tensor((1,), "float32"):
    n = T.int64()
    m = T.int64()
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    y: R.Tensor((1,), "float32") = R.builtin.alloc_tensor(R.shape([1]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    R.vm.call_tir_dyn(cls.first, (x, y, R.shape([m])))
    return y
`},
		pair{name: "in place", before: doubleKernel + `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    a = R.add(y, y)
    z = R.call_tir_inplace(cls.double, (x, a), out_sinfo=R.Tensor((2,), "float32"), inplace_indices=[1])
    return z
`, after: doubleKernel + `
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    a = R.add(y, y)
    cls.double(x, a)
    z: R.Tensor((2,), "float32") = a
    return z
`},
		pair{name: "in place and beside", before: `
@T.prim_func(private=True)
def both(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(2),), "float32")):
    for i in range(T.int64(2)):
        with T.block("both"):
            v = T.axis.spatial(T.int64(2), i)
            B[v] = A[v]
            A[v] = T.float32(0)

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    a = R.add(x, x)
    z = R.call_tir_inplace(cls.both, (a,), out_sinfo=[R.Tensor((2,), "float32"), R.Tensor((2,), "float32")], inplace_indices=[0, -1])
    return z
`, after: `
@T.prim_func(private=True)
def both(A: T.Buffer((T.int64(2),), "float32"), B: T.Buffer((T.int64(2),), "float32")):
    for i in range(T.int64(2)):
        with T.block("both"):
            v = T.axis.spatial(T.int64(2), i)
            B[v] = A[v]
            A[v] = T.float32(0)

@R.function
def main(x: R.Tensor((2,), "float32")) -> R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    a = R.add(x, x)
    z_1: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    cls.both(a, z_1)
    z = (a, z_1)
    return z
`},
		pair{name: "in a dataflow block", before: reluKernel + `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = Module
    with R.dataflow():
        y = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((4,), "float32"))
        w = R.call_dps_packed("relu", (y,), out_sinfo=R.Tensor((4,), "float32"))
        z = R.add(w, w)
        R.output(z)
    return z
`, err: "in function main: needs no dataflow blocks (a dataflow block must not hold calls with effects), found a dataflow block: run ToNonDataflow before it"},
		pair{name: "a result of unknown shape", before: `
@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor("float32", ndim=1):
    y = R.call_dps_packed("relu", (x,), out_sinfo=R.Tensor("float32", ndim=1))
    return y
`, err: `in function main: variable y: the shape of the output Tensor(ndim=1, "float32") is unknown, so it cannot be allocated`},
	)
}

// TestCallTIRRewriteChecksInplaceIndices gives the pass an index that the verifier would refuse.
func TestCallTIRRewriteChecksInplaceIndices(t *testing.T) {
	for index, want := range map[int64]string{1: "", 2: "variable z: inplace index 2 is beyond the 2 arguments"} {
		m := read(t, doubleKernel+`
@R.function
def main(x: R.Tensor((2,), "float32"), y: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    R.func_attr({"relax.force_pure": T.bool(True)})
    cls = Module
    z = R.call_tir_inplace(cls.double, (x, y), out_sinfo=R.Tensor((2,), "float32"), inplace_indices=[1])
    return z
`)
		relax.EachBinding(ir.MustLookup[*relax.Function](m, "main").Body, func(_ *relax.BindingBlock, b relax.Binding) {
			c := b.BoundValue().(*relax.Call)
			c.Attrs = c.Attrs.With("inplace_indices", []int64{index})
		})
		_, err := passtest.NewContext().Run(transform.CallTIRRewrite, m)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("index %d: the error is %v, want %q", index, err, want)
		}
	}
}
