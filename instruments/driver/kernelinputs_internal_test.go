package driver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/npy"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestInputsOfAPrimFunc gives a buffer and a number to a lone PrimFunc with a symbolic extent, and an output that is expected of it: as files, and in a run.
func TestInputsOfAPrimFunc(t *testing.T) {
	s := newStage(t)
	const text = `@T.prim_func
def f(a: T.handle, k: T.int32, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i in range(n):
        B[i] = A[i] * T.Cast("float32", k)
`
	a, k, want := tensor.MustOf([]int64{3}, []float32{1, 2, 3}), tensor.MustOf([]int64{}, []int32{5}), tensor.MustOf([]int64{3}, []float32{5, 10, 16})
	run := func(inputs map[string]Named) (*event.Executed, error) {
		q := s.text(text, "tir")
		q.Settings.Pipeline, q.Settings.Bindings = "tir", []map[string]int64{{"n": 2}, {"n": 4}}
		q.Inputs.Named, q.Inputs.Expected = inputs, map[string]Named{"B": {want, "want.npy"}}
		d := &diary{}
		c := s.compile(q, d)
		d.events = nil
		err := c.Execute(s.Context())
		if err != nil || len(d.events) != 1 {
			return nil, err
		}
		return d.events[0].Body.(*event.Executed), nil
	}
	got, err := run(map[string]Named{"A": {a, "a.npy"}, "k": {k, "k.npy"}})
	if err != nil || got == nil {
		t.Fatalf("%+v (%v)", got, err)
	}
	if got.Inputs[0].Source != "a.npy" || got.Inputs[1].Source != "k.npy" || got.Inputs[2].Source != "seed 0" || got.Inputs[2].Shape[0] != 3 {
		t.Errorf("the inputs are %+v", got.Inputs)
	}
	if out := got.Outputs[0]; out.Name != "B" || out.First[0] != 5 || out.First[2] != 15 {
		t.Errorf("the output is %+v", out)
	}
	if len(got.Expected) != 1 || got.Expected[0].Within || got.Expected[0].MaxAbs != 1 {
		t.Errorf("beside what is expected: %+v", got.Expected)
	}
	if _, err := run(map[string]Named{"A": {k, "k.npy"}}); err == nil || !strings.Contains(err.Error(), "input A is int32[], expected float32[n]") {
		t.Errorf("an input of another type: %v", err)
	}
	var file bytes.Buffer
	if err := npy.Write(&file, a); err != nil {
		t.Fatal(err)
	}
	q := s.text(text, "tir")
	d := &diary{}
	job, err := s.resolve(t.Context(), q, d)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := PlaceTensors(t.Context(), job, s.hooks(q, d), false, "A.npy", file.Bytes(), nil)
	if err != nil || len(placed) != 1 || placed[0].Name != "A" {
		t.Errorf("%+v (%v)", placed, err)
	}
	if placed, err = PlaceTensors(t.Context(), job, s.hooks(q, d), true, "y.npy", file.Bytes(), nil); err != nil || len(placed) != 1 || placed[0].Name != "B" {
		t.Errorf("expected: %+v (%v)", placed, err)
	}
	rep, err := Check(t.Context(), job, Checked{}, d, s.hooks(q, d))
	if err != nil || rep.Fault != nil {
		t.Errorf("%+v (%v)", rep, err)
	}
}
