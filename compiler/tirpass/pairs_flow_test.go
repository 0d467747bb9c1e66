package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tirpass"
)

const flowHeader = `@T.prim_func
def kernel(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32"), F: T.Buffer((3,), "int32"), G: T.Buffer((16,), "float32")):`

// TestRemoveNoOpFlow removes stores that nothing reads, and those of what is there, where the option asks
// for it.
func TestRemoveNoOpFlow(t *testing.T) {
	const twice = `
    for i in range(16):
        A[i] = 100
    for i in range(16):
        A[i] = 42`
	checkPairs(t, tirpass.RemoveNoOp, flowHeader, []pair{{name: "not without the option", before: twice}})
	list := []pair{
		{name: "overwritten by a loop", before: twice, after: `
    for i in range(16):
        A[i] = 42`},
		{name: "overwritten at once, a call stays", unrun: true, before: `
    for i in range(16):
        A[i] = T.call_extern("int32", "f")
        A[i] = 42`, after: `
    for i in range(16):
        T.evaluate(T.call_extern("int32", "f"))
        A[i] = 42`},
		{name: "overwritten by two loops, with one index", before: `
    for i in range(16):
        if i >= 12:
            A[i] = 1
    for io, ii in T.grid(4, 4):
        if io == 3:
            A[4 * io + ii] = 2`, after: `
    for io, ii in T.grid(4, 4):
        if io == 3:
            A[4 * io + ii] = 2`},
		{name: "the two loops overwrite less", before: `
    for i in range(16):
        if i >= 11:
            A[i] = 1
    for io, ii in T.grid(4, 4):
        if io == 3:
            A[4 * io + ii] = 2`},
		{name: "read in between", before: `
    for i in range(16):
        A[i] = 100
        A[i] = A[i] + 1`},
		{name: "a part is overwritten", before: `
    for i in range(16):
        A[i] = 100
    for i in range(16):
        if i < 12:
            A[i] = 42`},
		{name: "conditions that are not the same", before: `
    for i in range(16):
        if i < 10:
            A[i] = 100
    for i in range(16):
        if i // 4 < 3:
            A[i] = 42`, after: `
    for i in range(16):
        if i // 4 < 3:
            A[i] = 42`},
		{name: "the value is there", before: `
    for i in range(16):
        A[i] = i
    A[4] = 4`, after: `
    for i in range(16):
        A[i] = i`},
		{name: "one of two equal loops stays", before: `
    for i in range(16):
        A[i] = i
    for i in range(16):
        A[i] = i`, after: `
    for i in range(16):
        A[i] = i`},
		{name: "another loop in between", before: `
    for i in range(16):
        A[i] = 100
    for i in range(16):
        B[i] = 0
    for i in range(16):
        A[i] = 42`, after: `
    for i in range(16):
        B[i] = 0
    for i in range(16):
        A[i] = 42`},
		{name: "the outer loop overwrites", before: `
    for i, j in T.grid(2, 8):
        A[j] = i`},
		{name: "a zero of the other sign", before: `
    G[0] = T.float32(0)
    B[0] = 1
    G[0] = T.float32(-0.0)
    B[1] = T.reinterpret("int32", G[0])`, after: `
    B[0] = 1
    G[0] = T.float32(-0.0)
    B[1] = T.reinterpret("int32", G[0])`},
	}
	for i := range list {
		list[i].opts = []pass.ContextOption{flowConfig}
	}
	checkPairs(t, tirpass.RemoveNoOp, flowHeader, list)
}

// TestSimplifyFlow decides conditions by what buffers hold.
func TestSimplifyFlow(t *testing.T) {
	list := []pair{
		{name: "a value that was stored", before: `
    A[0] = 0
    if A[0] == 0:
        A[0] = 42`, after: `
    A[0] = 0
    A[0] = 42`},
		{name: "the condition before is stale", before: `
    if A[0] == B[0]:
        A[0] = A[0] + 1
        if A[0] == B[0]:
            A[0] = 5
        else:
            A[0] = 10`},
		{name: "by a loop", before: `
    for i in range(16):
        A[i] = i
    for j in range(16):
        if A[j] == j:
            B[j] = 42
        else:
            B[j] = 100`, after: `
    for i in range(16):
        A[i] = i
    for j in range(16):
        B[j] = 42`},
		{name: "before it is overwritten, not after", before: `
    for i in range(16):
        A[i] = 0
    for i in range(16):
        if A[i] == 0:
            A[i] = 17
        if i == 0:
            A[i] = 5
        if A[i] == 0:
            A[i] = 42`, after: `
    for i in range(16):
        A[i] = 0
    for i in range(16):
        A[i] = 17
        if i == 0:
            A[i] = 5
        if A[i] == 0:
            A[i] = 42`},
		{name: "an earlier iteration that stored another value", before: `
    for i in range(16):
        A[i] = B[0]
        if i == 5:
            B[0] = 0
        if A[0] == 0:
            A[1] = 1`},
		{name: "a loop that may not run", before: `
    for i in range(B[0]):
        A[3] = 5
    if A[3] == 5:
        B[0] = 1`},
		{name: "padding of a convolution", before: `
    for i in range(16):
        A[i] = 0
    for i in range(16):
        if 3 <= i and i < 9:
            A[i] = B[i]
    for i in range(16):
        B[i] = 0
        for f in range(3):
            if 0 <= i - f:
                B[i] = B[i] + A[i - f] * F[f]
    for i in range(16):
        if i < 3 or 11 <= i:
            if B[i] != 0:
                B[i] = 0`, after: `
    for i in range(16):
        A[i] = 0
    for i in range(16):
        if 3 <= i and i < 9:
            A[i] = B[i]
    for i in range(16):
        B[i] = 0
        for f in range(3):
            if 0 <= i - f:
                B[i] = B[i] + A[i - f] * F[f]
    for i in range(16):
        if i < 3 or 11 <= i:
            T.evaluate(0)`},
		{name: "lanes", before: `
    A[T.Ramp(0, 2, 4)] = T.Ramp(11, 1, 4)
    if A[4] == 13:
        A[0] = 42
    if A[5] == 13:
        A[1] = 60`, after: `
    A[T.Ramp(0, 2, 4)] = T.Ramp(11, 1, 4)
    A[0] = 42
    if A[5] == 13:
        A[1] = 60`},
	}
	conditions := pass.Configure(map[string]any{"tir.Simplify": map[string]any{"propagate_knowns_to_prove_conditional": true}})
	for i := range list {
		list[i].opts = []pass.ContextOption{conditions}
	}
	checkPairs(t, tirpass.Simplify, flowHeader, list)

	everywhere := []pair{{name: "in values", before: `
    A[0] = 5
    A[0] = A[0] + 7`, after: `
    A[0] = 5
    A[0] = 12`, opts: []pass.ContextOption{flowConfig}}}
	checkPairs(t, tirpass.Simplify, flowHeader, everywhere)
}
