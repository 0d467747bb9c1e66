package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestPlacementGivesUpOnLongExpressions places a buffer whose accesses stand under conditions and at indices of
// some length: beyond 256 nodes the pass takes no look.
func TestPlacementGivesUpOnLongExpressions(t *testing.T) {
	conds := func(n int) string { return "j < 4" + strings.Repeat(" and j < 5", n) } // 4n+3 nodes
	sum := func(n int) string { return "j" + strings.Repeat(" + 1 - 1", n) }         // 4n+1 nodes
	for _, c := range []struct {
		name, write, read string
		depth             int
	}{
		{"short conditions", "if " + conds(3) + ":\n                C[j] = A[i, j]", "if " + conds(3) + ":\n                B[i, j] = C[j]", 1},
		{"long condition of the write", "if " + conds(70) + ":\n                C[j] = A[i, j]", "if " + conds(3) + ":\n                B[i, j] = C[j]", 0},
		{"long condition of the read", "if j < 5:\n                C[j] = A[i, j]", "if " + conds(70) + ":\n                B[i, j] = C[j]", 0},
		{"short index of the write", "C[" + sum(3) + "] = A[i, j]", "B[i, j] = C[j]", 1},
		{"long index of the write", "C[" + sum(70) + "] = A[i, j]", "B[i, j] = C[j]", 0},
		{"long index of the read", "C[j] = A[i, j]", "B[i, j] = C[" + sum(70) + "]", 1},
		{"short let", "with T.LetStmt(" + sum(3) + ") as x:\n                C[x] = A[i, j]", "B[i, j] = C[j]", 1},
		{"long let", "with T.LetStmt(" + sum(70) + ") as x:\n                C[x] = A[i, j]", "B[i, j] = C[j]", 0},
		{"condition on memory", "if A[i, j] > 0 or j > 0:\n                C[j] = A[i, j]", "if A[i, j] > 0 or j > 0:\n                B[i, j] = C[j]", 0},
	} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            `+c.write+`
        for j in range(8):
            `+c.read)
		g := apply(t, passtest.NewContext(), tirpass.PlanAndUpdateBufferAllocationLocation, f)
		args := tirtest.Arguments(f, 1)
		sameMeaning(t, tirpass.PlanAndUpdateBufferAllocationLocation, f, g, args, mustRun(t, f, args))
		if d := depths(g)["C"]; d != c.depth {
			t.Errorf("%s: C is allocated inside of %d loops, want %d", c.name, d, c.depth)
		}
	}
}

// TestPlacementWithJumps places buffers next to statements that leave a loop or a step of it.
func TestPlacementWithJumps(t *testing.T) {
	for _, c := range []struct {
		name, jump string
		depth      int
	}{
		{"none", "T.evaluate(0)", 1},
		{"break", "T.evaluate(T.break_loop())", 0},
		{"continue", "T.evaluate(T.continue_loop())", 0},
	} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if i > 0 and j > 3:
                `+c.jump+`
            C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`)
		g := apply(t, passtest.NewContext(), tirpass.PlanAndUpdateBufferAllocationLocation, f)
		args := tirtest.Arguments(f, 1)
		sameMeaning(t, tirpass.PlanAndUpdateBufferAllocationLocation, f, g, args, mustRun(t, f, args))
		if d := depths(g)["C"]; d != c.depth {
			t.Errorf("%s: C is allocated inside of %d loops, want %d", c.name, d, c.depth)
		}
	}
}

// TestPlacementOfManyAccesses places a buffer that so many statements access that the pass compares none: 32
// reads and 32 writes are compared, one more of each is not.
func TestPlacementOfManyAccesses(t *testing.T) {
	for _, c := range []struct{ n, depth int }{{32, 1}, {33, 0}} {
		f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):`+strings.Repeat("\n        C[0] = A[i, 0]", c.n)+strings.Repeat("\n        B[i, 0] = C[0]", c.n))
		g := apply(t, passtest.NewContext(), tirpass.PlanAndUpdateBufferAllocationLocation, f)
		if d := depths(g)["C"]; d != c.depth {
			t.Errorf("%d reads and writes: C is allocated inside of %d loops, want %d", c.n, d, c.depth)
		}
	}
}
