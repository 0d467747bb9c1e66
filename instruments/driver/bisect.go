package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/irscope/irscope/compiler"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/reduce"
	"github.com/irscope/irscope/compiler/starpass"
	"github.com/irscope/irscope/instruments/bisect"
	"github.com/irscope/irscope/instruments/check/execute"
	"github.com/irscope/irscope/instruments/predicate"
	"github.com/irscope/irscope/runtime/artifact"
	"github.com/irscope/irscope/runtime/tensor"
)

// Bisect finds what is at fault when the passes of a job run on its source. The inputs of the job, and its seed for those that are
// not given, are what programs run on. The error is that of reading the source or of bisect.Find.
func Bisect(ctx context.Context, j *Job, p *bisect.Predicate, hooks Hooks, o bisect.Options) (*bisect.Finding, error) {
	subject, h, err := j.subject(ctx, p, hooks)
	if err != nil {
		return nil, err
	}
	f, err := bisect.Find(ctx, subject, p, h, o)
	if err != nil {
		return nil, err
	}
	j.place(f)
	f.Inputs = append(f.Inputs, j.givenTo(f.Module, j.named(nil, subject.Module))...)
	return f, nil
}

// givenTo returns the parameters of the function that runs of a module for which the job has inputs that fit. Given are those that it has by number, by
// their names.
func (j *Job) givenTo(m *ir.Module, given map[string]*tensor.Tensor) (out []string) {
	sig := compiler.Signature(m, j.entryOf(m))
	if sig == nil {
		return nil
	}
	for i, p := range sig.Params {
		t := cmp.Or(j.Inputs.Named[p.Name].Tensor, given[p.Name])
		one := artifact.Signature{Name: sig.Name, Params: sig.Params[i : i+1]}
		if t != nil && one.Check([]*tensor.Tensor{t}) == nil {
			out = append(out, p.Name)
		}
	}
	return out
}

// entryOf returns the function of a module that the job runs: that of the job, the entry, or the only PrimFunc.
func (j *Job) entryOf(m *ir.Module) string {
	for _, name := range []string{j.Inputs.Function, compiler.Entry} {
		if m.Lookup(name) != nil {
			return name
		}
	}
	name, _ := lonePrimFunc(m)
	return name
}

// Reduce makes the source of a job smaller while a fault shows when its passes run. Without passes the predicate is about
// the source itself. The error is that of reading the source or of reduce.Module.
func Reduce(ctx context.Context, j *Job, p *bisect.Predicate, hooks Hooks, o reduce.Options) (*reduce.Result, error) {
	subject, h, err := j.subject(ctx, p, hooks)
	if err != nil {
		return nil, err
	}
	test, err := bisect.Test(ctx, subject, p, h)
	if err != nil {
		return nil, err
	}
	return reduce.Module(ctx, subject.Module, test, o)
}

// subject reads the source of a job and returns what is to be examined, with hooks that execute programs.
func (j *Job) subject(ctx context.Context, p *bisect.Predicate, hooks Hooks) (bisect.Subject, bisect.Hooks, error) {
	t := &Task{Job: j, hooks: hooks, sink: &tap{Sink: &Log{}}}
	if err := t.read(ctx); err != nil {
		return bisect.Subject{}, bisect.Hooks{}, err
	}
	req := j.Compiler(nil, nil)
	out := bisect.Hooks{Compare: j.comparer(hooks), Measure: j.measurer(hooks)}
	if p.Kind == bisect.Script {
		s, err := starpass.Parse(p.Name, p.Text, starpass.Limits{Print: j.Print})
		if err != nil {
			return bisect.Subject{}, bisect.Hooks{}, err
		}
		out.Script = func(ctx context.Context, m *ir.Module) (bool, error) {
			c, err := req.Context(ctx)
			if err != nil {
				return false, err
			}
			return predicate.Holds(c, s, m)
		}
	}
	pl := t.pipeline
	if j.Pipeline == nil {
		pl = pass.NewSequential("")
	}
	return bisect.Subject{Module: t.Model.Module, Pipeline: pl, Request: req}, out, nil
}

// errNoEntry is for modules that have nothing to run.
var errNoEntry = errors.New("the module has no function to run")

// argumentsOf makes arguments for the function that the job runs, of a module that may have fewer parameters than the source: given ones
// are known by the names that they have in the source.
func (j *Job) argumentsOf(m *ir.Module, given map[string]*tensor.Tensor) (*artifact.Signature, []*tensor.Tensor, error) {
	sig := compiler.Signature(m, j.entryOf(m))
	if sig == nil {
		return nil, nil, errNoEntry
	}
	x := &Task{Job: &Job{Request: j.Request}}
	x.Job.Inputs.Guess = true
	x.Job.Inputs.Given = func(i int) *tensor.Tensor { return given[sig.Params[i].Name] }
	made, err := x.arguments(sig, j.bindings()[0])
	if err != nil {
		return nil, nil, err
	}
	return sig, made.Args, sig.Check(made.Args)
}

// named returns the given inputs by the names that they have in the source, which is the first module that is compared.
func (j *Job) named(given map[string]*tensor.Tensor, m *ir.Module) map[string]*tensor.Tensor {
	if given != nil || j.Inputs.Given == nil {
		return given
	}
	given = map[string]*tensor.Tensor{}
	if sig := compiler.Signature(m, j.entryOf(m)); sig != nil {
		for i, p := range sig.Params {
			if t := j.Inputs.Given(i); t != nil {
				given[p.Name] = t
			}
		}
	}
	return given
}

// comparer returns the hook that compares outputs.
func (j *Job) comparer(hooks Hooks) func(context.Context, *ir.Module, *ir.Module) (bisect.Verdict, error) {
	runner := &execute.Runner{Target: j.Target, MaxBytes: j.Memory, Engine: hooks.Engine}
	var given map[string]*tensor.Tensor
	return func(ctx context.Context, first, now *ir.Module) (bisect.Verdict, error) {
		given = j.named(given, first)
		sig, args, err := j.argumentsOf(first, given)
		if err != nil {
			return bisect.Verdict{Unknown: true, Detail: err.Error()}, nil
		}
		return bisect.Compare(ctx, runner, first, now, sig.Name, args, sig.Outputs)
	}
}

// measurer returns the hook that times programs.
func (j *Job) measurer(hooks Hooks) func(context.Context, *ir.Module, *ir.Module) (time.Duration, error) {
	if hooks.Engine == nil {
		return nil
	}
	var given map[string]*tensor.Tensor
	return func(ctx context.Context, source, lowered *ir.Module) (time.Duration, error) {
		given = j.named(given, source)
		sig, args, err := j.argumentsOf(source, given)
		if err != nil {
			return 0, err
		}
		res := &compiler.Result{Module: lowered}
		if err := compiler.Codegen(ctx, j.Target, res, source); err != nil {
			return 0, fmt.Errorf("make code: %w", err)
		}
		t := Program(res.Artifact, j.Request, hooks)
		prog, err := t.load(ctx, res.Artifact)
		if err != nil {
			return 0, err
		}
		defer func() { _ = prog.Close() }() // frees memory only
		_, took, err := t.timed(ctx, prog, sig.Name, args)
		if err != nil {
			return 0, err
		}
		least := took[0]
		for _, d := range took {
			least = min(least, d)
		}
		return time.Duration(least), nil
	}
}
