package tirpass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestPartitionOfUnknownBounds splits loops whose bounds are parameters, and runs them for many values.
func TestPartitionOfUnknownBounds(t *testing.T) {
	for _, c := range []struct{ name, body, after string }{
		{"a tail", `
    for i in range((n + 3) // 4):
        for j in range(4):
            if T.likely(i * 4 + j < n):
                B[i * 4 + j] = A[i * 4 + j] + 1`, ""},
		{"two ends", `
    for i in range(n):
        if T.likely(m <= i):
            if T.likely(i < 6):
                B[i] = A[i] + 1
            else:
                B[i] = 2
        else:
            B[i] = 3`, ""},
		{"a start that is not 0", `
    for i in range(m, m + n):
        if T.likely(i < 6):
            B[i] = A[i] + 1
        else:
            B[i] = 2`, `
    for i in range(T.max(T.min(6 - m, n), 0)):
        if T.bool(True):
            B[i + m] = A[i + m] + 1
        else:
            B[i + m] = 2
    for i in range(m + n - T.max(T.min(6, m + n), m)):
        if i + T.max(T.min(6, m + n - 1 + 1), m) < 6:
            B[i + T.max(T.min(6, m + n - 1 + 1), m)] = A[i + T.max(T.min(6, m + n - 1 + 1), m)] + 1
        else:
            B[i + T.max(T.min(6, m + n - 1 + 1), m)] = 2`},
		{"a lower end", `
    for i in range(n):
        if T.likely(i >= 3):
            B[i] = A[i] + 1
        else:
            B[i] = 2`, `
    for i in range(T.min(3, n)):
        if i >= 3:
            B[i] = A[i] + 1
        else:
            B[i] = 2
    for i in range(T.max(n - 3, 0)):
        if T.bool(True):
            B[i + T.min(3, n - 1 + 1)] = A[i + T.min(3, n - 1 + 1)] + 1
        else:
            B[i + T.min(3, n - 1 + 1)] = 2`},
		{"one value", `
    for i in range(n):
        if T.likely(i == m):
            B[i] = A[i] + 1
        else:
            B[i] = 2`, ""},
		{"all but one value", `
    for i in range(n):
        if T.likely(i != m):
            B[i] = A[i] + 1
        else:
            B[i] = 2`, ""},
		{"a quotient", `
    for i in range(n):
        if T.likely(i * 3 > m):
            B[i] = A[i] + 1
        else:
            B[i] = 2`, ""},
		{"nested", `
    for i, j in T.grid(n, m):
        if T.likely(i + j < 5):
            B[i] = B[i] + A[j]
        else:
            B[j] = B[j] + 1`, ""},
		{"a triangle", `
    for i in range(n):
        for j in range(i):
            if T.likely(j < m):
                B[i] = B[i] + A[j]
            else:
                B[j] = B[j] + 1`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parseFunc(t, partitionHeader+c.body)
			g := apply(t, passtest.NewContext(), tirpass.LoopPartition, f)
			if c.after != "" {
				if got, want := scriptOf(g), scriptOf(parseFunc(t, partitionHeader+c.after)); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			}
			if s := print(g); s == print(f) {
				t.Errorf("not split:\n%s", s)
			}
			for n := range 10 {
				for m := range 10 {
					args := []any{tensor.MustOf([]int64{20}, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}), tensor.MustNew(dtype.Int32T, 20), n, m}
					want, got := mustRun(t, f, args), mustRun(t, g, args)
					if d := tirtest.Differ(got, want); d != "" {
						t.Fatalf("with n=%d and m=%d: %s\n%s", n, m, d, print(g))
					}
				}
			}
		})
	}
}

const partitionHeader = `@T.prim_func
def kernel(A: T.Buffer((20,), "int32"), B: T.Buffer((20,), "int32"), n: T.int32, m: T.int32):`

// TestPartitionMakesFewCopies splits a loop that could fall apart into 67 parts: after 64 cuts the rest stays whole.
func TestPartitionMakesFewCopies(t *testing.T) {
	a := floats("A", 1)
	i, s := index("i"), tir.Stmt(nil)
	for k := range int64(66) {
		cond := &tir.Call{Type: dtype.BoolT, Op: tir.OpLikely, Args: []tir.Expr{tir.LT(i, n(k+1))}}
		s = tir.Seq(s, &tir.IfThenElse{Cond: cond, Then: store(a, f32(float64(k)), n(0))})
	}
	out, err := passtest.NewContext(partitioning("partition_const_loop")...).Run(tirpass.LoopPartition, moduleOf(fn(loop(i, 200, s), a)))
	if err != nil {
		t.Fatal(err)
	}
	seq, ok := funcOf(out).Body.(*tir.SeqStmt)
	if !ok {
		t.Fatal("not split")
	}
	rest, ok := seq.Seq[len(seq.Seq)-1].(*tir.For)
	if !ok || !tir.IsConst(rest.Extent, 200-64) {
		t.Errorf("the rest is\n%v", seq.Seq[len(seq.Seq)-1])
	}
}
