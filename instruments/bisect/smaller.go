package bisect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/patch"
	"github.com/irscope/irscope/compiler/reduce"
)

// shows tells whether the fault shows at the last of some steps, and not before it, when they run on m.
func (s *search) shows(ctx context.Context, m *ir.Module, steps []step) (bool, error) {
	if s.p.Kind == Slower {
		return s.slows(ctx, m, steps)
	}
	states, failed, err := s.run(ctx, m, steps, s.p.Kind == Invalid, nil)
	if err != nil {
		return false, err
	}
	last := len(steps) - 1
	switch s.p.Kind {
	case Crash:
		return s.isFailure(failed) && failed.at == last && messageOf(failed.err) == messageOf(s.crash.err), nil
	case Invalid:
		return s.isFailure(failed) && failed.at == last, nil
	}
	if failed != nil || states[last] == states[last+1] {
		return false, nil
	}
	before, err := s.judge(m, states[last])
	if err != nil || before.Fault || before.Unknown {
		return false, err
	}
	after, err := s.judge(m, states[last+1])
	return after.Fault && !after.Unknown, err
}

// shortest removes the steps that the fault does not need. The step at fault stays the last, but for a slow program, which is lowered
// whole.
func (s *search) shortest() ([]step, error) {
	steps := s.steps[:s.guilty+1]
	if s.p.Kind == Slower {
		steps = s.steps
	}
	n := 0
	return shrink(steps, func(rest []step) (bool, error) {
		if s.ctx.Err() != nil || !s.keeps(rest) || !orderly(rest, s.steps) {
			return false, nil
		}
		n++
		s.o.Progress(fmt.Sprintf("the pipeline: %d passes, %d tests", len(rest), n))
		ok, err := s.shows(s.ctx, s.module, rest)
		if s.ctx.Err() != nil {
			return false, nil
		}
		return ok, err
	})
}

// keeps reports whether the step at fault is among steps, and last where it has to be.
func (s *search) keeps(steps []step) bool {
	guilty := s.steps[s.guilty].path
	if s.p.Kind == Slower {
		return slices.ContainsFunc(steps, func(x step) bool { return x.path == guilty })
	}
	return len(steps) > 0 && steps[len(steps)-1].path == guilty
}

// smallest reduces the module and writes down what the passes make of it.
func (s *search) smallest(f *Finding, steps []step) error {
	f.Module = s.module
	r, err := reduce.Module(s.ctx, s.module, func(ctx context.Context, m *ir.Module) (bool, error) {
		return s.shows(ctx, m, on(m, steps))
	}, reduce.Options{Evaluations: s.o.Evaluations, Progress: func(n int, best *ir.Module) {
		s.o.Progress(fmt.Sprintf("the module: %s after %d tests", sizeOf(best), n))
	}})
	var bad *reduce.IllFormedError
	switch {
	case err == nil:
		f.Module, f.Stopped = r.Module, r.Stopped
	case s.ctx.Err() != nil:
		f.Stopped = fmt.Sprintf("it was stopped: %v", context.Cause(s.ctx))
	case errors.As(err, &bad), errors.Is(err, reduce.ErrNotHeld):
		f.Stopped = err.Error()
	default:
		return err
	}
	f.Pipeline = passesOf(steps)
	f.Source, f.Passes = text(f.Module), Notation(f.Pipeline)
	f.Whole, f.Omitted = whole(f.Module)
	// What the pass at fault does with it. A context that has ended would keep it from running.
	ctx := context.WithoutCancel(s.ctx)
	at := slices.IndexFunc(steps, func(x step) bool { return x.path == s.steps[s.guilty].path })
	f.At = at
	states, failed, err := s.run(ctx, f.Module, on(f.Module, steps[:at+1]), false, nil)
	if err != nil {
		return err
	}
	f.Before = text(states[min(at, len(states)-1)])
	if failed == nil {
		f.After = text(states[at+1])
	}
	if failed == nil {
		if err := s.agree(f, states[at], states[at+1]); err != nil {
			return err
		}
	}
	if len(f.Functions) == 0 && f.Stopped == "" {
		f.Functions = onlyFunction(states[min(at, len(states)-1)])
	}
	return nil
}

// on returns the steps as they are for an imported module: the constants that an edit of the IR names are those of that module.
func on(m *ir.Module, steps []step) []step {
	out := make([]step, len(steps))
	for i, x := range steps {
		out[i] = step{patch.On(x.pass, m), x.path}
	}
	return out
}

// agree makes the finding name the function that is left in the smallest module where several functions show the fault by themselves: before
// and after are what the step at fault is given there, and makes of it.
func (s *search) agree(f *Finding, before, after *ir.Module) error {
	var left []string
	after.EachChange(before, func(name string, before, _ ir.Function) {
		if before != nil {
			left = append(left, name)
		}
	})
	if len(left) != 1 || slices.Contains(f.Functions, left[0]) || s.after == nil || s.before.Lookup(left[0]) == nil || s.ctx.Err() != nil {
		return nil
	}
	ok, err := s.spoiled(s.mixed(left))
	if err != nil || !ok {
		return err
	}
	f.Functions = left
	f.Rewrites, f.How, err = s.rewrites(left)
	return err
}

// Test returns a test for package reduce: whether the fault shows when the passes of the subject run on a module, whichever of them is
// at fault. A crash is the same if its pass and message are, and an invalid module if its pass is.
func Test(ctx context.Context, subject Subject, p *Predicate, hooks Hooks) (reduce.Test, error) {
	if err := hooks.needs(p); err != nil {
		return nil, err
	}
	if p.Kind == Slower && p.Factor > 0 {
		return nil, errors.New("a factor compares with the program without one pass, which is not known here: give a time, as in slower=5ms")
	}
	pc, err := subject.Request.Context(ctx)
	if err != nil {
		return nil, err
	}
	s := &search{runner: runner{request: subject.Request}, p: p, hooks: hooks, module: subject.Module, steps: stepsOf(subject.Pipeline, pc)}
	return func(ctx context.Context, m *ir.Module) (bool, error) {
		s.ctx = ctx
		states, failed, err := s.run(ctx, m, s.steps, p.Kind == Invalid, nil)
		if err != nil {
			return false, err
		}
		switch p.Kind {
		case Crash, Invalid:
			if !s.isFailure(failed) {
				return false, nil
			}
			if s.crash == nil {
				s.crash = failed
			}
			return failed.at == s.crash.at && (p.Kind == Invalid || messageOf(failed.err) == messageOf(s.crash.err)), nil
		}
		if failed != nil {
			return false, nil
		}
		last := states[len(states)-1]
		if p.Kind == Slower {
			took, ok, err := s.timed(ctx, m, last)
			return ok && took > p.Limit, err
		}
		v, err := s.judge(m, last)
		return v.Fault && !v.Unknown, err
	}, nil
}
