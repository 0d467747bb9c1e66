package parse_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/parse"
)

// longText is a module of n lines: loops with blocks, and Relax functions.
func longText(n int) string {
	var b strings.Builder
	b.WriteString("@I.ir_module\nclass Module:\n")
	lines := 2
	for i := 0; lines < n; i++ {
		fmt.Fprintf(&b, "    @T.prim_func(private=True)\n    def f%d(A: T.Buffer((128, 64), \"float32\"), B: T.Buffer((128, 64), \"float32\")):\n        # with T.block(\"root\"):\n", i)
		lines += 3
		for k := range 20 {
			fmt.Fprintf(&b, `        for i, j in T.grid(128, 64):
            with T.block("b%d"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = T.max(A[vi, vj] * T.float32(%d.5) + T.exp(A[vi, vj]), T.float32(0.0))
`, k, k)
			lines += 6
		}
		fmt.Fprintf(&b, "    @R.function(private=True)\n    def g%d(x0: R.Tensor((8, 16), dtype=\"float32\")) -> R.Tensor((8, 16), dtype=\"float32\"):\n        with R.dataflow():\n", i)
		for k := range 40 {
			fmt.Fprintf(&b, "            x%d: R.Tensor((8, 16), dtype=\"float32\") = R.add(x%d, x0)\n", k+1, k)
		}
		b.WriteString("            R.output(x40)\n        return x40\n")
		lines += 45
	}
	return b.String()
}

// TestWorkIsLinear reads texts of two lengths: four times the text needs at most five times the
// memory. The time follows, since what is allocated is written.
func TestWorkIsLinear(t *testing.T) {
	allocated := func(text string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, diags := parse.Module("long.py", text, parse.Options{}); len(diags) > 0 {
			t.Fatal(diags[0].Format())
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	short, long := allocated(longText(5_000)), allocated(longText(20_000))
	if long > 5*short {
		t.Errorf("5,000 lines take %d bytes, 20,000 take %d", short, long)
	}
}

// BenchmarkLines reads 100,000 lines, which should take less than a second.
func BenchmarkLines(b *testing.B) {
	text := longText(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := parse.Module("long.py", text, parse.Options{}); len(diags) > 0 {
			b.Fatal(diags[0].Format())
		}
	}
}

// BenchmarkErrors reads a text whose every statement is wrong.
func BenchmarkErrors(b *testing.B) {
	text := "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n" + strings.Repeat("    A[0] = T.exq(Q[1], 2)\n", 50_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, diags := parse.Module("wrong.py", text, parse.Options{}); len(diags) == 0 {
			b.Fatal("no error was found")
		}
	}
}
