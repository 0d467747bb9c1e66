package inproc_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// give reads a file for a model of the gallery and keeps what it holds.
func (b *bench) give(src store.Source, expected bool, file string, data []byte, taken ...string) ([]run.Tensor, error) {
	b.t.Helper()
	given, err := b.runner.Tensors(b.t.Context(), run.Request{Source: src, Limits: run.DefaultLimits()}, run.TensorFile{Expected: expected, Name: file, Data: data, Taken: taken})
	var out []run.Tensor
	for _, g := range given {
		g.Blob = b.keep(g.Data)
		out = append(out, g.Tensor)
	}
	return out, err
}

func testData(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../testdata/models/mlp/test_data_set_0", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// array is a float32 tensor of a shape as an .npy file.
func array(t *testing.T, shape ...int64) []byte {
	t.Helper()
	var out strings.Builder
	if err := npy.Write(&out, tensor.MustNew(dtype.Float32T, shape...)); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String())
}

// TestRunOnGivenTensors runs a model on its published inputs: the outputs agree with the published ones, of the program and of each pass.
func TestRunOnGivenTensors(t *testing.T) {
	b := open(t, 0)
	in, err := b.give(gallery("mlp"), false, "input_0.pb", testData(t, "input_0.pb"))
	if err != nil || len(in) != 1 || in[0].Name != "image" || in[0].DType != "float32" {
		t.Fatalf("%+v (%v)", in, err)
	}
	want, err := b.give(gallery("mlp"), true, "output_0.pb", testData(t, "output_0.pb"))
	if err != nil || len(want) != 1 || want[0].Name != "probabilities" {
		t.Fatalf("%+v (%v)", want, err)
	}
	settings := run.Settings{OptLevel: 2, Inputs: in, Expected: want}
	evs := b.ok(b.run(gallery("mlp"), settings))
	x := executed(t, evs)
	if len(x) != 1 || x[0].Inputs[0].Source != "input_0.pb" || len(x[0].Expected) != 1 || !x[0].Expected[0].Within || x[0].Expected[0].MaxAbs > 1e-6 {
		t.Errorf("it was executed as %+v", x)
	}
	req := run.Request{Source: gallery("mlp"), Settings: settings, Limits: run.DefaultLimits()}
	rep, err := b.runner.CheckEveryPass(t.Context(), req, func(check.Step) {})
	if err != nil || rep.Fault != nil || rep.Inputs[0].Source != "input_0.pb" || len(rep.Expected) != 1 || !rep.Expected[0].Within || rep.Expected[0].Last == nil {
		t.Errorf("%+v (%v)", rep, err)
	}
	// On another input the output is another one.
	other := settings
	other.Inputs = nil
	if x = executed(t, b.ok(b.run(gallery("mlp"), other))); x[0].Expected[0].Within || x[0].Expected[0].MaxAbs < 1e-3 || x[0].Inputs[0].Source != "seed 0" {
		t.Errorf("on random inputs it was executed as %+v", x)
	}
}

func executed(t *testing.T, evs []event.Event) (out []*event.Executed) {
	t.Helper()
	for _, e := range evs {
		if x, ok := e.Body.(*event.Executed); ok {
			out = append(out, x)
		}
	}
	return out
}

// TestSizesOfGivenTensors runs a model with a symbolic batch on an input that settles it: once, and the event says the size.
func TestSizesOfGivenTensors(t *testing.T) {
	b := open(t, 0)
	in, err := b.give(gallery("batch"), false, "any.npy", array(t, 7, 32))
	if err != nil {
		t.Fatal(err)
	}
	x := executed(t, b.ok(b.run(gallery("batch"), run.Settings{OptLevel: 2, Inputs: in, Bindings: []map[string]int64{{"batch": 1}, {"batch": 3}}})))
	if len(x) != 1 || x[0].Bindings["batch"] != 7 || x[0].Outputs[0].Shape[0] != 7 {
		t.Errorf("it was executed as %+v", x)
	}
}

// TestTensorsThatDoNotFit has files that are no tensors, of other types, and for nothing that the model has, and tensors that have gone.
func TestTensorsThatDoNotFit(t *testing.T) {
	b := open(t, 0)
	for _, x := range []struct {
		expected   bool
		file, want string
		data       []byte
	}{
		{false, "image.npy", "image.npy: input image is float32[2, 2], expected float32[1, 1, 8, 8]: the numbers of dimensions differ", array(t, 2, 2)},
		{true, "output_0.npy", "output_0.npy: output probabilities is float32[1, 11], expected float32[1, 10]: dimension 1 differs", array(t, 1, 11)},
		{false, "image.npy", "not an .npy file", []byte("hello")},
		{false, "image.txt", "tensors are read only from .pb, .npy, and .npz files", []byte("hello")},
		{false, "image.npz", "not a valid zip file", []byte("hello")},
	} {
		got, err := b.give(gallery("mlp"), x.expected, x.file, x.data)
		var known *event.Error
		if !errors.As(err, &known) || known.Kind != event.KindInput || !strings.Contains(err.Error(), x.want) || got != nil {
			t.Errorf("%s: %+v, %v, want %q", x.file, got, err, x.want)
		}
	}
	scale := b.script("@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    for i in range(4):\n        A[i] = T.float32(2)\n")
	if _, err := b.give(scale, false, "A.npy", array(t, 5)); err == nil || !strings.Contains(err.Error(), "A is float32[5], expected float32[4]") {
		t.Errorf("for a PrimFunc: %v", err)
	}
	for name, x := range map[string]run.Tensor{
		"has expired":     {Name: "image", File: "image.npy", DType: "float32", Shape: []int64{1, 1, 8, 8}, Blob: event.HashText("gone")},
		"the input image": {Name: "image", File: "image.npy", DType: "float99", Shape: []int64{1}, Blob: b.keep([]byte("1234"))},
		"bytes":           {Name: "image", File: "image.npy", DType: "float32", Shape: []int64{1, 1, 8, 8}, Blob: b.keep([]byte("1234"))},
	} {
		evs, _ := b.run(gallery("mlp"), run.Settings{OptLevel: 2, Inputs: []run.Tensor{x}})
		end, ok := evs[len(evs)-1].Body.(*event.RunFinished)
		if !ok || end.Error == nil || !strings.Contains(end.Error.Message, name) {
			t.Errorf("the run ends with %+v, want %q", evs[len(evs)-1].Body, name)
		}
	}
}

// keep keeps data with a session and returns its hash.
func (b *bench) keep(data []byte) string {
	b.n++
	return b.upload(fmt.Sprintf("tensor %d", b.n), data).Blob
}
