package driver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/irscope/irscope/compiler"
	limits "github.com/irscope/irscope/compiler/budget"
	"github.com/irscope/irscope/compiler/frontend"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/instruments/request"
)

// Reproducer says how a pass failed: what a file begins with that holds the module that the pass was given.
type Reproducer struct {
	// Program is the version that it failed in.
	Program string `json:"program"`
	// Step is the path of the step, and Error how it failed.
	Step  string      `json:"step"`
	Error event.Error `json:"error"`
	// Passes is the pass with its options, as Request has it, and Settings are those that it ran under.
	Passes   string           `json:"passes"`
	Settings request.Settings `json:"settings"`
	// Verified tells whether the module is verified behind the pass, and Zeros whether its constants were left out, which are zeros then.
	Verified bool `json:"verified,omitempty"`
	Zeros    bool `json:"zeros,omitempty"`
	// Whole is set where not one pass is run again, but the whole run. Step is "" then, and Passes what listed the passes, if anything did.
	Whole *Whole `json:"whole,omitempty"`
}

// reproducerLine is what the file of a reproducer begins with; the next line has the Reproducer as JSON. Both are comments of the module that follows,
// which every command reads.
const reproducerLine = "# irscope reproducer 1"

// maxReproduced is the size of the constants that a reproducer has.
const maxReproduced = 32 << 20

// Failing notes which pass runs, for a reproducer.
type Failing struct{ step *pass.Step }

// Instrument returns the instrument that follows the passes. It comes before those that may stop the run.
func (f *Failing) Instrument() *pass.Instrument {
	return &pass.Instrument{
		Name: "Reproducer", Replayable: true,
		RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
			switch {
			case s.Pass.Aside, s.Pass.Title != "": // an edit of the IR or a user's schedule, which no other run has
				f.step = nil
			case s.Pass.Kind != pass.Sequential:
				f.step = s
			}
			return nil
		},
	}
}

// Offers reports whether an error is one that a reproducer should be offered for: a fault of this program or a limit, and no pass that says what
// is wrong with its input.
func (f *Failing) Offers(err error) bool {
	var failed *pass.Error
	var stop *limits.Stop
	return f.step != nil && (errors.As(err, &failed) && failed.Stack != "" || errors.As(err, &stop) || errors.Is(err, instruments.ErrIllFormed))
}

// File returns the file of a reproducer for the error that passes of a job ended with; nil where no pass is to blame.
func (f *Failing) File(j *Job, program string, err error) []byte {
	var failed *pass.Error
	var watch *pass.InstrumentError
	if f.step == nil || !errors.As(err, &failed) && !errors.As(err, &watch) {
		return nil
	}
	settings := j.Settings
	settings.Steps, settings.Pipeline, settings.Patches, settings.Schedules, settings.Bindings, settings.Shapes = nil, "", nil, nil, nil, nil
	settings.Disabled, settings.Required, settings.Profile, settings.Rewrites = nil, nil, 0, false
	m := f.step.Input
	r := Reproducer{
		Program: program, Step: f.step.Path(), Error: instruments.ErrorOf(err), Settings: settings,
		Passes: bisect.Notation([]*pass.Pass{f.step.Pass}), Verified: errors.Is(err, instruments.ErrIllFormed), Zeros: constantBytes(m) > maxReproduced,
	}
	return r.file([]byte(script.Module(m, script.Options{ShowMeta: !r.Zeros}).Source))
}

// constantBytes returns the size of the constants of m, each counted wherever it stands.
func constantBytes(m *ir.Module) int64 {
	sum := int64(0)
	add := func(b *ir.Blob) { sum += b.NumElements() * int64(b.DType().Bytes()) }
	for _, fn := range m.Funcs() {
		ir.Walk(fn, func(n ir.Node) bool {
			switch n := n.(type) {
			case *relax.Constant:
				add(n.Data)
			case *tir.AllocateConst:
				add(n.Data)
			}
			return true
		})
	}
	return sum
}

