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

// nearest returns the candidate at the smallest edit distance from s, "" if none is near.
func nearest(s string, candidates []string) string {
	best, limit := "", 1+len(s)/3
	for _, c := range candidates {
		if d := distance(s, c, limit); d < limit || d == limit && (best == "" || c < best) {
			best, limit = c, d
		}
	}
	return best
}

// distance is the edit distance of a and b, or more than limit where it is more.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
