package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestFlattenPairs flattens buffers of all forms and what is said of them.
func TestFlattenPairs(t *testing.T) {
	checkPairs(t, tirpass.FlattenBuffer, `@T.prim_func
def kernel(A: T.Buffer((4, 6), "float32"), B: T.Buffer((24,), "float32"), I: T.Buffer((4,), "int32")):`, []pair{
		{name: "one dimension", before: `
    for i in range(24):
        B[i] = B[i] + T.float32(1)`},
		{name: "two physical dimensions", again: true, before: `
    C = T.decl_buffer((2, 3, 4), "float32", axis_separators=[2])
    for i, j, k in T.grid(2, 3, 4):
        C[i, j, k] = A[i, j]
        B[i] = C[i, j, k]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    C = T.allocate([6, 4], "float32", "global")
    C_1 = T.Buffer((6, 4), "float32", data=C, axis_separators=[1])
    for i, j, k in T.grid(2, 3, 4):
        C_1[i * 3 + j, k] = A_1[i * 6 + j]
        B[i] = C_1[i * 3 + j, k]`},
		{name: "physical dimensions that the allocation does not have", before: `
    c = T.allocate([2, 12], "float32", "global")
    C = T.decl_buffer((2, 3, 4), "float32", data=c, axis_separators=[2])
    C[0, 0, 0] = A[0, 0]`, fails: "DeclBuffer node doesn't match Allocate extents"},
		{name: "three dimensions", before: `
    C = T.decl_buffer((2, 3, 4), "float32")
    for i, j, k in T.grid(2, 3, 4):
        C[i, j, k] = A[i, j]
        B[i] = C[i, j, k]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    C = T.allocate([24], "float32", "global")
    C_1 = T.Buffer((24,), "float32", data=C)
    for i, j, k in T.grid(2, 3, 4):
        C_1[(i * 3 + j) * 4 + k] = A_1[i * 6 + j]
        B[i] = C_1[(i * 3 + j) * 4 + k]`},
		{name: "only the first parameter changes", before: `
    B[0] = A[1, 2]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    B[0] = A_1[8]`},
		{name: "a parameter that is not accessed", before: `
    B[0] = T.float32(1)`},
		{name: "quotients cancel", before: `
    for f in range(24):
        A[f // 6, f % 6] = B[f]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    for f in range(24):
        A_1[f] = B[f]`},
		{name: "remainders of a loop of known steps go", before: `
    for f in range(6):
        A[2, f % 6] = B[f]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    for f in range(6):
        A_1[f + 12] = B[f]`},
		{name: "a remainder in front of a sum", before: `
    for f in range(3):
        A[f % 4, f + f] = B[f]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    for f in range(3):
        A_1[f * 8] = B[f]`},
		{name: "sums stay as they are", before: `
    for i in range(3):
        A[i + 1, 2 + i] = B[i]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    for i in range(3):
        A_1[(i + 1) * 6 + (2 + i)] = B[i]`},
		{name: "an index in memory with a quotient inside", before: `
    for i in range(3):
        I[i] = 1
        B[i] = A[I[i // 2], 0 + 1 * i]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    for i in range(3):
        I[i] = 1
        B[i] = A_1[I[i // 2] * 6 + i]`},
		{name: "an index from a buffer that becomes flat", before: `
    J = T.decl_buffer((2, 2), "int32")
    for i in range(2):
        J[0, i] = i
        B[J[0, i]] = A[0, J[0, i]]`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    J = T.allocate([4], "int32", "global")
    J_1 = T.Buffer((4,), "int32", data=J)
    for i in range(2):
        J_1[i] = i
        B[J_1[i]] = A_1[J_1[i]]`},
		{name: "masks", before: `
    A.vstore([1, T.Ramp(0, 1, 4)], A.vload([2, T.Ramp(0, 1, 4)], predicate=B[0:4] > T.Broadcast(T.float32(0), 4)), predicate=B[0:4] > T.Broadcast(T.float32(0), 4))`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    A_1.vstore([T.Broadcast(6, 4) + T.Ramp(0, 1, 4)], A_1.vload([T.Broadcast(12, 4) + T.Ramp(0, 1, 4)], predicate=B[0:4] > T.Broadcast(T.float32(0), 4)), predicate=B[0:4] > T.Broadcast(T.float32(0), 4))`, unrun: true},
		{name: "booleans", before: `
    F = T.decl_buffer((2, 3), "bool")
    for i, j in T.grid(2, 3):
        F[i, j] = A[i, j] < B[i]
        if F[i, j]:
            B[i] = T.float32(0)`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    F = T.allocate([6], "int8", "global")
    F_1 = T.Buffer((6,), "int8", data=F)
    for i, j in T.grid(2, 3):
        F_1[i * 3 + j] = T.Cast("int8", A_1[i * 6 + j] < B[i])
        if T.Cast("bool", F_1[i * 3 + j]):
            B[i] = T.float32(0)`},
		{name: "a mask that changes", before: `
    B.vstore([T.Ramp(0, 1, 4)], B.vload([T.Ramp(0, 1, 4)], predicate=A[0, 0:4] > T.Broadcast(T.float32(0), 4)), predicate=A[0, 0:4] > T.Broadcast(T.float32(0), 4))`, after: `
    A_1 = T.Buffer((24,), data=A.data)
    B.vstore([T.Ramp(0, 1, 4)], B.vload([T.Ramp(0, 1, 4)], predicate=A_1[T.Broadcast(0, 4) + T.Ramp(0, 1, 4)] > T.Broadcast(T.float32(0), 4)), predicate=A_1[T.Broadcast(0, 4) + T.Ramp(0, 1, 4)] > T.Broadcast(T.float32(0), 4))`, unrun: true},
		{name: "match_buffer is left", before: `
    with T.block("first"):
        T.reads(A[0, 0:6])
        T.writes()
        V = T.match_buffer(A[0, 0:6], (6,), offset_factor=1)
        T.evaluate(V[0])
    with T.block("second"):
        T.reads(A[0, 0:6])
        T.writes()
        W = T.match_buffer(A[0, 0:6], (6,), offset_factor=1)
        T.evaluate(W[0])`, fails: `block "first" still has match_buffer V: run tir.LowerMatchBuffer before tir.FlattenBuffer`},
	})
}

// TestFlattenBlocks flattens what blocks say of buffers that are not parameters.
func TestFlattenBlocks(t *testing.T) {
	checkPairs(t, tirpass.FlattenBuffer, `@T.prim_func
def kernel(B: T.Buffer((24,), "float32")):`, []pair{
		{name: "regions of several dimensions", before: `
    A = T.alloc_buffer((4, 6))
    for i in range(4):
        with T.block("b"):
            T.reads(A[i, 2:5], B[i])
            T.writes(A[i, 0:6])
            A[i, 1] = A[i, 2] + B[i]`, after: `
    A = T.alloc_buffer((24,))
    for i in range(4):
        with T.block("b"):
            T.reads(A[i * 6 + 2:i * 6 + 2 + 3], B[i])
            T.writes(A[i * 6:i * 6 + 6])
            A[i * 6 + 1] = A[i * 6 + 2] + B[i]`},
		{name: "a block over flat buffers", before: `
    for i in range(4):
        with T.block("b"):
            T.reads(B[i])
            T.writes(B[i])
            B[i] = B[i] + T.float32(1)`},
		{name: "iteration variables bound quotients", before: `
    A = T.alloc_buffer((4, 6))
    for i in range(24):
        with T.block("b"):
            v = T.axis.spatial(24, i)
            T.reads(B[v])
            T.writes(A[v // 6, v % 6])
            A[v // 6, v % 6] = B[v]`, after: `
    A = T.alloc_buffer((24,))
    for i in range(24):
        with T.block("b"):
            v = T.axis.spatial(24, i)
            T.reads(B[v])
            T.writes(A[v])
            A[v] = B[v]`},
		{name: "allocated by a block", before: `
    A = T.alloc_buffer((4, 6))
    with T.block("b"):
        T.reads(A[0:2, 0:3])
        T.writes()
        C = T.alloc_buffer((2, 3))
        for i, j in T.grid(2, 3):
            C[i, j] = A[i, j]`, after: `
    A = T.alloc_buffer((24,))
    with T.block("b"):
        T.reads(A[0:9])
        T.writes()
        C = T.alloc_buffer((6,))
        for i, j in T.grid(2, 3):
            C[i * 3 + j] = A[i * 6 + j]`},
	})
}

// TestFlattenForms flattens buffers with strides, an offset and groups of axes.
func TestFlattenForms(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), p: T.handle("float32"), k: T.int32):`
	checkPairs(t, tirpass.FlattenBuffer, header, []pair{
		{name: "strides", before: `
    S = T.decl_buffer((4, 3), data=p, strides=(8, 2))
    for i, j in T.grid(4, 3):
        S[i, j] = S[3 - i, j] + T.float32(1)`, after: `
    S = T.Buffer((32,), data=p)
    for i, j in T.grid(4, 3):
        S[i * 8 + j * 2] = S[(3 - i) * 8 + j * 2] + T.float32(1)`},
		{name: "strides of one dimension", before: `
    S = T.decl_buffer((4,), data=p, strides=(8,))
    for i in range(4):
        S[i] = T.float32(1)`, after: `
    S = T.Buffer((32,), data=p)
    for i in range(4):
        S[i * 8] = T.float32(1)`},
		{name: "an offset", before: `
    S = T.decl_buffer((4, 3), data=p, elem_offset=k)
    for i, j in T.grid(4, 3):
        S[i, j] = T.float32(1)`, after: `
    S = T.Buffer((12,), data=p)
    for i, j in T.grid(4, 3):
        S[k + (i * 3 + j)] = T.float32(1)`},
		{name: "an offset of one dimension", before: `
    S = T.decl_buffer((4,), data=p, elem_offset=k)
    for i in range(4):
        S[i] = T.float32(1)`, after: `
    S = T.Buffer((4,), data=p)
    for i in range(4):
        S[k + i] = T.float32(1)`},
		{name: "an offset of no dimension", before: `
    S = T.decl_buffer((), data=p, elem_offset=k)
    S[()] = T.float32(1)`, after: `
    S = T.Buffer((1,), data=p)
    S[k] = T.float32(1)`},
		{name: "groups of axes", before: `
    S = T.decl_buffer((2, 3, 4, 5), data=p, axis_separators=[2])
    for i, j in T.grid(2, 3):
        S[i, j, j, i] = T.float32(1)`, after: `
    S = T.Buffer((6, 20), data=p, axis_separators=[1])
    for i, j in T.grid(2, 3):
        S[i * 3 + j, j * 5 + i] = T.float32(1)`},
		{name: "three groups of axes", before: `
    S = T.decl_buffer((2, 3, 4, 5), data=p, axis_separators=[1, 3])
    for i, j in T.grid(2, 3):
        S[i, j, j, i] = T.float32(1)`, after: `
    S = T.Buffer((2, 12, 5), data=p, axis_separators=[1, 2])
    for i, j in T.grid(2, 3):
        S[i, j * 4 + j, i] = T.float32(1)`},
		{name: "an empty group of axes", before: `
    S = T.decl_buffer((2, 3), data=p, axis_separators=[0])
    for i, j in T.grid(2, 3):
        S[i, j] = T.float32(1)`, after: `
    S = T.Buffer((1, 6), data=p, axis_separators=[1])
    for i, j in T.grid(2, 3):
        S[0, i * 3 + j] = T.float32(1)`},
		{name: "groups with strides and an offset", before: `
    S = T.decl_buffer((2, 3), data=p, strides=(8, 2), elem_offset=k, axis_separators=[1])
    for i, j in T.grid(2, 3):
        S[i, j] = T.float32(1)`, after: `
    S = T.Buffer((16, 6), data=p, axis_separators=[1])
    for i, j in T.grid(2, 3):
        S[k + i * 8, j * 2] = T.float32(1)`},
		{name: "an allocation of several extents", before: `
    q = T.allocate([2, k, 5], "float32", "global")
    r = T.allocate([7], "float32", "global")
    Q = T.decl_buffer((2, k, 5), data=q)
    R = T.decl_buffer((7,), data=r)
    Q[0, 1, 2] = R[3]`, after: `
    q = T.allocate([2 * k * 5], "float32", "global")
    r = T.allocate([7], "float32", "global")
    Q = T.Buffer((k * 10,), data=q)
    R = T.Buffer((7,), data=r)
    Q[7] = R[3]`},
		{name: "symbolic extents", before: `
    S = T.decl_buffer((k, k + 1), data=p)
    for i in range(k):
        S[i, i] = T.float32(1)`, after: `
    S = T.Buffer((k * (k + 1),), data=p)
    for i in range(k):
        S[i * (k + 1) + i] = T.float32(1)`},
	})
}

// TestFlattenKeepsOffsetZero leaves a flat buffer alone that says that it starts at 0.
func TestFlattenKeepsOffsetZero(t *testing.T) {
	b := floats("A", 4)
	b.ElemOffset = n(0)
	f := fn(store(b, f32(1), n(1)), b)
	if g := funcOf(mustPass(t, tirpass.FlattenBuffer, f)); g != f {
		t.Errorf("got\n%s", print(g))
	}
}

// TestFlattenAllocationWithoutExtent flattens an allocation of one element, which has no extent.
func TestFlattenAllocationWithoutExtent(t *testing.T) {
	b := floats("T")
	f := fn(alloc(b, store(b, f32(1))))
	g := apply(t, passtest.NewContext(), tirpass.FlattenBuffer, f)
	a, ok := g.Body.(*tir.Allocate)
	if !ok || len(a.Extents) != 1 || !tir.IsConst(a.Extents[0], 1) {
		t.Errorf("got\n%s", print(g))
	}
}
