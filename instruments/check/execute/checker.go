package execute

import (
	"context"
	"errors"
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir/interp"
	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/tensor"
)

// Checker runs the module of a run before its first pass and behind each step, and compares. Set Runner, Function, and Inputs; Start comes first, then
// Step for each step, and Report at the end. An instrument does that along the passes.
type Checker struct {
	Runner   *Runner
	Function string
	Inputs   []*tensor.Tensor
	// Outputs are names of the outputs, if there are any.
	Outputs []string
	// Tolerate gives tolerances; nil means ToleranceOf.
	Tolerate Tolerate
	// Expected are the outputs that the author of the model expects, nil for those that are not known. Their tolerance is ExpectedTolerance.
	Expected []*tensor.Tensor
	// Each, if not nil, hears of each step at once.
	Each func(check.Step)

	report  check.Report
	started bool
	module  *ir.Module // behind the last step
	want    []*tensor.Tensor
	last    []*tensor.Tensor // of the last module that could be run
}

// Start runs the module before the first pass. The error is that of a context that has ended.
func (c *Checker) Start(ctx context.Context, m *ir.Module) error {
	c.started = true
	c.report = check.Report{Function: c.Function, Reference: -1, Tolerances: []check.Tolerance{}}
	return c.behind(ctx, check.Step{Changed: true}, m)
}

// Step runs the module behind a step, unless the step left it as it was. The error is that of a context that has ended.
func (c *Checker) Step(ctx context.Context, path, name string, m *ir.Module) error {
	if m == c.module {
		s := c.report.Steps[len(c.report.Steps)-1]
		s.Path, s.Pass, s.Changed = path, name, false
		c.add(s)
		return nil
	}
	return c.behind(ctx, check.Step{Path: path, Pass: name, Changed: true}, m)
}

// behind runs m and adds s with its status.
func (c *Checker) behind(ctx context.Context, s check.Step, m *ir.Module) error {
	before := c.module
	out, err := c.judge(ctx, &s, m)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.module = m
	if err == nil {
		c.last = out.Outputs
	}
	if c.want == nil && err == nil {
		c.want, c.report.Reference = out.Outputs, len(c.report.Steps)
		c.report.Tolerances, c.report.Why = c.tolerances(), ""
	}
	if c.want == nil && c.report.Why == "" {
		c.report.Why = s.Message
	}
	if s.Status.Bad() && c.report.Fault == nil {
		if c.report.Fault, err = c.blame(ctx, before, m, s.Status); err != nil {
			return err
		}
		if s.Threads != nil && s.Threads.Kind == string(interp.Race) && c.report.Fault.Why == "" {
			c.report.Fault.Why = whyRace
		}
		c.report.Fault.Step, c.report.Fault.Path, c.report.Fault.Pass = len(c.report.Steps), s.Path, s.Pass
	}
	c.add(s)
	return nil
}

func (c *Checker) add(s check.Step) {
	c.report.Steps = append(c.report.Steps, s)
	if c.Each != nil {
		c.Each(s)
	}
}

// judge runs m and sets the status, the figures, and the message of s.
func (c *Checker) judge(ctx context.Context, s *check.Step, m *ir.Module) (*Outcome, error) {
	out, err := c.Runner.Run(ctx, m, c.Function, c.Inputs)
	c.compare(s, out, err)
	s.Threads = ThreadFault(m, err)
	return out, err
}

// compare sets the status, the figures, and the message of s by what a run gave. Before there is a reference, a module that fails is one that cannot be run:
// nothing tells that a pass is at fault.
func (c *Checker) compare(s *check.Step, out *Outcome, err error) {
	var no *NotRunnableError
	if err != nil {
		s.Status, s.Message = check.Failed, err.Error()
		if errors.As(err, &no) || c.want == nil {
			s.Status = check.NotRunnable
		}
		return
	}
	want := c.want
	if want == nil {
		want = out.Outputs
	}
	d := Compare(out.Outputs, want, c.Outputs, c.Tolerate)
	s.Status, s.Message, s.How = d.Status(), d.Message, out.How
	if d.Message == "" {
		s.Difference = &d.Difference
	}
}

func (c *Checker) tolerances() []check.Tolerance {
	list := Tolerances(c.want)
	if c.Tolerate != nil {
		for i, t := range list {
			dt, err := dtype.Parse(t.DType)
			if err != nil {
				panic(fmt.Sprintf("the name of type %s is not read: %v", t.DType, err))
			}
			list[i] = c.Tolerate(dt)
		}
	}
	return list
}

// Report returns what is known after the steps so far.
func (c *Checker) Report() *check.Report {
	out := c.report
	if out.Steps == nil {
		out.Steps, out.Reference, out.Function = []check.Step{}, -1, c.Function
	}
	for i, want := range c.Expected {
		if want == nil {
			continue
		}
		x := check.Expected{Output: fmt.Sprintf("output_%d", i)}
		if i < len(c.Outputs) {
			x.Output = c.Outputs[i]
		}
		x.First, x.Within = expected(c.want, i, want, x.Output)
		if last, within := expected(c.last, i, want, x.Output); last != nil {
			x.Last, x.Within = last, within
		}
		out.Expected = append(out.Expected, x)
	}
	return &out
}

// ExpectedTolerance is the tolerance of outputs that were computed elsewhere: that with which published models are compared.
func ExpectedTolerance(dt dtype.DType) check.Tolerance {
	t := ToleranceOf(dt)
	if dt.Elem() == dtype.Float32T || dt.Elem() == dtype.Float64T {
		t.RTol, t.ATol = 1e-3, 1e-5
	}
	return t
}

// expected compares output i with what is expected of it; nil where it cannot be compared.
func expected(outs []*tensor.Tensor, i int, want *tensor.Tensor, name string) (d *check.Difference, within bool) {
	if i >= len(outs) {
		return nil, false
	}
	x := Compare(outs[i:i+1], []*tensor.Tensor{want}, []string{name}, ExpectedTolerance)
	if x.Message != "" {
		return nil, false
	}
	return &x.Difference, !x.Status().Bad()
}

// Instrument returns an instrument that tells the checker of the passes of a run, steps that are taken from an earlier run included. Passes that only
// run others are left out: what they did is that of their last child.
func (c *Checker) Instrument(ctx context.Context) *pass.Instrument {
	after := func(m *ir.Module, s *pass.Step) error {
		if s.Pass.Kind == pass.Sequential {
			return nil
		}
		return c.Step(ctx, s.Path(), s.Pass.Name, m)
	}
	return &pass.Instrument{
		Name: "CheckEveryPass",
		RunBeforePass: func(m *ir.Module, _ *pass.Step) error {
			if c.started {
				return nil
			}
			return c.Start(ctx, m)
		},
		RunAfterPass: after, PassReused: after, Replayable: true,
	}
}
