package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/transform"
)

// TestVMShapeLowerPairs: the codes of match_shape are 0 to compare with a constant, 1 to store, 2 to pass over and 3 to
// compare with the heap; those of make_shape are 0 for a constant and 1 for the heap.
func TestVMShapeLowerPairs(t *testing.T) {
	quiet := ir.NewAttrs("emit_err_ctx", false)
	for _, x := range []pair{
		{name: "parameters of all kinds", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n", 3, "m * 2"), "float32"), y: R.Tensor(("m", "n"), "float16"), s: R.Shape(["n", "k", 4]), u: R.Shape(ndim=2), p: R.Prim(value="n"), q: R.Prim("float32"), o: R.Object, f: R.Callable((R.Object,), R.Object), t: R.Tuple(R.Tensor(("n", "j"), "float32"), R.Tuple(R.Shape(["j + 1"]), R.Object)), z: R.Tensor("float32", ndim=2), w: R.Tensor("float32"), v: R.Prim("int64")):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    j = T.int64()
    return x
`, after: `
@R.function(pure=False)
def main(
    x: R.Tensor(("n", 3, "m * 2"), dtype="float32"),
    y: R.Tensor(("m", "n"), dtype="float16"),
    s: R.Shape(["n", "k", 4]),
    u: R.Shape(ndim=2),
    p: R.Prim(value="n"),
    q: R.Prim("float32"),
    o: R.Object,
    f: R.Callable((R.Object,), R.Object, True),
    t: R.Tuple(R.Tensor(("n", "j"), dtype="float32"), R.Tuple(R.Shape(["j + 1"]), R.Object)),
    z: R.Tensor(dtype="float32", ndim=2),
    w: R.Tensor(dtype="float32"),
    v: R.Prim("int64"),
) -> R.Tensor(("n", 3, "m * 2"), dtype="float32"):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    j = T.int64()
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(6),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(3), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", y, R.prim_value(2), R.dtype("float16"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_shape_info", s, R.prim_value(3), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_shape_info", u, R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_prim_value_info", p, R.dtype("int64"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_prim_value_info", q, R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_func_info", f, R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tuple_info", t, R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    field: R.Tensor((n, j), dtype="float32") = t[0]
    R.call_packed("vm.builtin.check_tensor_info", field, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    field1: R.Tuple(R.Shape([j + 1]), R.Object) = t[1]
    R.call_packed("vm.builtin.check_tuple_info", field1, R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    field2: R.Shape([j + 1]) = field1[0]
    R.call_packed("vm.builtin.check_shape_info", field2, R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", z, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", w, R.prim_value(-1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_prim_value_info", v, R.dtype("int64"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(3), R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(3), R.prim_value(2), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", y, shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(2), R.prim_value(3), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", s, shape_heap, R.prim_value(3), R.prim_value(3), R.prim_value(0), R.prim_value(1), R.prim_value(3), R.prim_value(0), R.prim_value(4), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_prim_value", p, shape_heap, R.prim_value(3), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    field4: R.Tensor((n, j), dtype="float32") = t[0]
    R.call_packed("vm.builtin.match_shape", field4, shape_heap, R.prim_value(2), R.prim_value(3), R.prim_value(0), R.prim_value(1), R.prim_value(4), R.str(""), sinfo_args=(R.Tuple,))
    field5: R.Tuple(R.Shape([j + 1]), R.Object) = t[1]
    field6: R.Shape([j + 1]) = field5[0]
    R.call_packed("vm.builtin.match_shape", field6, shape_heap, R.prim_value(1), R.prim_value(2), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func(shape_heap)
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(3), R.prim_value(2), R.prim_value(0), R.prim_value(2), R.prim_value(0), R.prim_value(3), R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    field9: R.Tuple(R.Shape([j + 1]), R.Object) = t[1]
    field10: R.Shape([j + 1]) = field9[0]
    R.call_packed("vm.builtin.match_shape", field10, shape_heap, R.prim_value(1), R.prim_value(3), R.prim_value(5), R.str(""), sinfo_args=(R.Tuple,))
    return x

@T.prim_func(private=True)
def shape_func(H: T.Buffer((T.int64(6),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(1)] = H[T.int64(2)] * T.int64(2)
    H[T.int64(5)] = H[T.int64(4)] + T.int64(1)
`},
		{name: "match casts, shapes and scalars, in branches and in the result", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor("float32", ndim=2), c: R.Tensor((), "bool")):
    n = T.int64()
    m = T.int64()
    k = T.int64()
    a = R.match_cast(y, R.Tensor((m, n + 1), "float32"))
    b = R.call_packed("f", R.shape([n, 2]), (R.shape([m]), R.prim_value(n), R.prim_value(3), R.prim_value(m + n), R.prim_value(T.float32(2))), R.shape([4, 5]), sinfo_args=(R.Object,))
    d = R.shape([m * 2])
    if c:
        e = R.match_cast(y, R.Tensor((k, n), "float32"))
        g = R.call_packed("f", R.shape([k, k * 2]), sinfo_args=(R.Object,))
        r = g
    else:
        h = R.call_packed("f", R.shape([m, n]), sinfo_args=(R.Object,))
        r = h
    i = R.prim_value(n)
    return (R.shape([n]), R.prim_value(m), r, d, i)
`, after: `
@R.function(pure=False)
def main(
    x: R.Tensor(("n",), dtype="float32"),
    y: R.Tensor(dtype="float32", ndim=2),
    c: R.Tensor((), dtype="bool"),
) -> R.Tuple(R.Shape(["n"]), R.Prim("int64"), R.Object, R.Shape(ndim=1), R.Prim(value="n")):
    n = T.int64()
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(7),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", y, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", c, R.prim_value(0), R.dtype("bool"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", c, shape_heap, R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func(shape_heap)
    R.call_packed("vm.builtin.check_tensor_info", y, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", y, shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(1), R.prim_value(3), R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func1(shape_heap)
    a: R.Tensor(dtype="float32", ndim=2) = y
    shape: R.Shape([n, 2]) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(2), sinfo_args=(R.Shape([n, 2]),))
    shape1: R.Shape(ndim=1) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(1), sinfo_args=(R.Shape(ndim=1),))
    prim: R.Prim(value=n) = R.call_packed("vm.builtin.make_prim_value", shape_heap, R.prim_value(1), R.prim_value(0), sinfo_args=(R.Prim(value=n),))
    prim1: R.Prim("int64") = R.call_packed("vm.builtin.make_prim_value", shape_heap, R.prim_value(1), R.prim_value(3), sinfo_args=(R.Prim("int64"),))
    b: R.Object = R.call_packed("f", shape, (shape1, prim, R.prim_value(3), prim1, R.prim_value(T.float32(2.0))), R.shape([4, 5]), sinfo_args=(R.Object,))
    d: R.Shape(ndim=1) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(4), sinfo_args=(R.Shape(ndim=1),))
    if c:
        R.call_packed("vm.builtin.check_tensor_info", y, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
        R.call_packed("vm.builtin.match_shape", y, shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(5), R.prim_value(3), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
        cls.shape_func2(shape_heap)
        e: R.Tensor(dtype="float32", ndim=2) = y
        shape2: R.Shape(ndim=2) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(5), R.prim_value(1), R.prim_value(6), sinfo_args=(R.Shape(ndim=2),))
        g: R.Object = R.call_packed("f", shape2, sinfo_args=(R.Object,))
        r: R.Object = g
    else:
        shape3: R.Shape(ndim=2) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(1), R.prim_value(1), R.prim_value(0), sinfo_args=(R.Shape(ndim=2),))
        h: R.Object = R.call_packed("f", shape3, sinfo_args=(R.Object,))
        r: R.Object = h
    i: R.Prim(value=n) = R.call_packed("vm.builtin.make_prim_value", shape_heap, R.prim_value(1), R.prim_value(0), sinfo_args=(R.Prim(value=n),))
    shape4: R.Shape([n]) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), sinfo_args=(R.Shape([n]),))
    prim2: R.Prim("int64") = R.call_packed("vm.builtin.make_prim_value", shape_heap, R.prim_value(1), R.prim_value(1), sinfo_args=(R.Prim("int64"),))
    return (shape4, prim2, r, d, i)

@T.prim_func(private=True)
def shape_func(H: T.Buffer((T.int64(7),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(2)] = H[T.int64(0)] + T.int64(1)

@T.prim_func(private=True)
def shape_func1(H: T.Buffer((T.int64(7),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(3)] = H[T.int64(1)] + H[T.int64(0)]
    H[T.int64(4)] = H[T.int64(1)] * T.int64(2)

@T.prim_func(private=True)
def shape_func2(H: T.Buffer((T.int64(7),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(6)] = H[T.int64(5)] * T.int64(2)
`},
		{name: "no symbols, and a dataflow block", before: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")):
    with R.dataflow():
        y = R.add(x, x)
        R.output(y)
    return y
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
    shape_heap: R.Object = R.null_value()
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(0), R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    with R.dataflow():
        y: R.Tensor((2,), dtype="float32") = R.add(x, x)
        R.output(y)
    return y
`},
		{name: "a shape as the result", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), "float32")):
    n = T.int64()
    return R.shape([n, 2])
`, after: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), dtype="float32")) -> R.Shape(["n", 2]):
    n = T.int64()
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(1),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    result: R.Shape([n, 2]) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(2), sinfo_args=(R.Shape([n, 2]),))
    return result
`},
		{name: "match casts to tuples and shapes", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), "float32"), o: R.Object):
    n = T.int64()
    m = T.int64()
    a = R.match_cast(o, R.Tuple(R.Tensor((m, n), "float32"), R.Prim(value=m), R.Shape([m + n])))
    b = R.match_cast(o, R.Shape([m, 3]))
    d = R.match_cast((o, x), R.Tuple(R.Object, R.Tensor((m,), "float32")))
    return b
`, after: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), dtype="float32"), o: R.Object) -> R.Shape(ndim=2):
    n = T.int64()
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(3),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tuple_info", o, R.prim_value(3), R.str(""), sinfo_args=(R.Tuple,))
    field: R.Tensor(dtype="float32", ndim=2) = o[0]
    R.call_packed("vm.builtin.check_tensor_info", field, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    field1: R.Prim("int64") = o[1]
    R.call_packed("vm.builtin.check_prim_value_info", field1, R.dtype("int64"), R.str(""), sinfo_args=(R.Tuple,))
    field2: R.Shape(ndim=1) = o[2]
    R.call_packed("vm.builtin.check_shape_info", field2, R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    field3: R.Tensor(dtype="float32", ndim=2) = o[0]
    R.call_packed("vm.builtin.match_shape", field3, shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(1), R.prim_value(3), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    field4: R.Prim("int64") = o[1]
    R.call_packed("vm.builtin.match_prim_value", field4, shape_heap, R.prim_value(3), R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    field5: R.Shape(ndim=1) = o[2]
    R.call_packed("vm.builtin.match_shape", field5, shape_heap, R.prim_value(1), R.prim_value(2), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func(shape_heap)
    field8: R.Shape(ndim=1) = o[2]
    R.call_packed("vm.builtin.match_shape", field8, shape_heap, R.prim_value(1), R.prim_value(3), R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    a: R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Prim("int64"), R.Shape(ndim=1)) = o
    R.call_packed("vm.builtin.check_shape_info", o, R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", o, shape_heap, R.prim_value(2), R.prim_value(3), R.prim_value(1), R.prim_value(0), R.prim_value(3), R.str(""), sinfo_args=(R.Tuple,))
    b: R.Shape(ndim=2) = o
    R.call_packed("vm.builtin.check_tuple_info", (o, x), R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(3), R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    d: R.Tuple(R.Object, R.Tensor(dtype="float32", ndim=1)) = (o, x)
    return b

@T.prim_func(private=True)
def shape_func(H: T.Buffer((T.int64(3),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(2)] = H[T.int64(1)] + H[T.int64(0)]
`},
		{name: "a match_cast of a shape", before: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    k = T.int64()
    a = R.match_cast(R.shape([n * 2, n]), R.Shape([4, k]))
    return x
`, after: `
@R.function(pure=False)
def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
    n = T.int64()
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(3),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func(shape_heap)
    shape: R.Shape([n * 2, n]) = R.call_packed("vm.builtin.make_shape", shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(2), R.prim_value(1), R.prim_value(0), sinfo_args=(R.Shape([n * 2, n]),))
    R.call_packed("vm.builtin.check_shape_info", shape, R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", shape, shape_heap, R.prim_value(2), R.prim_value(0), R.prim_value(4), R.prim_value(1), R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    a: R.Shape(ndim=2) = shape
    return x

@T.prim_func(private=True)
def shape_func(H: T.Buffer((T.int64(3),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(2)] = H[T.int64(0)] * T.int64(2)
`},
		{name: "a match_cast to an expression of what it defines", before: `
@R.function(pure=False)
def main(x: R.Tensor("float32", ndim=2), y: R.Tensor("float32", ndim=1)):
    m = T.int64()
    a = R.match_cast(x, R.Tensor((m, m * 2), "float32"))
    return a
`, after: `
@R.function(pure=False)
def main(
    x: R.Tensor(dtype="float32", ndim=2),
    y: R.Tensor(dtype="float32", ndim=1),
) -> R.Tensor(dtype="float32", ndim=2):
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(2),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", y, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(2), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(2), R.prim_value(1), R.prim_value(0), R.prim_value(2), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func(shape_heap)
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(2), R.prim_value(2), R.prim_value(0), R.prim_value(3), R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    a: R.Tensor(dtype="float32", ndim=2) = x
    return a

@T.prim_func(private=True)
def shape_func(H: T.Buffer((T.int64(2),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(1)] = H[T.int64(0)] * T.int64(2)
`},
		{name: "scalars that are expressions", before: `
@R.function(pure=False)
def main(p: R.Prim(value="n * 2"), x: R.Tensor(("n",), "float32"), y: R.Object):
    n = T.int64()
    k = T.int64()
    a = R.match_cast(y, R.Tuple(R.Prim(value=k), R.Prim(value=k + n)))
    return a
`, after: `
@R.function(pure=False)
def main(
    p: R.Prim(value="n * 2"),
    x: R.Tensor(("n",), dtype="float32"),
    y: R.Object,
) -> R.Tuple(R.Prim("int64"), R.Prim("int64")):
    n = T.int64()
    shape_heap: R.Tensor(dtype="int64", ndim=1) = R.call_builtin_with_ctx("vm.builtin.alloc_shape_heap", (R.prim_value(4),), sinfo_args=(R.Tensor(dtype="int64", ndim=1),))
    R.call_packed("vm.builtin.check_prim_value_info", p, R.dtype("int64"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tensor_info", x, R.prim_value(1), R.dtype("float32"), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_prim_value", p, shape_heap, R.prim_value(2), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.match_shape", x, shape_heap, R.prim_value(1), R.prim_value(1), R.prim_value(1), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func(shape_heap)
    R.call_packed("vm.builtin.match_prim_value", p, shape_heap, R.prim_value(3), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    R.call_packed("vm.builtin.check_tuple_info", y, R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    field: R.Prim("int64") = y[0]
    R.call_packed("vm.builtin.check_prim_value_info", field, R.dtype("int64"), R.str(""), sinfo_args=(R.Tuple,))
    field1: R.Prim("int64") = y[1]
    R.call_packed("vm.builtin.check_prim_value_info", field1, R.dtype("int64"), R.str(""), sinfo_args=(R.Tuple,))
    field2: R.Prim("int64") = y[0]
    R.call_packed("vm.builtin.match_prim_value", field2, shape_heap, R.prim_value(1), R.prim_value(2), R.str(""), sinfo_args=(R.Tuple,))
    field3: R.Prim("int64") = y[1]
    R.call_packed("vm.builtin.match_prim_value", field3, shape_heap, R.prim_value(2), R.prim_value(0), R.str(""), sinfo_args=(R.Tuple,))
    cls.shape_func1(shape_heap)
    field5: R.Prim("int64") = y[1]
    R.call_packed("vm.builtin.match_prim_value", field5, shape_heap, R.prim_value(3), R.prim_value(3), R.str(""), sinfo_args=(R.Tuple,))
    a: R.Tuple(R.Prim("int64"), R.Prim("int64")) = y
    return a

@T.prim_func(private=True)
def shape_func(H: T.Buffer((T.int64(4),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(0)] = H[T.int64(1)] * T.int64(2)

@T.prim_func(private=True)
def shape_func1(H: T.Buffer((T.int64(4),), "int64")):
    T.func_attr({"tir.is_host_func": T.bool(True), "tir.is_scheduled": T.bool(True)})
    H[T.int64(3)] = H[T.int64(2)] + H[T.int64(1)]
`},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := read(t, x.before)
			passtest.WellFormed(t, "before", m)
			out := runPass(t, passtest.NewContext(), must(transform.VMShapeLower.With(quiet)), m)
			passtest.WellFormed(t, "after", out)
			if got, want := passtest.Text(out), passtest.Text(read(t, x.after)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
