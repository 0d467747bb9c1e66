package graph

import (
	"context"

	"github.com/irscope/irscope/instruments/flow"
)

// Of trees.
const (
	levelGap  = 22
	branchGap = 18 // between neighbours of one level
	stackGap  = 6
	stackMax  = 8    // nodes that stand above one another
	busGap    = 14   // to the left of a stack, for the edges to its nodes
	wrapWidth = 1500 // of a row
)

// twig is a node with what is below it, or a stack of nodes without anything below.
type twig struct {
	nodes    []int
	children []int // twigs
	w, h     int
	depth    int
	x        int // of the left side, at first from that of the twig above
	down     int // how far its row is below the first one
}

// tree lays a loop nest out as a tree from the top to the bottom, as Reingold and Tilford do
// in "Tidier drawings of trees" (1981): subtrees stand as close as their outlines let them, and
// a node over the middle of what is below it. Statements without a body that follow one
// another are stacked.
func (l *Layout) tree(ctx context.Context) error {
	t := &treeLayout{Layout: l, parent: make([]int, len(l.Boxes)), edge: make([]int, len(l.Boxes)), below: make([][]int, len(l.Boxes))}
	roots := t.family()
	top := t.grow(roots, 0)
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for i := range t.twigs {
		w := &t.twigs[i]
		for len(t.heights) <= w.depth {
			t.heights = append(t.heights, labelHeight)
		}
		if len(w.nodes) == 1 {
			t.heights[w.depth] = max(t.heights[w.depth], w.h)
		}
	}
	forest := &outline{}
	for _, k := range top {
		forest.beside(t.shape(k))
	}
	if low, high := forest.extent(); len(top) == 1 && high-low > wrapWidth {
		t.rows(top[0])
		return nil
	}
	t.stand(top, forest, margin, 0)
	t.settle()
	return nil
}

// rows lays a wide tree out with the subtrees of its root in rows below one another. The edges
// to the lower rows run along the left side.
func (t *treeLayout) rows(root int) {
	children := t.twigs[root].children
	y, wide := 0, 0
	for first := 0; first < len(children); {
		forest, x, last := &outline{}, 0, first
		for ; last < len(children); last++ {
			o := t.shape(children[last])
			low, high := o.extent()
			if x += high - low + branchGap; x > wrapWidth && last > first {
				break
			}
			forest.beside(o)
		}
		t.stand(children[first:last], forest, margin+busGap, y)
		low, high := forest.extent()
		wide = max(wide, high-low)
		end := len(t.twigs) // the twigs of a row follow one another
		if last < len(children) {
			end = children[last]
		}
		bottom := 0
		for k := children[first]; k < end; k++ {
			bottom = max(bottom, t.top(t.twigs[k].depth)+t.twigs[k].h)
		}
		y += bottom - t.top(1) + levelGap
		first = last
	}
	w := &t.twigs[root]
	w.children = nil
	w.x = margin + max(0, (wide-w.w)/2)
	t.settle()
}

// top is where a level begins.
func (t *treeLayout) top(depth int) int {
	if t.tops == nil {
		t.tops = append(t.tops, margin)
		for d, h := range t.heights {
			t.tops = append(t.tops, t.tops[d]+h+levelGap)
		}
	}
	return t.tops[depth]
}

// stand gives the twigs at the top of a forest their places, from left on and moved down by y.
func (t *treeLayout) stand(top []int, forest *outline, left, y int) {
	low, _ := forest.extent()
	for i, k := range top {
		t.twigs[k].x, t.twigs[k].down = forest.children[i]-low+left, y
	}
}

type treeLayout struct {
	*Layout
	parent  []int // node above, -1 for a root
	edge    []int // to it
	below   [][]int
	twigs   []twig
	heights []int // of the levels
	tops    []int
}

