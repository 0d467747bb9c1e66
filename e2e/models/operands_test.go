package models

import (
	"math"
	"testing"

	. "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// operandModels have operands that are data, or computed from symbolic dimensions, where most models have constants.
func operandModels() []control {
	vec := func(list ...float64) *tensor.Tensor { return f32([]int64{int64(len(list))}, list...) }
	ints := func(list ...float64) *tensor.Tensor { return i64([]int64{int64(len(list))}, list...) }
	scalar := func(v float64) *tensor.Tensor { return i64([]int64{}, v) }
	nan := math.NaN()
	return []control{
		{"pads that are data", func(b *Builder) {
			x, pads, fill := b.Input("x", onnxpb.Float, "n", 2), b.Input("pads", onnxpb.Int64, 2), b.Input("fill", onnxpb.Float)
			axis := b.Initializer("axis", Shape(0))
			b.Output(b.Node("Pad", "constant", ids(x, pads, fill, axis)), onnxpb.Float)
			b.Output(b.Node("Pad", "edge", ids(x, pads, "", axis), Str("mode", "edge")), onnxpb.Float)
			b.Output(b.Node("Pad", "reflect", ids(x, pads, "", axis), Str("mode", "reflect")), onnxpb.Float)
			b.Output(b.Node("ReduceSum", "sum", ids(b.Node("Pad", "wrap", ids(x, pads, "", axis), Str("mode", "wrap")), b.Initializer("one", Shape(1))), Int("keepdims", 0)), onnxpb.Float)
		}, [][]*tensor.Tensor{
			tensors(counted(3, 2), ints(2, 1), f32([]int64{}, nan)), tensors(counted(1, 2), ints(0, 1), f32([]int64{}, 7)), tensors(counted(2, 2), ints(0, 0), f32([]int64{}, 7)),
		}, [][]*tensor.Tensor{
			tensors(f32([]int64{6, 2}, nan, nan, nan, nan, 0, 1, 2, 3, 4, 5, nan, nan), f32([]int64{6, 2}, 0, 1, 0, 1, 0, 1, 2, 3, 4, 5, 4, 5), f32([]int64{6, 2}, 4, 5, 2, 3, 0, 1, 2, 3, 4, 5, 2, 3), vec(5, 9, 1, 5, 9, 1)),
			tensors(f32([]int64{2, 2}, 0, 1, 7, 7), f32([]int64{2, 2}, 0, 1, 0, 1), f32([]int64{2, 2}, 0, 1, 0, 1), vec(1, 1)),
			tensors(counted(2, 2), counted(2, 2), counted(2, 2), vec(1, 5)),
		}},
		{"pads to a multiple", func(b *Builder) {
			x := b.Input("x", onnxpb.Float, "n")
			n := b.Node("Shape", "shape", ids(x))
			four, none := b.Initializer("four", Shape(4)), b.Initializer("none", Shape(0))
			rest := b.Node("Mod", "rest", ids(b.Node("Sub", "less", ids(none, n)), four))
			// As exporters of PyTorch write it: pairs of pads from the last axis to the first become those of all starts, then of all ends.
			pairs := b.Node("Reshape", "pairs", ids(b.Node("Concat", "pads", ids(none, rest), Int("axis", 0)), b.Initializer("two", Shape(-1, 2))))
			back := b.Node("Slice", "back", ids(pairs, b.Initializer("last", Shape(-1)), b.Initializer("end", Shape(math.MinInt64)), none, b.Initializer("step", Shape(-1))))
			y := b.Node("Pad", "y", ids(x, b.Node("Reshape", "list", ids(b.Node("Transpose", "t", ids(back)), b.Initializer("all", Shape(-1))))))
			b.Output(b.Node("Reshape", "rows", ids(y, b.Initializer("to", Shape(-1, 4)))), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(vec(1, 2, 3, 4, 5)), tensors(vec(1, 2, 3, 4)), tensors(vec())}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 4}, 1, 2, 3, 4, 5, 0, 0, 0)), tensors(f32([]int64{1, 4}, 1, 2, 3, 4)), tensors(f32([]int64{0, 4})),
		}},
		{"the greatest of a number that is data, or computed from an extent", func(b *Builder) {
			x, k := b.Input("x", onnxpb.Float, 2, "n"), b.Input("k", onnxpb.Int64, 1)
			b.NodeOut("TopK", "some", ids(x, k), ids("v", "i"))
			b.Output("v", onnxpb.Float)
			b.Output("i", onnxpb.Int64)
			b.NodeOut("Shape", "shape", ids(x), ids("s"), Int("start", 1))
			few := b.Node("Min", "few", ids("s", b.Initializer("three", Shape(3))))
			b.NodeOut("TopK", "few3", ids(x, few), ids("w", ""), Int("largest", 0))
			b.Output(b.Node("Neg", "after", ids("w")), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(f32([]int64{2, 4}, 3, 1, 4, 1, 5, 9, 2, 6), ints(2)), tensors(f32([]int64{2, 1}, 3, 1), ints(0)), tensors(f32([]int64{2, 2}, 3, 1, 2, 2), ints(2))}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 2}, 4, 3, 9, 6), i64([]int64{2, 2}, 2, 0, 1, 3), f32([]int64{2, 3}, -1, -1, -3, -2, -5, -6)),
			tensors(f32([]int64{2, 0}), i64([]int64{2, 0}), f32([]int64{2, 1}, -3, -1)),
			tensors(f32([]int64{2, 2}, 3, 1, 2, 2), i64([]int64{2, 2}, 0, 1, 0, 1), f32([]int64{2, 2}, -1, -3, -2, -2)),
		}},
		{"a size of images that is data", func(b *Builder) {
			x, hw := b.Input("x", onnxpb.Float, "n", 1, "h", 2), b.Input("hw", onnxpb.Int64, 2)
			b.NodeOut("Shape", "shape", ids(x), ids("front"), Int("end", 2))
			sizes := b.Node("Concat", "sizes", ids("front", hw), Int("axis", 0))
			b.Output(b.Node("Resize", "nearest", ids(x, "", "", sizes), Str("coordinate_transformation_mode", "asymmetric"), Str("nearest_mode", "floor")), onnxpb.Float)
			b.Output(b.Node("Resize", "linear", ids(x, "", "", sizes), Str("mode", "linear")), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(f32([]int64{1, 1, 2, 2}, 0, 1, 2, 3), ints(4, 2)), tensors(f32([]int64{2, 1, 1, 2}, 0, 1, 2, 3), ints(1, 1))}, [][]*tensor.Tensor{
			tensors(f32([]int64{1, 1, 4, 2}, 0, 1, 0, 1, 2, 3, 2, 3), f32([]int64{1, 1, 4, 2}, 0, 1, .5, 1.5, 1.5, 2.5, 2, 3)),
			tensors(f32([]int64{2, 1, 1, 1}, 0, 2), f32([]int64{2, 1, 1, 1}, .5, 2.5)),
		}},
		{"triangles of a diagonal that is data", func(b *Builder) {
			x, k := b.Input("x", onnxpb.Float, "n", 3), b.Input("k", onnxpb.Int64)
			b.Output(b.Node("Trilu", "upper", ids(x, k)), onnxpb.Float)
			b.Output(b.Node("Trilu", "lower", ids(x, k), Int("upper", 0)), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(f32([]int64{2, 3}, nan, 2, 3, 4, 5, 6), scalar(1)), tensors(f32([]int64{2, 3}, nan, 2, 3, 4, 5, 6), scalar(-1)), tensors(f32([]int64{0, 3}), scalar(9))}, [][]*tensor.Tensor{
			tensors(f32([]int64{2, 3}, 0, 2, 3, 0, 0, 6), f32([]int64{2, 3}, nan, 2, 0, 4, 5, 6)), tensors(f32([]int64{2, 3}, nan, 2, 3, 4, 5, 6), f32([]int64{2, 3}, 0, 0, 0, 4, 0, 0)),
			tensors(f32([]int64{0, 3}), f32([]int64{0, 3})),
		}},
		{"a depth and values that are data", func(b *Builder) {
			x, depth, values := b.Input("x", onnxpb.Int64, "n"), b.Input("depth", onnxpb.Int64), b.Input("values", onnxpb.Float, 2)
			b.Output(b.Node("OneHot", "last", ids(x, depth, values)), onnxpb.Float)
			b.Output(b.Node("OneHot", "first", ids(x, depth, values), Int("axis", 0)), onnxpb.Float)
		}, [][]*tensor.Tensor{tensors(ints(1, -1, 7), scalar(3), vec(.5, nan)), tensors(ints(), scalar(2), vec(0, 1))}, [][]*tensor.Tensor{
			tensors(f32([]int64{3, 3}, .5, nan, .5, .5, .5, nan, .5, .5, .5), f32([]int64{3, 3}, .5, .5, .5, nan, .5, .5, .5, nan, .5)), tensors(f32([]int64{0, 2}), f32([]int64{2, 0})),
		}},
	}
}

