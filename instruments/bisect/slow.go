package bisect

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments"
	"github.com/irscope/irscope/instruments/event"
)

// A program can be timed only where it was lowered whole, so what is searched are not the modules between passes: each optional pass is left
// out in turn, and the one without which the program is fastest is at fault.

func isOptional(p *pass.Pass) bool { return instruments.Role(p) == event.RoleOptional }

// measure returns the time of the program that steps make of a module; ok is false where they fail, or no program comes of them.
func (s *search) measure(ctx context.Context, m *ir.Module, steps []step) (took time.Duration, ok bool, err error) {
	states, failed, err := s.run(ctx, m, steps, false, nil)
	if err != nil || failed != nil {
		return 0, false, err
	}
	return s.timed(ctx, m, states[len(states)-1])
}

func (s *search) timed(ctx context.Context, source, lowered *ir.Module) (time.Duration, bool, error) {
	took, err := s.hooks.Measure(ctx, source, lowered)
	if err != nil && ctx.Err() != nil {
		return 0, false, context.Cause(ctx)
	}
	return took, err == nil, nil
}

// slowStep finds the optional pass that makes the program slow.
func (s *search) slowStep() ([]string, string, error) {
	took, ok, err := s.measure(s.ctx, s.module, s.steps)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return nil, "", &NotHeldError{"the passes make no program that can be timed"}
	}
	if s.p.Factor == 0 && took <= s.p.Limit {
		return nil, "", &NotHeldError{fmt.Sprintf("the program is not that slow: it takes %v", rounded(took))}
	}
	at, least := -1, took
	for i, x := range s.steps {
		if !isOptional(x.pass) {
			continue
		}
		s.o.Progress("the program without " + x.path)
		without, ok, err := s.measure(s.ctx, s.module, slices.Delete(slices.Clone(s.steps), i, i+1))
		if err != nil {
			return nil, "", err
		}
		if ok && without < least {
			at, least = i, without
		}
	}
	s.limit = s.p.Limit
	if s.p.Factor > 0 {
		s.limit = time.Duration(float64(least) * s.p.Factor)
	}
	if at < 0 || took <= s.limit || least > s.limit {
		what := "no optional pass makes it slower"
		if at >= 0 {
			what = fmt.Sprintf("without %s, which costs most, it takes %v", s.steps[at].pass.Name, rounded(least))
		}
		return nil, "", &NotHeldError{fmt.Sprintf("the program takes %v, and no single pass is at fault: %s", rounded(took), what)}
	}
	s.guilty = at
	states, _, err := s.run(s.ctx, s.module, s.steps, false, nil)
	if err != nil {
		return nil, "", err
	}
	s.before, s.after, s.rest = states[at], states[at+1], s.steps[at+1:]
	return []string{s.steps[at].path}, fmt.Sprintf("the program takes %v with it and %v without it", rounded(took), rounded(least)), nil
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// slowFrom tells whether the program is slow that the rest of the passes make of a module.
func (s *search) slowFrom(m *ir.Module) (bool, error) {
	states, failed, err := s.run(s.ctx, m, s.rest, false, nil)
	if err != nil || failed != nil {
		return false, err
	}
	took, ok, err := s.timed(s.ctx, s.module, states[len(states)-1])
	return ok && took > s.limit, err
}

// slows tells whether the step at fault makes the program of a module slower: by the factor, or, where the limit is a time, from below
// it to above.
func (s *search) slows(ctx context.Context, m *ir.Module, steps []step) (bool, error) {
	took, ok, err := s.measure(ctx, m, steps)
	if err != nil || !ok {
		return false, err
	}
	if s.p.Factor == 0 && took <= s.p.Limit {
		return false, nil
	}
	guilty := s.steps[s.guilty].path
	without, ok, err := s.measure(ctx, m, slices.DeleteFunc(slices.Clone(steps), func(x step) bool { return x.path == guilty }))
	if err != nil || !ok {
		return false, err
	}
	if s.p.Factor == 0 {
		return without <= s.p.Limit, nil
	}
	return float64(took) > s.p.Factor*float64(without), nil
}
