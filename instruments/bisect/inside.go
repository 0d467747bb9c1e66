package bisect

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/instruments/fault"
)

// A pass that runs steps inside of itself, as the schedule of a user does with its primitives, is one step to the search: none of its steps can
// be left out or run alone. Once such a pass is found to be at fault, the modules between its steps are judged as those between passes are.

// outermost is the depth of the steps of runner.run; those inside of them are deeper.
const outermost = 1

// innerSteps follows the steps inside of a pass.
type innerSteps struct {
	ended []endedStep
	open  []*pass.Step // begun and not ended, the outer ones first
	outer map[*pass.Step]bool
}

// endedStep is a step that holds no others, with what it made.
type endedStep struct {
	*pass.Step
	after *ir.Module
}

func (w *innerSteps) instrument() *pass.Instrument {
	return &pass.Instrument{
		Name: "BisectInside",
		RunBeforePass: func(_ *ir.Module, s *pass.Step) error {
			if s.Depth() > outermost {
				w.close(s.Parent)
				w.outer[s.Parent] = true
				w.open = append(w.open, s)
			}
			return nil
		},
		RunAfterPass: func(m *ir.Module, s *pass.Step) error {
			if s.Depth() > outermost {
				w.close(s.Parent)
				if !w.outer[s] {
					w.ended = append(w.ended, endedStep{s, m})
				}
			}
			return nil
		},
	}
}

// close drops the steps below one: those that are still open have failed, and whoever ran them goes on all the same.
func (w *innerSteps) close(below *pass.Step) {
	for len(w.open) > 0 && w.open[len(w.open)-1] != below {
		w.open = w.open[:len(w.open)-1]
	}
}

// findInside finds the step at fault inside of the pass at fault; nil where there is none, or it is not known.
func (s *search) findInside() (*pass.Step, error) {
	if s.p.Kind == Slower {
		return nil, nil
	}
	w := &innerSteps{outer: map[*pass.Step]bool{}}
	_, failed, err := s.run(s.ctx, s.before, s.steps[s.guilty:s.guilty+1], s.p.Kind == Invalid, nil, w.instrument())
	switch {
	case err != nil:
		return nil, err
	case failed != nil && len(w.open) > 0:
		return w.open[len(w.open)-1], nil
	case failed != nil || s.p.Kind == Crash || s.p.Kind == Invalid || len(w.ended) == 0:
		return nil, nil
	}
	states := []*ir.Module{s.before}
	for _, x := range w.ended {
		if x.Input != states[len(states)-1] {
			return nil, nil // the pass puts together what steps made of other modules
		}
		states = append(states, x.after)
	}
	judge := func(i int) (Verdict, error) { return s.judge(s.module, states[i]) }
	last, err := judge(len(states) - 1)
	if err != nil || last.Unknown || !last.Fault {
		return nil, err
	}
	lo, hi, err := s.narrow(0, len(states)-1, judge)
	if err != nil || hi-lo > 1 {
		return nil, err
	}
	return w.ended[lo].Step, nil
}

// inside describes a step inside of the pass at fault.
func (s *search) inside(x *pass.Step) *fault.Inside {
	ids := x.ID
	for p := x.Parent; p.Depth() > outermost; p = p.Parent {
		ids = p.ID + "." + ids
	}
	above, _, _ := strings.Cut(s.steps[s.guilty].path, "/")
	return &fault.Inside{Step: above + "." + ids + "/" + x.Pass.Name, Pass: x.Pass.Name, Title: x.Pass.Title, Line: x.Pass.Line}
}
