// Package inproc is the run.Runner that calls the compiler in this process: it
// imports the model, runs the pipeline with a recorder, generates code, and runs
// the program on seeded inputs.
//
// It is the one package below web that knows the compiler; cmd/explorer makes one
// and hands it to the web. Pages and handlers know only the interface.
package inproc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/rewrites"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/target"
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
	// CacheBytes bounds what is kept of earlier runs for re-use; 0 means DefaultReuse,
	// negative nothing is re-used.
	CacheBytes int64
	// Log takes the stacks of passes that panicked; nil means slog.Default.
	Log *slog.Logger
}

// Runner runs requests in this process. It may be used by several goroutines.
type Runner struct {
	cfg      Config
	memory   *memory
	fixedFor time.Duration // see fixed
}

// New returns a runner without memories.
func New(cfg Config) *Runner {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	switch {
	case cfg.CacheBytes == 0:
		cfg.CacheBytes = DefaultReuse
	case cfg.CacheBytes < 0:
		cfg.CacheBytes = 0
	}
	return &Runner{cfg: cfg, memory: newMemory(cfg.CacheBytes), fixedFor: fixedFor}
}

// Run implements run.Runner.
func (r *Runner) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	start := time.Now()
	tap := &tap{Sink: sink}
	// The recorder's clock is that of the run: it starts before the model is read.
	snaps := instruments.NewSnapshots()
	rec := instruments.NewRecorder(tap, snaps)
	lives := keepHistory(rec, snaps, sink)
	var observer pass.Observer
	if req.Settings.Rewrites {
		o := &rewrites.Observer{}
		observer, rec.Rewrites = o, o.Take
	}
	p, err := r.prepare(ctx, req, sink)
	if err != nil {
		return err
	}
	tap.saved = p.saved
	t, m, user := p.target, p.model, p.user
	body := &event.RunStarted{
		Model: req.Source.Name, Target: t.String(), OptLevel: req.Settings.OptLevel, Pipeline: pipelineName(req.Settings),
	}
	if err := rec.Start(m.module, p.pipeline, body); err != nil {
		return err
	}
	if err := emitFound(sink, slices.Concat(m.warnings, p.missing)); err != nil {
		return err
	}
	for _, s := range user.scripts {
		if err := s.emit(ctx, sink, nil, nil); err != nil {
			return err
		}
	}
	watches := []*pass.Instrument{rec.Instrument(), instruments.WellFormed(false)}
	users, err := user.instruments(ctx, sink)
	if err != nil {
		return scriptFault(ctx, sink, err)
	}
	watches = append(watches, users...)
	re := newReuse(r.memory, tap, m)
	if slices.ContainsFunc(watches, func(in *pass.Instrument) bool { return !in.Replayable }) {
		re = newReuse(newMemory(0), tap, m)
	}
	watches[0] = re.instrument(watches[0])
	what := p.request(re.wrap(p.pipeline), watches)
	what.Observer = observer
	res, err := compiler.Passes(ctx, what)
	if failed := re.report(res.Diagnostics, "", ""); failed != nil && err == nil {
		err = failed
	}
	if err != nil {
		return nameMissing(r.passFault(err), req.Settings.Disabled)
	}
	if err := generate(ctx, t, res, m, lives, sink, start); err != nil {
		var e *event.Error
		if errors.As(err, &e) && e.Kind == event.KindCodegen && partial(req.Settings) {
			return sink.Emit(note("nothing to execute: the pipeline %s makes no code that can run: %s", pipelineName(req.Settings), e.Message))
		}
		return nameMissing(err, req.Settings.Disabled)
	}
	if why := nothingToExecute(m.module); why != "" {
		return sink.Emit(note("%s", why))
	}
	if _, f := loneLoopFunction(m.module); f != nil {
		return r.executeKernel(ctx, req, res, m, sink, start)
	}
	return r.execute(ctx, req, res, p, sink, start)
}

// scriptFault describes an error of reading scripts: their mistakes become events of the
// run, with their places.
func scriptFault(ctx context.Context, sink run.Sink, err error) error {
	var wrong *scriptError
	if !errors.As(err, &wrong) {
		return err
	}
	for _, d := range wrong.script.said(ctx, wrong.err) {
		if err := sink.Emit(event.New("", "", diagnostic(d), nil)); err != nil {
			return err
		}
	}
	var known *event.Error
	if errors.As(err, &known) {
		return known
	}
	return input("the script %s cannot be used: %v", wrong.script.source.Name, err)
}

// partial tells whether settings choose a named pipeline, or steps made of one, that does
// not promise code.
func partial(s run.Settings) bool {
	return orDefault(s.Pipeline, "default") != "default"
}

// generate makes the program and reports its kernels.
func generate(ctx context.Context, t target.Target, res *compiler.Result, m *model, lives *keeper, sink run.Sink, start time.Time) error {
	began := time.Now()
	if err := compiler.Codegen(ctx, t, res, m.module); err != nil {
		return fault(event.KindCodegen, err)
	}
	took := time.Since(began)
	body := &event.CodeGenerated{Target: t.String()}
	for _, m := range res.Artifact.Modules {
		body.Bytes += int64(len(m.Bytes))
	}
	for _, k := range res.Kernels {
		text := k.Text()
		hash, err := sink.Text(k.Language, text)
		if err != nil {
			return err
		}
		body.Kernels = append(body.Kernels, event.Kernel{Name: k.Name, Language: k.Language, Text: hash, Lines: countLines(text), Bytes: int64(k.Bytes)})
	}
	sortKernels(body.Kernels)
	var err error
	if body.VM, err = sink.Text(event.LangVM, res.Artifact.Exec.AsText()); err != nil {
		return err
	}
	if body.History, err = lives.generated(res); err != nil {
		return err
	}
	return sink.Emit(event.New("", "", body, &event.Measured{At: time.Since(start).Nanoseconds(), Total: took.Nanoseconds()}))
}

// input returns an error about what the visitor gave.
func input(format string, args ...any) error {
	return &event.Error{Kind: event.KindInput, Message: fmt.Sprintf(format, args...)}
}
