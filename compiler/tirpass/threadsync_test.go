package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

const syncHeader = `@T.prim_func
def kernel(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    tx = T.launch_thread("threadIdx.x", 16)
    S_data = T.allocate([32], "int32", "shared")
    S = T.Buffer((32,), "int32", data=S_data, scope="shared")
    D_data = T.allocate([32], "int32", "shared.dyn")
    D = T.Buffer((32,), "int32", data=D_data, scope="shared.dyn")
    E_data = T.allocate([32], "int32", "shared.dyn")
    E = T.Buffer((32,), "int32", data=E_data, scope="shared.dyn")`

func with(t *testing.T, p *pass.Pass, option string, value any) *pass.Pass {
	t.Helper()
	out, err := p.With(ir.NewAttrs(option, value))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestThreadSyncPairs puts barriers between what threads write and what others read.
func TestThreadSyncPairs(t *testing.T) {
	checkPairs(t, tirpass.ThreadSync, syncHeader, []pair{
		{name: "the own element", unrun: true, before: `
    S[tx] = A[tx]
    B[tx] = S[tx]`},
		{name: "the element of another thread", unrun: true, before: `
    S[tx] = A[tx]
    B[tx] = S[15 - tx]`, after: `
    S[tx] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = S[15 - tx]`},
		{name: "one element of all threads", unrun: true, before: `
    if tx == 0:
        S[0] = A[0]
    B[tx] = S[0]`, after: `
    if tx == 0:
        S[0] = A[0]
    T.tvm_storage_sync("shared")
    B[tx] = S[0]`},
		{name: "overwritten while it is read", unrun: true, before: `
    B[tx] = S[15 - tx]
    S[tx] = A[tx]`, after: `
    B[tx] = S[15 - tx]
    T.tvm_storage_sync("shared")
    S[tx] = A[tx]`},
		{name: "a barrier that is there", unrun: true, before: `
    S[tx] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = S[15 - tx]`},
		{name: "one for two reads", unrun: true, before: `
    S[tx] = A[tx]
    B[tx] = S[15 - tx]
    B[tx + 16] = S[tx // 2]`, after: `
    S[tx] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = S[15 - tx]
    B[tx + 16] = S[tx // 2]`},
		{name: "the next iteration", unrun: true, before: `
    for i in range(4):
        S[tx] = A[tx + i]
        B[i * 16 + tx] = S[15 - tx]`, after: `
    for i in range(4):
        T.tvm_storage_sync("shared")
        S[tx] = A[tx + i]
        T.tvm_storage_sync("shared")
        B[i * 16 + tx] = S[15 - tx]`},
		{name: "all iterations of a loop", unrun: true, before: `
    for i in range(2):
        S[tx + i * 16] = A[tx]
    B[tx] = S[tx]`, after: `
    for i in range(2):
        S[tx + i * 16] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = S[tx]`},
		{name: "a loop of one iteration", unrun: true, before: `
    for i in range(1):
        S[tx + i] = A[tx]
    B[tx] = S[tx + 0]`},
		{name: "read in a condition", unrun: true, before: `
    S[tx] = A[tx]
    if S[15 - tx] > 0:
        B[tx] = 1`, after: `
    S[tx] = A[tx]
    T.tvm_storage_sync("shared")
    if S[15 - tx] > 0:
        B[tx] = 1`},
		{name: "read by a variable", unrun: true, before: `
    S[tx] = A[tx]
    v: T.int32 = S[15 - tx]
    B[tx] = v + v`, after: `
    S[tx] = A[tx]
    T.tvm_storage_sync("shared")
    v: T.int32 = S[15 - tx]
    B[tx] = v + v`},
		{name: "under a condition", fails: "Cannot insert syncs inside condition: what stands under it accesses S_data", before: `
    if tx < 8:
        S[tx] = A[tx]
        B[tx] = S[7 - tx]`},
		{name: "under a condition that all threads agree on", unrun: true, before: `
    if T.tvm_thread_invariant(A[0] > 0):
        S[tx] = A[tx]
        B[tx] = S[15 - tx]`, after: `
    if T.tvm_thread_invariant(A[0] > 0):
        S[tx] = A[tx]
        T.tvm_storage_sync("shared")
        B[tx] = S[15 - tx]`},
		{name: "a loop with a condition of its own", fails: "Cannot insert syncs inside condition", before: `
    while A[0] > 0:
        S[tx] = A[tx]
        B[tx] = S[15 - tx]`},
		{name: "what has its barriers", unrun: true, before: `
    with T.attr(0, "hand_threaded", 0):
        S[tx] = A[tx]
        B[tx] = S[15 - tx]
    S[tx] = A[tx]
    B[tx] = S[15 - tx]`, after: `
    with T.attr(0, "hand_threaded", 0):
        S[tx] = A[tx]
        B[tx] = S[15 - tx]
    S[tx] = A[tx]
    T.tvm_storage_sync("shared")
    B[tx] = S[15 - tx]`},
		{name: "behind a wait", unrun: true, again: false, before: `
    with T.attr(0, "async_wait_queue_scope", 0):
        T.attr(0, "async_wait_inflight_count", 0)
        B[tx] = A[tx]`, after: `
    with T.attr(0, "async_wait_queue_scope", 0):
        T.attr(0, "async_wait_inflight_count", 0)
        T.tvm_storage_sync("shared")
        B[tx] = A[tx]`},
		{name: "another scope", unrun: true, before: `
    D[tx] = A[tx]
    B[tx] = D[15 - tx]`},
	})
}

// TestThreadSyncDynamic takes all buffers in dynamic shared memory for one.
func TestThreadSyncDynamic(t *testing.T) {
	checkPairs(t, with(t, tirpass.ThreadSync, "storage_scope", "shared.dyn"), syncHeader, []pair{
		{name: "the place of another buffer", unrun: true, before: `
    D[tx] = A[tx]
    B[tx] = D[tx]
    E[tx] = A[tx]`, after: `
    D[tx] = A[tx]
    B[tx] = D[tx]
    T.tvm_storage_sync("shared.dyn")
    E[tx] = A[tx]`},
		{name: "two that are written", unrun: true, before: `
    D[tx] = A[tx]
    E[tx] = A[tx]
    B[tx] = D[tx] + E[tx]`},
	})
}

// TestThreadSyncGlobal lets all blocks wait.
func TestThreadSyncGlobal(t *testing.T) {
	checkPairs(t, with(t, tirpass.ThreadSync, "storage_scope", "global"), `@T.prim_func
def kernel(A: T.Buffer((64,), "int32")):`, []pair{{name: "all blocks", unrun: true, before: `
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 16)
    A[bx * 16 + tx] = 1
    A[63 - bx * 16 - tx] = A[bx * 16 + tx] + A[0]`, after: `
    T.call_packed("__tvm_prepare_global_barrier")
    bx = T.launch_thread("blockIdx.x", 4)
    T.tvm_global_barrier_kinit()
    T.attr(A.data, "volatile_scope", 1)
    tx = T.launch_thread("threadIdx.x", 16)
    A[bx * 16 + tx] = 1
    T.tvm_storage_sync("global", tx == 0, 4)
    A[63 - bx * 16 - tx] = A[bx * 16 + tx] + A[0]`}})
}

// TestThreadSyncOption refuses scopes that are none.
func TestThreadSyncOption(t *testing.T) {
	checkPairs(t, with(t, tirpass.ThreadSync, "storage_scope", "fast"), syncHeader, []pair{
		{name: "unknown", before: "\n    B[tx] = A[tx]", fails: "unknown storage scope fast"},
	})
}
