package driver

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/instruments/event"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

// Checked says what to compare in a check of every pass.
type Checked struct {
	// Expected are the outputs that are expected of the model, in their order; nil for those that are not known.
	Expected []*tensor.Tensor
	// Each, if not nil, hears of each step as it is checked.
	Each func(check.Step)
}

// CheckEveryPass has Compile run the module behind each pass, on the inputs of the job. It comes before Compile; Checked returns what was found. The error
// says why there are no inputs: an *InputError, or one that an event describes.
func (t *Task) CheckEveryPass(want Checked) error {
	name, err := checkedFunction(t.Model.Module, t.Job.Inputs.Function)
	if err != nil {
		return err
	}
	sig := compiler.Signature(t.Model.Module, name)
	x, err := t.arguments(sig, t.Job.bindings()[0])
	if err != nil {
		return err
	}
	if err := sig.Check(x.Args); err != nil {
		return Input("%v", err)
	}
	outputs := sig.Outputs
	if sig.Kernel { // the Runner returns all tensors
		outputs = nil
		for _, p := range sig.Params {
			if p.Type.Kind == artifact.KindTensor {
				outputs = append(outputs, p.Name)
			}
		}
	}
	if want.Expected == nil && len(t.Job.Inputs.Expected) > 0 {
		for _, name := range resultNames(sig) {
			want.Expected = append(want.Expected, t.Job.Inputs.Expected[name].Tensor)
		}
	}
	t.checker = &execute.Checker{
		Runner: &execute.Runner{Target: t.Job.Target, MaxBytes: t.Job.Memory, Engine: t.hooks.Engine}, Function: name, Inputs: x.Args,
		Outputs: outputs, Expected: want.Expected, Each: want.Each,
	}
	t.checkedInputs, t.checkedSig = x.Body.Inputs, sig
	return nil
}

// checkCode adds the generated code to a check of every pass: the machine runs the program on the inputs of the check. Without a program, or an engine
// to run it, nothing is added. The error is that of a context that has ended.
func (t *Task) checkCode(ctx context.Context) error {
	if t.checker == nil || t.hooks.Engine == nil || t.Result == nil || t.Result.Artifact == nil {
		return nil
	}
	outs, err := t.runProgram(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.checker.Program(ctx, outs, err)
}

// runProgram runs the program on the inputs of the check and returns what a Runner returns of a module: of a kernel, all of its tensors.
func (t *Task) runProgram(ctx context.Context) ([]*tensor.Tensor, error) {
	prog, err := t.load(ctx, t.Result.Artifact)
	if err != nil {
		return nil, err
	}
	defer func() { _ = prog.Close() }() // frees memory only; there is nothing to do about a failure
	written, err := prog.Run(ctx, t.checkedSig.Name, t.checker.Inputs...)
	if err != nil || !t.checkedSig.Kernel {
		return written, err
	}
	var outs []*tensor.Tensor
	for i, p := range t.checkedSig.Params {
		switch {
		case p.Type.Kind != artifact.KindTensor:
		case p.Written:
			outs, written = append(outs, written[0]), written[1:]
		default:
			outs = append(outs, t.checker.Inputs[i])
		}
	}
	return outs, nil
}

// Checked returns what the check of every pass has found so far; nil where CheckEveryPass was not called.
func (t *Task) Checked() *check.Report {
	if t.checker == nil {
		return nil
	}
	out := t.checker.Report()
	out.Inputs = append([]event.Tensor{}, t.checkedInputs...)
	return out
}

// resultNames returns what the tensors of the result of a function are called: by the model, else by numbers.
func resultNames(sig *artifact.Signature) []string {
	out := make([]string, sig.Result.Count())
	for i := range out {
		out[i] = fmt.Sprintf("output %d", i)
		if i < len(sig.Outputs) {
			out[i] = sig.Outputs[i]
		}
	}
	return out
}

// checkedFunction returns the function to run: that of a name, the entry, or the only PrimFunc.
func checkedFunction(m *ir.Module, name string) (string, error) {
	if name != "" && m.Lookup(name) != nil {
		return name, nil
	}
	if why := NothingToExecute(m); why != "" {
		return "", Input("%s", why)
	}
	if m.Lookup(compiler.Entry) != nil {
		return compiler.Entry, nil
	}
	name, _ = lonePrimFunc(m)
	return name, nil
}

// Check runs the passes of a job and the module behind each of them, and reports what became of its results. What earlier runs left in the memory of
// the hooks is taken for the steps; nothing is recorded. Where the pipeline leads to code, and the hooks have an engine, the last step is the generated code. The report is there with an error, too: of a pass that failed,
// or of the context, with the steps so far. The error is described for an event, as that of Run.
func Check(ctx context.Context, j *Job, want Checked, sink event.Sink, hooks Hooks) (*check.Report, error) {
	hooks.Log = cmp.Or(hooks.Log, slog.Default())
	t := &Task{Job: j, hooks: hooks, sink: &tap{Sink: sink}}
	if err := t.read(ctx); err != nil {
		return nil, t.Describe(ctx, err)
	}
	if err := t.CheckEveryPass(want); err != nil {
		return nil, t.Describe(ctx, err)
	}
	watches, err := j.Watches(ctx, t.sink)
	if err != nil {
		return nil, t.Describe(ctx, err)
	}
	steps := hooks.Steps
	if slices.ContainsFunc(watches, func(in *pass.Instrument) bool { return !in.Replayable }) {
		steps = nil
	}
	re := newReuse(steps, t.sink, nil, t.Model)
	t.Result, err = compiler.Passes(ctx, j.Compiler(t.Model.Module, re.wrap(t.pipeline), append(watches, t.checker.Instrument(ctx))...))
	if err == nil && hooks.Engine != nil && compiler.Codegen(ctx, j.Target, t.Result, t.Model.Module) == nil { // a pipeline may end before there can be code
		err = t.checkCode(ctx)
	}
	out := t.Checked()
	switch {
	case ctx.Err() != nil:
		out.Stopped = fmt.Sprintf("the check was stopped: %v", context.Cause(ctx))
		return out, context.Cause(ctx)
	case err != nil:
		err = t.Describe(ctx, err)
		out.Stopped = err.Error()
	}
	return out, err
}
