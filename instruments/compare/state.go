package compare

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/instruments/event"
)

// state is the two modules as they are after a row.
type state struct {
	texts  map[string]*Function
	differ map[string]struct{}
}

func newState() *state { return &state{map[string]*Function{}, map[string]struct{}{}} }

// apply gives functions of module i, 0 or 1, their new texts.
func (s *state) apply(i int, changes []event.TextChange) {
	for _, c := range changes {
		f := s.texts[c.Name]
		if f == nil {
			f = &Function{Name: c.Name, Kind: c.Kind}
			s.texts[c.Name] = f
		}
		if i == 0 {
			f.A = c.Text
		} else {
			f.B = c.Text
		}
		if c.Text != "" {
			f.Kind = c.Kind
		}
		if f.Same() {
			delete(s.differ, c.Name)
		} else {
			s.differ[c.Name] = struct{}{}
		}
	}
}

// functions lists the functions that differ, or all that are in one of the modules, by name.
func (s *state) functions(all bool) []Function {
	out := []Function{}
	for _, name := range slices.Sorted(maps.Keys(s.texts)) {
		if f := s.texts[name]; !f.Same() || all && f.A != "" {
			out = append(out, *f)
		}
	}
	return out
}
