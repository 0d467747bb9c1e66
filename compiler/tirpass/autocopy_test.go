package tirpass_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/compiler/tir/tirtest"
	"github.com/irscope/irscope/compiler/tirpass"
	"github.com/irscope/irscope/e2e/fixture/seed"
)

// copies returns a program that stages a matrix in shared memory and writes it back, both by annotated copies, on random
// extents, types and threads.
func copies(r *rand.Rand) string {
	rows, cols := 1+r.IntN(20), 1+r.IntN(20)
	if r.IntN(2) == 0 {
		rows, cols = 1<<r.IntN(6), 1<<r.IntN(6)
	}
	dt := []string{"float32", "int8", "float16", "int32"}[r.IntN(4)]
	ty, bx := 1+r.IntN(4), 1+r.IntN(3)
	note := func() string {
		s := `"auto_copy": 1`
		if r.IntN(2) == 0 {
			s += fmt.Sprintf(`, "vector_bytes": %d`, []int{4, 8, 16}[r.IntN(3)])
		}
		if r.IntN(2) == 0 {
			s += `, "local_stage": 1`
		}
		return "{" + s + "}"
	}
	in, out := "S[i, j]", "S[i, j]"
	shape := []int{rows, cols}
	if r.IntN(2) == 0 {
		in, out, shape = "S[j, i]", "S[j, i]", []int{cols, rows}
	}
	order := []string{"i, j in T.grid(%[1]d, %[2]d)", "j, i in T.grid(%[2]d, %[1]d)"}
	loops := func() string { return fmt.Sprintf(order[r.IntN(2)], rows, cols) }
	up := loops()
	if strings.HasPrefix(up, "i") != strings.HasPrefix(out, "S[i") {
		up = fmt.Sprintf(order[1], rows, cols)
		if strings.HasPrefix(out, "S[i") {
			up = fmt.Sprintf(order[0], rows, cols)
		}
	}
	return fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((%[1]d, %[2]d), %[4]q), B: T.Buffer((%[1]d, %[2]d), %[4]q)):
    with T.block("root"):
        T.block_attr({"warp_execution": %[5]d})
        for bx in T.thread_binding(%[6]d, thread="blockIdx.x"):
            for ty in T.thread_binding(%[7]d, thread="threadIdx.y"):
                with T.block(""):
                    S = T.alloc_buffer((%[8]d, %[9]d), %[4]q, scope=%[10]q)
                    with T.block("load"):
                        T.block_attr(%[11]s)
                        for %[12]s:
                            %[13]s = A[bx * %[3]d + i, j]
                    with T.block("store"):
                        T.block_attr(%[14]s)
                        for %[15]s:
                            B[bx * %[3]d + i, j] = %[16]s
`, rows*bx, cols, rows, dt, r.IntN(2), bx, ty, shape[0], shape[1], []string{"shared", "shared.dyn"}[r.IntN(2)], note(), loops(), in, note(), up, out)
}

// launched lowers f up to barriers.
func launched(t *testing.T, f *tir.PrimFunc) *tir.PrimFunc {
	t.Helper()
	for _, p := range []*pass.Pass{tirpass.UnifyThreadBinding, tirpass.LowerMatchBuffer, tirpass.LowerOpaqueBlock, tirpass.FlattenBuffer, tirpass.ThreadSync, with(t, tirpass.ThreadSync, "storage_scope", "shared.dyn")} {
		f = apply(t, passtest.NewContext(), p, f)
	}
	return f
}

// TestRandomCopies divides the copies of random programs among their threads: with the barriers that ThreadSync finds they compute the
// same, in either order of the threads.
func TestRandomCopies(t *testing.T) {
	split := 0
	seed.Each(t, 60, func(t *testing.T, r *rand.Rand) {
		f := parseFunc(t, copies(r))
		args := tirtest.Arguments(f, r.Uint64()%1000)
		want := mustRun(t, f, args)
		g := apply(t, passtest.NewContext(), tirpass.LowerAutoCopy, f)
		if g != f {
			split++
		}
		if !strings.Contains(print(g), `scope="local"`) {
			sameMeaning(t, tirpass.LowerAutoCopy, f, g, args, want)
		}
		g = launched(t, g)
		for _, reversed := range []bool{false, true} {
			got, err := tirtest.Run(g, args, &interp.Options{Barriers: interp.BarriersWritten, Reversed: reversed})
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, print(f), print(g))
			}
			if d := tirtest.Differ(got, want); d != "" {
				t.Fatalf("%s\n%s\n%s", d, print(f), print(g))
			}
		}
	})
	if split == 0 {
		t.Error("no copy was divided")
	}
}

// TestFragmentCopies copies a tile from and to fragments, by the instructions that the pass makes: it computes what the loops do. (Fragments of one
// tile have the layout of the loops in the interpreter.)
func TestFragmentCopies(t *testing.T) {
	for _, x := range []struct{ name, scope, target, text string }{
		{"fragments to global memory", "wmma.accumulator", "C[bx * 16 + i, j]", "tvm_store_matrix_sync"},
		{"fragments of mma to global memory", "m16n8k8.matrixC", "C[bx * 16 + i, j]", "mma_store"},
		{"fragments to global memory with a sum", "wmma.accumulator", "C[bx * 16 + i, j]", "tvm_store_matrix_sync"},
	} {
		t.Run(x.name, func(t *testing.T) {
			value := "F[i, j]"
			if strings.Contains(x.name, "sum") {
				value += " + A[bx, j]"
			}
			f := parseFunc(t, fmt.Sprintf(`@T.prim_func
