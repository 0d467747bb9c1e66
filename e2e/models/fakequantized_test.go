package models

import (
	"math/rand/v2"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/relaypass"
	"github.com/irscope/irscope/e2e/fixture/qdq"
	"github.com/irscope/irscope/e2e/fixture/seed"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// TestFakeQuantized computes random networks between dequantizations and quantizations with real numbers and with integers, on all targets that multiply bytes. Results are at most one quantum
// apart, few of them at all.
func TestFakeQuantized(t *testing.T) {
	targets := quantizedTargets(t)
	h := newHarness(t)
	all, err := relaypass.QuantizedProducts.With(ir.NewAttrs("products", "all"))
	if err != nil {
		t.Fatal(err)
	}
	changed, apart, of := 0, 0, 0
	seed.Each(t, 24, func(t *testing.T, r *rand.Rand) {
		kinds := []onnxpb.DataType{onnxpb.Int8, onnxpb.Uint8}
		n := qdq.New("random", r, kinds[r.IntN(2)], kinds[r.IntN(2)])
		n.PerChannel = r.IntN(2) == 0
		model, dims := n.Random()
		mod := h.importModel(model)
		x := tensor.MustNew(dtype.Float32T, dims...)
		x.Random(r.Uint64())
		in := [][]*tensor.Tensor{{x}}
		integer, _ := passtest.Check(t, passtest.NewContext(), all, mod)
		if integer != mod {
			changed++
		}
		off := []string{relaypass.QuantizedProducts.Name}
		want, err := h.compileAndRun(mod, settings{target: targets[0], level: pass.DefaultOptLevel, disabled: off}, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, tg := range targets {
			got, err := h.compileAndRun(integer, settings{target: tg, level: pass.DefaultOptLevel, verify: true, readBack: r.IntN(12) == 0}, in)
			if err != nil {
				t.Fatalf("%s: %v\n%s", tg, err, passtest.Text(integer))
			}
			a, b := want[0][0].Data, got[0][0].Data
			of += len(a)
			for i := range a {
				d := int(a[i]) - int(b[i])
				if want[0][0].DType.IsInt() {
					d = int(int8(a[i])) - int(int8(b[i]))
				}
				if d != 0 {
					apart++
				}
				if d < -1 || d > 1 {
					t.Fatalf("%s: element %d is %d quanta off\n%s", tg, i, d, passtest.Text(integer))
				}
			}
		}
	})
	t.Logf("%d programs changed, %d of %d results apart by a quantum", changed, apart, of)
	if changed == 0 || apart*200 > of {
		t.Errorf("%d programs changed, %d of %d results are one quantum apart", changed, apart, of)
	}
}
