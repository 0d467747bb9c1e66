package bench

import (
	"fmt"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// operator is a model of one operator.
type operator struct {
	name  string
	model []byte
}

// operators are models of operators whose shapes the published networks have few of: channels that are no multiple of a vector, strides, windows between the elements of an input,
// images that grow, axes that change places.
func operators() []operator {
	var out []operator
	one := func(name string, shape []int64, build func(m *ob.Builder, x string) string) {
		m := ob.New("net", 17)
		dims := make([]any, len(shape))
		for k, n := range shape {
			dims[k] = int(n)
		}
		y := build(m, m.Input("x", onnxpb.Float, dims...))
		m.Output(y, onnxpb.Float)
		out = append(out, operator{name, m.Bytes()})
	}
	for _, c := range []struct {
		shape  []int64
		scale  float32
		coords string // and how they are rounded
		mode   string
	}{
		{[]int64{1, 64, 56, 56}, 2, "asymmetric", "floor"},
		{[]int64{1, 64, 56, 56}, 2, "half_pixel", "round_prefer_floor"},
		{[]int64{1, 32, 20, 20}, 2, "asymmetric", "floor"},
		{[]int64{1, 16, 40, 40}, 3, "asymmetric", "floor"},
		{[]int64{1, 16, 40, 40}, 4, "half_pixel", "round_prefer_floor"},
		{[]int64{1, 16, 40, 40}, 1.5, "asymmetric", "floor"},
		{[]int64{1, 16, 80, 80}, 0.5, "asymmetric", "floor"},
	} {
		one(fmt.Sprintf("resize%v_%v_%s", c.shape, c.scale, c.coords), c.shape, func(m *ob.Builder, x string) string {
			scales := m.Initializer("scales", ob.Floats([]int64{4}, 1, 1, c.scale, c.scale))
			return m.Node("Resize", "resize", []string{x, "", scales}, ob.Str("mode", "nearest"), ob.Str("coordinate_transformation_mode", c.coords), ob.Str("nearest_mode", c.mode))
		})
	}
	for _, c := range []struct{ in, out, size, kernel, stride, pad int64 }{
		{64, 32, 28, 2, 2, 0}, {256, 128, 14, 2, 2, 0}, {64, 32, 28, 4, 2, 1}, {128, 64, 16, 4, 2, 1}, {32, 16, 56, 3, 2, 1}, {16, 16, 64, 2, 2, 0},
	} {
		one(fmt.Sprintf("conv_transpose%d_%d_%d_k%d", c.in, c.out, c.size, c.kernel), []int64{1, c.in, c.size, c.size}, func(m *ob.Builder, x string) string {
			w := m.Weights("w", 0, 0.1, c.in, c.out, c.kernel, c.kernel)
			return m.Node("ConvTranspose", "conv", []string{x, w}, ob.IntList("strides", c.stride, c.stride), ob.IntList("pads", c.pad, c.pad, c.pad, c.pad))
		})
	}
	for _, c := range []struct{ in, out, size, kernel, stride, groups int64 }{
		{100, 64, 56, 3, 2, 1},
		{100, 100, 28, 3, 1, 1},
		{3, 24, 112, 3, 2, 1},
		{24, 36, 56, 3, 1, 1},
		{20, 20, 56, 1, 1, 1},
		{116, 116, 28, 1, 1, 1},
		{232, 232, 14, 1, 1, 1},
		{64, 100, 56, 3, 2, 1},
		{36, 36, 56, 3, 1, 36},
		{100, 100, 56, 3, 2, 100},
		{64, 64, 56, 3, 2, 1},
	} {
		one(fmt.Sprintf("conv%d_%d_%d_k%d_s%d_g%d", c.in, c.out, c.size, c.kernel, c.stride, c.groups), []int64{1, c.in, c.size, c.size}, func(m *ob.Builder, x string) string {
			w, p := m.Weights("w", 0, 0.1, c.out, c.in/c.groups, c.kernel, c.kernel), c.kernel/2
			return m.Node("Conv", "conv", []string{x, w}, ob.IntList("strides", c.stride, c.stride), ob.IntList("pads", p, p, p, p), ob.Int("group", c.groups))
		})
	}
	for _, c := range []struct{ shape, axes []int64 }{
		{[]int64{1, 3, 224, 224}, []int64{0, 2, 3, 1}}, {[]int64{1, 224, 224, 3}, []int64{0, 3, 1, 2}}, {[]int64{1, 7, 13, 101}, []int64{0, 3, 2, 1}}, {[]int64{1024, 1024}, []int64{1, 0}},
	} {
		one(fmt.Sprint("transpose", c.shape, c.axes), c.shape, func(m *ob.Builder, x string) string {
			return m.Node("Transpose", "transpose", []string{x}, ob.IntList("perm", c.axes...))
		})
	}
	for _, by := range []int64{2, 3, 4} {
		one(fmt.Sprint("depth_to_space", by), []int64{1, 8 * by * by, 56, 56}, func(m *ob.Builder, x string) string {
			return m.Node("DepthToSpace", "shuffle", []string{x}, ob.Int("blocksize", by), ob.Str("mode", "CRD"))
		})
	}
	one("every_second", []int64{1, 16, 112, 112}, func(m *ob.Builder, x string) string {
		starts, ends := m.Initializer("starts", ob.Shape(0, 1)), m.Initializer("ends", ob.Shape(112, 112))
		return m.Node("Slice", "slice", []string{x, starts, ends, m.Initializer("axes", ob.Shape(2, 3)), m.Initializer("steps", ob.Shape(2, 2))})
	})
	return out
}

// BenchmarkONNXRuntimeOperators is BenchmarkONNXRuntime for operators.
func BenchmarkONNXRuntimeOperators(b *testing.B) {
	folder, x86 := onnxRuntimeAndX86(b)
	for _, c := range operators() {
		b.Run(c.name, func(b *testing.B) {
			besideONNXRuntime(b, folder, c.model, x86)
			b.ReportMetric(0, "ns/op")
		})
	}
}
