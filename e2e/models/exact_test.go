package models

import (
	"bytes"
	"math"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// exactIdioms are operators at the ends of what they are defined for, where random models have differed from the text of the operators.
func exactIdioms() []idiom {
	f32 := func(shape []int64, list ...float64) *tensor.Tensor { return filled(dtype.Float32T, shape, list...) }
	i32 := func(shape []int64, list ...float64) *tensor.Tensor { return filled(dtype.Int32T, shape, list...) }
	i64 := func(shape []int64, list ...int64) *tensor.Tensor { return tensor.MustOf(shape, list) }
	bits := func(list ...float64) *tensor.Tensor { return filled(dtype.BoolT, []int64{int64(len(list))}, list...) }
	of := func(ts ...*tensor.Tensor) []*tensor.Tensor { return ts }
	const large = 7900455274832409391 // which no float holds
	return []idiom{
		{"a loss that is a scalar", 17, func(b *Builder) {
			x, l := b.Input("x", onnxpb.Float, 2, 2), b.Input("l", onnxpb.Int64, 2)
			w := b.Initializer("w", Floats([]int64{2}, 1, 3))
			b.Output(b.Node("NegativeLogLikelihoodLoss", "mean", []string{x, l, w}), onnxpb.Float)
			b.Output(b.Node("NegativeLogLikelihoodLoss", "sum", []string{x, l}, Str("reduction", "sum"), Int("ignore_index", 1)), onnxpb.Float)
			b.Output(b.Node("SoftmaxCrossEntropyLoss", "cross", []string{x, l}), onnxpb.Float)
		}, of(f32([]int64{2, 2}, -1, -2, -5, -6), i64([]int64{2}, 0, 1)), of(
			f32(nil, (1*1+6*3)/4.0), f32(nil, 1), f32(nil, (math.Log(1+math.Exp(-1))+1+math.Log(1+math.Exp(-1)))/2))},
		{"powers of integers", 17, func(b *Builder) {
			x, y := b.Input("x", onnxpb.Int32, 7), b.Input("y", onnxpb.Int32, 7)
			b.Output(b.Node("Pow", "data", []string{x, y}), onnxpb.Int32)
			for _, v := range []int64{0, 1, 5, 6} {
				b.Output(b.Node("Pow", "constant"+string(rune('0'+v)), []string{x, b.Initializer("k"+string(rune('0'+v)), Ints(nil, v))}), onnxpb.Int32)
			}
		}, of(i32([]int64{7}, 2, -3, 0, -1, 1, 5, -1), i32([]int64{7}, 30, 5, 0, -3, -4, -1, 8)), of(
			i32([]int64{7}, 1<<30, -243, 1, -1, 1, 0, 1), i32([]int64{7}, 1, 1, 1, 1, 1, 1, 1), i32([]int64{7}, 2, -3, 0, -1, 1, 5, -1),
			i32([]int64{7}, 32, -243, 0, -1, 1, 3125, -1), i32([]int64{7}, 64, 729, 0, 1, 1, 15625, 1))},
		{"powers of long integers", 17, func(b *Builder) {
			x, y := b.Input("x", onnxpb.Int64, 4), b.Input("y", onnxpb.Int64, 4)
			b.Output(b.Node("Pow", "p", []string{x, y}), onnxpb.Int64)
		}, of(i64([]int64{4}, 3, -2, -1, 10), i64([]int64{4}, 39, 63, math.MaxInt64, 18)), of(i64([]int64{4}, 4052555153018976267, math.MinInt64, -1, 1000000000000000000))},
		{"roots of integers", 17, func(b *Builder) {
			x := b.Input("x", onnxpb.Int32, 3)
			b.Output(b.Node("Pow", "constant", []string{x, b.Initializer("half", Floats(nil, 0.5))}), onnxpb.Int32)
			b.Output(b.Node("Pow", "data", []string{x, b.Input("y", onnxpb.Float, 3)}), onnxpb.Int32)
		}, of(i32([]int64{3}, 16, 10, 4), f32([]int64{3}, 1.5, 2, -0.5)), of(i32([]int64{3}, 4, 3, 2), i32([]int64{3}, 64, 100, 0))},
		{"maxima of bytes and their places", 17, func(b *Builder) {
			for _, c := range []struct {
				name string
				t    onnxpb.DataType
			}{{"i", onnxpb.Int8}, {"u", onnxpb.Uint8}} {
				y, at := c.name+"y", c.name+"at"
				b.NodeOut("MaxPool", c.name+"pool", []string{b.Input(c.name, c.t, 1, 2, 3)}, []string{y, at}, IntList("kernel_shape", 2), IntList("pads", 1, 0), IntList("strides", 2))
				b.Output(y, c.t)
				b.Output(at, onnxpb.Int64)
			}
		}, of(tensor.MustOf([]int64{1, 2, 3}, []int8{-128, -128, -3, 5, 5, 127}), tensor.MustOf([]int64{1, 2, 3}, []uint8{0, 0, 0, 255, 7, 200})), of(
			tensor.MustOf([]int64{1, 2, 2}, []int8{-128, -3, 5, 127}), i64([]int64{1, 2, 2}, 0, 2, 3, 5), tensor.MustOf([]int64{1, 2, 2}, []uint8{0, 0, 255, 200}), i64([]int64{1, 2, 2}, 0, 1, 3, 5))},
		{"bounds at the ends of integers", 17, func(b *Builder) {
			x, u := b.Input("x", onnxpb.Int64, 4), b.Input("u", onnxpb.Uint64, 3)
			low, most := b.Initializer("low", Ints(nil, -10)), b.Initializer("most", Ints(nil, math.MaxInt64))
			least := b.Initializer("least", Ints(nil, math.MinInt64))
			b.Output(b.Node("Clip", "up", []string{x, low, most}), onnxpb.Int64)
			b.Output(b.Node("Clip", "down", []string{x, least, low}), onnxpb.Int64)
			b.Output(b.Node("Clip", "all", []string{x, least, b.Initializer("next", Ints(nil, math.MaxInt64-1))}), onnxpb.Int64)
			end := onnxpb.Tensor{Type: onnxpb.Uint64, Data: bytes.Repeat([]byte{255}, 8)}
			two := onnxpb.Tensor{Type: onnxpb.Uint64, Data: []byte{2, 0, 0, 0, 0, 0, 0, 0}}
			b.Output(b.Node("Clip", "unsigned", []string{u, b.Initializer("two", two), b.Initializer("end", end)}), onnxpb.Uint64)
			b.Output(b.Node("Clip", "crossed", []string{u, b.Initializer("high", end), b.Initializer("2", two)}), onnxpb.Uint64)
		}, of(i64([]int64{4}, math.MaxInt64, 5, -11, math.MinInt64), tensor.MustOf([]int64{3}, []uint64{0, 7, math.MaxUint64})), of(
			i64([]int64{4}, math.MaxInt64, 5, -10, -10), i64([]int64{4}, -10, -10, -11, math.MinInt64), i64([]int64{4}, math.MaxInt64-1, 5, -11, math.MinInt64),
			tensor.MustOf([]int64{3}, []uint64{2, 7, math.MaxUint64}), tensor.MustOf([]int64{3}, []uint64{2, 2, 2}))},
		{"comparisons with the ends of integers", 17, func(b *Builder) {
			x, most, least := b.Input("x", onnxpb.Int64, 3), b.Initializer("most", Ints(nil, math.MaxInt64)), b.Initializer("least", Ints(nil, math.MinInt64))
			for _, op := range []string{"Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"} {
				b.Output(b.Node(op, "most"+op, []string{most, x}), onnxpb.Bool)
				b.Output(b.Node(op, "least"+op, []string{x, least}), onnxpb.Bool)
			}
		}, of(i64([]int64{3}, math.MaxInt64, math.MinInt64, 0)), of(
			bits(0, 1, 1), bits(1, 0, 1), bits(1, 1, 1), bits(1, 1, 1), bits(0, 0, 0), bits(0, 0, 0), bits(1, 0, 0), bits(0, 1, 0), bits(1, 0, 0), bits(0, 1, 0))},
		{"casts of what wraps", 17, func(b *Builder) {
			x, u := b.Input("x", onnxpb.Uint32, 2), b.Input("u", onnxpb.Uint8, 2)
			y := b.Node("Cast", "signed", []string{x}, Int("to", int64(onnxpb.Int32)))
			b.Output(b.Node("Mod", "rest", []string{y, b.Initializer("5", onnxpb.Tensor{Type: onnxpb.Int32, Data: []byte{5, 0, 0, 0}})}), onnxpb.Int32)
			d := b.Node("Sub", "difference", []string{b.Initializer("1", onnxpb.Tensor{Type: onnxpb.Uint8, Data: []byte{1}}), u})
			b.Output(b.Node("Greater", "large", []string{b.Node("Cast", "wide", []string{d}, Int("to", int64(onnxpb.Int64))), b.Initializer("4", Ints(nil, 4))}), onnxpb.Bool)
		}, of(tensor.MustOf([]int64{2}, []uint32{math.MaxUint32 - 7, 7}), tensor.MustOf([]int64{2}, []uint8{7, 0})), of(i32([]int64{2}, 2, 2), bits(1, 0))},
		{"a threshold of what is no number", 17, func(b *Builder) {
			b.Output(b.Node("ThresholdedRelu", "t", []string{b.Input("x", onnxpb.Float, 4)}, Float("alpha", -1)), onnxpb.Float)
		}, of(f32([]int64{4}, math.NaN(), -1, -0.5, math.Inf(1))), of(f32([]int64{4}, 0, 0, -0.5, math.Inf(1)))},
		{"a padding that no float holds", 17, func(b *Builder) {
			x, v := b.Input("x", onnxpb.Int64, 3), b.Initializer("v", Ints(nil, large))
			b.Output(b.Node("Pad", "p", []string{x, b.Initializer("pads", Shape(1, 0)), v}), onnxpb.Int64)
			b.Output(b.Node("Pad", "q", []string{x, b.Initializer("crop", Shape(-2, 1)), v}), onnxpb.Int64)
			b.Output(b.Node("Pad", "r", []string{x, b.Initializer("ends", Shape(1, -1)), b.Input("w", onnxpb.Int64)}), onnxpb.Int64)
		}, of(i64([]int64{3}, 1, 2, 3), i64(nil, large)), of(i64([]int64{4}, large, 1, 2, 3), i64([]int64{2}, 3, large), i64([]int64{3}, large, 1, 2))},
		{"one beside none", 17, func(b *Builder) {
			x, none := b.Input("x", onnxpb.Float, "n", 2), b.Initializer("none", Floats([]int64{0, 2}))
			b.Output(b.Node("Add", "a", []string{x, none}), onnxpb.Float)
			b.Output(b.Node("Add", "b", []string{none, x}), onnxpb.Float)
		}, of(f32([]int64{1, 2}, 1, 2)), of(f32([]int64{0, 2}), f32([]int64{0, 2}))},
		{"a mean along extents of which one is 1", 17, func(b *Builder) {
			x, y, z := b.Input("x", onnxpb.Float, 1, "n", "n"), b.Input("y", onnxpb.Float, "n", "m"), b.Input("z", onnxpb.Float, "n")
			b.Output(b.Node("Mean", "mean", []string{x, y, z}), onnxpb.Float)
		}, of(f32([]int64{1, 1, 1}, 3), f32([]int64{1, 2}, 4, 7), f32([]int64{1}, 2)), of(f32([]int64{1, 1, 2}, 3, 4))},
		{"known parts of what is not known", 17, func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n", 2)
			b.NodeOut("Split", "split", []string{x, b.Initializer("sizes", Shape(2, 1))}, []string{"head", "tail"})
			b.Output(b.Node("Add", "sum", []string{"tail", b.Initializer("one", Floats([]int64{1, 2}, 1, 1))}), onnxpb.Float, 1, 2)
			b.Output("head", onnxpb.Float, 2, 2)
		}, of(f32([]int64{3, 2}, 1, 2, 3, 4, 5, 6)), of(f32([]int64{1, 2}, 6, 7), f32([]int64{2, 2}, 1, 2, 3, 4))},
		{"integers through a narrow type", 17, func(b *Builder) {
			narrow := b.Node("Cast", "narrow", []string{b.Input("x", onnxpb.Int64, 3)}, Int("to", int64(onnxpb.Uint32)))
			b.Output(b.Node("Cast", "wide", []string{narrow}, Int("to", int64(onnxpb.Int64))), onnxpb.Int64)
		}, of(i64([]int64{3}, -1, 1<<40+7, 5)), of(i64([]int64{3}, 1<<32-1, 7, 5))},
	}
}
