package history

import (
	"fmt"
	"slices"
	"strings"
)

// History answers questions about the steps of one run, in order. It must not be used by
// several goroutines while Add is called.
type History struct {
	steps []*Step
	roots map[uint32]Root
}

// New returns the history of steps.
func New(steps ...*Step) *History {
	h := &History{roots: map[uint32]Root{}}
	for _, s := range steps {
		h.Add(s)
	}
	return h
}

// Add appends the next step.
func (h *History) Add(s *Step) {
	h.steps = append(h.steps, s)
	for _, r := range s.Roots {
		h.roots[r.ID] = r
	}
}

// Focus is what a history is about: a set of roots, and whether it looks inside of kernels.
type Focus struct {
	Roots []uint32 `json:"roots"` // ascending
	Inner bool     `json:"inner,omitempty"`
	// Tensor says that the roots are inputs or initializers, which show as parameters and
	// constants.
	Tensor bool `json:"tensor,omitempty"`
}

// Named returns the focus on the root called name. Where a tensor and a node have one name
// it is the node.
func (h *History) Named(name string) (Focus, error) {
	var found *Root
	for _, id := range h.ids() {
		if r := h.roots[id]; r.Name == name && (found == nil || r.IsNode() && !found.IsNode()) {
			found = &r
		}
	}
	if found == nil {
		return Focus{}, fmt.Errorf("the model has no node, input, or initializer named %q", name)
	}
	return h.focus([]uint32{found.ID}, false), nil
}

