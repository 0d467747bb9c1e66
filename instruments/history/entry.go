package history

import "slices"

// Verb says what a step did to a focus.
type Verb string

// The verbs.
const (
	Born      Verb = "born"
	Lowered   Verb = "lowered"   // to the next level: operator to kernel, kernel to code
	Fused     Verb = "fused"     // with others into one value
	Split     Verb = "split"     // into several
	Rewritten Verb = "rewritten" // otherwise
	Dropped   Verb = "dropped"   // a part of it is gone, another stays
	Folded    Verb = "folded"    // only constants are left of it
	Died      Verb = "died"
	Same      Verb = "same" // it stands in a function that changed, but itself did not
)

// Entry is what one step did to a focus.
type Entry struct {
	Path string `json:"path"`
	Pass string `json:"pass"`
	Verb Verb   `json:"verb"`
	// From and To are what changed, before and after; for the verb Same, To is what stayed.
	From []Place `json:"from,omitempty"`
	To   []Place `json:"to,omitempty"`
	// With lists what it was fused with.
	With []Root `json:"with,omitempty"`
	// More counts what is left out beyond MaxPlaces.
	More int `json:"more,omitempty"`
	// Left counts all that the module has of it after the step.
	Left Count `json:"left"`
	// Unknown counts values that came in its place and do not say where from: they may be it.
	Unknown int `json:"unknown,omitempty"`
}

// Of returns what each step did to f, for the steps that changed a function that f stands in.
// It takes time in proportion to the rows of the run.
func (h *History) Of(f Focus) []Entry {
	now := map[string][]Place{} // by function
	counts := map[string]Count{}
	var left tally
	var all Count
	var out []Entry
	for i, s := range h.steps {
		hit := make([]bool, len(s.Sets))
		for k, set := range s.Sets {
			hit[k] = meets(set, f.Roots)
		}
		var before, after []Place
		had, unknown := left, 0
		for _, fn := range s.Functions {
			fresh, count := f.places(s, &fn, hit, i), fn.count(hit)
			if s.Path != CodeStep { // code stands beside the function that it was made of
				before = append(before, now[fn.Name]...)
				f.count(&left, now[fn.Name], -1)
				if len(now[fn.Name]) > 0 {
					unknown += fn.Unknown
				}
				now[fn.Name] = fresh
				all.add(counts[fn.Name], -1)
				counts[fn.Name] = count
			}
			all.add(count, 1)
			f.count(&left, fresh, 1)
			after = append(after, fresh...)
		}
		if len(before)+len(after) == 0 {
			continue
		}
		e := h.entry(f, s, before, after, had, left)
		if e.Left = all; e.Verb == Died || e.Verb == Dropped || e.Verb == Folded {
			e.Unknown = unknown
		}
		out = append(out, e)
	}
	return out
}

// entry compares the places in the functions that a step changed. had counts all places
// before the step, has those after it.
func (h *History) entry(f Focus, s *Step, before, after []Place, had, has tally) Entry {
	e := Entry{Path: s.Path, Pass: s.Pass}
	left, came := differing(before, after)
	switch {
	case has == tally{}:
		e.Verb = Died
	case has.live == 0 && (had.live > 0 || had.constants == 0):
		e.Verb = Folded
	case had == tally{}:
		e.Verb = Born
	case len(left)+len(came) == 0:
		e.Verb, came = Same, after
	case s.Path == CodeStep || lowered(left, came):
		e.Verb = Lowered
	case len(came) == 0:
		e.Verb = Dropped
	default:
		e.Verb = Rewritten
		if with := gained(left, came); len(with) > 0 {
			e.Verb = Fused
			e.More = max(0, len(with)-MaxPlaces)
			for _, id := range with[:len(with)-e.More] {
				e.With = append(e.With, h.roots[id])
			}
		} else if joined(f, left, came) {
			e.Verb = Fused
		} else if more(before, after) {
			e.Verb = Split
		}
	}
	e.From, e.To = left, came
	for _, list := range []*[]Place{&e.From, &e.To} {
		if n := len(*list); n > MaxPlaces {
			e.More += n - MaxPlaces
			*list = slices.Clone((*list)[:MaxPlaces])
		}
	}
	return e
}

// lowered reports whether something kept its name and rose to another level.
func lowered(left, came []Place) bool {
	was := map[string]int{}
	for _, p := range left {
		if l := p.rank(); l > 0 {
			was[p.Name] = l
		}
	}
	for _, p := range came {
		if l := was[p.Name]; l > 0 && p.rank() > l {
			return true
		}
	}
	return false
}

// gained returns the roots of values that no value had before. New functions do not count:
// those that several calls share come from all of them.
func gained(left, came []Place) []uint32 {
	had, functions := map[uint32]bool{}, map[string]bool{}
	for _, p := range left {
		if p.is(Binding) {
			functions[p.Function] = true
			for _, r := range p.roots {
				had[r] = true
			}
		}
	}
	var out []uint32
	for _, p := range came {
		if !p.is(Binding) || !functions[p.Function] {
			continue
		}
		for _, r := range p.roots {
			if !had[r] {
				had[r] = true
				out = append(out, r)
			}
		}
	}
	slices.Sort(out)
	return out
}

// joined reports whether a value comes from several roots of the focus, which no value came
// from together before. As with gained, new functions do not count.
func joined(f Focus, left, came []Place) bool {
	functions := map[string]bool{}
	var were [][]uint32
	for _, p := range left {
		if p.is(Binding) {
			functions[p.Function] = true
			were = append(were, common(p.roots, f.Roots))
		}
	}
	for _, p := range came {
		if !p.is(Binding) || !functions[p.Function] {
			continue
		}
		now := common(p.roots, f.Roots)
		if len(now) > 1 && !slices.ContainsFunc(were, func(was []uint32) bool { return len(common(was, now)) == len(now) }) {
			return true
		}
	}
	return false
}

// common returns the members that two ascending lists share.
func common(a, b []uint32) []uint32 {
	var out []uint32
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return out
}

// more reports whether something of which there was some before is more now. How often a
// constant is used does not count.
func more(before, after []Place) bool {
	was, is := map[string]int{}, map[string]int{}
	for _, p := range before {
		was[p.Kind]++
	}
	for _, p := range after {
		is[p.Kind]++
	}
	for kind, n := range is {
		if k := Kind(kind[0]); was[kind] > 0 && n > was[kind] && k != Constant && k != Param {
			return true
		}
	}
	return false
}
