package cpu_test

import (
	"context"
	gort "runtime"
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
)

// BenchmarkTypes reports the time of each kernel for each element type and its ratio to that for
// float32; for float32 the ratio to the convolution in NCHW.
func BenchmarkTypes(b *testing.B) {
	for _, name := range []string{"matmul", "matmul_nt", "matvec", "batched", "conv", "conv1x1", "depthwise", "conv_nhwc", "conv_ohwi", "transposed"} {
		base := 0.0
		for _, row := range typeRows {
			b.Run(name+"/"+row.in+"_"+row.out, func(b *testing.B) {
				k := kernel{args: typeKernels(dtype.MustParse(row.in), dtype.MustParse(row.out), 256, 64, 28)[name]}
				c := compile(b, create(b, k))
				vals, _ := c.upload(b, k.arguments(b))
				gort.LockOSThread()
				defer gort.UnlockOSThread()
				best := 0.0
				for b.Loop() {
					start := threadTime()
					if _, err := c.kernel.Run(context.Background(), vals...); err != nil {
						b.Fatal(err)
					}
					if d := threadTime() - start; best == 0 || d < best {
						best = d
					}
				}
				if row.in == "float32" {
					base = best
				}
				b.ReportMetric(best*1e3, "ms")
				if base > 0 {
					b.ReportMetric(best/base, "of-float32")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
