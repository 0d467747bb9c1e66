package models

import (
	"slices"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// idiom is a small model as exporters write them, with inputs and outputs by the text of the operators, which ONNX Runtime gives too.
type idiom struct {
	name  string
	opset int64
	build func(b *Builder)
	in    []*tensor.Tensor
	want  []*tensor.Tensor
}

// filled is a tensor of some elements.
func filled(d dtype.DType, shape []int64, list ...float64) *tensor.Tensor {
	t := tensor.MustNew(d, shape...)
	for i, v := range list {
		if d.IsFloat() {
			t.SetFloat(i, v)
		} else {
			t.SetInt(i, int64(v))
		}
	}
	return t
}

// counted is a tensor of 0, 1, 2, and so on.
func counted(shape ...int64) *tensor.Tensor {
	t := tensor.MustNew(dtype.Float32T, shape...)
	for i := range t.Len() {
		t.SetFloat(i, float64(i))
	}
	return t
}

func idioms() []idiom {
	f32 := func(shape []int64, list ...float64) *tensor.Tensor { return filled(dtype.Float32T, shape, list...) }
	i64 := func(shape []int64, list ...float64) *tensor.Tensor { return filled(dtype.Int64T, shape, list...) }
	of := func(ts ...*tensor.Tensor) []*tensor.Tensor { return ts }
	// resize adds a Resize with scales.
	resize := func(b *Builder, x string, scales []float32, attrs ...onnxpb.Attribute) {
		b.NodeOut("Resize", "resize", []string{x, "", b.Initializer("scales", Floats([]int64{int64(len(scales))}, scales...))}, []string{"y"}, attrs...)
		b.Output("y", onnxpb.Float)
	}
	return []idiom{
		{"a token counted from the end of a symbolic axis", 17, func(b *Builder) {
			x, i := b.Input("x", onnxpb.Float, "n", 2), b.Input("i", onnxpb.Int64, 2)
			b.Output(b.Node("Gather", "g", []string{x, i}, Int("axis", 0)), onnxpb.Float)
			narrow := b.Node("Cast", "narrow", []string{i}, Int("to", int64(onnxpb.Int32)))
			b.Output(b.Node("Gather", "h", []string{x, narrow}, Int("axis", 0)), onnxpb.Float)
		}, of(counted(3, 2), i64([]int64{2}, -1, 1)), of(f32([]int64{2, 2}, 4, 5, 2, 3), f32([]int64{2, 2}, 4, 5, 2, 3))},
		{"tuples of indices that count from the end", 17, func(b *Builder) {
			x, i := b.Input("x", onnxpb.Float, "n", 3), b.Input("i", onnxpb.Int64, 2, 2)
			b.Output(b.Node("GatherND", "g", []string{x, i}), onnxpb.Float)
			b.Output(b.Node("GatherND", "h", []string{x, b.Initializer("c", Ints([]int64{1, 1}, -1))}), onnxpb.Float)
			b.Output(b.Node("ScatterND", "s", []string{x, i, b.Initializer("u", Floats([]int64{2}, 8, 9))}), onnxpb.Float)
			fixed := b.Input("z", onnxpb.Float, 2, 2)
			b.Output(b.Node("GatherND", "k", []string{fixed, b.Initializer("d", Ints([]int64{2, 1}, -2, 1))}, Int("batch_dims", 1)), onnxpb.Float)
		}, of(counted(2, 3), i64([]int64{2, 2}, -1, -3, 0, 2), counted(2, 2)), of(
			f32([]int64{2}, 3, 2), f32([]int64{1, 3}, 3, 4, 5), f32([]int64{2, 3}, 0, 1, 9, 8, 4, 5), f32([]int64{2}, 0, 3))},
		{"the last greatest element of a symbolic axis", 13, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, 2, "n")
			b.Output(b.Node("ArgMax", "a", []string{x}, Int("axis", 1), Int("select_last_index", 1), Int("keepdims", 0)), onnxpb.Int64)
		}, of(f32([]int64{2, 3}, 1, 1, 0, 2, 3, 3)), of(i64([]int64{2}, 1, 2))},
		{"pads below 0", 13, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", 3)
			b.Output(b.Node("Pad", "p", []string{x, b.Initializer("pads", Shape(-1, 1, 0, -1)), b.Initializer("v", Floats(nil, 7))}), onnxpb.Float)
			b.Output(b.Node("Pad", "q", []string{x, b.Initializer("crop", Shape(0, -1, -1, -1))}), onnxpb.Float)
		}, of(counted(2, 3)), of(f32([]int64{1, 3}, 7, 3, 4), f32([]int64{1, 1}, 1))},
		{"pads that go around", 19, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, 4)
			b.Output(b.Node("Pad", "p", []string{x, b.Initializer("pads", Shape(1, 2))}, Str("mode", "wrap")), onnxpb.Float)
		}, of(counted(4)), of(f32([]int64{7}, 3, 0, 1, 2, 3, 0, 1))},
		{"a half to pad with, and halves to choose from", 13, func(b *Builder) {
			x := b.Input("x", onnxpb.Float16, 2)
			half := func(name string, dims []int64, data ...byte) string {
				return b.Initializer(name, onnxpb.Tensor{Type: onnxpb.Float16, Dims: dims, Data: data})
			}
			b.Output(b.Node("Pad", "p", []string{x, b.Initializer("pads", Shape(1, 0)), half("v", nil, 0, 0x3e)}), onnxpb.Float16) // 1.5
			b.Output(b.Node("OneHot", "o", []string{b.Initializer("at", Shape(1)), b.Initializer("depth", Ints(nil, 2)), half("values", []int64{2}, 0, 0x38, 0, 0x3c)}), onnxpb.Float16)
		}, of(filled(dtype.Float16T, []int64{2}, 1, 2)), of(filled(dtype.Float16T, []int64{3}, 1.5, 1, 2), filled(dtype.Float16T, []int64{1, 2}, .5, 1))},
		{"extents as data of int32 and in rows", 13, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", "m")
			shape := b.Node("Shape", "shape", []string{x})
			b.Output(b.Node("Cast", "narrow", []string{shape}, Int("to", int64(onnxpb.Int32))), onnxpb.Int32)
			b.Output(b.Node("Reshape", "column", []string{shape, b.Initializer("to", Shape(2, 1))}), onnxpb.Int64)
		}, of(counted(3, 2)), of(filled(dtype.Int32T, []int64{2}, 3, 2), i64([]int64{2, 1}, 3, 2))},
		{"a product of a symbolic batch and a fixed one", 13, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", 1, 2)
			b.Output(b.Node("MatMul", "y", []string{x, b.Initializer("w", Floats([]int64{2, 2, 1}, 1, 2, 3, 4))}), onnxpb.Float)
		}, of(f32([]int64{1, 1, 2}, 1, 10)), of(f32([]int64{2, 1, 1}, 21, 43))},
		{"statistics for symbolic channels", 13, func(b *Builder) {
			x, two := b.Input("x", onnxpb.Float, 1, "c", 1), b.Initializer("two", Floats([]int64{2}, 2, 2))
			one := b.Initializer("one", Floats([]int64{2}, 1, 1))
			b.Output(b.Node("BatchNormalization", "y", []string{x, two, one, one, one}, Float("epsilon", 0)), onnxpb.Float)
		}, of(f32([]int64{1, 2, 1}, 3, 5)), of(f32([]int64{1, 2, 1}, 5, 9))},
		{"a difference to the last token", 13, func(b *Builder) {
			x, end := b.Input("x", onnxpb.Float, "n", 2), b.Initializer("end", Shape(1<<40))
			last := b.Node("Slice", "last", []string{x, b.Initializer("start", Shape(-1)), end, b.Initializer("axis", Shape(0))})
			b.Output(b.Node("Sub", "y", []string{x, last}), onnxpb.Float)
			b.Output(b.Node("Sub", "z", []string{last, x}), onnxpb.Float)
		}, of(counted(2, 2)), of(f32([]int64{2, 2}, -2, -2, 0, 0), f32([]int64{2, 2}, 2, 2, 0, 0))},
		{"an axis that is not 1 expanded by one that is", 13, func(b *Builder) {
			x, like := b.Input("x", onnxpb.Float, 2), b.Input("like", onnxpb.Float, "n", "m")
			b.Output(b.Node("Expand", "y", []string{x, b.Node("Shape", "shape", []string{like})}), onnxpb.Float)
		}, of(f32([]int64{2}, 3, 4), counted(2, 1)), of(f32([]int64{2, 2}, 3, 4, 3, 4))},
		{"what is repeated for each of a batch", 13, func(b *Builder) {
			x, like := b.Input("x", onnxpb.Float, 1, 2), b.Input("like", onnxpb.Float, "n")
			repeats := b.Node("Concat", "repeats", []string{b.Node("Shape", "shape", []string{like}), b.Initializer("two", Shape(2))}, Int("axis", 0))
			b.Output(b.Node("Tile", "y", []string{x, repeats}), onnxpb.Float)
		}, of(f32([]int64{1, 2}, 3, 4), counted(2)), of(f32([]int64{2, 4}, 3, 4, 3, 4, 3, 4, 3, 4))},
		{"windows of a symbolic extent that is rounded up", 13, func(b *Builder) {
			x, window := b.Input("x", onnxpb.Float, 1, 1, "n"), []onnxpb.Attribute{IntList("kernel_shape", 2), IntList("strides", 2), Int("ceil_mode", 1)}
			b.Output(b.Node("MaxPool", "y", []string{x}, window...), onnxpb.Float)
			b.Output(b.Node("AveragePool", "z", []string{x}, append(window, Int("count_include_pad", 1))...), onnxpb.Float)
		}, of(f32([]int64{1, 1, 3}, -1, -3, -7)), of(f32([]int64{1, 1, 2}, -1, -7), f32([]int64{1, 1, 2}, -2, -7))},
		{"a signal that is resized", 13, func(b *Builder) {
			resize(b, b.Input("x", onnxpb.Float, 1, 1, 3), []float32{1, 1, 2}, Str("mode", "linear"))
		}, of(counted(1, 1, 3)), of(f32([]int64{1, 1, 6}, 0, .25, .75, 1.25, 1.75, 2))},
		{"a volume that is resized", 13, func(b *Builder) {
			resize(b, b.Input("x", onnxpb.Float, 1, 1, 1, 2, 1), []float32{1, 1, 2, 2, 1}, Str("mode", "nearest"), Str("coordinate_transformation_mode", "asymmetric"), Str("nearest_mode", "floor"))
		}, of(counted(1, 1, 1, 2, 1)), of(f32([]int64{1, 1, 2, 4, 1}, 0, 0, 1, 1, 0, 0, 1, 1))},
		{"channels that are resized", 13, func(b *Builder) {
			resize(b, b.Input("x", onnxpb.Float, 1, 2, 1, 2), []float32{1, 2, 1, 1}, Str("mode", "nearest"))
		}, of(counted(1, 2, 1, 2)), of(f32([]int64{1, 4, 1, 2}, 0, 1, 0, 1, 2, 3, 2, 3))},
		// The result of 5 elements has the coordinates of the scale, not of the quotient of the extents.
		{"a scale that rounds down", 13, func(b *Builder) {
			resize(b, b.Input("x", onnxpb.Float, 1, 1, 1, 5), []float32{1, 1, 1, .5}, Str("mode", "linear"))
		}, of(counted(1, 1, 1, 5)), of(f32([]int64{1, 1, 1, 2}, .5, 2.5))},
		{"a scale that rounds down to the same extent", 13, func(b *Builder) {
			resize(b, b.Input("x", onnxpb.Float, 1, 1, 1, 3), []float32{1, 1, 1, 1.25}, Str("mode", "linear"), Str("coordinate_transformation_mode", "asymmetric"))
		}, of(counted(1, 1, 1, 3)), of(f32([]int64{1, 1, 1, 3}, 0, .8, 1.6))},
		{"a scale that bounds keep", 18, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, 2, 4)
			b.Output(b.Node("Resize", "y", []string{x, "", "", b.Initializer("sizes", Shape(1, 3))}, Str("mode", "nearest"), Str("keep_aspect_ratio_policy", "not_larger"), IntList("axes", 0, 1),
				Str("coordinate_transformation_mode", "asymmetric"), Str("nearest_mode", "floor")), onnxpb.Float)
		}, of(counted(2, 4)), of(f32([]int64{1, 2}, 0, 2))},
		// Weights 1, 3, 3, 1 of a triangle twice as wide.
		{"an image that is smoothed", 18, func(b *Builder) {
			resize(b, b.Input("x", onnxpb.Float, 1, 1, 1, 8), []float32{1, 1, 1, .5}, Str("mode", "linear"), Int("antialias", 1))
		}, of(f32([]int64{1, 1, 1, 8}, 0, 0, 8, 0, 0, 0, 0, 8)), of(f32([]int64{1, 1, 1, 4}, 1, 3, 0, 4))},
	}
}

// TestIdioms compares them with the interpreter as it is and with the default target.
func TestIdioms(t *testing.T) {
	for _, c := range slices.Concat(idioms(), exactIdioms()) {
		t.Run(c.name, func(t *testing.T) {
			h, b := newHarness(t), New(c.name, c.opset)
			c.build(b)
			mod := h.importModel(b.Model())
			for _, s := range []settings{{target: target.Of("interp"), verify: true}, {level: 2, verify: true}, {target: target.Of("x86"), level: 3}} {
				outs, err := h.compileAndRun(mod, s, [][]*tensor.Tensor{c.in})
				if err != nil {
					t.Errorf("%s: %v", s, err)
					continue
				}
				if len(outs[0]) != len(c.want) {
					t.Errorf("%s: %d outputs, want %d", s, len(outs[0]), len(c.want))
					continue
				}
				for i, got := range outs[0] {
					if d, err := tensor.Compare(got, c.want[i], tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil || !d.OK() {
						t.Errorf("%s: output %d is %v %v, want %v: %v", s, i, got.Shape, got.Floats(), c.want[i].Floats(), err)
					}
				}
			}
		})
	}
}
