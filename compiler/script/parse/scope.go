package parse

// scope maps names to values. Frames nest: what is defined in one is forgotten at its end.
type scope struct {
	vals map[string]any
	log  []shadowed
}

type shadowed struct {
	name string
	old  any
	had  bool
}

// mark starts a frame; release ends it.
func (s *scope) mark() int { return len(s.log) }

func (s *scope) release(mark int) {
	for i := len(s.log) - 1; i >= mark; i-- {
		if u := s.log[i]; u.had {
			s.vals[u.name] = u.old
		} else {
			delete(s.vals, u.name)
		}
	}
	s.log = s.log[:mark]
}

func (s *scope) define(name string, v any) {
	old, had := s.vals[name]
	s.log = append(s.log, shadowed{name, old, had})
	s.vals[name] = v
}

func (s *scope) lookup(name string) (any, bool) {
	v, ok := s.vals[name]
	return v, ok
}

// since returns the names that were defined after a mark.
func (s *scope) since(mark int) []string {
	out := make([]string, 0, len(s.log)-mark)
	for _, u := range s.log[mark:] {
		out = append(out, u.name)
	}
	return out
}
