package bisect

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
)

// also finds the functions that the step at fault spoils besides those that were found. Those are left as the step was given them; where the fault still
// shows, the others are halved, and the halves again, down to single functions that show it by themselves. Where neither half shows it, functions
// show it only together, and the fewest of these are taken. With d such functions among n this takes some 2*d*log(n) tests, and one where there are none.
// stopped tells whether the context ended before all were known.
func (s *search) also(found []string) (out []string, stopped bool, err error) {
	switch {
	case s.ctx.Err() != nil:
		return nil, true, nil
	case s.p.Kind == Crash:
		out, err = s.alsoCrash(found)
	case s.after != nil && len(found) > 0:
		var rest []string
		s.after.EachChange(s.before, func(name string, before, _ ir.Function) {
			if before != nil && !slices.Contains(found, name) {
				rest = append(rest, name)
			}
		})
		var shows bool
		if len(rest) > 0 {
			if shows, err = s.spoiled(s.mixed(rest)); err == nil && shows {
				err = s.halved(rest, &out)
			}
		}
	}
	if s.ctx.Err() != nil {
		return out, true, nil
	}
	return out, false, err
}

// halved adds to out those of some functions, which show the fault together, that are at fault.
func (s *search) halved(names []string, out *[]string) error {
	if len(names) == 1 {
		*out = append(*out, names[0])
		return nil
	}
	parted := false
	for _, half := range [][]string{names[:len(names)/2], names[len(names)/2:]} {
		shows, err := s.spoiled(s.mixed(half))
		if err == nil && shows {
			parted = true
			err = s.halved(half, out)
		}
		if err != nil {
			return err
		}
	}
	if parted {
		return nil
	}
	fewest, err := shrink(names, func(rest []string) (bool, error) {
		if len(rest) == 0 {
			return false, nil
		}
		return s.spoiled(s.mixed(rest))
	})
	if err == nil {
		*out = append(*out, fewest...)
	}
	return err
}

// alsoCrash finds further functions in which the step fails with the message that it failed with. It stops at the first one, so each of the others is
// given to it by itself, with what it refers to; where that fails in one of these, without them.
func (s *search) alsoCrash(found []string) (out []string, err error) {
	step := s.steps[s.guilty : s.guilty+1]
	for gv := range s.before.Funcs() {
		if s.crash.function == "" || slices.Contains(found, gv.Name) {
			continue
		}
		alone := s.before.Without(others(s.before, gv.Name)...)
		with := alone.Edit()
		complete(with, []string{gv.Name}, s.before)
		for _, m := range []*ir.Module{with.Done(), alone} {
			_, failed, err := s.run(s.ctx, m, step, false, nil)
			if err != nil {
				return out, err
			}
			if failed == nil {
				break
			}
			if failed.function == gv.Name {
				if messageOf(failed.err) == messageOf(s.crash.err) {
					out = append(out, gv.Name)
				}
				break
			}
		}
	}
	return out, nil
}

// others returns the names of the functions of a module but one.
func others(m *ir.Module, but string) (out []string) {
	for gv := range m.Funcs() {
		if gv.Name != but {
			out = append(out, gv.Name)
		}
	}
	return out
}
