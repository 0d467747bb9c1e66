package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestStorageInPlace writes over what is read last, element by element.
func TestStorageInPlace(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`
	// chain computes D of C by a statement, in its own words.
	chain := func(stmt string) string {
		return `
    C = T.decl_buffer((16,))
    D = T.decl_buffer((16,))
    for i in range(16):
        C[i] = A[i]` + stmt + `
    for i in range(16):
        B[i] = D[i]`
	}
	over := func(stmt string) string {
		return `
    C = T.decl_buffer((16,))
    D = T.decl_buffer((16,), data=C.data)
    for i in range(16):
        C[i] = A[i]` + stmt + `
    for i in range(16):
        B[i] = D[i]`
	}
	var list []pair
	for _, c := range []struct {
		name, stmt string
		inPlace    bool
	}{
		{"element by element", `
    for i in range(16):
        D[i] = C[i] * C[i]`, true},
		{"in two loops", `
    for i, j in T.grid(4, 4):
        D[i * 4 + j] = C[i * 4 + j] + T.float32(1)`, true},
		{"under a condition", `
    for i in range(16):
        if i < 16:
            D[i] = C[i] + T.float32(1)`, true},
		{"vectors", `
    for i in range(4):
        D[i * 4:i * 4 + 4] = C[i * 4:i * 4 + 4] + T.Broadcast(T.float32(1), 4)`, true},
		{"another element", `
    for i in range(16):
        D[i] = C[15 - i]`, false},
		{"an element is written twice", `
    for i, j in T.grid(16, 2):
        D[i] = C[i] + T.Cast("float32", j)`, false},
		{"by two stores", `
    for i in range(16):
        D[i] = C[i]
        D[i] = C[i] + T.float32(1)`, false},
		{"a sum", `
    for i in range(16):
        D[i] = C[i]
        D[i] = D[i] + T.float32(1)`, false},
		{"what is read is written too", `
    for i in range(16):
        D[i] = C[i]
        C[i] = T.float32(0)`, false},
		{"read for another buffer", `
    for i in range(16):
        D[i] = T.float32(1)
        B[i] = C[i]`, false},
		{"an address is taken", `
    for i in range(16):
        D[i] = T.call_extern("float32", "deref", T.address_of(C[i]))`, false},
		{"elements of different loops overlap", `
    for i, j in T.grid(4, 4):
        D[i + j] = C[i + j] + T.float32(1)`, false},
	} {
		p := pair{name: c.name, before: chain(c.stmt), unrun: c.name == "an address is taken"}
		if c.inPlace {
			p.after = over(c.stmt)
		}
		list = append(list, p)
	}
	checkPairs(t, tirpass.StorageRewrite, header, list)
}

// TestStorageDimensions keeps memory of several dimensions apart, unless it is computed in place.
func TestStorageDimensions(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32")):`
	checkPairs(t, tirpass.StorageRewrite, header, []pair{
		{name: "in place", unrun: true, before: `
    c = T.allocate([8, 8], "float32", "global")
    C = T.Buffer((8, 8), data=c, axis_separators=[1])
    d = T.allocate([8, 8], "float32", "global")
    D = T.Buffer((8, 8), data=d, axis_separators=[1])
    for i, j in T.grid(8, 8):
        C[i, j] = A[i, j]
    for i, j in T.grid(8, 8):
        D[i, j] = C[i, j] * T.float32(2)
    for i, j in T.grid(8, 8):
        B[i, j] = D[i, j]`, after: `
    c = T.allocate([8, 8], "float32", "global")
    C = T.Buffer((8, 8), data=c, axis_separators=[1])
    D = T.Buffer((8, 8), data=c, axis_separators=[1])
    for i, j in T.grid(8, 8):
        C[i, j] = A[i, j]
    for i, j in T.grid(8, 8):
        D[i, j] = C[i, j] * T.float32(2)
    for i, j in T.grid(8, 8):
        B[i, j] = D[i, j]`},
		{name: "of other extents", unrun: true, before: `
    c = T.allocate([8, 8], "float32", "global")
    C = T.Buffer((8, 8), data=c, axis_separators=[1])
    d = T.allocate([4, 16], "float32", "global")
    D = T.Buffer((4, 16), data=d, axis_separators=[1])
    for i, j in T.grid(4, 8):
        C[i, j] = A[i, j]
    for i, j in T.grid(4, 8):
        D[i, j] = C[i, j] * T.float32(2)
    for i, j in T.grid(4, 8):
        B[i, j] = D[i, j]`},
	})
}

