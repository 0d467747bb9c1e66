package instruments_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/script/parse"
	"github.com/irscope/irscope/instruments"
)

// TestFLOPsOfOperators compares what operators are estimated at with what their kernels run, where both are exact.
func TestFLOPsOfOperators(t *testing.T) {
	const (
		direct  = `x: R.Tensor((1, 32, 6, 6), "float32"), w: R.Tensor((16, 32, 3, 3), "float32")`
		blocked = `x: R.Tensor((1, 2, 6, 6, 16), "float32"), w: R.Tensor((1, 2, 3, 3, 16, 16), "float32")`
		work    = 2 * 16 * 4 * 4 * 32 * 3 * 3
	)
	for name, tt := range map[string]struct {
		params, call string
		want         int64
		kernel       bool
	}{
		"conv2d":  {direct, `R.nn.conv2d(x, w)`, work, true},
		"blocked": {blocked, `R.nn.conv2d(x, w, data_layout="NCHW16c", kernel_layout="OIHW16i16o", out_layout="NCHW16c")`, work, true},
		"groups":  {`x: R.Tensor((1, 32, 6, 6), "float32"), w: R.Tensor((16, 8, 3, 3), "float32")`, `R.nn.conv2d(x, w, groups=4)`, work / 4, true},
		"transposed": {
			`x: R.Tensor((1, 4, 5, 5), "float32"), w: R.Tensor((4, 3, 2, 2), "float32")`, `R.nn.conv2d_transpose(x, w, strides=(2, 2))`,
			2 * 4 * 5 * 5 * 3 * 2 * 2, false, // a kernel multiplies by the zeros between elements too
		},
		"layout": {direct, `R.layout_transform(w, index_map=lambda o, i, h, w: (h, w, i, o))`, 0, true},
		"moved":  {direct, `R.flip(x, axis=1)`, 0, true},
		"sum":    {direct, `R.add(x, x)`, 32 * 6 * 6, true},
	} {
		m, found := parse.Module("flops.py", "@I.ir_module\nclass Module:\n    @R.function\n    def main("+tt.params+"):\n        with R.dataflow():\n            y = "+
			tt.call+"\n            R.output(y)\n        return y\n", parse.Options{})
		if len(found) > 0 {
			t.Fatalf("%s: %v", name, found)
		}
		if got := instruments.NewMeter().Measure(m).FLOPs; got != tt.want {
			t.Errorf("%s: %d FLOPs before it is a kernel, want %d", name, got, tt.want)
		}
		if got := instruments.NewMeter().Measure(mustRun(t, legalized(), m)).FLOPs; tt.kernel && got != tt.want {
			t.Errorf("%s: %d FLOPs as a kernel, want %d", name, got, tt.want)
		}
	}
}

// TestFLOPsOfFMA expects that one rounding less is no work less.
func TestFLOPsOfFMA(t *testing.T) {
	const text = `@T.prim_func
def k(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = `
	for _, value := range []string{"A[i] * A[i] + B[i]", "T.fma(A[i], A[i], B[i])"} {
		m, found := parse.Module("fma.py", text+value+"\n", parse.Options{})
		if len(found) > 0 {
			t.Fatal(found)
		}
		if got := instruments.NewMeter().Measure(m).FLOPs; got != 16 {
			t.Errorf("%s: %d FLOPs, want 16", value, got)
		}
	}
}

// TestFLOPsOfSymbolicLoops expects that a symbolic dimension is 1 wherever it stands: alone, or fused with others into one loop.
func TestFLOPsOfSymbolicLoops(t *testing.T) {
	const text = `@T.prim_func
def k(a: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n * T.int64(12),), "float32")
    for i in range(EXTENT):
        A[i] = A[i] + T.float32(1)
`
	for extent, want := range map[string]int64{
		"n": 1, "n * T.int64(12)": 12, "T.int64(3) * (n + T.int64(1))": 6, "n - T.int64(4)": 1, "(n + T.int64(15)) // T.int64(16)": 1,
		"(n * T.int64(50) + T.int64(15)) // T.int64(16)": 4, "T.min(T.int64(8), n * T.int64(12))": 8, "T.max(n, T.int64(5)) % T.int64(3)": 2,
		"T.if_then_else(n > T.int64(0), T.int64(9), T.int64(7))": 1, "T.int64(0)": 0,
	} {
		m, found := parse.Module("k.py", strings.ReplaceAll(text, "EXTENT", extent), parse.Options{})
		if len(found) > 0 {
			t.Fatal(found)
		}
		if got := instruments.NewMeter().Measure(m).FLOPs; got != want {
			t.Errorf("a loop over %s: %d FLOPs, want %d", extent, got, want)
		}
	}
}
