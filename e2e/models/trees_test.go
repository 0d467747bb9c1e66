package models

import (
	"math"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// TestTreesOfTwoClasses runs trees whose leaves vote for one of two classes alone: the score is a probability, which must be above a half, if no vote is negative, and stands
// for both classes.
func TestTreesOfTwoClasses(t *testing.T) {
	nan := float32(math.NaN())
	of := func(name, transform string, low, high float32, base []float32, labels []int64, scores ...float32) onnxtest.NodeCase {
		b := ob.New(name, 17)
		b.Import("ai.onnx.ml", 3)
		x := b.Input("x", onnxpb.Float, "n", 1)
		modes := onnxpb.Attribute{Name: "nodes_modes", Type: onnxpb.AttrStrings, Strings: [][]byte{[]byte("BRANCH_LT"), []byte("LEAF"), []byte("LEAF")}}
		attrs := []onnxpb.Attribute{
			ob.IntList("nodes_treeids", 0, 0, 0), ob.IntList("nodes_nodeids", 0, 1, 2), ob.IntList("nodes_featureids", 0, 0, 0), ob.FloatList("nodes_values", 2, 0, 0), modes,
			ob.IntList("nodes_truenodeids", 1, 0, 0), ob.IntList("nodes_falsenodeids", 2, 0, 0), ob.IntList("class_treeids", 0, 0), ob.IntList("class_nodeids", 1, 2), ob.IntList("class_ids", 0, 0),
			ob.FloatList("class_weights", low, high), ob.IntList("classlabels_int64s", 5, 9), ob.Str("post_transform", transform),
		}
		if base != nil {
			attrs = append(attrs, ob.FloatList("base_values", base...))
		}
		b.NodeOut("ai.onnx.ml.TreeEnsembleClassifier", "node", []string{x}, []string{"label", "scores"}, attrs...)
		b.Output("label", onnxpb.Int64, "n")
		b.Output("scores", onnxpb.Float, "n", 2)
		in, label, score := ob.Floats([]int64{3, 1}, 1, 2, nan), ob.Ints([]int64{3}, labels...), ob.Floats([]int64{3, 2}, scores...)
		return onnxtest.NodeCase{Name: name, Model: b.Bytes(), Sets: []onnxtest.Set{{Inputs: []*onnxpb.Tensor{&in}, Outputs: []*onnxpb.Tensor{&label, &score}}}}
	}
	cases := []onnxtest.NodeCase{
		of("probabilities", "NONE", .25, .75, nil, []int64{5, 9, 9}, .75, .25, .25, .75, .25, .75),
		of("half", "NONE", .5, .625, nil, []int64{5, 9, 9}, .5, .5, .375, .625, .375, .625),
		of("odds", "NONE", -.25, .25, nil, []int64{5, 9, 9}, .25, -.25, -.25, .25, -.25, .25),
		of("logistic", "LOGISTIC", -1, 1, []float32{1}, []int64{5, 9, 9}, .5, .5, .11920292, .88079708, .11920292, .88079708),
	}
	if passed := runNodes(t, cases); passed["wasm"] != len(cases) {
		t.Errorf("%v agree, expected all %d", passed, len(cases))
	}
}
