package models

import (
	"context"
	"testing"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/frontend/onnx/onnxtest"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/runtime/tensor"
	"github.com/irscope/irscope/target"
)

// TestScriptedPasses runs the passes of the scripts that come with the program on the models
// of the gallery, before and after operators became kernels: the model must compute the same.
func TestScriptedPasses(t *testing.T) {
	for _, e := range starpass.Examples() {
		prog, err := starpass.Compile(e.Name+".star", e.Source, starpass.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range onnxtest.Gallery(t) {
			t.Run(e.Name+"/"+c.Name, func(t *testing.T) {
				h := newHarness(t)
				watches, err := prog.Instruments(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				var sets [][]*tensor.Tensor
				for _, s := range c.Sets {
					sets = append(sets, h.tensors(s.Inputs))
				}
				for _, phase := range []string{"", "zero"} {
					req := compiler.Request{Module: h.importModel(c.Model(t)), Instruments: watches}
					list := prog.Passes()
					if phase != "" {
						first, err := pipeline.Lookup(phase, target.Default())
						if err != nil {
							t.Fatal(err)
						}
						list = append([]*pass.Pass{first}, list...)
					}
					req.Pipeline = pass.NewSequential("scripted", list...)
					res, err := compiler.Passes(context.Background(), req)
					if err != nil {
						t.Fatal(err)
					}
					outs, err := h.compileAndRun(res.Module, settings{level: 2, verify: true}, sets)
					if err != nil {
						t.Fatal(err)
					}
					for i, set := range c.Sets {
						h.check(e.Name, c, outs[i], set.Outputs)
					}
				}
			})
		}
	}
}