def kernel(A: T.Buffer((32, 16), "float32"), C: T.Buffer((32, 16), "float32")):
    with T.block("root"):
        T.block_attr({"warp_execution": 1})
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for ty in T.thread_binding(2, thread="threadIdx.y"):
                with T.block(""):
                    F = T.alloc_buffer((16, 16), scope=%q)
                    with T.block("fill"):
                        for i, j in T.grid(16, 16):
                            F[i, j] = A[bx * 16 + i, j] * T.float32(3)
                    with T.block("copy"):
                        T.block_attr({"auto_copy": 1, "vector_bytes": 16})
                        for i, j in T.grid(16, 16):
                            %s = %s
`, x.scope, x.target, value))
			args := tirtest.Arguments(f, 7)
			want := mustRun(t, f, args)
			g := apply(t, passtest.NewContext(), tirpass.LowerAutoCopy, f)
			if !strings.Contains(print(g), x.text) {
				t.Errorf("no %s in\n%s", x.text, print(g))
			}
			if x.scope == "wmma.accumulator" {
				h := launched(t, g)
				got, err := tirtest.Run(h, args, nil)
				if err != nil {
					t.Fatalf("%v\n%s", err, print(h))
				}
				if d := tirtest.Differ(got, want); d != "" {
					t.Fatalf("%s\n%s", d, print(h))
				}
			}
		})
	}
}

// TestAutoCopyRefusals checks what threads cannot divide.
func TestAutoCopyRefusals(t *testing.T) {
	program := func(shape, scope, loops, body string) string {
		return fmt.Sprintf(`
    with T.block("root"):
        T.block_attr({"warp_execution": 1})
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            with T.block(""):
                S = T.alloc_buffer(%s, "float16", scope=%q)
                with T.block("copy"):
                    T.block_attr({"auto_copy": 1})
                    %s
                        %s`, shape, scope, loops, body)
	}
	grid := "for i, j in T.grid(16, 16):"
	checkPairs(t, tirpass.LowerAutoCopy, `@T.prim_func
def kernel(A: T.Buffer((64, 64), "float16"), n: T.int32):`, []pair{
		{name: "one element", before: program("(16, 16)", "shared", grid, "S[i, 0] = A[i, j]"), fails: "not known to write different elements of S"},
		{name: "its own target", before: program("(16, 16)", "shared", grid, "S[i, j] = S[j, i] + A[i, j]"), fails: "Multiple buffer read"},
		{name: "a part of each thread", before: program("(16, 16)", "shared", grid, "S[i, j] = A[ty * 16 + i, j]"), fails: "depends on ty, which differs between threads"},
		{name: "unknown extent", before: program("(16, 16)", "shared", "for i, j in T.grid(n, 16):", "S[i, j] = A[i, j]"), fails: "expected a constant"},
		{name: "a loop from 1", before: program("(16, 16)", "shared", "for i in range(1, 16):", "S[i, 0] = A[i, 0]"), fails: "expected 0"},
		{name: "two statements", before: program("(16, 16)", "shared", grid, "S[i, j] = A[i, j]\n                        S[i, j] = A[i, j]"), fails: "expected a single store to a buffer"},
		{name: "tiles that do not fit", before: strings.ReplaceAll(program("(8, 16)", "wmma.matrix_a", "for i, j in T.grid(8, 16):", "S[i, j] = B[i, j]"), "S = T", "B = T.alloc_buffer((8, 16), \"float16\", scope=\"shared\")\n                S = T"), fails: "expected a multiple of 16, the size of a fragment"},
		{name: "a transposed tile", before: strings.ReplaceAll(program("(16, 16)", "wmma.matrix_a", grid, "S[i, j] = B[j, i]"), "S = T", "B = T.alloc_buffer((16, 16), \"float16\", scope=\"shared\")\n                S = T"), fails: "does not follow its loops"},
	})
}
