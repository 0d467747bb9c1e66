package bisect

import (
	"context"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/pipeline"
	"github.com/irscope/irscope/instruments/fault"
)

// Options bound a search and follow it.
type Options struct {
	// Evaluations is the number of modules that reduction tests at most; 0 is reduce.DefaultEvaluations.
	Evaluations int
	// Progress, if not nil, hears of what is being done, in a few words.
	Progress func(text string)
}

// Finding is what a search found.
type Finding struct {
	fault.Finding
	// Module is the smallest module, and Pipeline the shortest pipeline.
	Module   *ir.Module   `json:"-"`
	Pipeline []*pass.Pass `json:"-"`
	// At is the index of the step at fault in Pipeline.
	At int `json:"-"`
}

// NotHeldError says that the fault does not show, or shows from the start.
type NotHeldError struct{ What string }

// Error implements error.
func (e *NotHeldError) Error() string { return e.What }

// search is the state of one call of Find.
type search struct {
	runner
	ctx   context.Context
	p     *Predicate
	hooks Hooks
	o     Options

	module *ir.Module
	steps  []step // all of them
	// guilty is the index of the step at fault, before and after the modules around it.
	guilty        int
	inner         *pass.Step // the step at fault inside of that, if it is known
	before, after *ir.Module
	crash         *failure
	problems      map[string]bool // what verification finds in an invalid module
	// rest and limit are of a slow program: what ran behind the step, and the time above which it is slow.
	rest  []step
	limit time.Duration
}

// Find finds what is at fault. The error is a *NotHeldError where the fault does not show, else that of a hook or of the context.
// When the context ends while passes are removed, the module is reduced, or further functions are looked for, the finding holds the best so far.
func Find(ctx context.Context, subject Subject, p *Predicate, hooks Hooks, o Options) (*Finding, error) {
	if err := hooks.needs(p); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if subject.Pipeline == nil {
		var err error
		if subject.Pipeline, err = pipeline.Lookup("", subject.Request.Target); err != nil {
			return nil, err
		}
	}
	pc, err := subject.Request.Context(ctx)
	if err != nil {
		return nil, err
	}
	s := &search{runner: runner{request: subject.Request}, ctx: ctx, p: p, hooks: hooks, o: o, module: subject.Module, steps: stepsOf(subject.Pipeline, pc)}
	f := &Finding{Finding: fault.Finding{Predicate: p.String(), Functions: []string{}, Rewrites: []fault.Rewrite{}, Inputs: []string{}}}
	if f.Candidates, f.Detail, err = s.findStep(); err != nil {
		return nil, err
	}
	f.Step, f.Pass = s.steps[s.guilty].path, s.steps[s.guilty].pass.Name
	o.Progress("the steps inside of " + f.Pass)
	if s.inner, err = s.findInside(); err != nil {
		return nil, err
	}
	if s.inner != nil {
		f.Inside = s.inside(s.inner)
	}
	o.Progress("the function of " + f.Pass)
	if f.Functions, err = s.functions(); err != nil {
		return nil, err
	}
	o.Progress("the rewrite of " + f.Pass)
	if f.Rewrites, f.How, err = s.rewrites(f.Functions); err != nil {
		return nil, err
	}
	short, err := s.shortest()
	if err != nil {
		return nil, err
	}
	if err := s.smallest(f, short); err != nil {
		return nil, err
	}
	o.Progress("other functions that " + f.Pass + " spoils")
	if f.Also, f.AlsoStopped, err = s.also(f.Functions); err != nil {
		return nil, err
	}
	f.Tests = s.runs
	return f, nil
}
