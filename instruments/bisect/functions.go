package bisect

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/instruments"
)

// functions finds the functions that the pass at fault spoiled: the fewest that, taken from what it made, with all others as it was
// given them, still show the fault. A function that it added goes with those that refer to it.
func (s *search) functions() ([]string, error) {
	if s.crash != nil && s.crash.function != "" {
		return []string{s.crash.function}, nil
	}
	if s.after == nil {
		return onlyFunction(s.before), nil
	}
	var changed []string
	s.after.EachChange(s.before, func(name string, before, _ ir.Function) {
		if before != nil {
			changed = append(changed, name)
		}
	})
	if len(changed) < 2 {
		if len(changed) == 0 { // it only added functions
			s.after.EachChange(s.before, func(name string, _, _ ir.Function) { changed = append(changed, name) })
		}
		return changed, nil
	}
	return shrink(changed, func(rest []string) (bool, error) {
		if len(rest) == 0 {
			return false, nil
		}
		return s.spoiled(s.mixed(rest))
	})
}

// onlyFunction returns the name of the only function of m, or of the only one that has one; nothing where several have.
func onlyFunction(m *ir.Module) []string {
	var all []string
	for gv := range m.Funcs() {
		all = append(all, gv.Name)
	}
	if len(all) == 1 {
		return all
	}
	return []string{}
}

// mixed returns the module before the step at fault with some functions as the step made them.
func (s *search) mixed(names []string) *ir.Module {
	e := s.before.Edit()
	for _, n := range names {
		if f := s.after.Lookup(n); f != nil {
			e.Set(n, f)
		} else {
			e.Remove(n)
		}
	}
	return s.completed(e, names)
}

// completed returns an edited module with the functions that some functions in it refer to, and that the step at fault added.
func (s *search) completed(e *ir.Editor, names []string) *ir.Module {
	complete(e, names, s.after)
	return e.Done()
}

// complete adds to an edited module the functions of another that some functions in it refer to, and that it does not have.
func complete(e *ir.Editor, names []string, from *ir.Module) {
	todo := slices.Clone(names)
	for len(todo) > 0 {
		f := e.Lookup(todo[0])
		todo = todo[1:]
		if f == nil {
			continue
		}
		ir.Walk(f, func(n ir.Node) bool {
			gv, ok := n.(*ir.GlobalVar)
			if c, call := n.(*tir.Call); call {
				gv, ok = c.Op.(*ir.GlobalVar)
			}
			if ok && e.Lookup(gv.Name) == nil && from.Lookup(gv.Name) != nil {
				e.Set(gv.Name, from.Lookup(gv.Name))
				todo = append(todo, gv.Name)
			}
			return true
		})
	}
}

// spoiled tells whether a module in the place of what the step at fault made shows the fault.
func (s *search) spoiled(m *ir.Module) (bool, error) {
	s.runs++
	switch s.p.Kind {
	case Crash:
		return false, nil
	case Invalid:
		return s.hasProblem(m), nil
	case Slower:
		return s.slowFrom(m)
	}
	if len(instruments.Verify(m)) > 0 {
		return false, nil
	}
	v, err := s.judge(s.module, m)
	return v.Fault && !v.Unknown, err
}

// problems returns what verification finds in a module, without names and numbers.
func problems(m *ir.Module) map[string]bool {
	out := map[string]bool{}
	for _, p := range instruments.Verify(m) {
		out[constant(p)] = true
	}
	return out
}

// hasProblem reports whether verification finds in a module what it found in the result of the step at fault, or a form is missing that the
// pass gives.
func (s *search) hasProblem(m *ir.Module) bool {
	if len(s.problems) == 0 {
		return slices.ContainsFunc(s.steps[s.guilty].pass.Gives, func(f *pass.Form) bool { return f.Check(m) != nil })
	}
	for p := range problems(m) {
		if s.problems[p] {
			return true
		}
	}
	return false
}
