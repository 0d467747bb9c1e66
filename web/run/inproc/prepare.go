package inproc

import (
	"context"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/run"
)

// prepared is a request with everything that it names.
type prepared struct {
	settings run.Settings
	target   target.Target
	config   map[string]any
	user     *userPasses
	registry registry
	pipeline *pass.Pass
	model    *model
	saved    time.Duration // by knowing the model from an earlier run
	missing  []ir.Diagnostic
}

// prepare looks up what a request names and reads the model. Mistakes in texts of the
// visitor become events of the run.
func (r *Runner) prepare(ctx context.Context, req run.Request, sink run.Sink) (*prepared, error) {
	p := &prepared{settings: req.Settings}
	var err error
	if p.target, err = target.Parse(orDefault(req.Settings.Target, "wasm")); err != nil {
		return nil, input("target: %v", err)
	}
	if p.user, err = readScripts(ctx, req.Settings.Scripts); err != nil {
		return nil, scriptFault(ctx, sink, err)
	}
	p.registry = registry{pipeline.NewRegistry(), p.user.passes}
	if p.pipeline, err = chosenPipeline(req.Settings, p.registry); err != nil {
		return nil, err
	}
	if p.config, err = configValues(req.Settings.Config); err != nil {
		return nil, err
	}
	if p.model, p.saved, err = r.open(ctx, req, sink); err != nil {
		return nil, err
	}
	p.missing, err = p.patch(req.Settings.Patches)
	return p, err
}

// request returns the request of the compiler to run a pipeline.
func (p *prepared) request(pl *pass.Pass, watches []*pass.Instrument) compiler.Request {
	return compiler.Request{
		Module: p.model.module, Target: p.target, Pipeline: pl, OptLevel: &p.settings.OptLevel,
		Required: p.settings.Required, Disabled: p.settings.Disabled, Config: p.config,
		Registry: p.registry, Instruments: watches,
	}
}
