package galleryspec

import (
	"fmt"

	"github.com/irscope/irscope/compiler/frontend/onnx/internal/refeval"
	ob "github.com/irscope/irscope/compiler/frontend/onnx/onnxbuild"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// Where the files go, below the top of the repository.
const (
	embedded = "compiler/frontend/onnx/gallery/models/"
	testdata = "testdata/models/"
)

// batches are the sizes at which a model with a symbolic batch has test data.
var batches = []int64{1, 3, 8}

// Files returns the contents of every generated file by its path in the repository.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, m := range Models() {
		b := m.Marshal()
		files[embedded+name+".onnx"] = b
		files[testdata+name+".onnx"] = b
		in := m.Graph.Inputs[0]
		for set, dims := range inputShapes(in.Type.Tensor) {
			x := ob.Random(fmt.Sprintf("%s/%s/%d", name, in.Name, set), 0, 1, dims...)
			x.Name = in.Name
			v, err := refeval.FromONNX(&x)
			if err != nil {
				return nil, fmt.Errorf("input of %s: %w", name, err)
			}
			out, err := refeval.Run(m, []*refeval.Tensor{v})
			if err != nil {
				return nil, fmt.Errorf("reference output of %s: %w", name, err)
			}
			folder := fmt.Sprintf("%s%s/test_data_set_%d/", testdata, name, set)
			files[folder+"input_0.pb"] = x.Marshal()
			files[folder+"output_0.pb"] = out[0].Float32(m.Graph.Outputs[0].Name).Marshal()
		}
	}
	return files, nil
}

// inputShapes returns the shapes at which to run a model: one, or one for each batch size.
func inputShapes(t *onnxpb.TensorType) [][]int64 {
	var out [][]int64
	for _, n := range batches {
		dims, symbolic := make([]int64, len(t.Shape)), false
		for i, d := range t.Shape {
			if dims[i] = d.Value; !d.HasValue {
				dims[i], symbolic = n, true
			}
		}
		out = append(out, dims)
		if !symbolic {
			break
		}
	}
	return out
}
