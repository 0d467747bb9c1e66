package onnx

import (
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// TestValues evaluates what was imported and compares it with the expected outputs, for
// the models that are small enough.
func TestValues(t *testing.T) {
	cases := onnxtest.Gallery(t)
	t.Run("gallery", func(t *testing.T) { testValues(t, cases) })
	t.Run("real", func(t *testing.T) {
		var small []onnxtest.Case
		for _, c := range onnxtest.Real(t) {
			switch c.Name {
			case "mnist_8", "micro_kws_fp32", "tinystories260k":
				small = append(small, c)
			}
		}
		testValues(t, small)
	})
}

func testValues(t *testing.T, cases []onnxtest.Case) {
	for _, c := range cases {
		m := c.Model(t)
		for i, set := range c.Sets {
			shape := []Dim{}
			for _, d := range set.Inputs[0].Dims {
				shape = append(shape, Dim{Value: d})
			}
			mod, err := Import(t.Context(), m, Options{Shapes: map[string][]Dim{dataInput(m).Name: shape}})
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			x, err := refeval.FromONNX(set.Inputs[0])
			if err != nil {
				t.Fatal(err)
			}
			out, err := evaluate(mod, []*tensor{x})
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			worst, err := c.Tolerance.Compare(out[0].Float32(""), set.Outputs[0])
			if err != nil {
				t.Errorf("%s, set %d: %v", c.Name, i, err)
			}
			t.Logf("%s, set %d: largest error %g", c.Name, i, worst)
		}
	}
}
