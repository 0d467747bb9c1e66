package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/tirpass"
)

// TestRandomRollingBuffers rolls buffers that move by any step along one axis or two, also by one loop, and under other loops.
func TestRandomRollingBuffers(t *testing.T) {
	keepsMeaning(t, 60, tirpass.InjectRollingBuffer, nil, func(r *rand.Rand) string {
		iters, step, window := [2]int{1 + r.IntN(4), 1 + r.IntN(4)}, [2]int{1 + r.IntN(3), 1 + r.IntN(3)}, [2]int{1 + r.IntN(5), 1 + r.IntN(5)}
		div := [2]int{1, 1}
		for i := range div {
			if r.IntN(4) == 0 {
				div[i] = 2
			}
		}
		second := "w"
		if r.IntN(3) == 0 { // one loop moves both
			second, iters[1] = "h", iters[0]
		}
		at := func(i int, v string) string {
			out := fmt.Sprintf("%s * %d", v, step[i])
			if step[i] == 1 {
				out = v
			}
			if div[i] > 1 {
				out = fmt.Sprintf("(%s) // %d", out, div[i])
			}
			return out
		}
		size := func(i int) int { return (iters[i]-1)*step[i]/div[i] + window[i] }
		return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), "int32"), C: T.Buffer((%[3]d, %[4]d, 2), "int32")):
    B = T.Buffer((%[1]d, %[2]d), "int32")
    for n in range(2):
        for h in range(%[3]d):
            for w in T.%[11]s(%[4]d):
                T.realize(B[%[5]s:%[5]s + %[7]d, %[6]s:%[6]s + %[8]d], "")
                T.attr(B, "rolling_buffer_scope", True)
                for i, j in T.grid(%[7]d, %[8]d):
                    B[%[5]s + i, %[6]s + j] = A[%[5]s + i, %[6]s + j] * 3 + n
                C[h, w, n] = 0
                for i, j in T.grid(%[7]d, %[8]d):
                    C[h, w, n] = C[h, w, n] * 5 + B[%[5]s + %[9]s, %[6]s + %[10]s]
`, size(0), size(1), iters[0], iters[1], at(0, "h"), at(1, second), window[0], window[1],
			[]string{"i", fmt.Sprintf("(%d - i)", window[0]-1)}[r.IntN(2)], []string{"j", fmt.Sprintf("(%d - j)", window[1]-1)}[r.IntN(2)], []string{"serial", "unroll"}[r.IntN(2)])
	})
}

// TestRollingRefusals refuses what cannot roll.
func TestRollingRefusals(t *testing.T) {
	body := func(loop, from, extent, attr string) string {
		return fmt.Sprintf(`
    B = T.Buffer((16,), "int32")
    for i in %[1]s:
        T.realize(B[%[2]s:%[2]s + %[3]s], "")
        %[4]sfor j in range(3):
            B[%[2]s + j] = A[%[2]s + j]
        A[i] = B[%[2]s]`, loop, from, extent, attr)
	}
	const mark = "T.attr(B, \"rolling_buffer_scope\", True)\n        "
	checkPairs(t, tirpass.InjectRollingBuffer, "@T.prim_func\ndef kernel(A: T.Buffer((16,), \"int32\"), m: T.int32):", []pair{
		{name: "not marked", unrun: true, before: body("range(4)", "i", "3", "")},
		{name: "a part that does not move", before: body("range(4)", "2", "3", mark), fails: "no rolling axis found"},
		{name: "a sum", before: body("range(4)", "i + 1", "3", mark), fails: "the buffer striding is unsupported"},
		{name: "a square", before: body("range(4)", "i * i", "3", mark), fails: "the buffer striding is unsupported"},
		{name: "a parallel loop", before: body("T.parallel(4)", "i", "3", mark), fails: "loop i, which moves the part that is computed, must be serial, from 0 and by 1"},
		{name: "a loop from 1", before: body("range(1, 4)", "i", "3", mark), fails: "must be serial, from 0 and by 1"},
		{name: "an extent that is not known", before: body("range(4)", "i", "m", mark), fails: "expected a constant extent along axis 0"},
		{name: "no realize", before: "\n    T.attr(m, \"pragma\", 1)\n    B = T.decl_buffer((4,), \"int32\")\n    with T.attr(B, \"rolling_buffer_scope\", True):\n        B[0] = A[0]", fails: "no BufferRealize found"},
	})
}
