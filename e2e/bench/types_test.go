package bench

import (
	"runtime"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
)

// BenchmarkTypes measures kernels on narrower and wider floating-point types than float32, through
// the whole compiler, and reports the ratio of their time to that for float32 in the same run.
func BenchmarkTypes(b *testing.B) {
	for _, k := range []struct {
		name  string
		model func(t onnxpb.DataType) []byte
	}{
		{"matmul_512", func(t onnxpb.DataType) []byte {
			m := ob.New("matmul", 17)
			x, w := m.Input("x", t, 512, 512), m.Input("w", t, 512, 512)
			m.NodeOut("MatMul", "matmul", []string{x, w}, []string{"y"})
			m.Output("y", t, 512, 512)
			return m.Bytes()
		}},
		{"matmul_12x128x64x128", func(t onnxpb.DataType) []byte {
			m := ob.New("batched", 17)
			x, w := m.Input("x", t, 12, 128, 64), m.Input("w", t, 12, 64, 128)
			m.NodeOut("MatMul", "matmul", []string{x, w}, []string{"y"})
			m.Output("y", t, 12, 128, 128)
			return m.Bytes()
		}},
		{"conv3x3_64_64_28x28", func(t onnxpb.DataType) []byte {
			m := ob.New("conv", 17)
			x, w, bias := m.Input("x", t, 1, 64, 28, 28), m.Input("w", t, 64, 64, 3, 3), m.Input("b", t, 64)
			m.NodeOut("Conv", "conv", []string{x, w, bias}, []string{"y"}, ob.IntList("pads", 1, 1, 1, 1))
			m.Output("y", t, 1, 64, 28, 28)
			return m.Bytes()
		}},
	} {
		base := 0.0
		for _, d := range []dtype.DType{dtype.Float32T, dtype.Float16T, dtype.BFloat16T, dtype.Float64T} {
			b.Run(k.name+"/"+d.String(), func(b *testing.B) {
				runtime.LockOSThread() // whose processor time is measured
				defer runtime.UnlockOSThread()
				prog, args := program(b, k.model(onnxpb.FromDType(d)))
				_, err := prog.Run(b.Context(), "main", args...) // warm
				must(b, err)
				best := 0.0
				for b.Loop() {
					start := threadTime()
					_, err := prog.Run(b.Context(), "main", args...)
					must(b, err)
					if t := threadTime() - start; best == 0 || t < best {
						best = t
					}
				}
				if d == dtype.Float32T {
					base = best
				}
				b.ReportMetric(best*1e3, "ms")
				if base > 0 {
					b.ReportMetric(best/base, "of-float32")
				}
			})
		}
	}
}
