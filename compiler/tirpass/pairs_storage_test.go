package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestStoragePairs moves allocations outward and lets them share memory.
func TestStoragePairs(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):`
	checkPairs(t, tirpass.StorageRewrite, header, []pair{
		{name: "one", before: `
    c = T.allocate([8], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = A[0]
    B[0] = C[0]`},
		{name: "none", before: `
    B[0] = A[0]`},
		{name: "several extents become one", before: `
    c = T.allocate([2, 4], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = A[0]
    B[0] = C[0]`, after: `
    c = T.allocate([2, 4], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = A[0]
    B[0] = C[0]`},
		{name: "as many elements as 32 bits count", before: `
    c = T.allocate([T.int64(2147483647), T.int64(1)], "int8", "global")
    C = T.decl_buffer((8,), "int8", data=c)
    C[0] = T.int8(1)`, after: `
    c = T.allocate([T.int64(2147483647), T.int64(1)], "int8", "global")
    C = T.decl_buffer((8,), "int8", data=c)
    C[0] = T.int8(1)`, unrun: true},
		{name: "more elements than 32 bits count", before: `
    c = T.allocate([T.int64(2), T.int64(1073741824)], "int8", "global")
    C = T.decl_buffer((8,), "int8", data=c)
    C[0] = T.int8(1)`, after: `
    c = T.allocate([T.int64(2), T.int64(1073741824)], "int8", "global")
    C = T.decl_buffer((8,), "int8", data=c)
    C[0] = T.int8(1)`, unrun: true},
		{name: "one after the other", before: `
    with T.allocate([8], "int32", "global") as c:
        C = T.decl_buffer((8,), "int32", data=c)
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([8], "int32", "global") as d:
        D = T.decl_buffer((8,), "int32", data=d)
        D[0] = A[0]
        B[1] = D[0]`, after: `
    C = T.decl_buffer((8,), "int32")
    C[0] = A[0]
    B[0] = C[0]
    D = T.decl_buffer((8,), "int32", data=C.data)
    D[0] = A[0]
    B[1] = D[0]`},
		{name: "the second begins in the statement that ends the first", before: `
    c = T.allocate([8], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = A[0]
    d = T.allocate([8], "int32", "global")
    D = T.decl_buffer((8,), "int32", data=d)
    D[0] = C[0]
    B[0] = D[0]`, after: `
    C = T.decl_buffer((8,), "int32")
    C[0] = A[0]
    D = T.decl_buffer((8,), "int32", data=C.data)
    D[0] = C[0]
    B[0] = D[0]`},
		{name: "another type", before: `
    with T.allocate([8], "int32", "global") as c:
        C = T.decl_buffer((8,), "int32", data=c)
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([8], "float32", "global") as d:
        D = T.decl_buffer((8,), "float32", data=d)
        D[0] = T.float32(1)
        B[1] = T.Cast("int32", D[0])`, after: `
    c = T.allocate([8], "int32", "global")
    with T.decl_buffer((8,), "int32", data=c) as C:
        C[0] = A[0]
        B[0] = C[0]
    D = T.decl_buffer((8,), data=c)
    D[0] = T.float32(1.0)
    B[1] = T.Cast("int32", D[0])`},
		{name: "registers", before: `
    with T.allocate([1], "int32", "global") as c:
        C = T.decl_buffer((1,), "int32", data=c)
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([1], "int32", "global") as d:
        D = T.decl_buffer((1,), "int32", data=d)
        D[0] = A[0]
        B[1] = D[0]`, after: `
    C = T.decl_buffer((1,), "int32")
    D = T.decl_buffer((1,), "int32")
    C[0] = A[0]
    B[0] = C[0]
    D[0] = A[0]
    B[1] = D[0]`},
		{name: "little more than registers", before: `
    with T.allocate([5], "int8", "global") as c:
        C = T.decl_buffer((5,), "int8", data=c)
        C[0] = T.int8(1)
    with T.allocate([5], "int8", "global") as d:
        D = T.decl_buffer((5,), "int8", data=d)
        D[0] = T.int8(1)`, after: `
    C = T.decl_buffer((5,), "int8")
    C[0] = T.int8(1)
    D = T.decl_buffer((5,), "int8", data=C.data)
    D[0] = T.int8(1)`},
		{name: "another scope", before: `
    with T.allocate([8], "int32", "local") as c:
        C = T.decl_buffer((8,), "int32", data=c, scope="local")
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([8], "int32", "local") as d:
        D = T.decl_buffer((8,), "int32", data=d, scope="local")
        D[0] = A[0]
        B[1] = D[0]`, after: `
    C = T.decl_buffer((8,), "int32", scope="local")
    D = T.decl_buffer((8,), "int32", scope="local")
    C[0] = A[0]
    B[0] = C[0]
    D[0] = A[0]
    B[1] = D[0]`},
		{name: "memory grows", before: `
    with T.allocate([2], "int32", "global") as c:
        C = T.decl_buffer((2,), "int32", data=c)
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([32], "int32", "global") as d:
        D = T.decl_buffer((32,), "int32", data=d)
        D[0] = A[0]
        B[1] = D[0]`, after: `
    c = T.allocate([32], "int32", "global")
    with T.decl_buffer((2,), "int32", data=c) as C:
        C[0] = A[0]
        B[0] = C[0]
    D = T.decl_buffer((32,), "int32", data=c)
    D[0] = A[0]
    B[1] = D[0]`},
		{name: "memory grows 16 times at most", before: `
    with T.allocate([2], "int32", "global") as c:
        C = T.decl_buffer((2,), "int32", data=c)
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([33], "int32", "global") as d:
        D = T.decl_buffer((33,), "int32", data=d)
        D[0] = A[0]
        B[1] = D[0]`, after: `
    C = T.decl_buffer((2,), "int32")
    D = T.decl_buffer((33,), "int32")
    C[0] = A[0]
    B[0] = C[0]
    D[0] = A[0]
    B[1] = D[0]`},
		{name: "memory is 16 times too large at most", before: `
    with T.allocate([33], "int32", "global") as c:
        C = T.decl_buffer((33,), "int32", data=c)
        C[0] = A[0]
        B[0] = C[0]
    with T.allocate([2], "int32", "global") as d:
        D = T.decl_buffer((2,), "int32", data=d)
        D[0] = A[0]
        B[1] = D[0]
    with T.allocate([3], "int32", "global") as e:
        E = T.decl_buffer((3,), "int32", data=e)
        E[0] = A[0]
        B[2] = E[0]`, after: `
    c = T.allocate([33], "int32", "global")
    D = T.decl_buffer((2,), "int32")
    with T.decl_buffer((33,), "int32", data=c) as C:
        C[0] = A[0]
        B[0] = C[0]
    D[0] = A[0]
    B[1] = D[0]
    E = T.decl_buffer((3,), "int32", data=c)
    E[0] = A[0]
    B[2] = E[0]`},
		{name: "the smallest that fits, or the largest that grows", before: `
    with T.allocate([16], "int32", "global") as c:
        C = T.decl_buffer((16,), "int32", data=c)
        with T.allocate([8], "int32", "global") as d:
            D = T.decl_buffer((8,), "int32", data=d)
            with T.allocate([12], "int32", "global") as e:
                E = T.decl_buffer((12,), "int32", data=e)
                B[0] = C[0] + D[0] + E[0]
    with T.allocate([9], "int32", "global") as f:
        F = T.decl_buffer((9,), "int32", data=f)
        with T.allocate([20], "int32", "global") as g:
            G = T.decl_buffer((20,), "int32", data=g)
            with T.allocate([8], "int32", "global") as h:
                H = T.decl_buffer((8,), "int32", data=h)
                B[1] = F[0] + G[0] + H[0]`, unrun: true, after: `
    c = T.allocate([20], "int32", "global")
    D = T.decl_buffer((8,), "int32")
    e = T.allocate([12], "int32", "global")
    with T.decl_buffer((16,), "int32", data=c) as C:
        E = T.decl_buffer((12,), "int32", data=e)
        B[0] = C[0] + D[0] + E[0]
    F = T.decl_buffer((9,), "int32", data=e)
    G = T.decl_buffer((20,), "int32", data=c)
    H = T.decl_buffer((8,), "int32", data=D.data)
    B[1] = F[0] + G[0] + H[0]`},
		{name: "out of loops and branches", before: `
    for i in range(4):
        if A[i] > 0:
            c = T.allocate([8], "int32", "global")
            C = T.decl_buffer((8,), "int32", data=c)
            C[0] = A[i]
            B[i] = C[0]
        else:
            d = T.allocate([8], "int32", "global")
            D = T.decl_buffer((8,), "int32", data=d)
            D[0] = A[i]
            B[i] = D[0]`, after: `
    C = T.decl_buffer((8,), "int32")
    for i in range(4):
        if A[i] > 0:
            C[0] = A[i]
            B[i] = C[0]
        else:
            D = T.decl_buffer((8,), "int32", data=C.data)
            D[0] = A[i]
            B[i] = D[0]`},
		{name: "live over a loop", before: `
    c = T.allocate([8], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = 1
    for i in range(4):
        with T.allocate([8], "int32", "global") as d:
            D = T.decl_buffer((8,), "int32", data=d)
            D[0] = A[i]
            B[i] = D[0]
        B[i + 8] = C[0]
    with T.allocate([8], "int32", "global") as e:
        E = T.decl_buffer((8,), "int32", data=e)
        E[0] = A[0]
        B[6] = E[0]`, after: `
    C = T.decl_buffer((8,), "int32")
    D = T.decl_buffer((8,), "int32")
    C[0] = 1
    for i in range(4):
        D[0] = A[i]
        B[i] = D[0]
        B[i + 8] = C[0]
    E = T.decl_buffer((8,), "int32", data=D.data)
    E[0] = A[0]
    B[6] = E[0]`},
		{name: "used by a loop's bounds and a condition", before: `
    c = T.allocate([8], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = 1
    for i in range(C[0], C[0] + 1):
        with T.allocate([8], "int32", "global") as d:
            D = T.decl_buffer((8,), "int32", data=d)
            D[0] = A[i]
            B[i] = D[0]
    with T.allocate([8], "int32", "global") as e:
        E = T.decl_buffer((8,), "int32", data=e)
        E[0] = A[0]
        if E[0] > 1:
            B[6] = E[0]`, after: `
    C = T.decl_buffer((8,), "int32")
    D = T.decl_buffer((8,), "int32")
    C[0] = 1
    for i in range(C[0], C[0] + 1):
        D[0] = A[i]
        B[i] = D[0]
    E = T.decl_buffer((8,), "int32", data=D.data)
    E[0] = A[0]
    if E[0] > 1:
        B[6] = E[0]`},
		{name: "used by a condition only", before: `
    with T.allocate([8], "int32", "global") as c:
        C = T.decl_buffer((8,), "int32", data=c)
        with T.allocate([8], "int32", "global") as d:
            D = T.decl_buffer((8,), "int32", data=d)
            D[0] = 1
            if C[0] > 1:
                B[6] = D[0]`, unrun: true},
		{name: "used by an extent", before: `
    c = T.allocate([8], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    d = T.allocate([8], "int32", "global")
    D = T.decl_buffer((8,), "int32", data=d)
    D[0] = 1
    e = T.allocate([C[0]], "int32", "global")
    B[0] = D[0]`, unrun: true},
		{name: "a condition of a while loop runs in each turn", before: `
    c = T.allocate([8], "int32", "global")
    C = T.decl_buffer((8,), "int32", data=c)
    C[0] = 1
    while C[0] < 3:
        with T.allocate([8], "int32", "global") as d:
            D = T.decl_buffer((8,), "int32", data=d)
            D[0] = A[1]
            B[1] = D[0]
        C[0] = C[0] + 1`, after: `
    C = T.decl_buffer((8,), "int32")
    D = T.decl_buffer((8,), "int32")
    C[0] = 1
    while C[0] < 3:
        D[0] = A[1]
        B[1] = D[0]
        C[0] = C[0] + 1`},
		{name: "parallel loops keep theirs", before: `
    for i in T.parallel(4):
        for j in range(2):
            c = T.allocate([8], "int32", "global")
            C = T.decl_buffer((8,), "int32", data=c)
            C[0] = A[i + j]
            B[i + j] = C[0]
    d = T.allocate([8], "int32", "global")
    D = T.decl_buffer((8,), "int32", data=d)
    D[0] = A[0]
    B[0] = D[0]`, after: `
    D = T.decl_buffer((8,), "int32")
    for i in T.parallel(4):
        C = T.decl_buffer((8,), "int32")
        for j in range(2):
            C[0] = A[i + j]
            B[i + j] = C[0]
    D[0] = A[0]
    B[0] = D[0]`, unrun: true},
		{name: "threads keep theirs", before: `
    with T.launch_thread("threadIdx.x", 4) as tx:
        for j in range(2):
            c = T.allocate([8], "int32", "global")
            C = T.decl_buffer((8,), "int32", data=c)
            C[0] = A[tx + j]
            B[tx] = C[0]
    for j in range(2):
        d = T.allocate([8], "int32", "global")
        D = T.decl_buffer((8,), "int32", data=d)
        D[0] = A[j]
        B[j] = D[0]`, after: `
    D = T.decl_buffer((8,), "int32")
    with T.launch_thread("threadIdx.x", 4) as tx:
        C = T.decl_buffer((8,), "int32")
        for j in range(2):
            C[0] = A[tx + j]
            B[tx] = C[0]
    for j in range(2):
        D[0] = A[j]
        B[j] = D[0]`, unrun: true},
		{name: "bound loops keep theirs", before: `
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        for j in range(2):
            c = T.allocate([8], "int32", "global")
            C = T.decl_buffer((8,), "int32", data=c)
            C[0] = A[tx + j]
            B[tx] = C[0]`, after: `
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        C = T.decl_buffer((8,), "int32")
        for j in range(2):
            C[0] = A[tx + j]
            B[tx] = C[0]`, unrun: true},
		{name: "virtual threads keep theirs", before: `
    v = T.int32()
    with T.attr(T.iter_var(v, T.Range(0, 4), "ThreadIndex", "vthread"), "virtual_thread", 4):
        for j in range(2):
            c = T.allocate([8], "int32", "global")
            C = T.decl_buffer((8,), "int32", data=c)
            C[0] = A[v + j]
            B[v] = C[0]`, after: `
    v = T.launch_thread("vthread", 4)
    C = T.decl_buffer((8,), "int32")
    for j in range(2):
        C[0] = A[v + j]
        B[v] = C[0]`, unrun: true},
		{name: "another attribute keeps nothing", before: `
    with T.attr(0, "key", A[0]):
        for j in range(2):
            c = T.allocate([8], "int32", "global")
            C = T.decl_buffer((8,), "int32", data=c)
            C[0] = A[j]
            B[j] = C[0]`, after: `
    C = T.decl_buffer((8,), "int32")
    T.attr(0, "key", A[0])
    for j in range(2):
        C[0] = A[j]
        B[j] = C[0]`, unrun: true},
		{name: "sizes that are no constants stay", before: `
    for j in range(1, 3):
        c = T.allocate([j * 2], "int32", "global")
        C = T.decl_buffer((j * 2,), "int32", data=c)
        d = T.allocate([4], "int32", "global")
        D = T.decl_buffer((4,), "int32", data=d)
        C[0] = A[j]
        D[0] = C[0]
        B[j] = D[0]`, after: `
    D = T.decl_buffer((4,), "int32")
    for j in range(1, 3):
        c = T.allocate([j * 2], "int32", "global")
        C = T.decl_buffer((j * 2,), "int32", data=c)
        C[0] = A[j]
        D[0] = C[0]
        B[j] = D[0]`, unrun: true},
		{name: "what an allocation says keeps it", before: `
    for j in range(2):
        c = T.allocate([8], "int32", "global", annotations={"key": 1})
        C = T.decl_buffer((8,), "int32", data=c)
        C[0] = A[j]
        B[j] = C[0]`, unrun: true},
		{name: "a pointer is a use", before: `
    with T.allocate([8], "int32", "global") as c:
        C = T.decl_buffer((8,), "int32", data=c)
        C[0] = A[0]
        with T.allocate([8], "int32", "global") as d:
            D = T.decl_buffer((8,), "int32", data=d)
            D[0] = A[0]
            T.evaluate(T.call_extern("int32", "f", c))
            B[1] = D[0]`, unrun: true, after: `
    C = T.decl_buffer((8,), "int32")
    D = T.decl_buffer((8,), "int32")
    C[0] = A[0]
    D[0] = A[0]
    T.call_extern("int32", "f", C.data)
    B[1] = D[0]`},
		{name: "the option", before: `
    for j in range(2):
        c = T.allocate([8], "int32", "global")
        C = T.decl_buffer((8,), "int32", data=c)
        C[0] = A[j]
        B[j] = C[0]`, opts: config("tir.disable_storage_rewrite", true)},
	})
}
