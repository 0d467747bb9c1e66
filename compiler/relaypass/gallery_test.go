package relaypass_test

import (
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx"
	"github.com/irscope/irscope/compiler/frontend/onnx/gallery"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pass/passtest"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/target"
)

// TestPipelineRunsRequiredPasses: the pipeline takes the models of the gallery down to code, each pass of Relay behind the one that it
// requires, and what its passes make of a model gives the same outputs.
func TestPipelineRunsRequiredPasses(t *testing.T) {
	whole, err := pipeline.Lookup("relay", target.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gallery.Models() {
		t.Run(g.Name, func(t *testing.T) {
			model, err := onnxpb.Read(g.Bytes, onnxpb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m, err := onnx.Import(t.Context(), model, onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var last *pass.Step
			graph := m
			watch := &pass.Instrument{Name: "relay", RunAfterPass: func(out *ir.Module, s *pass.Step) error {
				if s.Pass.Required != nil && (last == nil || last.RequiredBy != s.Pass.Name || last.Pass.Name != s.Pass.Required[len(s.Pass.Required)-1]) {
					t.Errorf("%s ran behind %v", s.Pass.Name, last)
				}
				if s.Pass.Required != nil {
					graph = out
				}
				last = s
				return nil
			}}
			level := 3
			if _, err := compiler.Passes(t.Context(), compiler.Request{Module: m, Pipeline: whole, OptLevel: &level, Instruments: []*pass.Instrument{watch}}); err != nil {
				t.Fatal(err)
			}
			if d := passtest.Differ(outputs(t, graph), outputs(t, m)); d != "" {
				t.Error(d)
			}
		})
	}
}
