package differ

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/runtime/tensor"
)

// recorder keeps some models of each operator in which both agree, for tests where ONNX Runtime is not installed.
type recorder struct{ cases []onnxtest.NodeCase }

// keptOf is how many models of an operator are kept, and keptBytes how many bytes one may take with its data.
const keptOf, keptBytes = 4, 6000

// keptRel is how far results may be apart, relative to an element, in a model that is kept.
const keptRel = 1e-2

// keep takes a model with its first set of inputs, unless there are enough of the operator.
func (r *recorder) keep(d *draw, op string, model []byte, want map[string]*tensor.Tensor) {
	n := 0
	for _, c := range r.cases {
		if c.Op == op {
			n++
		}
	}
	set := onnxtest.Set{}
	size := len(model)
	for _, t := range d.args {
		set.Inputs = append(set.Inputs, &onnxpb.Tensor{Type: onnxpb.FromDType(t.DType), Dims: t.Shape, Data: packed(t)})
		size += len(t.Data)
	}
	for _, out := range d.b.Model().Graph.Outputs {
		t := want[out.Name]
		set.Outputs = append(set.Outputs, &onnxpb.Tensor{Type: onnxpb.FromDType(t.DType), Dims: t.Shape, Data: packed(t)})
		size += len(t.Data)
	}
	if n < keptOf && size <= keptBytes && d.tol.rel <= keptRel {
		r.cases = append(r.cases, onnxtest.NodeCase{Name: fmt.Sprintf("%s_%d", op, n), Op: op, Model: model, Sets: []onnxtest.Set{set}})
	}
}

// write replaces the models of the operators that were drawn in the file of recorded ones.
func (r *recorder) write(t *testing.T, drawn []string) {
	t.Helper()
	for _, c := range onnxtest.Recorded(t) {
		if op := c.Name[:len(c.Name)-2]; !slices.Contains(drawn, op) {
			r.cases = append(r.cases, c)
		}
	}
	slices.SortFunc(r.cases, func(a, b onnxtest.NodeCase) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	var text bytes.Buffer
	z, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	a := tar.NewWriter(z)
	put := func(name string, data []byte) {
		if err := a.WriteHeader(&tar.Header{Name: "node/" + name, Size: int64(len(data)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range r.cases {
		put(c.Name+"/model.onnx", c.Model)
		for i, x := range c.Sets[0].Inputs {
			put(fmt.Sprintf("%s/test_data_set_0/input_%d.pb", c.Name, i), x.Marshal())
		}
		for i, x := range c.Sets[0].Outputs {
			put(fmt.Sprintf("%s/test_data_set_0/output_%d.pb", c.Name, i), x.Marshal())
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Clean(onnxtest.RecordedFile()), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
