package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

const vectorHeader = `@T.prim_func
def kernel(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), I: T.Buffer((32,), "int32"), M: T.Buffer((8, 8), "float32"), V: T.Buffer((8,), "float32x4")):`

// TestVectorizeIndices checks which vectors indices become.
func TestVectorizeIndices(t *testing.T) {
	checkPairs(t, tirpass.VectorizeLoop, vectorHeader, []pair{
		{name: "start of the loop", before: `
    for i in T.vectorized(3, 7):
        B[i] = A[i]`, after: `
    B[3:7] = A[3:7]`},
		{name: "sum with an outer variable on either side", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i + o] = A[o + i]`, after: `
    for o in range(4):
        B[T.Ramp(o, 1, 4)] = A[T.Ramp(o, 1, 4)]`},
		{name: "sum with an outer variable from a start", before: `
    for o in range(4):
        for i in T.vectorized(2, 6):
            B[i + o] = A[o + i]`, after: `
    for o in range(4):
        B[T.Ramp(2 + o, 1, 4)] = A[T.Ramp(o + 2, 1, 4)]`},
		{name: "a cast of the variable", before: `
    for i in T.vectorized(4):
        B[T.Cast("int64", i) + T.int64(16)] = A[T.int64(8) - T.Cast("int64", i * 2)]`, after: `
    B[T.Ramp(T.int64(16), T.int64(1), 4)] = A[T.Ramp(T.int64(8), T.int64(-2), 4)]`},
		{name: "a cast of what may leave its type", before: `
    for i in T.vectorized(4):
        B[T.Cast("int64", i + I[0])] = A[i]`, after: `
    B[T.Cast("int64x4", T.Ramp(I[0], 1, 4))] = A[0:4]`, unrun: true},
		{name: "a cast of what just stays in its type, and of what does not", before: `
    for i in T.vectorized(4):
        B[T.Cast("int64", i + 2147483644)] = A[T.Cast("int64", i + 2147483645)]`, after: `
    B[T.Ramp(T.int64(2147483644), T.int64(1), 4)] = A[T.Cast("int64x4", T.Ramp(2147483645, 1, 4))]`, unrun: true},
		{name: "no index", before: `
    Z = T.alloc_buffer(())
    for i in T.vectorized(4):
        Z[()] = A[i]
        B[i] = Z[()]`, after: `
    Z = T.alloc_buffer(())
    for i_s in range(4):
        Z[()] = A[i_s]
    B[0:4] = T.Broadcast(Z[()], 4)`, unrun: true},
		{name: "memory without an extent", before: `
    for i in T.vectorized(4):
        Z = T.decl_buffer(())
        Z[()] = A[i]
        B[i] = Z[()]`, after: `
    for i_s in range(4):
        Z = T.decl_buffer(())
        Z[()] = A[i_s]
        B[i_s] = Z[()]`},
		{name: "difference with an outer variable on either side", before: `
    for o in range(4):
        for i in T.vectorized(4, 8):
            B[i - o] = A[o - i + 8]`, after: `
    for o in range(4):
        B[T.Ramp(4 - o, 1, 4)] = A[T.Ramp(o - 4 + 8, -1, 4)]`},
		{name: "product with an outer variable on either side", before: `
    for o in range(4):
        for i in T.vectorized(2, 6):
            B[i * o] = A[o * i]`, after: `
    for o in range(4):
        B[T.Ramp(2, 1, 4) * T.Broadcast(o, 4)] = A[T.Broadcast(o, 4) * T.Ramp(2, 1, 4)]`},
		{name: "sum and difference of ramps", before: `
    for i in T.vectorized(1, 5):
        B[i + i * 3] = A[i * 3 - i]`, after: `
    B[T.Ramp(1, 1, 4) + T.Ramp(3, 3, 4)] = A[T.Ramp(3, 3, 4) - T.Ramp(1, 1, 4)]`},
		{name: "other operations on ramps", before: `
    for i in T.vectorized(4):
        B[i] = A[i * i] + A[i // 2] + A[9 % (i + 1)] + A[T.max(i, 2)] + A[T.min(2, i)]`, after: `
    B[0:4] = A[T.Ramp(0, 1, 4) * T.Ramp(0, 1, 4)] + A[T.Ramp(0, 1, 4) // T.Broadcast(2, 4)] + A[T.Broadcast(9, 4) % T.Ramp(1, 1, 4)] + A[T.max(T.Ramp(0, 1, 4), T.Broadcast(2, 4))] + A[T.min(T.Broadcast(2, 4), T.Ramp(0, 1, 4))]`},
		{name: "rows", before: `
    for r in range(8):
        for i in T.vectorized(8):
            M[r, i] = M[r, i] + A[i]`, after: `
    for r in range(8):
        M[r, 0:8] = M[r, 0:8] + A[0:8]`},
		{name: "columns are read one by one", before: `
    for i in T.vectorized(8):
        B[i] = M[i, 0]`, after: `
    for i_s in range(8):
        B[i_s] = M[i_s, 0]`},
		{name: "an index from memory", before: `
    for i in T.vectorized(4):
        B[i] = A[(I[i] % 32 + 32) % 32]`, after: `
    B[0:4] = A[(I[0:4] % T.Broadcast(32, 4) + T.Broadcast(32, 4)) % T.Broadcast(32, 4)]`},
		{name: "one element for all lanes", before: `
    for i in T.vectorized(4):
        B[5] = A[i]`, after: `
    for i_s in range(4):
        B[5] = A[i_s]`},
		{name: "nothing depends on the loop", before: `
    for i in T.vectorized(4):
        B[5] = A[6]`, after: `
    B[5] = A[6]`},
		{name: "one step", before: `
    for i in T.vectorized(6, 7):
        B[i] = A[i]`, after: `
    B[6] = A[6]`},
		{name: "two steps", before: `
    for i in T.vectorized(2):
        B[i] = A[i]`, after: `
    B[0:2] = A[0:2]`},
		{name: "elements that are vectors", before: `
    for i in T.vectorized(4):
        V[i] = T.Broadcast(A[2], 4)`, after: `
    V[0:4] = T.Broadcast(T.Broadcast(A[2], 4), 4)`},
		{name: "a vector of each lane", before: `
    for i in T.vectorized(4):
        V[i] = T.Broadcast(A[i], 4)`, after: `
    for i_s in range(4):
        V[i_s] = T.Broadcast(A[i_s], 4)`},
		{name: "a ramp from each lane", before: `
    for i in T.vectorized(4):
        B[T.Ramp(i * 4, 1, 4)] = A[T.Ramp(0, 1, 4)]
        B[T.Ramp(0, 1, 4)] = A[T.Ramp(0, i, 4)]`, after: `
    for i_s in range(4):
        B[T.Ramp(i_s * 4, 1, 4)] = A[T.Ramp(0, 1, 4)]
    for i_s in range(4):
        B[T.Ramp(0, 1, 4)] = A[T.Ramp(0, i_s, 4)]`},
		{name: "a step of 1", before: `
    for i in T.vectorized(0, 4, step=1):
        B[i] = A[i]`, after: `
    B[0:4] = A[0:4]`},
		{name: "a step is left", before: `
    for i in T.vectorized(0, 8, step=2):
        B[i] = A[i]`},
		{name: "1024 lanes", before: `
    C = T.alloc_buffer((1025,))
    for i in T.vectorized(1024):
        C[i] = A[2]`, after: `
    C = T.alloc_buffer((1025,))
    C[0:1024] = T.Broadcast(A[2], 1024)`},
		{name: "1025 lanes", before: `
    C = T.alloc_buffer((1025,))
    for i in T.vectorized(1025):
        C[i] = A[2]`, fails: "vectorized loop i has 1025 iterations, more than 1024 lanes"},
		{name: "no constant extent", before: `
    for o in range(4):
        for i in T.vectorized(o):
            B[i] = A[i]`, fails: "vectorized loop i has the extent o, which is not a constant: split it by a constant first"},
		{name: "an expression as extent", before: `
    for o in range(4):
        for i in T.vectorized(o + 1):
            B[i] = A[i]`, fails: "vectorized loop i has the extent of type *tir.Binary, which"},
		{name: "the first error counts", before: `
    for o in range(4):
        for i in T.vectorized(o):
            B[i] = A[i]
    for j in T.vectorized(2000):
        B[0] = A[1]`, fails: "vectorized loop i has"},
	})
}

// TestVectorizeValues checks what expressions of each kind become.
func TestVectorizeValues(t *testing.T) {
	checkPairs(t, tirpass.VectorizeLoop, vectorHeader, []pair{
		{name: "casts", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Cast("float32", i) + T.Cast("float32", o)`, after: `
    for o in range(4):
        B[0:4] = T.Cast("float32x4", T.Ramp(0, 1, 4)) + T.Broadcast(T.Cast("float32", o), 4)`},
		{name: "select by the lane of what is in bounds", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(i < 2, A[i], A[0] + T.float32(1))`, after: `
    B[0:4] = T.Select(T.Ramp(0, 1, 4) < T.Broadcast(2, 4), A[0:4], T.Broadcast(A[0] + T.float32(1), 4))`},
		{name: "select by a scalar", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(o > 0, A[i + o * 3], A[i])`, after: `
    for o in range(4):
        B[0:4] = T.Select(T.Broadcast(o > 0, 4), A[T.Ramp(o * 3, 1, 4)], A[0:4])`},
		{name: "select between scalars", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(o > 0, A[o], A[0])`, after: `
    for o in range(4):
        B[0:4] = T.Broadcast(T.Select(o > 0, A[o], A[0]), 4)`},
		{name: "select by the lane between scalars", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(i > 1, T.float32(1), T.float32(2))`, after: `
    B[0:4] = T.Select(T.Ramp(0, 1, 4) > T.Broadcast(1, 4), T.Broadcast(T.float32(1), 4), T.Broadcast(T.float32(2), 4))`},
		{name: "select of a load out of bounds", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(i > 0, A[i - 1], T.float32(0))`, after: `
    for i_s in range(4):
        B[i_s] = T.Select(i_s > 0, A[i_s - 1], T.float32(0))`},
		{name: "and guards a load out of bounds", before: `
    for i in T.vectorized(4):
        B[i] = T.Cast("float32", i > 0 and A[i - 1] > T.float32(0))`, after: `
    for i_s in range(4):
        B[i_s] = T.Cast("float32", i_s > 0 and A[i_s - 1] > T.float32(0))`},
		{name: "or guards a load out of bounds", before: `
    for i in T.vectorized(4):
        B[i] = T.Cast("float32", i > 2 or A[i + 29] > T.float32(0))`, after: `
    for i_s in range(4):
        B[i_s] = T.Cast("float32", i_s > 2 or A[i_s + 29] > T.float32(0))`},
		{name: "and of loads in bounds", before: `
    for i in T.vectorized(4):
        B[i] = T.Cast("float32", i > 0 and A[i] > T.float32(0))`, after: `
    B[0:4] = T.Cast("float32x4", T.Ramp(0, 1, 4) > T.Broadcast(0, 4) and A[0:4] > T.Broadcast(T.float32(0), 4))`},
		{name: "select of a load beyond the end", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(i > 2, T.float32(0), A[i + 29])`, after: `
    for i_s in range(4):
        B[i_s] = T.Select(i_s > 2, T.float32(0), A[i_s + 29])`},
		{name: "select of the last elements", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(i > 2, T.float32(0), A[i + 28])`, after: `
    B[0:4] = T.Select(T.Ramp(0, 1, 4) > T.Broadcast(2, 4), T.Broadcast(T.float32(0), 4), A[28:32])`},
		{name: "select of what the condition reads as well", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(A[(I[i] % 32 + 32) % 32 + 0] > T.float32(0), A[(I[i] % 32 + 32) % 32], T.float32(0))`, after: `
    B[0:4] = T.Select(A[(I[0:4] % T.Broadcast(32, 4) + T.Broadcast(32, 4)) % T.Broadcast(32, 4)] > T.Broadcast(T.float32(0), 4), A[(I[0:4] % T.Broadcast(32, 4) + T.Broadcast(32, 4)) % T.Broadcast(32, 4)], T.Broadcast(T.float32(0), 4))`},
		{name: "select of what the condition reads wherever that is", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(A[I[i]] > T.float32(0), A[I[i]], T.float32(0))`, after: `
    B[0:4] = T.Select(A[I[0:4]] > T.Broadcast(T.float32(0), 4), A[I[0:4]], T.Broadcast(T.float32(0), 4))`, unrun: true},
		{name: "select of a call with an effect", before: `
    for i in T.vectorized(4):
        I[i] = T.Select(i > 1, T.call_extern("int32", "f", 1), 2)`, after: `
    for i_s in range(4):
        I[i_s] = T.Select(i_s > 1, T.call_extern("int32", "f", 1), 2)`, unrun: true},
		{name: "select of what another condition reads", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(B[I[i] % 8 + 8] > T.float32(0), A[I[i] % 8 + 8], A[I[i] % 4 + 31])`, after: `
    for i_s in range(4):
        B[i_s] = T.Select(B[I[i_s] % 8 + 8] > T.float32(0), A[I[i_s] % 8 + 8], A[I[i_s] % 4 + 31])`, unrun: true},
		{name: "select of an unsafe value in front of a safe one", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(i > 0, A[i - 1] + T.if_then_else(o > 0, A[o], T.float32(0)), T.float32(1))`, after: `
    for o in range(4):
        for i_s in range(4):
            B[i_s] = T.Select(i_s > 0, A[i_s - 1] + T.if_then_else(o > 0, A[o], T.float32(0)), T.float32(1))`},
		{name: "select of a division", before: `
    for i in T.vectorized(4):
        I[i] = T.Select(i > 0, 12 // i, 7 // 2)`, after: `
    for i_s in range(4):
        I[i_s] = T.Select(i_s > 0, 12 // i_s, 3)`},
		{name: "select of a division by a constant", before: `
    for i in T.vectorized(4):
        I[i] = T.Select(i > 0, i // 2, i)`, after: `
    I[0:4] = T.Select(T.Ramp(0, 1, 4) > T.Broadcast(0, 4), T.Ramp(0, 1, 4) // T.Broadcast(2, 4), T.Ramp(0, 1, 4))`},
		{name: "select of a choice that guards itself", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(i > 0, T.if_then_else(o > 0, A[o - 1], T.float32(0)), T.float32(1))`, after: `
    for o in range(4):
        B[0:4] = T.Select(T.Ramp(0, 1, 4) > T.Broadcast(0, 4), T.Broadcast(T.if_then_else(o > 0, A[o - 1], T.float32(0)), 4), T.Broadcast(T.float32(1), 4))`},
		{name: "select of a choice with an unsafe condition", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(i + o > 0, T.if_then_else(12 // (i + o) > 1, T.float32(2), T.float32(0)), T.float32(1))`, after: `
    for o in range(4):
        for i_s in range(4):
            B[i_s] = T.Select(i_s + o > 0, T.if_then_else(12 // (i_s + o) > 1, T.float32(2), T.float32(0)), T.float32(1))`},
		{name: "not", before: `
    for i in T.vectorized(4):
        B[i] = T.Select(not (A[i] > T.float32(0)), T.float32(1), T.float32(2))`, after: `
    B[0:4] = T.Select(not A[0:4] > T.Broadcast(T.float32(0), 4), T.Broadcast(T.float32(1), 4), T.Broadcast(T.float32(2), 4))`},
		{name: "choice by a scalar", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.if_then_else(o > 0, A[i + o], T.float32(0))`, after: `
    for o in range(4):
        B[0:4] = T.if_then_else(o > 0, A[T.Ramp(o, 1, 4)], T.Broadcast(T.float32(0), 4))`},
		{name: "choice by the lane", before: `
    for i in T.vectorized(4):
        B[i] = T.if_then_else(i > 0, A[i - 1], T.float32(0))`, after: `
    for i_s in range(4):
        B[i_s] = T.if_then_else(i_s > 0, A[i_s - 1], T.float32(0))`},
		{name: "choice by what has no vector", before: `
    for i in T.vectorized(4):
        B[i] = T.if_then_else(T.call_extern("int32", "f", i) > 0, A[i], T.float32(0))`, after: `
    for i_s in range(4):
        B[i_s] = T.if_then_else(T.call_extern("int32", "f", i_s) > 0, A[i_s], T.float32(0))`, unrun: true},
		{name: "call with a vector form", before: `
    for i in T.vectorized(4):
        B[i] = T.pow(A[i] * A[i], T.float32(2))`, after: `
    B[0:4] = T.pow(A[0:4] * A[0:4], T.Broadcast(T.float32(2), 4))`},
		{name: "calls that are given no numbers", before: `
    for i in T.vectorized(4):
        B[i] = T.call_llvm_pure_intrin("float32", "text", A[i], A[0])`, after: `
    B[0:4] = T.call_llvm_pure_intrin("float32x4", "text", A[0:4], T.Broadcast(A[0], 4))`, unrun: true},
		{name: "a scalar guards what one side reads", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(o > 0, A[o * 4 - 4 + i], T.float32(1))`, after: `
    for o in range(4):
        B[0:4] = T.Select(o > 0, A[T.Ramp(o * 4 - 4, 1, 4)], T.Broadcast(T.float32(1), 4))`},
		{name: "a choice of two lanes with more on one side", before: `
    for o in range(4):
        for i in T.vectorized(4):
            B[i] = T.Select(A[o] > T.float32(0), T.float32(1), A[i])`, after: `
    for o in range(4):
        B[0:4] = T.Select(T.Broadcast(A[o] > T.float32(0), 4), T.Broadcast(T.float32(1), 4), A[0:4])`},
		{name: "call of a scalar", before: `
    for i in T.vectorized(4):
        B[i] = T.exp(A[0])`, after: `
    B[0:4] = T.Broadcast(T.exp(A[0]), 4)`},
		{name: "let of a vector", before: `
    x = T.float32()
    for i in T.vectorized(4):
        B[i] = T.Let(x * x, where={x: A[i]})`, after: `
    x = T.float32x4()
    B[0:4] = T.Let(x * x, where={x: A[0:4]})`},
		{name: "let of a scalar", before: `
    x = T.float32()
    for i in T.vectorized(4):
        B[i] = T.Let(x * A[i], where={x: A[0]})`, after: `
    x = T.float32()
    B[0:4] = T.Let(T.Broadcast(x, 4) * A[0:4], where={x: A[0]})`},
		{name: "let that does not depend on the loop", before: `
    x = T.float32()
    for i in T.vectorized(4):
        B[i] = T.Let(x * x, where={x: A[0]})`, after: `
    x = T.float32()
    B[0:4] = T.Broadcast(T.Let(x * x, where={x: A[0]}), 4)`},
		{name: "let of what cannot be a vector", before: `
    x = T.float32()
    for i in T.vectorized(4):
        B[i] = T.Let(x * x, where={x: M[i, 0]})`, after: `
    x = T.float32()
    for i_s in range(4):
        B[i_s] = T.Let(x * x, where={x: M[i_s, 0]})`},
	})
}

// TestVectorizeStatements checks which statements become vectors, and which run lane by lane.
func TestVectorizeStatements(t *testing.T) {
	checkPairs(t, tirpass.VectorizeLoop, vectorHeader, []pair{
		{name: "only what cannot be a vector is serial", before: `
    for i in T.vectorized(4):
        B[i] = A[i]
        if i < 2:
            B[i] = T.float32(1)
        I[i] = i`, after: `
    B[0:4] = A[0:4]
    for i_s in range(4):
        if i_s < 2:
            B[i_s] = T.float32(1)
    I[0:4] = T.Ramp(0, 1, 4)`},
		{name: "serial from the start of the loop", before: `
    for i in T.vectorized(2, 6):
        if i < 4:
            B[i] = A[i]`, after: `
    for i_s in range(4):
        if 2 + i_s < 4:
            B[2 + i_s] = A[2 + i_s]`},
		{name: "both branches of a scalar condition", before: `
    for o in range(4):
        for i in T.vectorized(4):
            if o < 2:
                B[i] = A[i]
            else:
                B[i] = A[i + 4]`, after: `
    for o in range(4):
        if o < 2:
            B[0:4] = A[0:4]
        else:
            B[0:4] = A[4:8]`},
		{name: "inner loops", before: `
    for i in T.vectorized(4):
        for k in range(2, 5):
            B[i] = B[i] + A[k]
        for k in range(i, 5):
            B[i] = B[i] + A[k]
        for k in range(0, i):
            B[i] = B[i] + A[k]`, after: `
    for k in range(2, 5):
        B[0:4] = B[0:4] + T.Broadcast(A[k], 4)
    for i_s in range(4):
        for k in range(i_s, 5):
            B[i_s] = B[i_s] + A[k]
    for i_s in range(4):
        for k in range(i_s):
            B[i_s] = B[i_s] + A[k]`},
		{name: "let of a scalar", before: `
    for o in range(4):
        for i in T.vectorized(4):
            x: T.float32 = A[o]
            B[i] = x * A[i]`, after: `
    for o in range(4):
        x: T.float32 = A[o]
        B[0:4] = T.Broadcast(x, 4) * A[0:4]`},
		{name: "let of what cannot be a vector", before: `
    for i in T.vectorized(4):
        x: T.float32 = M[i, 0]
        B[i] = x * A[i]`, after: `
    for i_s in range(4):
        x: T.float32 = M[i_s, 0]
        B[i_s] = x * A[i_s]`},
		{name: "a let that escapes takes its outer one along", before: `
    for i in T.vectorized(4):
        x: T.float32 = A[i]
        y: T.float32 = x + T.float32(1)
        if i < 2:
            B[i] = x * y`, after: `
    for i_s in range(4):
        x: T.float32 = A[i_s]
        y: T.float32 = x + T.float32(1)
        if i_s < 2:
            B[i_s] = x * y`},
		{name: "a serial statement that uses no let leaves it a vector", before: `
    for i in T.vectorized(4):
        x: T.float32 = A[i]
        if i < 2:
            B[i + 8] = A[i + 4]
        B[i] = x * x`, after: `
    x: T.float32x4 = A[0:4]
    for i_s in range(4):
        if i_s < 2:
            B[i_s + 8] = A[i_s + 4]
    B[0:4] = x * x`},
		{name: "after a let that escaped", before: `
    for i in T.vectorized(4):
        x: T.float32 = A[i]
        with T.LetStmt(A[i + 4]) as y:
            if i < 2:
                B[i] = y
        B[i + 8] = x`, after: `
    x: T.float32x4 = A[0:4]
    for i_s in range(4):
        y: T.float32 = A[i_s + 4]
        if i_s < 2:
            B[i_s] = y
    B[8:12] = x`},
		{name: "two lanes", before: `
    for i in T.vectorized(2):
        if i < 1:
            B[i] = A[i]
        B[i + 2] = T.if_then_else(i > 0, A[i - 1], T.float32(0))
        B[i + 4] = T.Select(i > 0, A[i - 1], T.float32(0))
        B[i + 6] = M[i, 0]
        B[8] = A[i]
        for k in range(i, 3):
            B[i + 10] = A[k]
        for k in range(i + 1):
            B[i + 12] = A[k]
        T.evaluate(A[i])
        with T.attr(0, "key", i):
            B[i] = A[i]`, after: `
    for i_s in range(2):
        if i_s < 1:
            B[i_s] = A[i_s]
    for i_s in range(2):
        B[i_s + 2] = T.if_then_else(i_s > 0, A[i_s - 1], T.float32(0))
    for i_s in range(2):
        B[i_s + 4] = T.Select(i_s > 0, A[i_s - 1], T.float32(0))
    for i_s in range(2):
        B[i_s + 6] = M[i_s, 0]
    for i_s in range(2):
        B[8] = A[i_s]
    for i_s in range(2):
        for k in range(i_s, 3):
            B[i_s + 10] = A[k]
    for i_s in range(2):
        for k in range(i_s + 1):
            B[i_s + 12] = A[k]
    for i_s in range(2):
        T.evaluate(A[i_s])
    for i_s in range(2):
        with T.attr(0, "key", i_s):
            B[i_s] = A[i_s]`},
		{name: "bounds, conditions and values that cannot be vectors", before: `
    for i in T.vectorized(4):
        for k in range(T.if_then_else(i > 1, 2, 1)):
            B[i] = A[k]
        for k in range(T.if_then_else(i > 1, 2, 1), 4):
            B[i] = A[k]
        if T.if_then_else(i > 1, 2, 1) > 1:
            B[i] = A[0]
        with T.attr(0, "key", T.if_then_else(i > 1, 2, 1)):
            B[i] = A[1]`, after: `
    for i_s in range(4):
        for k in range(T.if_then_else(i_s > 1, 2, 1)):
            B[i_s] = A[k]
    for i_s in range(4):
        for k in range(T.if_then_else(i_s > 1, 2, 1), 4):
            B[i_s] = A[k]
    for i_s in range(4):
        if T.if_then_else(i_s > 1, 2, 1) > 1:
            B[i_s] = A[0]
    for i_s in range(4):
        with T.attr(0, "key", T.if_then_else(i_s > 1, 2, 1)):
            B[i_s] = A[1]`, unrun: true},
		{name: "memory of each lane by vectors of its own", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((4,))
        t[T.Ramp(0, 1, 4)] = T.Broadcast(A[i], 4)
        B[i] = t[3]`, after: `
    t = T.decl_buffer((16,))
    for i_s in range(4):
        t[T.Ramp(0, 1, 4) * T.Broadcast(4, 4) + T.Broadcast(i_s, 4)] = T.Broadcast(A[i_s], 4)
    B[0:4] = t[12:16]`, unrun: true},
		{name: "memory of each lane with an index", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((3,))
        for k in range(3):
            t[k] = A[i + k]
        B[i] = t[0] + t[2]`, after: `
    t = T.decl_buffer((12,))
    for k in range(3):
        t[T.Ramp(k * 4, 1, 4)] = A[T.Ramp(k, 1, 4)]
    B[0:4] = t[0:4] + t[8:12]`},
		{name: "memory of each lane by the lane", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((4,))
        t[i] = A[i]
        B[i] = t[i] + T.float32(1)`, after: `
    t = T.decl_buffer((16,))
    t[T.Ramp(0, 1, 4) * T.Broadcast(4, 4) + T.Ramp(0, 1, 4)] = A[0:4]
    B[0:4] = t[T.Ramp(0, 1, 4) * T.Broadcast(4, 4) + T.Ramp(0, 1, 4)] + T.Broadcast(T.float32(1), 4)`},
		{name: "memory of each lane in a serial statement", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((2,))
        t[1] = A[i]
        if i < 2:
            t[1] = t[1] + A[5]
        B[i] = t[1]`, after: `
    t = T.decl_buffer((8,))
    t[4:8] = A[0:4]
    for i_s in range(4):
        if i_s < 2:
            t[4 + i_s] = t[4 + i_s] + A[5]
    B[0:4] = t[4:8]`},
		{name: "memory of each lane that does not depend on it", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((1,))
        t[0] = T.float32(3)
        B[i] = t[0]`, after: `
    t = T.decl_buffer((4,))
    t[0:4] = T.Broadcast(T.float32(3), 4)
    B[0:4] = t[0:4]`},
		{name: "memory of two dimensions", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((2, 3))
        t[1, 2] = A[i]
        B[i] = t[1, 2]`, after: `
    t = T.decl_buffer((2, 12))
    t[1, 8:12] = A[0:4]
    B[0:4] = t[1, 8:12]`},
		{name: "memory whose size depends on the lane", before: `
    for i in T.vectorized(4):
        t = T.decl_buffer((i + 1,))
        t[0] = A[i]
        B[i] = t[0]`, after: `
    for i_s in range(4):
        t = T.decl_buffer((i_s + 1,))
        t[0] = A[i_s]
        B[i_s] = t[0]`},
		{name: "attribute", before: `
    for o in range(4):
        for i in T.vectorized(4):
            with T.attr(0, "key", o):
                B[i] = A[i]
        for i in T.vectorized(4):
            with T.attr(0, "key", i):
                B[i] = A[i]`, after: `
    for o in range(4):
        with T.attr(0, "key", o):
            B[0:4] = A[0:4]
        for i_s in range(4):
            with T.attr(0, "key", i_s):
                B[i_s] = A[i_s]`},
		{name: "evaluation", before: `
    for i in T.vectorized(4):
        T.evaluate(A[0])
        T.evaluate(A[i])
        B[i] = A[i]`, after: `
    T.evaluate(A[0])
    for i_s in range(4):
        T.evaluate(A[i_s])
    B[0:4] = A[0:4]`},
		{name: "masks", before: `
    for i in T.vectorized(4):
        B.vstore([i], A.vload([i], predicate=A[i] > T.float32(0)), predicate=A[i] > T.float32(0))`, after: `
    B.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(0, 1, 4)], predicate=A[0:4] > T.Broadcast(T.float32(0), 4)), predicate=A[0:4] > T.Broadcast(T.float32(0), 4))`},
		{name: "the pass is off by its option", before: `
    for i in T.vectorized(4):
        B[i] = A[i]`, after: `
    for i in range(4):
        B[i] = A[i]`, opts: config("tir.disable_vectorize", true)},
	})
}

// TestVectorizeReinterpret: a vector keeps its bits, so that it has as many lanes as these make.
func TestVectorizeReinterpret(t *testing.T) {
	checkPairs(t, tirpass.VectorizeLoop, `@T.prim_func
def kernel(W: T.Buffer((8,), "uint32"), H: T.Buffer((8,), "float16x2"), F: T.Buffer((8,), "float32")):`, []pair{
		{name: "elements of one size", before: `
    for i in T.vectorized(4):
        F[i] = T.reinterpret("float32", W[i])`, after: `
    F[0:4] = T.reinterpret("float32x4", W[0:4])`, unrun: true},
		{name: "pairs of halves", before: `
    for i in T.vectorized(4):
        H[i] = T.reinterpret("float16x2", W[i])`, after: `
    H[0:4] = T.reinterpret("float16x8", W[0:4])`, unrun: true},
		{name: "the same for all lanes", before: `
    for i in T.vectorized(4):
        F[i] = T.reinterpret("float32", W[3])`, after: `
    F[0:4] = T.Broadcast(T.reinterpret("float32", W[3]), 4)`, unrun: true},
	})
}
