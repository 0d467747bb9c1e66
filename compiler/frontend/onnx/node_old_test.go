package onnx

import (
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// ownOld are nodes of operator sets before 7, with values by the texts of the operators.
func ownOld() []onnxtest.NodeCase {
	floats := func(dims []int64, v ...float32) *onnxpb.Tensor { return ptr(ob.Floats(dims, v...)) }
	bools := func(dims []int64, bits ...byte) *onnxpb.Tensor {
		return &onnxpb.Tensor{Type: onnxpb.Bool, Dims: dims, Data: bits}
	}
	list := func(t ...*onnxpb.Tensor) []*onnxpb.Tensor { return t }
	image := floats([]int64{1, 2, 1, 2}, 1, -2, 3, -4)
	rows := floats([]int64{1, 1, 3, 3}, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	consumed := ob.IntList("consumed_inputs", 0)
	return []onnxtest.NodeCase{
		// The axes of the second operand are those of the first from axis 1 on.
		ownNodeIn(6, "Add", list(image, floats([]int64{2}, 10, 20)), list(floats([]int64{1, 2, 1, 2}, 11, 8, 23, 16)), ob.Int("broadcast", 1), ob.Int("axis", 1)),
		ownNodeIn(1, "Sub", list(image, floats([]int64{2}, 10, 20)), list(floats([]int64{1, 2, 1, 2}, -9, -22, -7, -24)), ob.Int("broadcast", 1), consumed),
		ownNodeIn(6, "Mul", list(image, floats([]int64{2, 1}, 10, 20)), list(floats([]int64{1, 2, 1, 2}, 10, -20, 60, -80)), ob.Int("broadcast", 1), ob.Int("axis", -3)),
		ownNodeIn(1, "Div", list(image, floats([]int64{1, 2}, 2, 4)), list(floats([]int64{1, 2, 1, 2}, .5, -.5, 1.5, -1)), ob.Int("broadcast", 1), ob.Int("axis", 0+2)),
		ownNodeIn(1, "And", list(bools([]int64{2, 2}, 1, 1, 0, 1), bools([]int64{2}, 1, 0)), list(bools([]int64{2, 2}, 1, 1, 0, 0)), ob.Int("broadcast", 1), ob.Int("axis", 0)),
		ownNodeIn(1, "Greater", list(floats([]int64{2, 2}, 1, 2, 3, 4), floats([]int64{2}, 1, 4)), list(bools([]int64{2, 2}, 0, 1, 0, 0)), ob.Int("broadcast", 1), ob.Int("axis", 0)),
		ownNodeIn(6, "PRelu", list(image, floats([]int64{2}, 10, 20)), list(floats([]int64{1, 2, 1, 2}, 1, -20, 3, -80))),
		ownNodeIn(1, "PRelu", list(image, floats([]int64{1}, 10)), list(floats([]int64{1, 2, 1, 2}, 1, -20, 3, -40)), consumed),
		ownNodeIn(6, "Gemm", list(floats([]int64{1, 2}, 1, 2), floats([]int64{2, 2}, 1, 2, 3, 4), floats([]int64{2}, 5, 6)), list(floats([]int64{1, 2}, 12, 16)), ob.Int("broadcast", 1)),
		ownNodeIn(4, "Reshape", list(image), list(floats([]int64{2, 2}, 1, -2, 3, -4)), ob.IntList("shape", 0+2, -1), consumed),
		ownNodeIn(5, "Cast", list(image), list(&onnxpb.Tensor{Type: onnxpb.Int8, Dims: []int64{1, 2, 1, 2}, Data: []byte{1, 0xfe, 3, 0xfc}}), ob.Str("to", "INT8")),
		ownNodeIn(1, "Concat", list(image, image), list(floats([]int64{1, 4, 1, 2}, 1, -2, 3, -4, 1, -2, 3, -4))),
		ownNodeIn(1, "Pad", list(floats([]int64{1, 2}, 1, 2)), list(floats([]int64{1, 4}, 9, 1, 2, 9)), ob.IntList("paddings", 0, 1, 0, 1), ob.Float("value", 9)),
		ownNodeIn(1, "GlobalLpPool", list(floats([]int64{1, 1, 1, 2}, 3, -4)), list(floats([]int64{1, 1, 1, 1}, 5)), ob.Float("p", 2)),
		ownNodeIn(1, "LpPool", list(floats([]int64{1, 1, 3}, 3, -4, 5)), list(floats([]int64{1, 1, 2}, 7, 9)), ob.Float("p", 1), ob.IntList("kernel_shape", 2)),
		ownNodeIn(1, "Selu", list(floats([]int64{2}, 2, -1e9)), list(floats([]int64{2}, 2.1014, -1.75803124)), consumed),
		ownNodeIn(1, "Upsample", list(image), list(floats([]int64{1, 2, 2, 4}, 1, 1, -2, -2, 1, 1, -2, -2, 3, 3, -4, -4, 3, 3, -4, -4)), ob.Float("height_scale", 2), ob.Float("width_scale", 2), ob.Str("mode", "nearest")),
		ownNodeIn(1, "Tile", list(floats([]int64{1, 2}, 1, 2), floats([]int64{1}, 2), floats([]int64{1}, 1)), list(floats([]int64{1, 4}, 1, 2, 1, 2))),
		ownNodeIn(6, "BatchNormalization", list(image, floats([]int64{2}, 1, 2), floats([]int64{2}, 0, 1), floats([]int64{2}, 1, 3), floats([]int64{2}, 4, 1)),
			list(floats([]int64{1, 2, 1, 2}, 0, -1.5, 1, -13)), ob.Int("is_test", 1), ob.Float("epsilon", 0)),
		ownNodeIn(1, "Sigmoid", list(floats([]int64{1}, 0)), list(floats([]int64{1}, .5)), consumed),
		ownNodeIn(1, "Affine", list(floats([]int64{2}, 1, -2)), list(floats([]int64{2}, 3.5, -2.5)), ob.Float("alpha", 2), ob.Float("beta", 1.5)),
		ownNodeIn(1, "Scale", list(floats([]int64{2}, 1, -2)), list(floats([]int64{2}, 2.5, -5)), ob.Float("scale", 2.5)),
		ownNodeIn(1, "ScaledTanh", list(floats([]int64{2}, .25, -1e3)), list(floats([]int64{2}, 1.3863513, -3)), ob.Float("alpha", 3), ob.Float("beta", 2)),
		ownNodeIn(1, "ParametricSoftplus", list(floats([]int64{3}, 0, 1e3, -1e3)), list(floats([]int64{3}, 2.0794415, 6e3, 0)), ob.Float("alpha", 3), ob.Float("beta", 2)),
		ownNodeIn(1, "ImageScaler", list(image), list(floats([]int64{1, 2, 1, 2}, 3, -3, 11, -3)), ob.Float("scale", 2), ob.FloatList("bias", 1, 5)),
		// From the left, the top, the right and the bottom; with a scale the last two do not count.
		ownNodeIn(1, "Crop", list(rows), list(floats([]int64{1, 1, 1, 2}, 4, 5)), ob.IntList("border", 1, 1, 0, 1)),
		ownNodeIn(1, "Crop", list(rows), list(floats([]int64{1, 1, 2, 1}, 1, 4)), ob.IntList("border", 1, 0, 9, 9), ob.IntList("scale", 2, 1)),
		ownNodeIn(1, "DynamicSlice", list(floats([]int64{2, 3}, 0, 1, 2, 3, 4, 5), ptr(ob.Shape(1, 0)), ptr(ob.Shape(9, -1))), list(floats([]int64{1, 2}, 3, 4))),
		ownNodeIn(1, "RNN", list(floats([]int64{1, 1, 1}, .5), floats([]int64{1, 1, 1}, 2), floats([]int64{1, 1, 1}, 1)), list(floats([]int64{1, 1, 1, 1}, .76159416)), ob.Int("hidden_size", 1), ob.Int("output_sequence", 1)),
	}
}

// TestOldErrors are those of what old operators say in other ways.
func TestOldErrors(t *testing.T) {
	attrs := func(as ...onnxpb.Attribute) []onnxpb.Attribute { return as }
	x := "x:f:1 3 8 8"
	for want, b := range map[string]*ob.Builder{
		`Add "node" (operator set 6): attribute "axis" is 3 for inputs of 4 and 2 dimensions`: one(6, "Add", attrs(ob.Int("broadcast", 1), ob.Int("axis", 3)), x, "z:f:8 8"),
		`attribute "to" is "float", expected the name of an element type such as "FLOAT"`:     one(5, "Cast", attrs(ob.Str("to", "float")), x),
		`attribute "p" is 1.5, supported are whole numbers`:                                   one(1, "GlobalLpPool", attrs(ob.Float("p", 1.5)), x),
		`ScaledTanh "node" (operator set 6): attribute "alpha" is missing`:                    one(6, "ScaledTanh", attrs(ob.Float("beta", 2)), x),
		`which do not fit an image of 8 rows and 8 columns`:                                   one(1, "Crop", attrs(ob.IntList("border", 5, 0, 4, 0)), x),
		`attribute "bias" has 2 elements for 3 channels, expected one for each`:               one(1, "ImageScaler", attrs(ob.FloatList("bias", 1, 2)), x),
		`unknown attribute "broadcast"`:                                                       one(7, "Add", attrs(ob.Int("broadcast", 1)), x, "z:f:8 8"),
	} {
		if _, err := tryImport(t, b, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
