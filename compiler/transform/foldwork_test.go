package transform

import (
	"testing"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/compiler/tir"
)

// TestKernelWork counts the statements that kernels run on an argument of 3 elements for a result of 5.
func TestKernelWork(t *testing.T) {
	const beyond = foldWork + 1
	for _, c := range []struct {
		body string
		want int64
	}{
		{"B[T.int64(0)] = A[T.int64(0)]", 1},
		{"for i in range(T.int64(7)):\n        B[i] = A[i]", 7},
		{"for i, j in T.grid(T.int64(7), T.int64(3)):\n        B[i] = A[j]", 21},
		{"for i in range(T.int64(7)):\n        B[i] = A[i]\n        B[i] = A[i]", 14},
		{"for i in range(T.int64(0)):\n        B[i] = A[i]", 0},
		{"for i, j in T.grid(T.int64(7), T.int64(0)):\n        B[i] = A[i]", 0},
		{"for i in range(n):\n        B[i] = A[i]", 3},
		{"for i in range(m):\n        B[i] = A[i]", 5},
		{"for i, j in T.grid(n + T.int64(1), m):\n        B[i] = A[j]", beyond}, // sums are not worked out
		{"for i in range(T.int64(2)):\n        for j in range(i):\n            B[i] = A[j]", beyond},
		{"while A[T.int64(0)] < T.float32(1):\n        B[T.int64(0)] = A[T.int64(0)]", beyond},
		{"for i in range(T.int64(16777216)):\n        B[i] = A[i]", foldWork},
		{"for i in range(T.int64(16777217)):\n        B[i] = A[i]", beyond},
		{"for i, j in T.grid(T.int64(4096), T.int64(4096)):\n        B[i] = A[j]", foldWork},
		{"for i, j in T.grid(T.int64(4096), T.int64(4097)):\n        B[i] = A[j]", beyond},
		{"for i in range(T.int64(16777216)):\n        B[i] = A[i]\n    for i in range(T.int64(16777216)):\n        B[i] = A[i]", beyond},
		{"if A[T.int64(0)] < T.float32(1):\n        B[T.int64(0)] = A[T.int64(0)]\n    else:\n        for i in range(T.int64(4)):\n            B[i] = A[i]", 5},
		{"for i in range(T.int64(4)):\n        with T.block(\"b\"):\n            v = T.axis.spatial(T.int64(4), i)\n            B[v] = A[v]", 4},
		{"T.evaluate(0)", 1},
	} {
		m, found := parse.Module("work.py", `@T.prim_func
def kernel(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (m,))
    `+c.body+"\n", parse.Options{})
		for _, d := range found {
			t.Fatal(d.Format())
		}
		f := ir.MustLookup[*tir.PrimFunc](m, "kernel")
		if got := kernelWork(f, []*ir.Blob{ir.Float32Blob([]int64{3}, 1, 2, 3)}, []int64{5}); got != c.want {
			t.Errorf("%s\n runs %d statements, want %d", c.body, got, c.want)
		}
	}
}
