package cpu_test

import (
	"testing"

	"github.com/irscope/irscope/runtime/dtype"
)

// BenchmarkTypes reports the time of each kernel for each element type and its ratio to that for
// float32.
func BenchmarkTypes(b *testing.B) {
	for _, name := range []string{"matmul", "matmul_nt", "matvec", "batched", "conv", "conv1x1", "depthwise", "conv_nhwc", "conv_ohwi", "transposed"} {
		base := 0.0
		for _, row := range typeRows {
			b.Run(name+"/"+row.in+"_"+row.out, func(b *testing.B) {
				k := kernel{args: typeKernels(dtype.MustParse(row.in), dtype.MustParse(row.out), 256, 64, 28)[name]}
				reportTime(b, k, row.in == "float32", &base, "of-float32")
			})
		}
	}
}
