package history

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a row that belongs to a focus: a link to a line.
type Place struct {
	Function string `json:"function"`
	Line     int    `json:"line"` // in the text after the step, of an entry's From before it
	Kind     string `json:"kind"` // a Kind
	Name     string `json:"name"`
	Op       string `json:"op,omitempty"`
	Level    Level  `json:"level"`

	roots []uint32
	// version tells a kernel from what it was before: that its function changed is that it did.
	version int
}

// MaxPlaces bounds the places on each side of an entry, and the roots that it was fused with.
const MaxPlaces = 40

// place describes a row of a function.
func (s *Step) place(fn *Function, r Row) Place {
	return Place{
		Function: fn.Name, Line: r.Line, Kind: string(rune(r.Kind)), Name: s.Names[r.Name], Op: s.Names[r.Op],
		Level: fn.level(r.Kind), roots: s.Sets[r.Set],
	}
}

// places returns the rows of a function that f is about.
func (f Focus) places(s *Step, fn *Function, hit []bool, step int) []Place {
	var out []Place
	for _, r := range fn.Rows {
		shown := r.Kind.outline() || f.Inner && r.Kind.inner() || r.Kind == Constant || f.Tensor && r.Kind == Param
		if !hit[r.Set] || !shown {
			continue
		}
		p := s.place(fn, r)
		if r.Kind == Kernel || r.Kind == Graph {
			p.version = step
		}
		out = append(out, p)
	}
	return out
}

// tally counts the places of a focus in a module: constants that are left of folded nodes,
// and all others.
type tally struct{ constants, live int }

func (f Focus) count(t *tally, list []Place, by int) {
	for _, p := range list {
		if !f.Tensor && p.is(Constant) {
			t.constants += by
		} else {
			t.live += by
		}
	}
}

func (p *Place) is(k Kind) bool { return p.Kind[0] == byte(k) }

// key identifies a place whatever its line.
func (p *Place) key() string {
	var b strings.Builder
	for _, s := range []string{p.Function, p.Kind, p.Name, p.Op} {
		b.WriteString(s)
		b.WriteByte(0)
	}
	b.WriteString(strconv.Itoa(p.version))
	b.WriteByte(':')
	for _, r := range p.roots {
		b.WriteString(strconv.Itoa(int(r)))
		b.WriteByte(',')
	}
	return b.String()
}

// differing returns the places of a without an equal one in b, and those of b without one in a.
func differing(a, b []Place) (left, came []Place) {
	count := map[string]int{}
	for i := range a {
		count[a[i].key()]++
	}
	for _, p := range b {
		if k := p.key(); count[k] > 0 {
			count[k]--
		} else {
			came = append(came, p)
		}
	}
	for i := len(a) - 1; i >= 0; i-- { // of equal places the last ones are left over
		if k := a[i].key(); count[k] > 0 {
			count[k]--
			left = append(left, a[i])
		}
	}
	slices.Reverse(left)
	return left, came
}

// rank orders what a place stands for: operators, then calls of kernels, kernels.
func (p *Place) rank() int {
	switch {
	case p.is(Kernel), p.is(Binding) && strings.HasPrefix(p.Op, "@"):
		return 2
	case p.is(Graph), p.is(Binding) && p.Op != "":
		return 1
	}
	return 0
}

// meets reports whether two ascending lists have a member in common.
func meets(a, b []uint32) bool {
	if len(b) > 8 { // long lists are walked side by side
		for len(a) > 0 && len(b) > 0 {
			switch {
			case a[0] == b[0]:
				return true
			case a[0] < b[0]:
				a = a[1:]
			default:
				b = b[1:]
			}
		}
		return false
	}
	for _, x := range b {
		if _, ok := slices.BinarySearch(a, x); ok {
			return true
		}
	}
	return false
}