// ReadReproducer reads the file of a reproducer; nil where data is none.
func ReadReproducer(data []byte) (*Reproducer, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(bytes.TrimSpace(line)) != reproducerLine {
		return nil, nil
	}
	line, _, _ = bytes.Cut(rest, []byte("\n"))
	head, ok := bytes.CutPrefix(line, []byte("# "))
	if !ok {
		return nil, errors.New("line 2 is no comment with the settings of the reproducer")
	}
	dec := json.NewDecoder(bytes.NewReader(head))
	dec.DisallowUnknownFields()
	var r Reproducer
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("the settings of the reproducer in line 2: %w", err)
	}
	return &r, nil
}

// Run runs the pass of the reproducer on the module in its file, or does the whole run again, and returns how that fails now; nil if it does not.
func (r *Reproducer) Run(ctx context.Context, name string, data []byte) (*event.Error, error) {
	if r.Whole != nil {
		return r.runWhole(ctx, data)
	}
	j, problems, err := Resolve(ctx, Request{Source: Source{Name: name, Data: data}, Settings: r.Settings, Passes: r.Passes, AnyLevel: true})
	if err != nil {
		return nil, err
	}
	if p := problems.Fatal(); p != nil {
		return nil, p.Err
	}
	j.Source.Options = frontend.Options{Unverified: true}
	j.Source.Options.Script.AllowMissingConstants = r.Zeros
	t := &Task{Job: j, hooks: Hooks{Log: slog.New(slog.DiscardHandler)}, sink: &tap{Sink: &Log{}}}
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	var watches []*pass.Instrument
	if r.Verified {
		watches = append(watches, instruments.WellFormed(false))
	}
	if _, err = compiler.Passes(ctx, j.Compiler(t.Model.Module, t.pipeline, watches...)); err == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	e := instruments.ErrorOf(err)
	return &e, nil
}

// Same reports whether a failure is that of the reproducer: of the same kind in the same pass and function, with the same message but for
// the path of the step. What a limit says depends on the machine, so there the limit counts.
func (r *Reproducer) Same(now *event.Error) bool {
	if now != nil && r.Whole != nil && r.Error.Limit != "" {
		return now.Kind == r.Error.Kind && now.Limit == r.Error.Limit
	}
	if now == nil || now.Kind != r.Error.Kind || now.Pass != r.Error.Pass || now.Function != r.Error.Function {
		return false
	}
	if r.Whole != nil {
		return r.Error.Message == now.Message
	}
	plain := func(s string) string { return strings.ReplaceAll(s, r.Step, "") }
	path := "1.1/" + r.Error.Pass
	return plain(r.Error.Message) == strings.ReplaceAll(now.Message, path, "")
}

// Reproduce returns the file of a reproducer of a job that ended with an error within a limit of time. Where that is about a pass, the passes run until
// it fails, and the file has the module that it was given; what earlier runs left in the memory of the hooks is taken for the steps before. Else it has the
// source of the job, and the whole run. It is nil for an error that a reproducer does not show. The error is described for an event, as that of Run.
func Reproduce(ctx context.Context, j *Job, program string, failed *event.Error, limit time.Duration, hooks Hooks) ([]byte, error) {
	switch failed.Kind {
	case event.KindPass, event.KindVerify, event.KindPanic, event.KindLimit:
		file, err := reproducePass(ctx, j, program, hooks)
		if file != nil || err != nil && !wholeRuns(failed) || ctx.Err() != nil {
			return file, err
		}
	}
	if !wholeRuns(failed) {
		return nil, nil
	}
	file, err := wholeFile(j, program, failed, limit)
	if err != nil {
		return nil, Input("%v", err)
	}
	return file, nil
}

// reproducePass runs the passes of a job until one fails, and returns the file of a reproducer; nil where none does.
func reproducePass(ctx context.Context, j *Job, program string, hooks Hooks) ([]byte, error) {
	hooks.Log = cmp.Or(hooks.Log, slog.Default())
	t := &Task{Job: j, hooks: hooks, sink: &tap{Sink: &Log{}}}
	if err := t.read(ctx); err != nil {
		return nil, t.Describe(ctx, err)
	}
	var failing Failing
	re := newReuse(hooks.Steps, t.sink, nil, t.Model)
	_, err := compiler.Passes(ctx, j.Compiler(t.Model.Module, re.wrap(t.pipeline), failing.Instrument(), instruments.WellFormed(false)))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		return nil, nil
	}
	return failing.File(j, program, err), nil
}
