package bisect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
)

// findStep finds the step at fault.
func (s *search) findStep() (candidates []string, detail string, err error) {
	s.o.Progress("the passes")
	if s.p.Kind == Slower {
		return s.slowStep()
	}
	states, failed, err := s.run(s.ctx, s.module, s.steps, s.p.Kind == Invalid, nil)
	if err != nil {
		return nil, "", err
	}
	if s.p.Kind == Crash || s.p.Kind == Invalid {
		if !s.isFailure(failed) {
			return nil, "", s.noFailure(failed)
		}
		s.guilty, s.before, s.crash = failed.at, states[failed.at], failed
		if failed.invalid { // what it made is not among the states
			if after, _, err := s.run(s.ctx, s.before, s.steps[s.guilty:s.guilty+1], false, nil); err == nil {
				s.after = after[len(after)-1]
				s.problems = problems(s.after)
			}
		}
		return []string{s.steps[s.guilty].path}, s.describe(failed), nil
	}
	return s.halveStates(states)
}

// describe writes the error of a failure, with the path of the step as the pipeline has it.
func (s *search) describe(f *failure) string {
	x := s.steps[f.at]
	err := f.err
	var in *pass.InstrumentError
	if errors.As(err, &in) {
		err = in.Err
	}
	return strings.ReplaceAll(err.Error(), fmt.Sprintf("1.%d/%s", f.at+1, x.pass.Name), x.path)
}

// isFailure reports whether a run failed as the predicate says.
func (s *search) isFailure(f *failure) bool {
	return f != nil && f.invalid == (s.p.Kind == Invalid) && (s.p.Text == "" || contains(f.err, s.p.Text))
}

func (s *search) noFailure(f *failure) error {
	switch {
	case f == nil && s.p.Kind == Crash:
		return &NotHeldError{"no pass fails on this module"}
	case f == nil:
		return &NotHeldError{"the module is well-formed after each pass"}
	case s.p.Kind == Invalid:
		return &NotHeldError{"a pass fails before any leaves a module that is not well-formed (look for it with the predicate crash): " + f.err.Error()}
	}
	return &NotHeldError{fmt.Sprintf("a pass fails, but not with %q: %v", s.p.Text, f.err)}
}

// halveStates finds the first module that shows the fault: before it is one that does not. Modules that cannot be judged are passed over.
func (s *search) halveStates(states []*ir.Module) (candidates []string, detail string, err error) {
	known := map[*ir.Module]Verdict{}
	judge := func(i int) (Verdict, error) {
		m := states[i]
		if v, ok := known[m]; ok {
			return v, nil
		}
		s.o.Progress(fmt.Sprintf("the module after %d of %d passes", i, len(s.steps)))
		v, err := s.judge(s.module, m)
		known[m] = v
		return v, err
	}
	first, err := judge(0)
	if err != nil {
		return nil, "", err
	}
	if first.Fault || first.Unknown {
		return nil, "", &NotHeldError{"it shows before the first pass: " + orText(first.Detail, s.p.String())}
	}
	hi := len(states) - 1
	var last Verdict
	// Modules at the end that cannot be judged say nothing, and a text may be gone again in the end; outputs may not be right again.
	for ; hi > 0; hi-- {
		if last, err = judge(hi); err != nil {
			return nil, "", err
		}
		if !last.Unknown && (last.Fault || s.p.Kind == Wrong) {
			break
		}
	}
	if !last.Fault {
		why := "the module does not show it after any pass"
		if s.p.Kind == Wrong {
			why = "the module after the last pass does not show it"
		}
		if last.Detail != "" {
			why += ": " + last.Detail
		}
		return nil, "", &NotHeldError{why}
	}
	lo, hi, err := s.narrow(0, hi, judge)
	if err != nil {
		return nil, "", err
	}
	// Only what changed the module can be at fault.
	for j := lo; hi-lo > 1 && j < hi; j++ {
		if states[j] != states[j+1] {
			candidates = append(candidates, s.steps[j].path)
		}
	}
	detail = known[states[hi]].Detail
	s.guilty, s.before, s.after = hi-1, states[hi-1], states[hi]
	if candidates == nil {
		candidates = []string{s.steps[s.guilty].path}
	}
	return candidates, detail, nil
}

// narrow halves what lies between a module that does not show the fault and one that does, until they are neighbors or nothing between them can be
// judged.
func (s *search) narrow(lo, hi int, judge func(int) (Verdict, error)) (int, int, error) {
	for hi-lo > 1 {
		i, v, err := s.between(lo, hi, judge)
		switch {
		case err != nil || i < 0:
			return lo, hi, err
		case v.Fault:
			hi = i
		default:
			lo = i
		}
	}
	return lo, hi, nil
}

// between judges a module between two others, the nearest to their middle that can be judged; -1 if there is none.
func (s *search) between(lo, hi int, judge func(int) (Verdict, error)) (int, Verdict, error) {
	mid := (lo + hi) / 2
	for d := 0; mid-d > lo || mid+d < hi; d++ {
		for _, i := range []int{mid - d, mid + d} {
			if i <= lo || i >= hi {
				continue
			}
			v, err := judge(i)
			if err != nil || !v.Unknown {
				return i, v, err
			}
		}
	}
	return -1, Verdict{}, nil
}

// judge tells whether a module that came of first shows the fault.
func (s *search) judge(first, m *ir.Module) (Verdict, error) {
	switch s.p.Kind {
	case Wrong:
		if m == first {
			return Verdict{Detail: "the module was not changed"}, nil
		}
		return s.hooks.Compare(s.ctx, first, m)
	case Contains:
		return Verdict{Fault: s.p.pattern.MatchString(text(m))}, nil
	case Lacks:
		return Verdict{Fault: !s.p.pattern.MatchString(text(m))}, nil
	case Script:
		yes, err := s.hooks.Script(s.ctx, m)
		return Verdict{Fault: yes}, err
	}
	panic("bisect: a module alone does not tell of " + string(s.p.Kind))
}