// family finds a parent for each node, which is one that stands before it: in a diff, that
// after the pass. Nodes without one are roots.
func (t *treeLayout) family() (roots []int) {
	for i := range t.parent {
		t.parent[i] = -1
	}
	for i, e := range t.Graph.Edges {
		if e.From >= e.To {
			continue
		}
		if p := t.parent[e.To]; p < 0 || e.Mark != flow.Removed && t.Graph.Edges[t.edge[e.To]].Mark == flow.Removed {
			t.parent[e.To], t.edge[e.To] = e.From, i
		}
	}
	for i, p := range t.parent {
		if p < 0 {
			roots = append(roots, i)
		} else {
			t.below[p] = append(t.below[p], i)
		}
	}
	return roots
}

// grow makes the twigs of nodes and of all below them.
func (t *treeLayout) grow(nodes []int, depth int) []int {
	var out []int
	stack := -1 // the stack that the next node without children joins
	for _, n := range nodes {
		b := &t.Boxes[n]
		if len(t.below[n]) > 0 {
			k := len(t.twigs)
			t.twigs = append(t.twigs, twig{nodes: []int{n}, w: b.W, h: b.H, depth: depth})
			children := t.grow(t.below[n], depth+1)
			t.twigs[k].children = children
			out = append(out, k)
			stack = -1
			continue
		}
		if stack < 0 || len(t.twigs[stack].nodes) == stackMax {
			stack = len(t.twigs)
			t.twigs = append(t.twigs, twig{depth: depth, w: b.W, h: b.H, nodes: []int{n}})
			out = append(out, stack)
			continue
		}
		s := &t.twigs[stack]
		if len(s.nodes) == 1 {
			s.w += busGap
		}
		s.nodes = append(s.nodes, n)
		s.w, s.h = max(s.w, b.W+busGap), s.h+stackGap+b.H
	}
	return out
}

// levels is the number of levels that a twig reaches over: a stack may be higher than its own.
func (t *treeLayout) levels(w *twig) int {
	n, h := 1, t.height(w.depth)
	for h < w.h {
		h += levelGap + t.height(w.depth+n)
		n++
	}
	return n
}

// height is the height of a level: that of the highest node in it that is in no stack.
func (t *treeLayout) height(depth int) int {
	if depth < len(t.heights) {
		return t.heights[depth]
	}
	return 2 * levelGap
}

// settle turns the places into those of the drawing.
func (t *treeLayout) settle() {
	t.W, t.H = 2*margin, 2*margin
	for k := range t.twigs { // parents come before children
		w := &t.twigs[k]
		for _, c := range w.children {
			t.twigs[c].x += w.x
			t.twigs[c].down = w.down
		}
		top, x := t.top(w.depth)+w.down, w.x
		y := top
		if len(w.nodes) > 1 {
			x += busGap
		}
		for _, n := range w.nodes {
			b := &t.Boxes[n]
			b.X, b.Y = x, y
			if len(w.nodes) == 1 {
				b.X = w.x + (w.w-b.W)/2
			}
			y += b.H + stackGap
			t.W, t.H = max(t.W, w.x+w.w+margin), max(t.H, b.Y+b.H+margin)
			t.wire(n, w, top)
		}
	}
}

// wire draws the edge to a node of w, whose level begins at top: from above, or from the left
// if it is in a stack. It comes along the left side of the drawing to a lower row.
func (t *treeLayout) wire(n int, w *twig, top int) {
	p := t.parent[n]
	if p < 0 {
		return
	}
	a, b := &t.Boxes[p], &t.Boxes[n]
	x, bottom := a.X+a.W/2, top-levelGap
	to := b.X + b.W/2
	if len(w.nodes) > 1 {
		to = w.x + 2
	}
	list := []Point{{x, a.Y + a.H}, {x, bottom}, {to, top}}
	if w.down > 0 && w.depth == 1 {
		y := t.top(1) - levelGap/2
		list = []Point{{x, a.Y + a.H}, {x, y}, {margin, y}, {margin, top - levelGap/2}, {to, top - levelGap/2}, {to, top}}
	}
	if len(w.nodes) > 1 {
		list = append(list, Point{to, b.Y + b.H/2}, Point{b.X, b.Y + b.H/2})
	} else {
		list = append(list, Point{to, b.Y})
	}
	t.Paths[t.edge[n]] = Path{Points: straighten(list)}
}