// TestStorageVectors gives buffers that are accessed as vectors elements that are vectors, where the function has their memory alone.
func TestStorageVectors(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`
	checkPairs(t, tirpass.StorageRewrite, header, []pair{
		{name: "an allocation", before: `
    C = T.decl_buffer((16,))
    for i in range(4):
        C[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4]
    for i in range(4):
        B[i * 4:i * 4 + 4] = C[i * 4:i * 4 + 4]`, after: `
    C = T.decl_buffer((4,), "float32x4")
    for i in range(4):
        C[T.Div(i * 4, 4)] = A[i * 4:i * 4 + 4]
    for i in range(4):
        B[i * 4:i * 4 + 4] = C[T.Div(i * 4, 4)]`},
		{name: "an address that is given", unrun: true, before: `
    c: T.handle("int32") = T.call_extern("handle", "memory")
    C = T.Buffer((8,), "int32", data=c)
    C[0:8] = T.Broadcast(42, 8)`, after: `
    c: T.handle("int32x8") = T.call_extern("handle", "memory")
    C = T.Buffer((1,), "int32x8", data=c)
    C[0] = T.Broadcast(42, 8)`},
		{name: "scalars too", before: `
    C = T.decl_buffer((16,))
    C[0:4] = A[0:4]
    B[0] = C[2]`},
		{name: "conditions", before: `
    C = T.decl_buffer((4,), "bool")
    C[0:4] = T.Broadcast(T.bool(True), 4)
    for i in T.serial(4):
        B[i] = T.Cast("float32", C[i])`},
	})
}

// TestStorageSizes moves allocations whose sizes are not constant.
func TestStorageSizes(t *testing.T) {
	const header = `@T.prim_func
def kernel(a: T.handle, b: T.handle, k: T.int32):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (m,))`
	checkPairs(t, tirpass.StorageRewrite, header, []pair{
		{name: "one after the other", unrun: true, before: `
    with T.decl_buffer((n,)) as C:
        C[0] = A[0]
        B[0] = C[0] + C[0]
    with T.decl_buffer((m * 2,)) as D:
        D[0] = A[0]
        B[1] = D[0] + D[0]`, after: `
    C = T.allocate([T.max(n, m * 2)], "float32", "global")
    with T.decl_buffer((n,), data=C) as C_1:
        C_1[0] = A[0]
        B[0] = C_1[0] + C_1[0]
    D = T.decl_buffer((m * 2,), data=C)
    D[0] = A[0]
    B[1] = D[0] + D[0]`},
		{name: "out of a loop", unrun: true, before: `
    for i in range(n):
        C = T.decl_buffer((n,))
        C[0] = A[0]
        B[0] = C[0] + C[0]`, after: `
    C = T.decl_buffer((n,))
    for i in range(n):
        C[0] = A[0]
        B[0] = C[0] + C[0]`},
		{name: "out of what may keep it from a negative size", unrun: true, before: `
    if k > 0:
        c = T.allocate([k], "float32", "global")
        C = T.decl_buffer((k,), data=c)
        C[0] = A[0]
        B[0] = C[0] + C[0]`, after: `
    c = T.allocate([T.max(k, 0)], "float32", "global")
    C = T.decl_buffer((k,), data=c)
    if k > 0:
        C[0] = A[0]
        B[0] = C[0] + C[0]`},
		{name: "a size that is computed within", unrun: true, before: `
    for i in range(n):
        C = T.decl_buffer((i + 1,))
        C[0] = A[0]
        B[0] = C[0] + C[0]`},
	})
}

// TestStorageOfThreads keeps shared memory apart that barriers would be missing for, and puts allocations of a kernel around it.
func TestStorageOfThreads(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`
	body := func(barrier string) string {
		return `
    bx = T.launch_thread("blockIdx.x", 1)
    tx = T.launch_thread("threadIdx.x", 16)
    C = T.decl_buffer((16,), scope="shared")
    C[tx] = A[tx]` + barrier + `
    B[tx] = C[15 - tx]
    D = T.decl_buffer((16,), scope="shared")
    D[tx] = A[tx]
    B[tx] = D[15 - tx]`
	}
	checkPairs(t, tirpass.StorageRewrite, header, []pair{
		{name: "barriers come later", unrun: true, before: body(""), after: `
    bx = T.launch_thread("blockIdx.x", 1)
    C = T.decl_buffer((16,), scope="shared")
    tx = T.launch_thread("threadIdx.x", 16)
    C[tx] = A[tx]
    B[tx] = C[15 - tx]
    D = T.decl_buffer((16,), data=C.data, scope="shared")
    D[tx] = A[tx]
    B[tx] = D[15 - tx]`},
		{name: "barriers are there", unrun: true, before: body(`
    T.tvm_storage_sync("shared")`), after: `
    bx = T.launch_thread("blockIdx.x", 1)
    C = T.decl_buffer((16,), scope="shared")
    D = T.decl_buffer((16,), scope="shared")
    tx = T.launch_thread("threadIdx.x", 16)
    C[tx] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = C[15 - tx]
    D[tx] = A[tx]
    B[tx] = D[15 - tx]`},
		{name: "shared memory is merged later", unrun: true, opts: config("tir.merge_static_smem", true), before: body(""), after: `
    bx = T.launch_thread("blockIdx.x", 1)
    C = T.decl_buffer((16,), scope="shared")
    D = T.decl_buffer((16,), scope="shared")
    tx = T.launch_thread("threadIdx.x", 16)
    C[tx] = A[tx]
    B[tx] = C[15 - tx]
    D[tx] = A[tx]
    B[tx] = D[15 - tx]`},
	})
}

