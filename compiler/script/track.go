package script

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
)

// tracker notes where the nodes stand that are to be underlined or annotated.
type tracker struct {
	wanted   map[ir.Node]bool
	targets  []target
	marks    []mark
	stack    []open // nodes that are being printed
	alone    bool   // what is around a place does not matter
	comments []int  // where comments begin that the printer itself puts behind lines
}

// target is what one option asks for: a node wherever it stands, or one place of it.
type target struct {
	chain []ir.Node // the nodes on the way from the root; for a node alone, only that
	path  bool
	// ordinal numbers the place among the children of the parent that are the same node.
	ordinal, siblings []int
	note              string
	noted             bool // a comment and no underline
}

type open struct {
	node ir.Node
	at   int
}

// mark is a place at which a wanted node stands, and the nodes around it that have one.
type mark struct {
	node       ir.Node
	start, end int
	around     []ir.Node
}

// newTracker returns nil where no option asks for places.
func newTracker(o *Options, root any) *tracker {
	if len(o.Underline)+len(o.UnderlinePaths)+len(o.Annotate)+len(o.AnnotatePaths) == 0 {
		return nil
	}
	t := &tracker{wanted: map[ir.Node]bool{}}
	add := func(x target) {
		t.targets = append(t.targets, x)
		for _, n := range x.chain {
			t.wanted[n] = true
		}
	}
	for _, n := range o.Underline {
		add(target{chain: []ir.Node{n}})
	}
	for n, note := range o.Annotate {
		add(target{chain: []ir.Node{n}, note: note, noted: true})
	}
	for _, p := range o.UnderlinePaths {
		add(pathTarget(root, p))
	}
	for _, p := range o.AnnotatePaths {
		x := pathTarget(root, p.Path)
		x.note, x.noted = p.Text, true
		add(x)
	}
	return t
}

// pathTarget finds the nodes on a path, as far as it exists.
func pathTarget(root any, p ir.Path) target {
	x := target{path: true}
	from := 0
	for i := 0; i <= len(p); i++ {
		v, err := ir.At(root, p[:i])
		if err != nil {
			break
		}
		n, ok := v.(ir.Node)
		if !ok {
			continue
		}
		k, of := 0, 1
		if len(x.chain) > 0 {
			k, of = ordinal(x.chain[len(x.chain)-1], n, p[from:i])
		}
		x.chain, x.ordinal, x.siblings = append(x.chain, n), append(x.ordinal, k), append(x.siblings, of)
		from = i
	}
	return x
}

// ordinal says how many children of parent are n, and which of them is at path.
func ordinal(parent, n ir.Node, path ir.Path) (k, of int) {
	at := path.String()
	ir.WalkPaths(parent, func(p ir.Path, x ir.Node) bool {
		if len(p) == 0 {
			return true
		}
		if x == n {
			if p.String() == at {
				k = of
			}
			of++
		}
		return false
	})
	return k, of
}

func (t *tracker) enter(n ir.Node, at int) { t.stack = append(t.stack, open{n, at}) }

func (t *tracker) leave(end int) {
	last := len(t.stack) - 1
	o := t.stack[last]
	t.stack = t.stack[:last]
	if !t.wanted[o.node] || end == o.at {
		return
	}
	m := mark{node: o.node, start: o.at, end: end}
	for i := 0; i < len(t.stack) && !t.alone; i++ {
		x := t.stack[i]
		m.around = append(m.around, x.node)
	}
	t.marks = append(t.marks, m)
}

// moveFront follows printer.moveFront.
func (t *tracker) moveFront(at, mid, end int) {
	for i := len(t.marks) - 1; i >= 0 && t.marks[i].start >= at; i-- {
		m, by := &t.marks[i], end-mid
		if m.start >= mid {
			by = at - mid
		}
		m.start, m.end = m.start+by, m.end+by
	}
}

// cut forgets what is printed from at on.
func (t *tracker) cut(at int) {
	for len(t.marks) > 0 && t.marks[len(t.marks)-1].start >= at {
		t.marks = t.marks[:len(t.marks)-1]
	}
	for len(t.comments) > 0 && t.comments[len(t.comments)-1] >= at {
		t.comments = t.comments[:len(t.comments)-1]
	}
}

// places returns where a target stands. For a path, that is the innermost node of the path
// that has a place inside the places of those around it.
func (t *tracker) places(x target) []mark {
	for i := len(x.chain) - 1; i >= 0; i-- {
		var out []mark
		for _, m := range t.marks {
			if m.node != x.chain[i] || x.path && !follows(m.around, x.chain[:i+1]) {
				continue
			}
			// Of a variable's places on a path the deepest is its use, the others define it.
			if x.path && len(out) > 0 && len(m.around) != len(out[0].around) {
				if len(m.around) < len(out[0].around) {
					continue
				}
				out = out[:0]
			}
			out = append(out, m)
		}
		if len(out) > 1 && x.path && len(out) == x.siblings[i] {
			slices.SortFunc(out, func(a, b mark) int { return a.start - b.start })
			out = out[x.ordinal[i] : x.ordinal[i]+1]
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// follows reports whether the nodes around a place are all on the path, in its order.
func follows(around, chain []ir.Node) bool {
	for _, n := range around {
		i := slices.Index(chain, n)
		if i < 0 {
			return false
		}
		chain = chain[i+1:]
	}
	return true
}
