// Package onnxtest finds ONNX models with known inputs and outputs for tests: the small
// ones in the repository's testdata, and the published ones in a folder beside it.
//
// Tests of any layer may import it. It imports onnxpb and knows no importer.
package onnxtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/e2e/fixture/published"
	"github.com/irscope/irscope/runtime/tensor"
)

// Case is a model with data to check it by.
type Case struct {
	Name      string
	Path      string // of the .onnx file
	Sets      []Set
	Tolerance Tolerance
	Seeded    bool // the weights are made by SeedWeights
}

// Set is one test_data_set folder: inputs in the order of the graph's inputs that are not
// initializers, and the outputs that belong to them.
type Set struct {
	Inputs, Outputs []*onnxpb.Tensor
}

// root is the top of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "..")
}

// Dir returns the folder of the published data, or skips the test; see published.ONNX.
func Dir(tb testing.TB) string {
	tb.Helper()
	return published.ONNX(tb)
}

// Gallery returns the models of the gallery with their data in testdata/models.
func Gallery(tb testing.TB) []Case {
	tb.Helper()
	dir := filepath.Join(root(), "testdata", "models")
	return cases(tb, filepath.Join(dir, "*.onnx"), func(path, name string) Case {
		return Case{Name: name, Tolerance: Tolerance{Rel: 1e-4, Abs: 1e-5}, Sets: sets(tb, filepath.Join(dir, name))}
	})
}

// Real returns the published trained models.
func Real(tb testing.TB) []Case {
	tb.Helper()
	return cases(tb, filepath.Join(Dir(tb), "real", "*", "model.onnx"), func(path, _ string) Case {
		folder := filepath.Dir(path)
		return Case{Name: filepath.Base(folder), Tolerance: Tolerance{Rel: 1e-3, Abs: 1e-4}, Sets: sets(tb, folder)}
	})
}

// Light returns the nine network graphs of the ONNX backend suite with the outputs that
// belong to seeded weights: call Case.Model for the model that has them. Where the expected
// outputs have a second one it is the input of the last Softmax.
func Light(tb testing.TB) []Case {
	tb.Helper()
	dir := Dir(tb)
	return cases(tb, filepath.Join(dir, "light", "*.onnx"), func(path, name string) Case {
		c := Case{Name: name, Seeded: true, Tolerance: Tolerance{Rel: 1e-3, OfMax: 1e-5}}
		for _, s := range sets(tb, filepath.Join(dir, "light_seeded", name)) {
			s.Inputs = []*onnxpb.Tensor{Ramp(1, 3, 224, 224)}
			c.Sets = append(c.Sets, s)
		}
		return c
	})
}

func cases(tb testing.TB, pattern string, f func(path, name string) Case) (out []Case) {
	tb.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	if len(paths) == 0 {
		tb.Fatalf("no models match %s", pattern)
	}
	for _, p := range paths {
		c := f(p, filepath.Base(p[:len(p)-len(filepath.Ext(p))]))
		if c.Path = p; len(c.Sets) == 0 {
			tb.Fatalf("%s has no test_data_set beside it", p)
		}
		out = append(out, c)
	}
	return out
}

func sets(tb testing.TB, folder string) (out []Set) {
	tb.Helper()
	for i := 0; ; i++ {
		dir := filepath.Join(folder, fmt.Sprintf("test_data_set_%d", i))
		if _, err := os.Stat(dir); err != nil {
			return out
		}
		out = append(out, Set{tensors(tb, dir, "input"), tensors(tb, dir, "output")})
	}
}

func tensors(tb testing.TB, dir, kind string) (out []*onnxpb.Tensor) {
	tb.Helper()
	for i := 0; ; i++ {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_%d.pb", kind, i)))
		if err != nil {
			return out
		}
		t, err := onnxpb.ReadTensor(data, onnxpb.Options{})
		if err != nil {
			tb.Fatalf("%s: %v", dir, err)
		}
		out = append(out, t)
	}
}

// Tensors returns what tensors of a set hold, as the runtime takes it. The data is shared.
func Tensors(list []*onnxpb.Tensor) ([]*tensor.Tensor, error) {
	out := make([]*tensor.Tensor, len(list))
	for i, pb := range list {
		dt, err := pb.Type.DType()
		if err != nil {
			return nil, err
		}
		if out[i], err = tensor.FromBytes(dt, pb.Dims, pb.Unpacked()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Model reads the model of c, with seeded weights and outputs where c has them.
func (c Case) Model(tb testing.TB) *onnxpb.Model {
	tb.Helper()
	data, err := os.ReadFile(c.Path)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := onnxpb.Read(data, onnxpb.Options{})
	if err != nil {
		tb.Fatalf("%s: %v", c.Path, err)
	}
	if !c.Seeded {
		return m
	}
	if err := SeedWeights(m); err != nil {
		tb.Fatalf("%s: %v", c.Path, err)
	}
	if len(c.Sets[0].Outputs) == 2 {
		OutputLogits(m)
	}
	return m
}

// Ramp is the float32 tensor whose element i of n is i/n, rounded once from float64.
func Ramp(dims ...int64) *onnxpb.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]byte, 0, 4*n)
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(float64(i)/float64(n))))
	}
	return &onnxpb.Tensor{Type: onnxpb.Float, Dims: dims, Data: data}
}