// TestStorageTags makes one allocation of memory of a special kind, and shifts accesses to its parts.
func TestStorageTags(t *testing.T) {
	const header = `@T.prim_func
def kernel(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):`
	checkPairs(t, tirpass.StorageRewrite, header, []pair{
		{name: "parts", before: `
    C = T.decl_buffer((5,), "int16", scope="local.L0A")
    D = T.decl_buffer((16,), "float32", scope="local.L0A")
    C[0] = T.int16(1)
    D[0] = A[0]
    B[0] = D[0] + T.Cast("float32", C[0])`, after: `
    C = T.allocate([38], "int16", "local.L0A")
    C_1 = T.decl_buffer((5,), "int16", data=C, scope="local.L0A")
    D = T.decl_buffer((19,), "float32", data=C, scope="local.L0A")
    C_1[0] = T.int16(1)
    D[3] = A[0]
    B[0] = D[3] + T.Cast("float32", C_1[0])`},
	})
}

// TestStorageUnknownScope refuses memory of no known kind.
func TestStorageUnknownScope(t *testing.T) {
	checkPairs(t, tirpass.StorageRewrite, `@T.prim_func
def kernel(A: T.Buffer((16,), "float32")):`, []pair{{name: "unknown", fails: "unknown storage scope somewhere", before: `
    C = T.decl_buffer((16,), scope="somewhere")
    C[0] = T.float32(1)
    A[0] = C[0]`}})
}
