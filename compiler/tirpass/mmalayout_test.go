package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestRandomMmaLayouts puts elements of C in the registers of the threads that hold them.
func TestRandomMmaLayouts(t *testing.T) {
	keepsMeaning(t, 40, tirpass.TransformMmaBufferLayout, nil, func(r *rand.Rand) string {
		rows, cols := 16*(1+r.IntN(3)), 8*(1+r.IntN(4))
		at := []string{"b * 8 + tx // 4, d * 8 + tx % 4 * 2 + v", "tx // 4 + b * 8, (d * 4 + tx % 4) * 2 + v"}
		dt := []string{"float32", "float16", "int32"}[r.IntN(3)]
		lead, extra := "", ""
		if r.IntN(2) == 0 {
			lead, extra = "1, ", "2, "
		}
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), %[3]q), B: T.Buffer((%[1]d, %[2]d), %[3]q)):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.block(""):
            C = T.alloc_buffer((%[4]s%[1]d, %[2]d), %[3]q, scope="m16n8k8.matrixC")
            for b, d, v in T.grid(%[5]d, %[6]d, 2):
                C[%[7]s%[8]s] = A[%[8]s] + A[%[8]s]
            for b, d, v in T.grid(%[5]d, %[6]d, 2):
                B[%[9]s] = C[%[7]s%[9]s]
`, rows, cols, dt, extra, rows/8, cols/8, lead, at[r.IntN(2)], at[r.IntN(2)])
	})
}

// TestMmaLayoutRefusals checks what has no layout in registers.
func TestMmaLayoutRefusals(t *testing.T) {
	program := func(alloc, body string) string {
		return `
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.block(""):
            C = T.alloc_buffer(` + alloc + `)
            ` + body
	}
	checkPairs(t, tirpass.TransformMmaBufferLayout, `@T.prim_func
def kernel(A: T.Buffer((16, 8), "float32")):`, []pair{
		{name: "rows that do not fit", before: program(`(8, 8), scope="m16n8k8.matrixC"`, "C[tx // 4, 0] = A[0, 0]"), fails: "expected multiples of 16 and 8"},
		{name: "one dimension", before: program(`(128,), scope="m16n8k8.matrixC"`, "C[tx] = A[0, 0]"), fails: "fragment C has 1 dimensions"},
		{name: "an element of an operand", before: program(`(32, 8), scope="m16n8k8.matrixA"`, "C[tx, 0] = A[0, 0]"), fails: "operands of mma are accessed by ldmatrix and mma only"},
		{name: "other memory", before: program(`(128,), scope="local"`, "C[tx] = A[0, 0]")},
	})
}
