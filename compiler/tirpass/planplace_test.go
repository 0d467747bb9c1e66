package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// placements are bodies of a function with parameters A and B of 8 times 8 integers, and the
// number of loops that must be around the allocation of C: those that carry its contents
// keep it outside, all others do not.
var placements = []struct {
	name, body string
	depth      int
}{
	{"the element of the iteration before", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        if i > 0:
            B[0, i] = C[i - 1]
        C[i] = A[0, i]`, 0},
	{"an element that the next iteration writes", `
    C = T.alloc_buffer((9,), "int32")
    for i in range(8):
        C[i + 1] = A[0, i]
        B[0, i] = C[i]`, 0},
	{"an element that an earlier iteration never writes", `
    C = T.alloc_buffer((9,), "int32")
    for i in range(8):
        C[i] = A[0, i]
        B[0, i] = C[i + 1]`, 1},
	{"one element for all iterations", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        C[0] = A[0, i]
        B[0, i] = C[0]`, 1},
	{"a sum over all iterations", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        if i == 0:
            C[0] = 0
        C[0] = C[0] + A[0, i]
        B[0, i] = C[0]`, 0},
	{"a sum in each iteration, started in the first step", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            if k == 0:
                C[0] = 0
            C[0] = C[0] + A[i, k]
        B[0, i] = C[0]`, 1},
	{"a sum that starts in the second step", `
    C = T.alloc_buffer((1,), "int32")
    for i in range(8):
        for k in range(8):
            if k == 1:
                C[0] = 0
            if k > 0 or i > 0:
                C[0] = C[0] + A[i, k]
        B[0, i] = C[0]`, 0},
	{"a part is written", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(4):
            C[j] = A[i, j]
        if i == 0:
            C[7] = 1
        for j in range(8):
            if j < 4 or j == 7:
                B[i, j] = C[j]`, 0},
	{"half of the elements are read", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
        for j in range(4):
            B[i, j] = C[j + 4]`, 1},
	{"a split with a tail", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j, k in T.grid(3, 3):
            if j * 3 + k < 8:
                C[j * 3 + k] = A[i, j * 3 + k]
        for j in range(8):
            B[i, j] = C[7 - j]`, 1},
	{"a split with a tail that is cut too early", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j, k in T.grid(3, 3):
            if j * 3 + k < 8 - i:
                C[j * 3 + k] = A[i, j * 3 + k]
        for j in range(8):
            B[i, j] = C[7 - j]`, 0},
	{"a fused loop", `
    C = T.alloc_buffer((4, 2), "int32")
    for i in range(8):
        for f in range(8):
            C[f // 2, f % 2] = A[i, f]
        for j in range(8):
            B[i, j] = C[j % 4, j // 4]`, 1},
	{"rows of the whole", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(8):
            if A[i, j] > 0:
                C[i, j] = A[i, j]
        for j in range(8):
            B[i, j] = C[i, j]`, 1},
	{"under a condition in memory", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if A[i, j] > 0 or i == 0:
                C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 0},
	{"at an index in memory", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[A[i, j] % 8]`, 1},
	{"to an index in memory", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if i == 0:
                C[j] = 0
        for j in range(8):
            C[A[i, j] % 8] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 0},
	{"in a while loop that may not run", `
    C = T.alloc_buffer((8,), "int32")
    N = T.alloc_buffer((1,), "int32")
    for i in range(8):
        N[0] = i
        while N[0] < 2:
            for j in range(8):
                C[j] = A[i, j]
            N[0] = N[0] + 1
        for j in range(8):
            B[i, j] = C[j]`, 0},
	{"between the turns of a while loop", `
    C = T.alloc_buffer((1,), "int32")
    N = T.alloc_buffer((1,), "int32")
    N[0] = 0
    while N[0] < 8:
        if N[0] > 0:
            B[0, N[0]] = C[0]
        C[0] = A[0, N[0]]
        N[0] = N[0] + 1`, 0},
	{"with steps", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in T.serial(0, 8, step=2):
            C[j] = A[i, j]
        if i == 0:
            for j in range(4):
                C[j * 2 + 1] = 3
        for j in range(8):
            B[i, j] = C[j]`, 0},
	{"left by break", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if i > 0 and j > 2:
                T.evaluate(T.break_loop())
            C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 0},
	{"iterations at once", `
    C = T.alloc_buffer((8,), "int32")
    for i in T.parallel(8):
        for j in range(8):
            if A[i, j] == A[i, j]:
                C[j] = A[i, j]
        for j in range(8):
            B[i, j] = C[j]`, 1},
	{"through a view", `
    C = T.alloc_buffer((8, 8), "int32")
    for i in range(8):
        for j in range(8):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                V = T.match_buffer(C[0, 0:8], (8,), "int32", offset_factor=1)
                V[vj] = A[vi, vj]
        for j in range(8):
            with T.block("r"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = C[0, 7 - vj]`, 1},
	{"read before the iteration that writes it all", `
    C = T.alloc_buffer((8,), "int32")
    for i in range(8):
        for j in range(8):
            if i > 0:
                B[i, j] = C[j]
        for j in range(8):
            C[j] = A[i, j]`, 0},
	{"of an outer loop, not of an inner one", `
    C = T.alloc_buffer((8,), "int32")
    for o in range(2):
        for i in range(4):
            if i == 0:
                for j in range(8):
                    C[j] = A[o, j]
            for j in range(8):
                B[o * 4 + i, j] = C[j]
                C[j] = C[j] + A[i, j]`, 1},
	{"of an inner loop, not of an outer one", `
    C = T.alloc_buffer((2,), "int32")
    for o in range(4):
        if o == 0:
            C[0] = 1
        for i in range(2):
            C[0] = C[0] + i
            B[o, i] = C[0]`, 0},
}

func TestPlacementOfAllocations(t *testing.T) {
	for _, c := range placements {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, `@T.prim_func
def kernel(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):`+c.body)
			g := apply(t, passtest.NewContext(), tirpass.PlanAndUpdateBufferAllocationLocation, f)
			args := tirtest.Arguments(f, 1)
			sameMeaning(t, tirpass.PlanAndUpdateBufferAllocationLocation, f, g, args, mustRun(t, f, args))
			if d := depths(g)["C"]; d != c.depth {
				t.Errorf("C is allocated inside of %d loops, want %d\n%s", d, c.depth, print(g))
			}
		})
	}
}

// TestPlannedBlocksTellWhatTheyAccess compares with what TVM writes for these functions.
func TestPlannedBlocksTellWhatTheyAccess(t *testing.T) {
	for _, c := range []struct{ text, reads, writes string }{
		{`@T.prim_func
def kernel(A: T.Buffer((8, 8, 8), "int32"), B: T.Buffer((8, 8, 8), "int32")):
    C = T.alloc_buffer([8, 8, 8], dtype="int32")
    for i in T.serial(8):
        for j in T.serial(8):
            for k in T.serial(8):
                with T.block("b0"):
                    vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                    C[vi, vj, vk] = A[vi, vj, vk] + 1
            for k in T.serial(8):
                with T.block("b2"):
                    vi, vk = T.axis.remap("SS", [i, k])
                    vj = T.axis.opaque(8, j)
                    B[vi, vj, vk] = C[vi, vj, vk] + T.if_then_else(0 < vj, C[vi, vj - 1, vk], 0, dtype="int32")
`, "T.reads(A[i, 0:8, 0:8])", "T.writes(B[i, 0:8, 0:8])"},
		{`@T.prim_func
def kernel(A: T.Buffer((4, 16), "int32"), C: T.Buffer((4, 8), "int32")):
    B = T.alloc_buffer((4, 6), "int32")
    for c in T.serial(4):
        for i in T.serial(0, 2):
            for j in T.serial(0, 6):
                for k in T.serial(3):
                    with T.block("P1"):
                        T.where(i < 1 or j >= 2)
                        cc, vi, vj, vk = T.axis.remap("SSSR", [c, i, j, k])
                        if vk == 0:
                            B[cc, T.floormod(vi * 4 + vj, 6)] = 0
                        B[cc, T.floormod(vi * 4 + vj, 6)] = B[cc, T.floormod(vi * 4 + vj, 6)] + A[cc, vi * 4 + vj + vk]
            for j in T.serial(0, 4):
                for k in T.serial(3):
                    with T.block("P2"):
                        vi = T.axis.opaque(2, i)
                        cc, vj, vk = T.axis.remap("SSR", [c, j, k])
                        if vk == 0:
                            C[cc, vi * 4 + vj] = 0
                        C[cc, vi * 4 + vj] = C[cc, vi * 4 + vj] + B[cc, T.floormod(vi * 4 + vj + vk, 6)]
`, "T.reads(A[c, 0:12], C[c, 0:8])", "T.writes(C[c, 0:8])"},
	} {
		f := parseFunc(t, c.text)
		g := apply(t, passtest.NewContext(), tirpass.PlanAndUpdateBufferAllocationLocation, f)
		args := tirtest.Arguments(f, 1)
		sameMeaning(t, tirpass.PlanAndUpdateBufferAllocationLocation, f, g, args, mustRun(t, f, args))
		want := "            T.reads" + c.reads[len("T.reads"):] + "\n            " + c.writes + "\n"
		if !strings.Contains(print(g), want) {
			t.Errorf("want a block with\n%sgot\n%s", want, print(g))
		}
	}
}
