package transform_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/transform"
)

func TestKillAfterLastUsePairs(t *testing.T) {
	runPairs(t, transform.KillAfterLastUse,
		pair{name: "nothing dies", before: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    y = R.add(x, x)
    return y
`},
		pair{name: "tensors, storage, tuples, fields, shapes, constants and what a call returns", before: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    storage: R.Object = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    a: R.Tensor((2,), "float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2]), R.dtype("float32"))
    b: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    c = R.add(a, b)
    d = (c, x)
    e = d[0]
    f = R.const([1.0, 2.0], "float32")
    g = R.add(e, f)
    h = R.shape_of(g)
    i = R.zeros(h, "float32")
    j = R.call_packed("f", i, sinfo_args=(R.Object,))
    k = R.call_packed("f", j, sinfo_args=(R.Tuple(R.Object),))
    l = R.call_packed("f", k, sinfo_args=(R.Tuple,))
    m = R.prim_value(3)
    n = ()
    return x
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    storage: R.Object = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    a: R.Tensor((2,), "float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2]), R.dtype("float32"))
    R.memory.kill_storage(storage)
    b: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    c = R.add(a, b)
    R.memory.kill_tensor(a)
    R.memory.kill_tensor(b)
    d = (c, x)
    R.vm.kill_object(d)
    f = R.const([1.0, 2.0], "float32")
    g = R.add(c, f)
    R.memory.kill_tensor(c)
    h = R.shape_of(g)
    R.memory.kill_tensor(g)
    i = R.zeros(h, "float32")
    j = R.call_packed("f", i, sinfo_args=(R.Object,))
    R.memory.kill_tensor(i)
    k = R.call_packed("f", j, sinfo_args=(R.Tuple(R.Object),))
    R.vm.kill_object(j)
    l = R.call_packed("f", k, sinfo_args=(R.Tuple,))
    R.vm.kill_object(k)
    m = R.prim_value(3)
    n = ()
    return x
`},
		pair{name: "what is never used dies at once, and what is killed already does not die twice", before: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    b = R.add(x, x)
    n = b
    c: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    d: R.Object = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    R.vm.kill_object(n)
    R.memory.kill_tensor(c)
    R.memory.kill_storage(d)
    return x
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    R.memory.kill_tensor(a)
    b = R.add(x, x)
    c: R.Tensor((2,), "float32") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"))
    d: R.Object = R.memory.alloc_storage(R.shape([8]), R.prim_value(0), R.str("global"), R.dtype("uint8"))
    R.vm.kill_object(b)
    R.memory.kill_tensor(c)
    R.memory.kill_storage(d)
    return x
`},
		pair{name: "other names", before: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    n = a
    m = n
    b = R.add(a, x)
    c = R.add(m, b)
    o = c
    p = o
    return p
`, after: `
@R.function(pure=False)
def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    b = R.add(a, x)
    c = R.add(a, b)
    R.memory.kill_tensor(a)
    R.memory.kill_tensor(b)
    return c
`},
		pair{name: "in branches and in local functions, what they see from outside lives on", before: `
@R.function(pure=False)
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    q = R.logical_not(p)
    if q:
        b = R.add(a, x)
        c = R.add(b, b)
        r = c
    else:
        r = x

    @R.function(pure=False)
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        v = R.add(z, z)
        w = R.add(v, z)
        return w

    s = f(r)
    t = R.add(s, x)
    return t
`, after: `
@R.function(pure=False)
def main(p: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
    a = R.add(x, x)
    q = R.logical_not(p)
    if q:
        b = R.add(a, x)
        c = R.add(b, b)
        R.memory.kill_tensor(b)
        r = c
    else:
        r = x
    R.memory.kill_tensor(a)
    R.memory.kill_tensor(q)

    @R.function(pure=False)
    def f(z: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        v = R.add(z, z)
        w = R.add(v, z)
        R.memory.kill_tensor(v)
        return w

    s = f(r)
    R.memory.kill_tensor(r)
    t = R.add(s, x)
    R.memory.kill_tensor(s)
    return t
`},
	)
}
