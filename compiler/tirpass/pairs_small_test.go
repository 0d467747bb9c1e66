package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

const smallHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):`

// TestRemoveUndefPairs removes stores of undefined values only.
func TestRemoveUndefPairs(t *testing.T) {
	checkPairs(t, tirpass.RemoveStoreUndef, smallHeader, []pair{
		{name: "none", before: `
    A[0] = B[0]`},
		{name: "in a sum", unrun: true, before: `
    A[0] = 1 + T.undef(dtype="int32")
    A[1] = B[1]`, after: `
    A[1] = B[1]`},
		{name: "a whole loop", unrun: true, before: `
    for i in range(16):
        A[i] = T.undef(dtype="int32")
    A[1] = B[1]`, after: `
    A[1] = B[1]`},
		{name: "by way of a variable", unrun: true, before: `
    v: T.int32 = T.undef(dtype="int32")
    A[2] = v * 2
    A[1] = B[1]`, after: `
    A[1] = B[1]`},
		{name: "an index", before: `
    v: T.int32 = T.undef(dtype="int32")
    A[v] = 5`, fails: "T.undef() remains after all stores of it were removed"},
		{name: "an index of a load", before: `
    A[0] = B[T.undef(dtype="int32")]`, fails: "T.undef() remains"},
		{name: "with another effect", before: `
    A[0] = T.undef(dtype="int32") + T.call_extern("int32", "f")`, fails: "the value of a store to A uses T.undef() and has another effect"},
	})
}

// TestRemoveAssumePairs removes assumptions and what only they need.
func TestRemoveAssumePairs(t *testing.T) {
	checkPairs(t, tirpass.RemoveAssume, smallHeader, []pair{
		{name: "none", before: `
    A[0] = B[0]`},
		{name: "one", unrun: true, before: `
    T.evaluate(T.assume(B[0] == 5))
    A[0] = 10`, after: `
    A[0] = 10`},
		{name: "in a loop", unrun: true, before: `
    for i in range(16):
        T.evaluate(T.assume(B[i] == 5))
    A[0] = 10`, after: `
    A[0] = 10`},
	})
}

// TestIrregularPairs marks the loops that a jump of their own leaves.
func TestIrregularPairs(t *testing.T) {
	checkPairs(t, tirpass.AnnotateIrregularLoop, smallHeader, []pair{
		{name: "no jump", before: `
    for i in range(16):
        A[i] = B[i]`},
		{name: "a break", before: `
    for i in range(16):
        if B[i] < 0:
            break
        A[i] = B[i]`, after: `
    for i in T.serial(16, annotations={"irregular_loop_mark": 1}):
        if B[i] < 0:
            break
        A[i] = B[i]`},
		{name: "the innermost loop only", before: `
    for i in range(4):
        for j in range(4):
            if B[i * 4 + j] < 0:
                continue
            A[i * 4 + j] = 1`, after: `
    for i in range(4):
        for j in T.serial(4, annotations={"irregular_loop_mark": 1}):
            if B[i * 4 + j] < 0:
                continue
            A[i * 4 + j] = 1`},
		{name: "a jump out of a while", before: `
    for i in range(4):
        while A[i] < 3:
            A[i] = A[i] + 1
            if B[i] < 0:
                break`},
		{name: "a parallel loop", before: `
    for i in T.parallel(4):
        if B[i] < 0:
            break
        A[i] = 1`, fails: "loop i has a break or continue and is of kind parallel: expected a serial loop"},
		{name: "an annotation that needs every iteration", before: `
    for i in T.serial(4, annotations={"pragma_unroll_explicit": 1}):
        if B[i] < 0:
            break
        A[i] = 1`, fails: "the annotation \"pragma_unroll_explicit\", which needs every iteration"},
	})
}

// TestUnifyThreadPairs binds each thread of a kernel once. It compares texts only.
func TestUnifyThreadPairs(t *testing.T) {
	checkPairs(t, tirpass.UnifyThreadBinding, smallHeader, []pair{
		{name: "no thread", before: `
    for i in range(16):
        A[i] = B[i]`},
		{name: "two loops of one thread", unrun: true, before: `
    for i in T.thread_binding(4, "blockIdx.x"):
        for j in T.thread_binding(4, "threadIdx.x"):
            A[i * 4 + j] = B[i * 4 + j]
        for k in T.thread_binding(4, "threadIdx.x"):
            A[i * 4 + k] = A[i * 4 + k] + 1`, after: `
    for blockIdx_x in T.thread_binding(4, "blockIdx.x"):
        for threadIdx_x in T.thread_binding(4, "threadIdx.x"):
            A[blockIdx_x * 4 + threadIdx_x] = B[blockIdx_x * 4 + threadIdx_x]
            A[blockIdx_x * 4 + threadIdx_x] = A[blockIdx_x * 4 + threadIdx_x] + 1`},
		{name: "kernels of different sizes", unrun: true, before: `
    for i in T.thread_binding(4, "blockIdx.x"):
        A[i] = B[i]
    for i in T.thread_binding(16, "blockIdx.x"):
        A[i] = A[i] + 1`},
		{name: "an annotation", unrun: true, before: `
    for i in T.thread_binding(4, "blockIdx.x"):
        for j in T.thread_binding(4, "threadIdx.x", annotations={"note": 1}):
            A[i * 4 + j] = B[i * 4 + j]`, after: `
    for blockIdx_x in T.thread_binding(4, "blockIdx.x"):
        for threadIdx_x in T.thread_binding(4, "threadIdx.x"):
            for var in T.serial(1, annotations={"note": 1}):
                A[blockIdx_x * 4 + threadIdx_x] = B[blockIdx_x * 4 + threadIdx_x]`, again: true},
		{name: "different extents", before: `
    for i in T.thread_binding(4, "blockIdx.x"):
        for j in T.thread_binding(4, "threadIdx.x"):
            A[i * 4 + j] = B[i * 4 + j]
        for k in T.thread_binding(2, "threadIdx.x"):
            A[i * 4 + k] = A[i * 4 + k] + 1`, fails: "all loops that are bound to \"threadIdx.x\" should have the same extent, but there are two loops with extents 4 and 2"},
	})
}

// TestLiftThreadPairs launches each thread around all of its loops.
func TestLiftThreadPairs(t *testing.T) {
	checkPairs(t, tirpass.LiftThreadBinding, smallHeader, []pair{
		{name: "no thread", before: `
    for i in range(16):
        A[i] = B[i]`},
		{name: "two loops of one thread", unrun: true, before: `
    for i in T.thread_binding(4, "blockIdx.x"):
        for j in T.thread_binding(4, "threadIdx.x"):
            A[i * 4 + j] = B[i * 4 + j]
        for s in range(2):
            for k in T.thread_binding(4, "threadIdx.x"):
                A[i * 4 + k] = A[i * 4 + k] + s`, after: `
    for blockIdx_x in T.thread_binding(4, "blockIdx.x"):
        for threadIdx_x in T.thread_binding(4, "threadIdx.x"):
            A[blockIdx_x * 4 + threadIdx_x] = B[blockIdx_x * 4 + threadIdx_x]
            for s in range(2):
                A[blockIdx_x * 4 + threadIdx_x] = A[blockIdx_x * 4 + threadIdx_x] + s`},
	})
}
