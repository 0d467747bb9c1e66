package bench

import (
	"fmt"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// fewBits are products by weights of few bits, for one row of data and for many: as ONNX Runtime's tools write them, and between ONNX's own operators.
func fewBits() []operator {
	var out []operator
	for _, s := range [][3]int64{{1, 768, 768}, {1, 4096, 4096}, {64, 768, 768}, {64, 4096, 4096}} {
		rows, in, columns := s[0], s[1], s[2]
		const size = 32
		add := func(name string, build func(m *ob.Builder, x string) string) {
			m := ob.New("net", 21)
			m.Output(build(m, m.Input("x", onnxpb.Float, int(rows), int(in))), onnxpb.Float)
			out = append(out, operator{fmt.Sprintf("%s_%dx%dx%d", name, rows, in, columns), m.Bytes()})
		}
		weights := func(m *ob.Builder, t onnxpb.DataType, bytes int64, dims ...int64) string {
			return m.Initializer("w", onnxpb.Tensor{Type: t, Dims: dims, Data: ob.Random("w", 0, 1, (bytes+3)/4).Data[:bytes]})
		}
		for _, bits := range []int64{4, 8} {
			add(fmt.Sprintf("matmulnbits%d", bits), func(m *ob.Builder, x string) string {
				w := weights(m, onnxpb.Uint8, columns*in*bits/8, columns, in/size, size*bits/8)
				return m.Node("com.microsoft.MatMulNBits", "product", []string{x, w, m.Weights("scales", 0.01, 0.01, columns*in/size)},
					ob.Int("K", in), ob.Int("N", columns), ob.Int("bits", bits), ob.Int("block_size", size))
			})
		}
		add("blocks_int4", func(m *ob.Builder, x string) string {
			w := weights(m, onnxpb.Int4, columns*in/2, in, columns)
			w = m.Node("DequantizeLinear", "weights", []string{w, m.Weights("scales", 0.01, 0.01, in/size, columns)}, ob.Int("axis", 0), ob.Int("block_size", size))
			return m.Node("MatMul", "product", []string{x, w})
		})
		add("columns_int8", func(m *ob.Builder, x string) string {
			w := weights(m, onnxpb.Int8, columns*in, in, columns)
			w = m.Node("DequantizeLinear", "weights", []string{w, m.Weights("scales", 0.01, 0.01, columns)}, ob.Int("axis", 1))
			return m.Node("MatMul", "product", []string{x, w})
		})
	}
	return out
}

// BenchmarkONNXRuntimeFewBits is BenchmarkONNXRuntime for products by weights of few bits.
func BenchmarkONNXRuntimeFewBits(b *testing.B) {
	folder, x86 := onnxRuntimeAndX86(b)
	for _, c := range fewBits() {
		b.Run(c.name, func(b *testing.B) {
			besideONNXRuntime(b, folder, c.model, x86)
			b.ReportMetric(0, "ns/op")
		})
	}
}
