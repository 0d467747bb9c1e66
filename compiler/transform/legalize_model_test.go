package transform_test

import (
	"strings"
	"testing"

	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

func importCase(t testing.TB, c onnxtest.Case) *ir.Module {
	t.Helper()
	c.Seeded = false
	m := c.Model(t)
	mod, err := onnx.Import(t.Context(), m, onnx.Options{})
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return mod
}

// TestModelsAreLoweredWhole lowers every model there is: nothing is left over, and every
// kernel is well formed.
func TestModelsAreLoweredWhole(t *testing.T) {
	cases := append(append([]onnxtest.Case{}, onnxtest.Gallery(t)...), realCases(t)...)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			mod := importCase(t, c)
			out, found := legalize(t, mod)
			for _, d := range found {
				t.Error(d)
			}
			n := 0
			for gv, f := range out.Funcs() {
				switch f := f.(type) {
				case *tir.PrimFunc:
					n++
					for _, d := range tir.Verify(gv.Name, f) {
						t.Error(d)
					}
				case *relax.Function:
					relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
						if c, ok := b.BoundValue().(*relax.Call); ok {
							if o, ok := c.Op.(*ir.Op); ok && o.Name != "relax.call_tir" && !strings.HasPrefix(o.Name, "relax.shape") {
								t.Errorf("%s is left over", o.Name)
							}
						}
					})
				}
			}
			t.Logf("%d kernels", n)
		})
	}
}

func realCases(t *testing.T) (out []onnxtest.Case) {
	t.Run("data", func(t *testing.T) { out = append(onnxtest.Real(t), onnxtest.Light(t)...) })
	return out
}

func BenchmarkLegalizeResNet50(b *testing.B) {
	for _, c := range onnxtest.Light(b) {
		if !strings.Contains(c.Name, "resnet50") {
			continue
		}
		mod := importCase(b, c)
		b.ReportAllocs()
		for b.Loop() {
			legalize(b, mod)
		}
	}
}
