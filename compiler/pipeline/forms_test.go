package pipeline_test

import (
	"slices"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
)

// TestFormsAlongThePipeline: what a pass gives holds after it and after every pass that follows, and
// what one needs was given.
func TestFormsAlongThePipeline(t *testing.T) {
	for _, g := range gallery.Models() {
		model, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := onnx.Import(t.Context(), model, onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var given []*pass.Form
		needs := 0
		watch := &pass.Instrument{
			Name: "forms",
			RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
				for _, n := range s.Pass.Needs {
					needs++
					if !slices.Contains(given, n.Form) {
						t.Errorf("%s: %s needs %s, which no pass before it gives", g.Name, s.Path(), n.Form.Name)
					}
				}
				return nil
			},
			RunAfterPass: func(m *ir.Module, s *pass.Step) error {
				given = append(given, s.Pass.Gives...)
				for _, f := range given {
					if err := f.Check(m); err != nil {
						t.Errorf("%s: after %s: %v", g.Name, s.Path(), err)
					}
				}
				return nil
			},
		}
		if _, err := compiler.Passes(t.Context(), compiler.Request{Module: m, Instruments: []*pass.Instrument{watch}}); err != nil {
			t.Fatal(err)
		}
		if len(given) != 4 || needs != 8 {
			t.Errorf("%s: %d forms were given and %d needed, expected 4 and 8", g.Name, len(given), needs)
		}
	}
}

// TestFormsAreGiven: the pass that a form names gives it, alone, and those that need it name no other.
func TestFormsAreGiven(t *testing.T) {
	for _, f := range pass.Forms() {
		for _, p := range pipeline.All() {
			if gives := slices.Contains(p.Gives, f); gives != (p.Name == f.By) {
				t.Errorf("%s gives %s: %v, and the form names %s", p.Name, f.Name, gives, f.By)
			}
			for _, n := range p.Needs {
				if !slices.Contains(pass.Forms(), n.Form) {
					t.Errorf("%s needs %s, which is not listed", p.Name, n.Form.Name)
				}
			}
		}
	}
}