// TestOperandsThatDoNotFit: operands that are data and make no sense are errors of the run.
func TestOperandsThatDoNotFit(t *testing.T) {
	h, b := newHarness(t), New("operands", 17)
	x, k, pads := b.Input("x", onnxpb.Float, "n"), b.Input("k", onnxpb.Int64, 1), b.Input("pads", onnxpb.Int64, 2)
	b.NodeOut("TopK", "some", ids(x, k), ids("v", "i"))
	b.Output("v", onnxpb.Float)
	b.Output(b.Node("Pad", "padded", ids(x, pads)), onnxpb.Float)
	for _, s := range []settings{{target: target.Of("interp")}, {target: target.Of("wasm"), level: 2}, {target: target.Of("x86"), level: 2}} {
		res, err := h.compile(h.importModel(b.Model()), s)
		if err != nil {
			t.Fatal(err)
		}
		prog := h.open(res.Artifact)
		for _, bad := range [][3]float64{{4, 0, 0}, {-1, 0, 0}, {1, -1, 0}, {1, 0, -2}, {1 << 40, 0, 0}, {1, 1 << 62, 1 << 62}} {
			if out, err := prog.Run(t.Context(), "main", f32([]int64{3}, 1, 2, 3), i64([]int64{1}, bad[0]), i64([]int64{2}, bad[1:]...)); err == nil {
				t.Errorf("%s: %v: %v", s, bad, out)
			}
		}
		if _, err := prog.Run(t.Context(), "main", f32([]int64{3}, 1, 2, 3), i64([]int64{1}, 3), i64([]int64{2}, 0, 5)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		prog.Close()
	}
}