func (h *History) ids() []uint32 {
	out := make([]uint32, 0, len(h.roots))
	for id := range h.roots {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// At returns the focus on what stands at a line of a function as it was after a step: the
// place called name that is the nearest one at the line or above, else the nearest one below,
// else the function of that name. Where nothing is called so it is what the line belongs to:
// the first place in it, or in the line before, and so on. A line of 0 is any line.
func (h *History) At(path, function string, line int, name string) (Focus, Place, error) {
	s, f := h.version(path, function)
	if f == nil {
		return Focus{}, Place{}, fmt.Errorf("no step up to %q made a function %q", path, function)
	}
	i := f.find(s, line, name)
	if i < 0 && name != "" {
		if to, g := h.version(path, name); g != nil && len(g.Rows) > 0 {
			s, f, i = to, g, 0
		}
	}
	if i < 0 && line > 0 {
		i = f.find(s, line, "")
	}
	if i < 0 {
		return Focus{}, Place{}, fmt.Errorf("function %q after step %q: nothing with a known origin is named %q or is at line %d or before", function, path, name, line)
	}
	r := f.Rows[i]
	return h.focus(s.Sets[r.Set], r.Kind.inner()), s.place(f, r), nil
}

// find returns the row of a name that is nearest to a line, -1 if there is none. A row without
// a name is at the line or above.
func (f *Function) find(s *Step, line int, name string) int {
	best := -1
	for i, r := range f.Rows {
		switch {
		case r.Line > line && best >= 0, r.Line > line && line > 0 && name == "":
			return best
		case name != "" && s.Names[r.Name] != name, best >= 0 && f.Rows[best].Line == r.Line:
		default:
			best = i
		}
	}
	return best
}

// Before returns the path of the step before one, which need not have changed anything. Before
// a sequence is before all that is in it.
func (h *History) Before(path string) string {
	id, _, _ := strings.Cut(path, "/")
	for i := h.before(path); i >= 0; i-- {
		if p := h.steps[i].Path; !strings.HasPrefix(p, id+".") {
			return p
		}
	}
	return ImportStep
}

// Mark is a row of a function that belongs to a focus.
type Mark struct {
	Line int    `json:"line"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Marks returns all that belongs to a focus in a function as it was after a step, in the order
// of lines, and whatever its kind.
func (h *History) Marks(f Focus, path, function string) []Mark {
	s, fn := h.version(path, function)
	if fn == nil || path == CodeStep {
		return nil
	}
	var out []Mark
	for _, r := range fn.Rows {
		if meets(s.Sets[r.Set], f.Roots) {
			out = append(out, Mark{r.Line, string(rune(r.Kind)), s.Names[r.Name]})
		}
	}
	return out
}

// RootsOf returns what a focus is about.
func (h *History) RootsOf(f Focus) []Root {
	out := make([]Root, len(f.Roots))
	for i, id := range f.Roots {
		out[i] = h.roots[id]
		out[i].ID = id
	}
	return out
}

func (h *History) focus(roots []uint32, inner bool) Focus {
	f := Focus{Roots: roots, Inner: inner, Tensor: true}
	for _, id := range roots {
		if h.roots[id].IsNode() {
			f.Tensor = false
		}
	}
	return f
}

// version returns the last table of a function up to a step, nil if it has none there.
func (h *History) version(path, function string) (*Step, *Function) {
	end := slices.IndexFunc(h.steps, func(s *Step) bool { return s.Path == path })
	if end < 0 {
		end = h.before(path)
	}
	for i := end; i >= 0; i-- {
		s := h.steps[i]
		k, ok := slices.BinarySearchFunc(s.Functions, function, func(f Function, name string) int { return strings.Compare(f.Name, name) })
		if ok && (s.Path == CodeStep) == (path == CodeStep) {
			if s.Functions[k].Gone {
				return nil, nil
			}
			return s, &s.Functions[k]
		}
	}
	return nil, nil
}

// before returns the last step before path, which itself changed nothing and so is none.
func (h *History) before(path string) int {
	last := -1
	for i, s := range h.steps {
		if path != ImportStep && (s.Path == ImportStep || s.Path != CodeStep && (path == CodeStep || comparePaths(s.Path, path) < 0)) {
			last = i
		}
	}
	return last
}

// comparePaths orders steps such as 1.9.1/FuseTIRInner by when they ended: the children of a
// sequence before the sequence, a pass that another required (3r1) before that one (3), and an
// edit of what a step left (3e, then 3e2) behind it.
func comparePaths(a, b string) int {
	a, _, _ = strings.Cut(a, "/")
	b, _, _ = strings.Cut(b, "/")
	xs, ys := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(xs), len(ys)) {
		if c := compareIDs(xs[i], ys[i]); c != 0 {
			return c
		}
	}
	return len(ys) - len(xs)
}

func compareIDs(a, b string) int {
	a, editNumber, edit := strings.Cut(a, "e")
	b, otherNumber, otherEdit := strings.Cut(b, "e")
	x, xr, required := strings.Cut(a, "r")
	y, yr, other := strings.Cut(b, "r")
	switch {
	case x != y:
		return compareNumbers(x, y)
	case required && other:
		return compareNumbers(xr, yr)
	case required:
		return -1
	case other, edit && !otherEdit:
		return 1
	case otherEdit && !edit:
		return -1
	}
	return compareNumbers(editNumber, otherNumber)
}

func compareNumbers(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// Line says which names of the source model a line of a function goes back to.
type Line struct {
	Nodes   []string // of the values, kernels and the like in it
	Weights []string // of the constants in it, nodes or initializers
}

// Lines returns what the lines of a function as it was after a step go back to.
func (h *History) Lines(path, function string) map[int]*Line {
	s, fn := h.version(path, function)
	if fn == nil {
		return nil
	}
	out := map[int]*Line{}
	for _, r := range fn.Rows {
		l := out[r.Line]
		if l == nil {
			l = &Line{}
			out[r.Line] = l
		}
		for _, id := range s.Sets[r.Set] {
			switch root := h.roots[id]; {
			case root.Name == "":
			case r.Kind == Constant || root.Op == "initializer":
				l.Weights = append(l.Weights, root.Name)
			case root.IsNode():
				l.Nodes = append(l.Nodes, root.Name)
			}
		}
	}
	return out
}
