package graph

// outline is how far a forest reaches to the left and the right on each level, the deepest
// first. Places are relative to off, which moves the whole.
type outline struct {
	left, right []int
	offL, offR  int
	children    []int // the shift of each tree that was put beside the others
}

func (o *outline) depth() int { return len(o.left) }

// beside puts the tree p to the right of all in o, and keeps its shift. It takes no longer
// than the lower of the two is deep: the deeper list is kept and the other written into it.
func (o *outline) beside(p *outline) {
	shift := 0
	common := min(o.depth(), p.depth())
	for d := 1; d <= common; d++ {
		r := o.right[len(o.right)-d] + o.offR
		l := p.left[len(p.left)-d] + p.offL
		shift = max(shift, r+branchGap-l)
	}
	o.children = append(o.children, shift)
	p.offL += shift
	p.offR += shift
	if p.depth() > o.depth() {
		for d := 1; d <= common; d++ {
			p.left[len(p.left)-d] = o.left[len(o.left)-d] + o.offL - p.offL
		}
		o.left, o.offL = p.left, p.offL
		o.right, o.offR = p.right, p.offR
		return
	}
	for d := 1; d <= common; d++ {
		o.right[len(o.right)-d] = p.right[len(p.right)-d] + p.offR - o.offR
	}
}

// shape places what is below a twig and returns the outline of the whole.
func (t *treeLayout) shape(k int) *outline {
	w := &t.twigs[k]
	forest := &outline{}
	for _, c := range w.children {
		forest.beside(t.shape(c))
	}
	w = &t.twigs[k]
	x := 0 // of the twig, while the first child is at 0
	if n := len(w.children); n > 0 {
		first, last := &t.twigs[w.children[0]], &t.twigs[w.children[n-1]]
		middle := (first.x + first.w/2 + forest.children[n-1] + last.x + last.w/2) / 2
		x = middle - w.w/2
		for i, c := range w.children {
			t.twigs[c].x += forest.children[i] - x // from the left of this twig
		}
	}
	forest.offL -= x
	forest.offR -= x
	for range t.levels(w) {
		forest.left = append(forest.left, -forest.offL)
		forest.right = append(forest.right, w.w-forest.offR)
	}
	forest.children = nil
	w.x = 0
	return forest
}

// extent is how far the forest reaches to the left and the right.
func (o *outline) extent() (low, high int) {
	for i := range o.left {
		low, high = min(low, o.left[i]+o.offL), max(high, o.right[i]+o.offR)
	}
	return low, high
}
