package onnxtest

import (
	"math"
	"strings"
	"testing"

	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

func TestCompare(t *testing.T) {
	nan := float32(math.NaN())
	tol := Tolerance{Rel: 0.1, Abs: 0.01}
	for _, tc := range []struct {
		got, want onnxpb.Tensor
		err       string
	}{
		{ob.Floats([]int64{2}, 1, nan), ob.Floats([]int64{2}, 1.05, nan), ""},
		{ob.Floats([]int64{2}, 1, 2), ob.Floats([]int64{2}, 1, 3), "element 1 of 2 is 2, want 3"},
		{ob.Floats([]int64{1}, nan), ob.Floats([]int64{1}, 3), "element 0 of 1 is NaN, want 3"},
		{ob.Floats([]int64{2}, 1, 2), ob.Floats([]int64{1, 2}, 1, 2), "got float32 [2], want float32 [1 2]"},
		{ob.Ints([]int64{1}, 1), ob.Floats([]int64{1}, 1), "got int64 [1], want float32 [1]"},
		{ob.Ints([]int64{1}, 4), ob.Ints([]int64{1}, 5), "element 0 of 1 is 4, want 5"},
	} {
		_, err := tol.Compare(&tc.got, &tc.want)
		if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("got %v, want %q", err, tc.err)
		}
	}
}

// TestSeedWeights checks range and placement of the weights; that they are the published ones is
// checked by the models that are compared with published outputs.
func TestSeedWeights(t *testing.T) {
	b := ob.New("g", 9)
	b.NodeOut("ConstantOfShape", "", []string{b.Initializer("s0", ob.Shape(2, 6))}, []string{"w"})
	b.NodeOut("ConstantOfShape", "", []string{b.Initializer("s1", ob.Shape(3))}, []string{"v"})
	b.NodeOut("Softmax", "", []string{"w"}, []string{"y"})
	m := b.Model()
	if err := SeedWeights(m); err != nil {
		t.Fatal(err)
	}
	if len(m.Graph.Nodes) != 1 || len(m.Graph.Initializers) != 4 {
		t.Fatalf("%d nodes and %d initializers are left", len(m.Graph.Nodes), len(m.Graph.Initializers))
	}
	for i, bounds := range [][2]float64{{-1, 1}, {0.5, 1.5}} {
		w := m.Graph.Initializers[2+i]
		vs, err := w.Floats()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vs {
			if v < bounds[0] || v >= bounds[1] {
				t.Errorf("%s: %g lies outside of %v", w.Name, v, bounds)
			}
		}
		if vs[0] == vs[1] {
			t.Errorf("%s: the first two values are equal", w.Name)
		}
	}
	OutputLogits(m)
	if n := len(m.Graph.Outputs); n != 1 || m.Graph.Outputs[0].Name != "w" {
		t.Errorf("%d outputs", n)
	}
}
