package dlight_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/dlight"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/target"
)

// TestDefaultGPU has the spatial loops of blocks run by threads: as many blocks of them as there are elements for, each element by one thread while 256 blocks are
// enough, and by threads that repeat where they are not, or where only a run knows.
func TestDefaultGPU(t *testing.T) {
	grid := func(shape, loops, vars, kinds, body string) string {
		return header + `def main(A: T.Buffer((` + shape + `), "float32"), B: T.Buffer((` + shape + `), "float32")):
    for ` + loops + `:
        with T.block("b"):
            ` + vars + ` = T.axis.remap("` + kinds + `", [` + strings.ReplaceAll(vars, "v", "") + `])
            ` + body + "\n"
	}
	const cuda = "nvidia/geforce-rtx-3090-ti"
	for _, c := range []struct {
		name, text, target string
		has                []string
	}{
		{"fewer elements than threads", double, cuda, []string{`T.thread_binding(1, thread="blockIdx.x")`, `T.thread_binding(231, thread="threadIdx.x")`}},
		{"more than a block", grid("40, 56", "i, j in T.grid(40, 56)", "vi, vj", "SS", "B[vi, vj] = A[vi, vj]"), cuda, []string{`T.thread_binding(3, thread="blockIdx.x")`, `T.thread_binding(1024, thread="threadIdx.x")`, "T.where("}},
		{"fewer threads", grid("40, 56", "i, j in T.grid(40, 56)", "vi, vj", "SS", "B[vi, vj] = A[vi, vj]"), "opencl", []string{`T.thread_binding(9, thread="blockIdx.x")`, `T.thread_binding(256, thread="threadIdx.x")`}},
		{"more than all blocks", grid("1024, 1024", "i, j in T.grid(1024, 1024)", "vi, vj", "SS", "B[vi, vj] = A[vi, vj]"), cuda, []string{`T.thread_binding(256, thread="blockIdx.x")`, `T.thread_binding(1024, thread="threadIdx.x")`, "in range(4)"}},
		{"a sum", sums, cuda, []string{`T.thread_binding(6, thread="threadIdx.x")`, "in range(128)"}},
		{"no iteration", grid("0, 3", "i, j in T.grid(0, 3)", "vi, vj", "SS", "B[vi, vj] = A[vi, vj]"), cuda, []string{`T.thread_binding(0, thread="blockIdx.x")`, `T.thread_binding(1, thread="threadIdx.x")`}},
		{"what only a run knows", header + `def main(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        with T.block("b"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi]
`, cuda, []string{`thread="blockIdx.x"`, `T.thread_binding(T.int64(1024), thread="threadIdx.x")`, "T.where("}},
		{"a scalar", header + `def main(A: T.Buffer((), "float32"), B: T.Buffer((), "float32")):
    with T.block("b"):
        vi = T.axis.spatial(1, 0)
        B[()] = A[()]
`, cuda, []string{`T.thread_binding(1, thread="blockIdx.x")`, `T.thread_binding(1, thread="threadIdx.x")`}},
		{"a scalar in a block that is all of the function", header + `def main(A: T.Buffer((), "float32"), B: T.Buffer((), "float32")):
    with T.block("b"):
        T.reads(A[()])
        T.writes(B[()])
        B[()] = A[()]
`, cuda, []string{`T.thread_binding(1, thread="blockIdx.x")`, `T.thread_binding(1, thread="threadIdx.x")`, `with T.block("b"):`, "vu = T.axis.spatial(1, 0)"}},
		{"bound already", header + `def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in T.thread_binding(8, thread="threadIdx.y"):
        with T.block("b"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi]
`, cuda, []string{`T.thread_binding(8, thread="threadIdx.y")`}},
	} {
		f, m := function(t, c.text)
		on, err := target.Parse(c.target)
		if err != nil {
			t.Fatal(err)
		}
		out, err := dlight.DefaultGPU(f, on, m.Origins())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := script.Function("main", out, script.Options{}).Source
		for _, part := range c.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %s in\n%s", c.name, part, text)
			}
		}
		if c.name == "bound already" && strings.Contains(text, "blockIdx") {
			t.Errorf("%s: bound again\n%s", c.name, text)
		}
	}
	f, m := function(t, double)
	on, err := target.Parse("llvm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dlight.DefaultGPU(f, on, m.Origins()); err == nil || !strings.Contains(err.Error(), "max_num_threads is not set") {
		t.Errorf("a target without threads: got %v", err)
	}
}
