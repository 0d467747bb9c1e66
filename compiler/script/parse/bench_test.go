package parse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/irscope/irscope/compiler/script/parse"
)

// longText is a module of n lines: loops with blocks, and graph functions.
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

// TestHundredThousandLines reads 100,000 lines in less than the second that is promised, or
// in five under the race detector and on busy machines.
func TestHundredThousandLines(t *testing.T) {
	text := longText(100_000)
	took := time.Hour
	for range 3 {
		start := time.Now()
		if _, diags := parse.Module("long.py", text, parse.Options{}); len(diags) > 0 {
			t.Fatal(parse.Format(diags[0]))
		}
		took = min(took, time.Since(start))
	}
	t.Logf("%d bytes in %v: %.1f MB/s", len(text), took, float64(len(text))/1e6/took.Seconds())
	if took > 5*time.Second {
		t.Errorf("reading 100,000 lines took %v", took)
	}
}

// TestTimeIsLinear reads a text of four times the length in less than eight times the time.
func TestTimeIsLinear(t *testing.T) {
	best := func(text string) time.Duration {
		out := time.Hour
		for range 3 {
			start := time.Now()
			if _, diags := parse.Module("long.py", text, parse.Options{}); len(diags) > 0 {
				t.Fatal(parse.Format(diags[0]))
			}
			out = min(out, time.Since(start))
		}
		return out
	}
	short, long := best(longText(10_000)), best(longText(40_000))
	if long > 8*short+50*time.Millisecond {
		t.Errorf("10,000 lines take %v, 40,000 take %v", short, long)
	}
}

func BenchmarkModule(b *testing.B) {
	text := longText(20_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := parse.Module("long.py", text, parse.Options{}); len(diags) > 0 {
			b.Fatal(parse.Format(diags[0]))
		}
	}
}
