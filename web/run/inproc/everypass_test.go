package inproc_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
	"github.com/irscope/irscope/web/run"
)

// TestEveryPassOfARun checks the passes of a model of the gallery with what a run of it left in memory, and one with a wrong pass of a visitor.
func TestEveryPassOfARun(t *testing.T) {
	b := open(t, 0)
	settings := run.Settings{OptLevel: 2, Seed: 5}
	b.ok(b.run(gallery("mlp"), settings))
	req := run.Request{Source: gallery("mlp"), Settings: settings, Limits: run.DefaultLimits()}
	heard := 0
	rep, err := b.runner.CheckEveryPass(t.Context(), req, func(check.Step) { heard++ })
	if err != nil || rep.Fault != nil || rep.Reference != 0 || len(rep.Steps) < 40 || heard != len(rep.Steps) || rep.Inputs[0].Source != "seed 5" {
		t.Errorf("%d steps heard of, %+v (%v)", heard, rep, err)
	}
	req.Settings.Scripts = []request.Script{{Name: "w.star", Source: "def low(self, x):\n    x = self.visit_default(x)\n    return tir.Min(x.a, x.b)\n\nwrong = prim_func_pass(mutator({\"Max\": low}), opt_level=0, name=\"Wrong\")\n"}}
	for _, name := range []string{"LegalizeOps", "user.Wrong", "AnnotateTIROpPattern"} {
		req.Settings.Steps = append(req.Settings.Steps, request.Step{Name: name})
	}
	rep, err = b.runner.CheckEveryPass(t.Context(), req, func(check.Step) {})
	if err != nil || rep.Fault == nil || rep.Fault.Path != "1.2/user.Wrong" || !slices.Equal(rep.Fault.Functions, []string{"relu"}) {
		t.Errorf("%+v (%v)", rep, err)
	}
	req.Settings.Steps[0].Name = "Nothing"
	var known *event.Error
	if rep, err = b.runner.CheckEveryPass(t.Context(), req, nil); !errors.As(err, &known) || rep != nil {
		t.Errorf("with an unknown pass: %+v (%v)", rep, err)
	}
}
