package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestAllocationsOfDevices makes workspaces of all allocations on a device other than the CPU.
func TestAllocationsOfDevices(t *testing.T) {
	checkPairs(t, tirpass.LowerTVMBuiltin, `@T.prim_func
def kernel(A: T.Buffer((16,), "float32")):`, []pair{
		{name: "the CPU", before: `
    T.attr("dummy", "device_type", 1)
    C = T.decl_buffer((16,), "float32")
    C[0] = A[0]`, after: `
    C = T.decl_buffer((16,), "float32")
    C[0] = A[0]`},
		{name: "a number that is not 0", unrun: true, before: `
    T.attr("dummy", "device_type", 1)
    T.attr("dummy", "device_id", 2)
    C = T.decl_buffer((1024,), "float32")
    C[0] = A[0]`, after: `
    C: T.handle("float32") = T.TVMBackendAllocWorkspace(1, 2, T.int64(4096), 2, 32)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    with T.decl_buffer((1024,), data=C) as C_1:
        C_1[0] = A[0]
    T.TVMBackendFreeWorkspace(1, 2, C)`},
		{name: "another device", unrun: true, before: `
    T.attr("dummy", "device_type", 2)
    T.attr("dummy", "device_id", 0)
    C = T.decl_buffer((16,), "float32")
    C[0] = A[0]`, after: `
    C: T.handle("float32") = T.TVMBackendAllocWorkspace(2, 0, T.uint64(64), 2, 32)
    T.attr(C, "storage_alignment", 64)
    if T.isnullptr(C):
        T.tvm_throw_last_error()
    C_1 = T.decl_buffer((16,), data=C)
    C_1[0] = A[0]
    if T.TVMBackendFreeWorkspace(2, 0, C) != 0:
        T.tvm_throw_last_error()`},
		{name: "no device id", before: `
    T.attr("dummy", "device_type", 2)
    C = T.decl_buffer((16,), "float32")
    C[0] = A[0]`, fails: "the allocation of C: unknown device id"},
		{name: "no device type", before: `
    T.attr("dummy", "device_id", 0)
    C = T.decl_buffer((1024,), "float32")
    C[0] = A[0]`, fails: "the allocation of C: unknown device type"},
	})
}
