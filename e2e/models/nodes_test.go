package models

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// TestNodes runs the published node tests of ONNX in WebAssembly and, where the machine can, in machine code.
func TestNodes(t *testing.T) {
	cases := onnxtest.Nodes(t)
	if testing.Short() {
		i := 0
		cases = slices.DeleteFunc(cases, func(onnxtest.NodeCase) bool { i++; return i%10 != 0 })
	}
	passed := runNodes(t, cases)
	if want := 900; !testing.Short() && (passed["wasm"] < want || passed["x86"] < want) {
		t.Errorf("%v node tests agree, expected %d at least", passed, want)
	}
}

// TestRecorded runs models of operators that the node tests lack, with what ONNX Runtime computes.
func TestRecorded(t *testing.T) {
	cases := onnxtest.Recorded(t)
	passed := runNodes(t, cases)
	if passed["wasm"] != len(cases) {
		t.Errorf("%v recorded models agree, expected all %d", passed, len(cases))
	}
}

// runNodes compiles and runs the models of node tests, and says how many agree for each target. What the importer refuses is left out.
func runNodes(t *testing.T, cases []onnxtest.NodeCase) map[string]int {
	t.Helper()
	passed := map[string]int{}
	h := newHarness(t)
	for _, c := range cases {
		if len(c.Sets) == 0 {
			continue
		}
		m, err := onnxpb.Read(c.Model, onnxpb.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		bound, given := onnxtest.Bound(m, c.Sets[0])
		mod, err := onnx.Import(t.Context(), m, onnx.Options{Bind: bound})
		if err != nil {
			continue // what the importer refuses is its own test's affair
		}
		for _, kind := range []string{"wasm", "x86"} {
			outs, err := h.compileAndRun(mod, settings{target: target.Of(kind), level: 2}, [][]*tensor.Tensor{h.tensors(given)})
			if err == nil {
				err = differ(outs[0], h.tensors(c.Sets[0].Outputs))
			}
			switch {
			case err == nil:
				passed[kind]++
			case !slices.Contains(onnxtest.Otherwise, c.Name):
				t.Errorf("%s for %s: %v", c.Name, kind, err)
			}
		}
	}
	t.Logf("models that agree: %v", passed)
	return passed
}

// differ compares tensors as the suite does, those of two bytes with what their types keep, and integers exactly.
func differ(got, want []*tensor.Tensor) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs, want %d", len(got), len(want))
	}
	for i, w := range want {
		tol := tensor.Tolerance{RTol: 1e-3, ATol: 1e-5}
		switch {
		case w.DType.IsFloat() && w.DType.Bits == 16:
			tol = tensor.Tolerance{RTol: 1e-2, ATol: 1e-2}
		case !w.DType.IsFloat():
			tol = tensor.Tolerance{}
		}
		d, err := tensor.Compare(got[i], w, tol)
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		if !d.OK() {
			return fmt.Errorf("output %d: %s", i, d)
		}
	}
	return nil
}
