package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestForceNarrowPairs makes all 64-bit integers of functions narrow.
func TestForceNarrowPairs(t *testing.T) {
	checkPairs(t, tirpass.ForceNarrowIndexToInt32, `@T.prim_func
def kernel(`, []pair{
		{name: "all of a function", before: `A: T.Buffer((T.int64(8), T.int64(4)), "float32"), B: T.Buffer((T.int64(32),), "float32")):
    for i, j in T.grid(T.int64(8), T.int64(4)):
        if i * T.int64(4) + j < T.int64(30):
            A[i, j] = B[i * T.int64(4) + j]`, after: `A: T.Buffer((8, 4), "float32"), B: T.Buffer((32,), "float32")):
    for i, j in T.grid(8, 4):
        if i * 4 + j < 30:
            A[i, j] = B[i * 4 + j]`},
		{name: "parameters", before: `A: T.Buffer((T.int64(8),), "float32"), n: T.int64, m: T.int32, h: T.uint64):
    A[n] = T.Cast("float32", m) + T.Cast("float32", h)`, after: `A: T.Buffer((8,), "float32"), n: T.int32, m: T.int32, h: T.uint64):
    A[n] = T.Cast("float32", m) + T.Cast("float32", h)`},
		{name: "calls with effects keep their type", before: `A: T.Buffer((T.int64(8),), "float32")):
    for i in range(T.int64(8)):
        T.evaluate(T.call_extern("int64", "f", i))
        k: T.int64 = T.call_extern("int64", "f", i)
        A[i + T.call_extern("int64", "g")] = T.Cast("float32", T.call_extern("int64", "h")) + T.Cast("float32", k) + A[T.min(T.call_extern("int64", "g"), T.int64(7))]`, after: `A: T.Buffer((8,), "float32")):
    for i in range(8):
        T.evaluate(T.call_extern("int64", "f", i))
        k: T.int32 = T.Cast("int32", T.call_extern("int64", "f", i))
        A[i + T.Cast("int32", T.call_extern("int64", "g"))] = T.Cast("float32", T.call_extern("int64", "h")) + T.Cast("float32", k) + A[T.min(T.Cast("int32", T.call_extern("int64", "g")), 7)]`, unrun: true},
		{name: "the bits of the result of a call", before: `A: T.Buffer((8,), "float64")):
    A[0] = T.reinterpret("float64", T.call_extern("int64", "f"))`, unrun: true},
		{name: "nothing to do", before: `A: T.Buffer((8,), "float32")):
    for i in range(8):
        A[i] = T.Cast("float32", T.Cast("int16", i))`},
		{name: "casts", before: `A: T.Buffer((8,), "float32"), I: T.Buffer((8,), "int32")):
    for i in range(8):
        A[T.Cast("int64", i)] = T.Cast("float32", T.Cast("int64", I[i]) * T.int64(3))
        I[i] = T.Cast("int32", T.Cast("int64", i) + T.int64(1))`, after: `A: T.Buffer((8,), "float32"), I: T.Buffer((8,), "int32")):
    for i in range(8):
        A[i] = T.Cast("float32", I[i] * 3)
        I[i] = i + 1`},
		{name: "the largest constant", before: `A: T.Buffer((T.int64(2),), "int32"), I: T.Buffer((T.int64(2),), "int32")):
    for i in range(T.int64(2)):
        A[i] = T.Cast("int32", i + T.int64(2147483647))
        I[i] = T.Cast("int32", i + T.int64(-2147483648))`, after: `A: T.Buffer((2,), "int32"), I: T.Buffer((2,), "int32")):
    for i in range(2):
        A[i] = i + 2147483647
        I[i] = i + -2147483648`, unrun: true},
		{name: "a constant too large", before: `A: T.Buffer((T.int64(2),), "int32")):
    for i in range(T.int64(2)):
        A[i] = T.Cast("int32", i + T.int64(2147483648))`, fails: "the constant 2147483648 does not fit in int32"},
		{name: "a constant too small", before: `A: T.Buffer((T.int64(2),), "int32")):
    for i in range(T.int64(2)):
        A[i] = T.Cast("int32", i + T.int64(-2147483649))`, fails: "the constant -2147483649 does not fit in int32"},
		{name: "the first error counts", before: `A: T.Buffer((T.int64(2),), "int32")):
    for i in range(T.int64(2)):
        A[i] = T.Cast("int32", i + T.int64(5000000000) + T.int64(6000000000))`, fails: "the constant 5000000000 does"},
		{name: "a buffer of wide integers", before: `A: T.Buffer((2,), "int64")):
    A[0] = T.int64(1)`, fails: "buffer A holds int64: only indices can be narrowed to int32, not what buffers hold"},
		{name: "a buffer of wide naturals stays", before: `A: T.Buffer((2,), "uint64")):
    A[0] = A[1]`},
		{name: "a buffer of wide integers that a block allocates", before: `A: T.Buffer((2,), "int32")):
    C = T.alloc_buffer((2,), "int64")
    C[0] = T.int64(1)`, fails: "buffer C holds int64: only indices can be narrowed to int32, not what buffers hold"},
		{name: "a buffer of wide integers that a block matches", before: `A: T.Buffer((2,), "int32")):
    with T.block("b"):
        T.reads()
        T.writes(A[0:2])
        C = T.match_buffer(A[0:2], (2,), "int64")
        A[0] = 1`, fails: "buffer C holds int64"},
		{name: "a buffer of wide integers that nothing accesses", before: `A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int64")):
    A[0] = 1`, fails: "buffer B holds int64"},
		{name: "other buffers that a block allocates", before: `A: T.Buffer((T.int64(2),), "int32")):
    C = T.alloc_buffer((T.int64(2),), "int32")
    for i in range(T.int64(2)):
        C[i] = A[i]
        A[i] = C[i]`, after: `A: T.Buffer((2,), "int32")):
    C = T.alloc_buffer((2,), "int32")
    for i in range(2):
        C[i] = A[i]
        A[i] = C[i]`},
		{name: "calls of numbers", before: `A: T.Buffer((T.int64(8),), "float32"), I: T.Buffer((T.int64(8),), "int32")):
    for i in range(T.int64(8)):
        I[T.shift_right(i, T.int64(1))] = T.Cast("int32", T.bitwise_and(i, T.int64(3)))`, after: `A: T.Buffer((8,), "float32"), I: T.Buffer((8,), "int32")):
    for i in range(8):
        I[T.shift_right(i, 1)] = T.bitwise_and(i, 3)`},
		{name: "calls with an effect keep their type", before: `A: T.Buffer((T.int64(8),), "float32")):
    for i in range(T.int64(8)):
        T.evaluate(T.call_extern("int64", "f", i))`, after: `A: T.Buffer((8,), "float32")):
    for i in range(8):
        T.evaluate(T.call_extern("int64", "f", i))`, unrun: true},
		{name: "ones of a natural", before: `I: T.Buffer((T.int64(8),), "int32")):
    for i in range(T.int64(8)):
        I[i] = T.Cast("int32", T.popcount(i))`, after: `I: T.Buffer((8,), "int32")):
    for i in range(8):
        I[i] = T.popcount(i)`},
		{name: "ones of a number that may be negative", before: `I: T.Buffer((T.int64(8),), "int32")):
    for i in range(T.int64(8)):
        I[i] = T.Cast("int32", T.popcount(i - T.int64(1)))`, after: `I: T.Buffer((8,), "int32")):
    for i in range(8):
        I[i] = T.Select(i - 1 < 0, T.popcount(i - 1) + 32, T.popcount(i - 1))`},
		{name: "zeros in front of a natural of a thread", before: `I: T.Buffer((T.int64(8),), "int32")):
    with T.launch_thread("threadIdx.x", T.int64(8)) as tx:
        I[tx] = T.clz(tx)`, after: `I: T.Buffer((8,), "int32")):
    with T.launch_thread("threadIdx.x", 8) as tx:
        I[tx] = T.clz(tx) - 32 + 64`},
		{name: "zeros in front of a natural of a block", before: `I: T.Buffer((T.int64(8),), "int32")):
    for i in range(T.int64(8)):
        with T.block("b"):
            v = T.axis.spatial(T.int64(8), i)
            T.reads()
            T.writes(I[v])
            I[v] = T.clz(v)`, after: `I: T.Buffer((8,), "int32")):
    for i in range(8):
        with T.block("b"):
            v = T.axis.spatial(8, i)
            T.reads()
            T.writes(I[v])
            I[v] = T.clz(v) - 32 + 64`},
		{name: "zeros in front of an extent", before: `a: T.handle):
    n = T.int64()
    I = T.match_buffer(a, (n,), "int32")
    I[T.int64(0)] = T.clz(n)`, after: `a: T.handle):
    n = T.int32()
    I = T.match_buffer(a, (n,), "int32")
    I[0] = T.clz(n) - 32 + 64`},
		{name: "zeros in front of a number that may be negative", before: `I: T.Buffer((T.int64(8),), "int32")):
    for i in range(T.int64(8)):
        I[i] = T.clz(i - T.int64(1))`, after: `I: T.Buffer((8,), "int32")):
    for i in range(8):
        I[i] = T.Select(i - 1 < 0, 0, T.clz(i - 1) - 32 + 64)`},
		{name: "zeros in front of a natural of a virtual thread", before: `I: T.Buffer((T.int64(8),), "int32")):
    v = T.int64()
    with T.attr(T.iter_var(v, T.Range(T.int64(0), T.int64(4)), "ThreadIndex", "vthread"), "virtual_thread", T.int64(4)):
        I[v] = T.clz(v)`, after: `I: T.Buffer((8,), "int32")):
    v = T.int32()
    with T.attr(T.iter_var(v, T.Range(0, 4), "ThreadIndex", "vthread"), "virtual_thread", 4):
        I[v] = T.clz(v) - 32 + 64`, unrun: true},
		{name: "a buffer inside of it holds wide values", before: `A: T.Buffer((T.int64(8),), "float32")):
    C = T.decl_buffer((T.int64(8),), "int64")
    for i in range(T.int64(2)):
        C[i] = i`, fails: "buffer C holds int64: only indices can be narrowed to int32, not what buffers hold"},
		{name: "narrow numbers keep their zeros", before: `I: T.Buffer((8,), "int32")):
    for i in range(8):
        I[i] = T.clz(i) + T.popcount(i)`},
		{name: "bits as another type", before: `A: T.Buffer((8,), "float64"), I: T.Buffer((8,), "int32")):
    for i in range(T.int64(8)):
        A[i] = T.reinterpret("float64", i)`, fails: "the bits of an int64 are reinterpreted as float64: int32 does not have as many"},
	})
}
