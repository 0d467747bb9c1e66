package driver

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/rewrites"
	"github.com/irscope/irscope/instruments/roofline"
	"github.com/irscope/irscope/runtime"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/vm"
)

// Hooks are what a caller adds to a run. All of it may be left out, but for the engine of a job that executes.
type Hooks struct {
	// Engine runs the program. Whoever made it closes it.
	Engine *runtime.Engine
	// Model reads the source; nil means Source.Model. A caller may know the module from before.
	Model func(ctx context.Context) (*Model, error)
	// Steps remembers what steps left behind in earlier runs, and Programs the code that was generated.
	Steps    Steps
	Programs Programs
	// Limits keeps what the machine reaches, for profiles; nil measures it for each.
	Limits *roofline.Cache
	// FixedFor is the time that code beside the program may take, see FixedBeside.
	FixedFor time.Duration
	// Instruments returns the instruments before and behind the recorder. They may share its printed functions.
	Instruments func(*instruments.Snapshots) (before, behind []*pass.Instrument)
	// History keeps what became of values, as texts of the run.
	History bool
	// Quiet leaves out the event of generated code, whose texts take time to write.
	Quiet bool
	// Log takes the stacks of passes that panicked; nil means slog.Default.
	Log *slog.Logger
}

// Task is a job that is being done.
type Task struct {
	Job *Job
	// Model is what was read, and Missing the edits of the IR that found no step.
	Model   *Model
	Missing []*EditError
	// Result is what the compiler made; that of a failure holds the diagnostics so far.
	Result *compiler.Result
	// Compiled is the time that passes and code generation took, Generated that of the latter.
	Compiled, Generated time.Duration
	// Executions are those of the program so far.
	Executions []*Execution
	// Loaded is the time that loading the program took.
	Loaded time.Duration
	// Prepared are the functions that ran when the program was loaded, whose time is part of Loaded.
	Prepared []vm.Prepared
	// PassedOver says which modules of the program this machine cannot execute, whose kernels others have.
	PassedOver []error

	hooks    Hooks
	start    time.Time
	sink     *tap
	snaps    *instruments.Snapshots
	rec      *instruments.Recorder
	lives    *keeper
	pipeline *pass.Pass
	kernels  *kernelKeeper // nil where nothing is to be measured
	observer pass.Observer // nil where nobody asks for rewrites

	checker       *execute.Checker // nil where nobody asks for a check of every pass
	checkedInputs []event.Tensor
	checkedSig    *artifact.Signature
}

// Program returns a task whose program is there already, to be executed: of the request, what executions read is looked at.
func Program(art *artifact.Artifact, req Request, hooks Hooks) *Task {
	return &Task{
		Job: &Job{Request: req}, Result: &compiler.Result{Artifact: art},
		hooks: hooks, start: time.Now(), sink: &tap{Sink: &Log{}},
	}
}

// Executed returns the last execution, nil for none. One that failed has no outputs.
func (t *Task) Executed() *Execution {
	if len(t.Executions) == 0 {
		return nil
	}
	return t.Executions[len(t.Executions)-1]
}

// Open reads the module of a job and says so to the sink: run_started, and what there is to say about the source, the
// edits and the scripts. Whatever goes wrong, in Open or later, is for the caller to report; see Task.Describe.
func Open(ctx context.Context, j *Job, sink event.Sink, hooks Hooks) (*Task, error) {
	hooks.Log = cmp.Or(hooks.Log, slog.Default())
	t := &Task{Job: j, hooks: hooks, start: time.Now(), sink: &tap{Sink: sink}, snaps: instruments.NewSnapshots()}
	// The recorder's clock is that of the run: it starts before the model is read.
	t.rec = instruments.NewRecorder(t.sink, t.snaps)
	if j.Settings.Rewrites {
		o := &rewrites.Observer{}
		t.observer, t.rec.Rewrites = o, o.Take
	}
	if hooks.History {
		t.lives = keepHistory(t.rec, t.snaps, sink)
	}
	if err := t.read(ctx); err != nil {
		return t, err
	}
	if err := t.started(); err != nil {
		return t, err
	}
	found := slices.Clip(t.Model.Warnings)
	for _, e := range t.Missing {
		found = append(found, e.warning())
	}
	if _, d := j.scheduled(j.Pipeline); d != nil {
		found = append(found, *d)
	}
	if err := emitFound(t.sink, found); err != nil {
		return t, err
	}
	for _, s := range j.user.scripts {
		if err := s.emit(ctx, t.sink, nil, nil); err != nil {
			return t, err
		}
	}
	return t, nil
}

// started reports the module and the plan. What an earlier run said of the same module is not found out again.
func (t *Task) started() error {
	j, model := t.Job, t.Model
	body := &event.RunStarted{Model: j.Source.Name, Target: j.Target.String(), OptLevel: j.Settings.OptLevel, Pipeline: j.Name}
	if t.hooks.Steps == nil || model.ID == "" {
		return t.rec.Start(model.Module, t.pipeline, body)
	}
	key := "start " + model.ID
	if snap, ok := t.hooks.Steps.Step(key); ok && snap.Module == model.Module {
		there, err := keepTexts(t.hooks.Steps, snap.Events)
		if err != nil {
			return err
		}
		if there {
			return t.rec.StartAgain(model.Module, t.pipeline, body, snap.Started)
		}
		t.hooks.Steps.DropStep(key)
	}
	if err := t.rec.Start(model.Module, t.pipeline, body); err != nil {
		return err
	}
	t.hooks.Steps.PutStep(key, Snapshot{Module: model.Module, Events: []event.Event{{Type: body.EventType(), Body: body}}, Started: body})
	return nil
}

// read reads the module and puts the edits of it into the pipeline.
func (t *Task) read(ctx context.Context) (err error) {
	read := t.hooks.Model
	if read == nil {
		read = t.Job.Source.Model
	}
	if t.Model, err = read(ctx); err != nil {
		return err
	}
	t.sink.saved = t.Model.Saved
	t.pipeline, t.Missing, err = t.Job.Edited(t.Model.Module)
	return err
}

// Compile runs the passes and makes code.
func (t *Task) Compile(ctx context.Context) error {
	var before, behind []*pass.Instrument
	if t.hooks.Instruments != nil {
		before, behind = t.hooks.Instruments(t.snaps)
	}
	users, err := t.Job.Watches(ctx, t.sink)
	if err != nil {
		return err
	}
	kept, keeps := t.keepKernels()
	t.kernels = kept
	watches := slices.Concat(before, []*pass.Instrument{t.rec.Instrument()}, behind, keeps, users)
	if t.checker != nil {
		watches = append(watches, t.checker.Instrument(ctx))
	}
	steps := t.hooks.Steps
	if slices.ContainsFunc(watches, func(in *pass.Instrument) bool { return !in.Replayable }) {
		steps = nil
	}
	re := newReuse(steps, t.sink, t.rec, t.Model)
	start := time.Now()
	req := t.Job.Compiler(t.Model.Module, re.wrap(t.pipeline), re.watch(watches)...)
	req.Observer = t.observer
	t.Result, err = compiler.Passes(ctx, req)
	t.Compiled = time.Since(start)
	if failed := re.report(t.Result.Diagnostics, "", ""); failed != nil && err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	if err := t.program(ctx, re.ids[t.Result.Module]); err != nil {
		return err
	}
	return t.checkCode(ctx)
}
