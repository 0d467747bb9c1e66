package instruments_test

import (
	"maps"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/instruments"
)

// TestConstantsOfGraphs compares the constants and operators that a meter finds in the graphs of a model after each pass with those of a
// plain walk.
func TestConstantsOfGraphs(t *testing.T) {
	g, _ := gallery.Lookup("cnn")
	meter, seen := instruments.NewMeter(), 0
	look := func(m *ir.Module, s *pass.Step) error {
		meter.Measure(m)
		for gv, fn := range m.Funcs() {
			f, ok := fn.(*relax.Function)
			if !ok {
				continue
			}
			ops, bytes, blobs := map[string]int{}, int64(0), map[*ir.Blob]bool{}
			relax.EachBinding(f.Body, func(_ *relax.BindingBlock, b relax.Binding) {
				if c, ok := b.BoundValue().(*relax.Call); ok {
					if op, ok := c.Op.(*ir.Op); ok {
						ops[op.Name]++
					}
				}
				ir.Walk(b.BoundValue(), func(n ir.Node) bool {
					if c, ok := n.(*relax.Constant); ok && !blobs[c.Data] {
						blobs[c.Data] = true
						bytes += c.Data.NumElements() * int64(c.Data.DType().Bytes())
					}
					_, inner := n.(*relax.Function)
					return !inner
				})
			})
			seen += len(blobs)
			if got := meter.Function(gv.Name); got.ConstantBytes != bytes || !maps.Equal(got.Ops, ops) {
				t.Errorf("%s, %s: counted %d bytes of constants and the operators %v, a walk finds %d and %v", s.Path(), gv.Name, got.ConstantBytes, got.Ops, bytes, ops)
			}
		}
		return nil
	}
	model, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Import(t.Context(), model, onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = compiler.Passes(t.Context(), compiler.Request{Module: m, Instruments: []*pass.Instrument{{Name: "look", RunAfterPass: look}}})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("the graphs have no constants")
	}
}
