package refeval

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
)

// TestPublished checks the oracle itself against published inputs and outputs.
func TestPublished(t *testing.T) {
	// The others take up to minutes here.
	quick := []string{"mnist_8", "micro_kws_fp32", "tinystories260k", "ultraface_rfb320", "light_squeezenet"}
	for _, c := range append(onnxtest.Real(t), onnxtest.Light(t)...) {
		if !slices.Contains(quick, c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			m := c.Model(t)
			for _, set := range c.Sets {
				var in []*Tensor
				for _, x := range set.Inputs {
					v, err := FromONNX(x)
					if err != nil {
						t.Fatal(err)
					}
					in = append(in, v)
				}
				out, err := Run(m, in)
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range set.Outputs {
					worst, err := c.Tolerance.Compare(out[i].Float32(""), want)
					if err != nil {
						t.Errorf("output %d: %v", i, err)
					}
					t.Logf("output %d: largest error %g", i, worst)
				}
			}
		})
	}
}
