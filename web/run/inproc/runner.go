// Package inproc is the run.Runner that calls the compiler in this process: it
// imports the model, runs the pipeline with a recorder, generates code, and runs
// the program on seeded inputs.
//
// It is the one package below web that knows the compiler; cmd/explorer makes one
// and hands it to the web. Pages and handlers know only the interface.
package inproc

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/target"
	"github.com/irscope/irscope/web/lru"
	"github.com/irscope/irscope/web/run"
	"github.com/irscope/irscope/web/store"
)

// Config is what a Runner needs.
type Config struct {
	// Store holds uploaded models.
	Store store.Store
	// Gallery returns a built-in model by name.
	Gallery func(name string) ([]byte, bool)
	// Engine runs generated code. Whoever made it closes it, after the last run.
	Engine *runtime.Engine
	// CacheBytes bounds what is kept of earlier runs for re-use; 0 means 128 MiB,
	// negative nothing is re-used.
	CacheBytes int64
	// Log takes the stacks of passes that panicked; nil means slog.Default.
	Log *slog.Logger
}

// Runner runs requests in this process. It may be used by several goroutines.
type Runner struct {
	cfg    Config
	models *lru.Cache[string, *model]
	steps  *run.Prefix[snapshot]
}

// New returns a runner without memories.
func New(cfg Config) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	switch {
	case cfg.CacheBytes == 0:
		cfg.CacheBytes = 128 << 20
	case cfg.CacheBytes < 0:
		cfg.CacheBytes = 0
	}
	return &Runner{
		cfg:    cfg,
		models: lru.New[string, *model](cfg.CacheBytes / 2),
		steps:  run.NewPrefix[snapshot](cfg.CacheBytes / 2),
	}
}

// Run implements run.Runner.
func (r *Runner) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	start := time.Now()
	tap := &tap{Sink: sink}
	// The recorder's clock is that of the run: it starts before the model is read.
	rec := instruments.NewRecorder(tap, instruments.NewSnapshots())
	t, err := target.Parse(orDefault(req.Settings.Target, "wasm"))
	if err != nil {
		return input("target: %v", err)
	}
	pl, err := chosenPipeline(req.Settings)
	if err != nil {
		return err
	}
	config, err := configValues(req.Settings.Config)
	if err != nil {
		return err
	}
	m, err := r.open(ctx, req, sink)
	if err != nil {
		return err
	}
	body := &event.RunStarted{
		Model: req.Source.Name, Target: t.String(), OptLevel: req.Settings.OptLevel, Pipeline: pipelineName(req.Settings),
	}
	if err := rec.Start(m.module, pl, body); err != nil {
		return err
	}
	re := newReuse(r.steps, tap, m)
	level := req.Settings.OptLevel
	res, err := compiler.Passes(ctx, compiler.Request{
		Module: m.module, Target: t, Pipeline: re.wrap(pl), OptLevel: &level,
		Required: req.Settings.Required, Disabled: req.Settings.Disabled, Config: config,
		Instruments: []*pass.Instrument{re.instrument(rec.Instrument()), instruments.WellFormed(false)},
	})
	if failed := re.report(res.Diagnostics, "", ""); failed != nil && err == nil {
		err = failed
	}
	if err != nil {
		return nameMissing(r.passFault(err), req.Settings.Disabled)
	}
	if err := generate(ctx, t, res, m, sink, start); err != nil {
		return nameMissing(err, req.Settings.Disabled)
	}
	return r.execute(ctx, req, res, m, sink, start)
}

// generate makes the program and reports its kernels.
func generate(ctx context.Context, t target.Target, res *compiler.Result, m *model, sink run.Sink, start time.Time) error {
	began := time.Now()
	if err := compiler.Codegen(ctx, t, res, m.module); err != nil {
		return fault(event.KindCodegen, err)
	}
	took := time.Since(began)
	body := &event.CodeGenerated{Target: t.String()}
	for _, k := range res.Artifact.Kernels {
		body.Bytes += int64(len(k))
	}
	for _, k := range res.Kernels {
		text := k.Text()
		hash, err := sink.Text(event.LangWAT, text)
		if err != nil {
			return err
		}
		body.Kernels = append(body.Kernels, event.Kernel{Name: k.Name, Language: event.LangWAT, Text: hash, Lines: countLines(text), Bytes: int64(k.Bytes)})
	}
	sortKernels(body.Kernels)
	var err error
	if body.VM, err = sink.Text(event.LangVM, res.Artifact.Exec.AsText()); err != nil {
		return err
	}
	return sink.Emit(event.New("", "", body, &event.Measured{At: time.Since(start).Nanoseconds(), Total: took.Nanoseconds()}))
}

// input returns an error about what the visitor gave.
func input(format string, args ...any) error {
	return &event.Error{Kind: event.KindInput, Message: fmt.Sprintf(format, args...)}
}
