package execute

import (
	"context"
	"fmt"

	"github.com/irscope/irscope/instruments/check"
	"github.com/irscope/irscope/runtime/tensor"
)

// Program adds what the generated code computed as the last step: outputs, as Outcome has them, or the error of its run. Where it is wrong, and the last module
// is not, each kernel is run by its own code on the arguments that the interpreter gives it: those that differ are at fault. The error is that of a
// context that has ended.
func (c *Checker) Program(ctx context.Context, outputs []*tensor.Tensor, failed error) error {
	s := check.Step{Path: check.CodePath, Pass: "code generation", Changed: true}
	if c.want == nil { // nothing tells what it should compute
		s.Status, s.Message = check.NotRunnable, "there is nothing to compare it with"
		c.add(s)
		return nil
	}
	c.compare(&s, &Outcome{Outputs: outputs, How: &check.How{Machine: true}}, failed)
	s.Threads = ThreadFault(c.module, failed)
	if failed == nil {
		c.last = outputs
	}
	if s.Status.Bad() && c.report.Fault == nil {
		f := &check.Fault{All: 1}
		if s.Threads != nil {
			f.Functions = []string{s.Threads.Function}
		} else {
			var err error
			if f, err = c.blameCode(ctx); err != nil {
				return err
			}
		}
		f.Step, f.Path, f.Pass = len(c.report.Steps), s.Path, s.Pass
		c.report.Fault = f
	}
	c.add(s)
	return nil
}

// blameCode finds the kernels of the last module whose code gives something else than the interpreter.
func (c *Checker) blameCode(ctx context.Context) (*check.Fault, error) {
	out := &check.Fault{Functions: []string{}}
	k := c.Runner.kernels
	if k == nil || k.codes == nil {
		out.Why = "there is no code of single kernels to compare"
		return out, nil
	}
	k.watch = &watch{bad: map[string]bool{}, seen: map[string]bool{}}
	defer func() { k.watch = nil }()
	_, err := c.Runner.Run(ctx, c.module, c.Function, c.Inputs)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out.All = len(k.watch.seen)
	out.Functions = append(out.Functions, k.watch.order...)
	switch {
	case err != nil:
		out.Why = fmt.Sprintf("the last module cannot be run: %v", err)
	case len(out.Functions) == 0:
		out.Why = "the code of each kernel alone gives what the interpreter gives"
	}
	return out, nil
}
