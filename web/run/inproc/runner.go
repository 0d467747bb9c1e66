// Package inproc is the run.Runner that calls the compiler in this process. Runs are those of package driver: what this package
// adds is what a page needs besides: models from the store, a memory of earlier runs that steps are continued from, and answers to
// what pages ask while nothing runs.
//
// It is the one package below web that knows the compiler; cmd/explorer makes one
// and hands it to the web. Pages and handlers know only the interfaces.
package inproc

import (
	"context"
	"log/slog"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/driver"
	"github.com/irscope/irscope/instruments/roofline"
	"github.com/irscope/irscope/runtime"
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
	// NoMachineCode refuses targets whose code runs as the processor's own, for a server that others than the owner of the machine reach.
	NoMachineCode bool
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
	fixedFor time.Duration // see driver.Hooks
	limits   roofline.Cache
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
	return &Runner{cfg: cfg, memory: newMemory(cfg.CacheBytes)}
}

// Run implements run.Runner.
func (r *Runner) Run(ctx context.Context, req run.Request, sink run.Sink) error {
	job, err := r.resolve(ctx, req, sink)
	if err != nil {
		return err
	}
	_, err = driver.Run(ctx, job, sink, r.hooks(req, sink))
	return err
}

// hooks are what runs of a page have besides those of the command line: models from the store, and a memory.
func (r *Runner) hooks(req run.Request, sink run.Sink) driver.Hooks {
	return driver.Hooks{
		Engine: r.cfg.Engine, Log: r.cfg.Log, History: true, Steps: steps{r.memory, sink}, Programs: programs{r.memory}, FixedFor: r.fixedFor, Limits: &r.limits,
		Model: func(ctx context.Context) (*driver.Model, error) { return r.open(ctx, req, sink) },
		Instruments: func(*instruments.Snapshots) (before, behind []*pass.Instrument) {
			return nil, []*pass.Instrument{instruments.WellFormed(false)}
		},
	}
}

// resolve looks up what a request names. Problems in scripts become events of the run.
func (r *Runner) resolve(ctx context.Context, req run.Request, sink run.Sink) (*driver.Job, error) {
	job, problems, err := driver.Resolve(ctx, driver.Request{
		Source: driver.Source{Name: req.Source.Name}, Settings: req.Settings, Memory: req.Limits.Memory, Fixed: driver.FixedBeside,
	})
	if err != nil {
		return nil, err
	}
	if p := problems.Fatal(); p != nil {
		return nil, p.Refuse(ctx, sink)
	}
	if r.cfg.NoMachineCode && compiler.IsMachineCode(job.Target) {
		kind := job.Target.Kind().Name
		return nil, driver.Input("target %s: this server runs no machine code, as others than the owner of its machine reach it; a server for this machine alone does, and the command line: irscope run --target %s", kind, kind)
	}
	return job, r.readTensors(ctx, req, &job.Inputs)
}

// Settle implements run.Settler: the target is written with all that it stands for on this machine. A target that does not read stays: the run says what is wrong.
func (r *Runner) Settle(s run.Settings) run.Settings {
	if t, err := driver.Target(s.Target); err == nil && s.Target != "" && t.String() != s.Target && compiler.IsMachineCode(t) {
		s.Target = t.String()
	}
	return s
}
