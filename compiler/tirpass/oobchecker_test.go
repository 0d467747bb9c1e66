package tirpass_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tirpass"
)

// TestOOBChecker has accesses that are out of bounds for all, for some and for no iterations.
func TestOOBChecker(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string // in the error; none for a function that passes
	}{
		{"constant load", "B[0, 0] = A[2, 2]", []string{
			"ScheduleError: An error occurred in the schedule primitive 'Out of bounds checker'.",
			"Out of bounds memory access on buffer A dimension 0. index 2 with bounds [2, 2] is outside the range [0, 2].",
		}},
		{"load in some iterations", "for i in range(3):\n    B[i, 0] = A[i, 2]", []string{"buffer A dimension 0. index i with bounds [0, 2]", "^^^^"}},
		{"constant store", "B[0, 3] = A[1, 2]", []string{"buffer B dimension 1. index 3 with bounds [3, 3] is outside the range [0, 2]"}},
		{"below", "for i in range(3):\n    B[i - 1, 0] = A[0, 0]", []string{"buffer B dimension 0. index i - 1 with bounds [-1, 1]"}},
		{"two", "B[3, 0] = A[0, 3]", []string{"buffer B dimension 0", "buffer A dimension 1"}},
		{"a thread", "for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n    B[i, 0] = A[0, 0]", []string{"buffer B dimension 0. index i with bounds [0, 3]"}},
		{"a vector", "B[0, T.Ramp(0, 1, 4)] = T.Broadcast(A[0, 0], 4)", []string{"buffer B dimension 1", "bounds [0, 3]"}},
		{"inside", "for i, j in T.grid(2, 3):\n    B[j, i] = A[i, j]", nil},
		{"a vector inside", "B[0, T.Ramp(0, 1, 2)] = A[0, T.Ramp(1, 1, 2)]", nil},
		{"behind a condition", "for i in range(3):\n    if i < 2:\n        B[i, 0] = A[i, 2]", nil},
		{"behind the condition of a value", "for i in range(3):\n    B[i, 0] = T.if_then_else(i < 2, A[i, 2], T.float32(0))", nil},
		{"behind the condition that selects the other value", "for i in range(3):\n    B[i, 0] = T.if_then_else(i < 2, T.float32(0), A[i, 2])", []string{"buffer A dimension 0"}},
		{"not known", "B[0, N] = A[1, 0]", nil},
		{"no iteration", "for i in range(0):\n    B[i, 0] = A[i, 0]", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, "@T.prim_func\ndef f(A: T.Buffer((2, 3), \"float32\"), B: T.Buffer((3, 2), \"float32\"), N: T.int32):\n    "+strings.ReplaceAll(c.body, "\n", "\n    "))
			m := moduleOf(f)
			out, err := passtest.NewContext().Run(tirpass.OOBChecker, m)
			if c.want == nil {
				if err != nil || out != m {
					t.Fatalf("%v", err)
				}
				return
			}
			if err == nil {
				t.Fatal("it passes")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in\n%v", w, err)
				}
			}
		})
	}
}
