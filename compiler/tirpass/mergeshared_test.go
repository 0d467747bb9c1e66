package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

const mergeHeader = `@T.prim_func
def kernel(A: T.Buffer((512,), "float32"), B: T.Buffer((512,), "float32"), n: T.int32):`

func dyn(names ...string) string {
	out := "\n    tx = T.launch_thread(\"threadIdx.x\", 128)"
	for _, n := range names {
		out += "\n    " + n + "_data = T.allocate([128], \"float32\", \"shared.dyn\")"
	}
	for _, n := range names {
		out += "\n    " + n + " = T.Buffer((128,), \"float32\", data=" + n + "_data, scope=\"shared.dyn\")"
	}
	return out
}

func merged(bytes string, names ...string) string {
	out := "\n    tx = T.launch_thread(\"threadIdx.x\", 128)\n    buf_dyn_shmem = T.allocate([" + bytes + "], \"uint8\", \"shared.dyn\")"
	for _, n := range names {
		out += "\n    " + n + " = T.Buffer((128,), \"float32\", data=buf_dyn_shmem, scope=\"shared.dyn\")"
	}
	return out
}

// TestMergeSharedPairs makes one allocation of several.
func TestMergeSharedPairs(t *testing.T) {
	checkPairs(t, tirpass.MergeSharedMemoryAllocations, mergeHeader, []pair{
		{name: "one only", unrun: true, before: dyn("S") + `
    S[tx] = A[tx]
    B[tx] = S[tx]`},
		{name: "in use together", unrun: true, before: dyn("S", "U") + `
    S[tx] = A[tx]
    U[tx] = A[tx + 128]
    B[tx] = S[tx] + U[127 - tx]`, after: merged("1024", "S", "U") + `
    S[tx] = A[tx]
    U[tx + 128] = A[tx + 128]
    B[tx] = S[tx] + U[127 - tx + 128]`},
		{name: "one behind the other", unrun: true, before: dyn("S", "U") + `
    S[tx] = A[tx]
    B[tx] = S[tx]
    U[tx] = A[tx + 128]
    B[tx + 128] = U[tx]`, after: merged("512", "S", "U") + `
    S[tx] = A[tx]
    B[tx] = S[tx]
    U[tx] = A[tx + 128]
    B[tx + 128] = U[tx]`},
		{name: "read and written by one statement", unrun: true, before: dyn("S", "U") + `
    S[tx] = A[tx]
    U[tx] = S[127 - tx]
    B[tx] = U[tx]`, after: merged("1024", "S", "U") + `
    S[tx] = A[tx]
    U[tx + 128] = S[127 - tx]
    B[tx] = U[tx + 128]`},
		{name: "in a loop", unrun: true, before: dyn("S", "U") + `
    for i in range(4):
        S[tx] = A[tx + i]
        U[tx] = S[tx]
        B[tx + i] = U[tx]`, after: merged("1024", "S", "U") + `
    for i in range(4):
        S[tx] = A[tx + i]
        U[tx + 128] = S[tx]
        B[tx + i] = U[tx + 128]`},
		{name: "of a size that is known at launch", unrun: true, before: `
    tx = T.launch_thread("threadIdx.x", 128)
    S_data = T.allocate([n], "float32", "shared.dyn")
    U_data = T.allocate([128], "float32", "shared.dyn")
    S = T.Buffer((n,), "float32", data=S_data, scope="shared.dyn")
    U = T.Buffer((128,), "float32", data=U_data, scope="shared.dyn")
    S[tx] = A[tx]
    U[tx] = A[tx]
    B[tx] = S[tx] + U[tx]`, after: `
    tx = T.launch_thread("threadIdx.x", 128)
    buf_dyn_shmem = T.allocate([512 + T.max(0, n * 4 + (4 - n * 4 % 4) % 4)], "uint8", "shared.dyn")
    S = T.Buffer((n,), "float32", data=buf_dyn_shmem, scope="shared.dyn")
    U = T.Buffer((128,), "float32", data=buf_dyn_shmem, scope="shared.dyn")
    S[tx + 128] = A[tx]
    U[tx] = A[tx]
    B[tx] = S[tx + 128] + U[tx]`},
		{name: "of a size that is known too late", before: `
    tx = T.launch_thread("threadIdx.x", 128)
    m: T.int32 = n * 2
    S = T.decl_buffer((m,), "float32", scope="shared.dyn")
    U = T.decl_buffer((m,), "float32", scope="shared.dyn")
    S[tx] = A[tx]
    U[tx] = S[tx]`, fails: "has an extent of m, which is only known inside of the kernel"},
		{name: "not flat", before: `
    tx = T.launch_thread("threadIdx.x", 16)
    S = T.decl_buffer((4, 4), "float32", scope="shared.dyn")
    U = T.decl_buffer((4,), "float32", scope="shared.dyn")
    S[tx // 4, tx % 4] = A[tx] + U[0]`, fails: "MergeSharedMemoryAllocations expects flat memory buffers, and is to be run after FlattenBuffer"},
		{name: "two kernels", unrun: true, before: `
    for k in range(2):
        with T.launch_thread("threadIdx.x", 16) as tx:
            S = T.decl_buffer((16,), "float32", scope="shared.dyn")
            S[tx] = A[tx]
    with T.launch_thread("threadIdx.x", 16) as tx:
        U = T.decl_buffer((16,), "float32", scope="shared.dyn")
        U[tx] = A[tx]`},
		{name: "pointers", unrun: true, before: dyn("S", "U") + `
    S[tx] = A[tx]
    T.evaluate(T.call_extern("int32", "use", T.tvm_access_ptr(T.type_annotation("float32"), U.data, tx, 1, 3)))
    T.ptx_cp_async("float32", U.data, tx, A.data, tx, 4)
    B[tx] = S[tx]`, after: merged("1024", "S") + `
    S[tx + 128] = A[tx]
    T.evaluate(T.call_extern("int32", "use", T.tvm_access_ptr(T.type_annotation("float32"), buf_dyn_shmem, tx, 1, 3)))
    T.ptx_cp_async("float32", buf_dyn_shmem, tx * 4, A.data, tx, 4)
    B[tx] = S[tx + 128]`},
	})
}

// TestMergeSharedStatic merges static shared memory if the config says so.
func TestMergeSharedStatic(t *testing.T) {
	static := `
    tx = T.launch_thread("threadIdx.x", 16)
    S = T.decl_buffer((16,), "float32", scope="shared")
    U = T.decl_buffer((16,), "float32", scope="shared")
    S[tx] = A[tx]
    B[tx] = S[tx]
    U[tx] = A[tx]`
	checkPairs(t, tirpass.MergeSharedMemoryAllocations, mergeHeader, []pair{
		{name: "off", unrun: true, before: static},
		{name: "on", unrun: true, before: static, opts: []pass.ContextOption{pass.Configure(map[string]any{"tir.merge_static_smem": true})}, after: `
    tx = T.launch_thread("threadIdx.x", 16)
    buf_shmem = T.allocate([64], "uint8", "shared")
    S = T.decl_buffer((16,), "float32", data=buf_shmem, scope="shared")
    U = T.decl_buffer((16,), "float32", data=buf_shmem, scope="shared")
    S[tx] = A[tx]
    B[tx] = S[tx]
    U[tx] = A[tx]`},
	})
}
