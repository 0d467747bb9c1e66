package bench

import (
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/e2e/fixture/zoo"
	"github.com/irscope/irscope/runtime/tensor"
)

// BenchmarkONNXRuntimeZoo is BenchmarkONNXRuntime for networks of many families, whose outputs it compares, too.
func BenchmarkONNXRuntimeZoo(b *testing.B) {
	folder, x86 := onnxRuntimeAndX86(b)
	for _, m := range zoo.Models() {
		b.Run(m.Name, func(b *testing.B) {
			model := m.Build()
			prog, names, args := programOf(b, importSized(b, model, m.Sizes), x86)
			want := race(b, folder, model, prog, names, args)
			got, err := prog.Run(b.Context(), "main", args...)
			must(b, err)
			if len(got) != len(want) {
				b.Fatalf("%d outputs, %d of ONNX Runtime", len(got), len(want))
			}
			for i := range got {
				worst, err := onnxtest.Tolerance{Rel: 1e-3, OfMax: max(m.Error, 1e-4)}.Compare(plain(got[i]), plain(want[i]))
				if err != nil {
					b.Errorf("output %d: %v", i, err)
				}
				b.Logf("output %d: largest difference %.3g", i, worst)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// plain is a tensor as onnxtest compares it.
func plain(t *tensor.Tensor) *onnxpb.Tensor {
	return &onnxpb.Tensor{Type: onnxpb.FromDType(t.DType), Dims: t.Shape, Data: t.Data}
}
