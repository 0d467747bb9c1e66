package bench

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/script/parse"
	rt "github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/runtime/vm"
)

// BenchmarkSort measures sorts as multiples of Go's stable sort of the same numbers in the
// same run, and topk, which the sort of all elements would take much longer than.
func BenchmarkSort(b *testing.B) {
	for _, c := range []struct {
		call  string
		axis  int
		dtype dtype.DType
		shape [2]int64
	}{
		{"sort(x, axis=1)", 1, dtype.Float32T, [2]int64{1, 50257}},
		{"argsort(x, axis=1)", 1, dtype.Float32T, [2]int64{1, 50257}},
		{"topk(x, k=50, axis=1)", 1, dtype.Float32T, [2]int64{1, 50257}},
		{"sort(x, axis=1)", 1, dtype.Float32T, [2]int64{1, 1 << 20}},
		{"sort(x, axis=1)", 1, dtype.Float64T, [2]int64{1, 1 << 20}},
		{"sort(x, axis=1)", 1, dtype.Float16T, [2]int64{1, 1 << 20}},
		{"sort(x, axis=1)", 1, dtype.Int64T, [2]int64{1, 1 << 20}},
		{"sort(x, axis=0)", 0, dtype.Float32T, [2]int64{1 << 10, 1 << 10}},
		{"sort(x, axis=1)", 1, dtype.Float32T, [2]int64{1 << 18, 4}},
	} {
		b.Run(fmt.Sprintf("%s/%s/%dx%d", c.call, c.dtype, c.shape[0], c.shape[1]), func(b *testing.B) {
			runtime.LockOSThread() // whose processor time is measured
			defer runtime.UnlockOSThread()
			text := fmt.Sprintf("@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((%d, %d), %q)):\n        return R.%s\n",
				c.shape[0], c.shape[1], c.dtype.String(), c.call)
			m, found := parse.Module("sort.py", text, parse.Options{})
			if len(found) > 0 {
				b.Fatal(found)
			}
			res, err := compiler.Compile(b.Context(), compiler.Request{Module: m})
			must(b, err)
			eng := compiler.NewEngine()
			prog, err := res.Artifact.Open(b.Context(), eng, rt.DeviceOptions{}, vm.Options{})
			must(b, err)
			defer func() {
				must(b, prog.Close())
				must(b, eng.Close())
			}()
			x := tensor.MustNew(c.dtype, c.shape[:]...)
			x.FillUniform(1, -1000, 1000)
			_, err = prog.Run(b.Context(), "main", x) // warm
			must(b, err)
			own, reference := 1e9, 1e9
			for b.Loop() {
				start := threadTime()
				_, err := prog.Run(b.Context(), "main", x)
				must(b, err)
				own = min(own, threadTime()-start)
				vals := x.Floats()
				start = threadTime()
				for row := range slices.Chunk(vals, int(c.shape[c.axis])) {
					slices.SortStableFunc(row, cmp.Compare[float64])
				}
				reference = min(reference, threadTime()-start)
			}
			b.ReportMetric(own*1e3, "ms")
			b.ReportMetric(own/reference, "of-Go")
		})
	}
}
