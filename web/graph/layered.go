package graph

import (
	"context"
	"slices"
)

// Gaps in pixels between neighbours in a layer and between layers.
const (
	nodeGap   = 26
	lineGap   = 12 // between edges, and between an edge and a node
	layerGap  = 28 // the least
	steepness = 9  // an edge that moves sideways by so many pixels asks for one pixel of gap more
	gapLimit  = 64

	stubLength = 12
	loopWidth  = 20 // of an edge from a node to itself
)

// layered is a drawing of items in layers, after Sugiyama, Tagawa and Toda, "Methods for
// visual understanding of hierarchical system structures" (1981): layers by longest path, the
// order in a layer by barycentres, places by Brandes and Köpf.
type layered struct {
	items []item
	links []link
	w, h  int

	layers [][]int // vertices by layer, from left to right: items, and then the bends of links
	vert   []vertex
	segs   []seg
	spare  []int // for sort
	mainAt []int // the place of the main line in each layer, -1 for none
}

// item is a box, or the port of a cluster.
type item struct {
	w, h, x, y int
	port, last bool // a port in the first or the last layer
	loop       bool // has a link to itself
	rank       int
}

// link is an edge. Its ends are fromX and toX pixels from the left of their items, or where
// there is room if that is -1.
type link struct {
	from, to   int
	fromX, toX int

	up           bool    // goes against the layers, since it closes a cycle
	cut          bool    // is drawn as two ends
	chain        []int   // vertices from the upper end to the lower
	points, rest []Point // as in Path
}

// vertex is an item or the place where a link goes through a layer.
type vertex struct {
	layer, pos int
	w          int
	x          float64 // of the middle
	top        int     // of its layer
	height     int     // of its layer
	item       int     // -1 for a bend
	up, down   []int   // segments

	mateUp, mateDown int  // the segments that are to be upright, -1 for none
	main             bool // on the longest way through boxes
}

// seg is the part of a link between two layers. Links from one item share their segments as
// far as they go together.
type seg struct {
	upper, lower int
	conflict     bool // crosses a segment between two bends, which is to be straight
}

func (l *layered) solve(ctx context.Context) error {
	l.acyclic()
	l.rank()
	alone := l.build()
	if err := l.order(ctx); err != nil {
		return err
	}
	if err := l.assign(ctx); err != nil {
		return err
	}
	l.rows()
	l.pack(alone)
	l.routes()
	return nil
}

// bendBudget is how many bends the links of a drawing may have together.
func (l *layered) bendBudget() int { return 3*len(l.items) + 2000 }

// build makes the vertices and segments. Items without links are returned.
func (l *layered) build() (alone []int) {
	used := make([]bool, len(l.items))
	l.cutLong()
	for i := range l.links {
		used[l.links[i].from], used[l.links[i].to] = true, true
	}
	depth := 0
	l.vert = make([]vertex, len(l.items))
	for i := range l.items {
		it := &l.items[i]
		w := it.w
		if it.loop {
			w += 2 * loopWidth // on both sides, to keep the middle
		}
		l.vert[i] = vertex{layer: it.rank, w: w, item: i}
		if used[i] || it.port {
			depth = max(depth, it.rank+1)
		} else {
			alone = append(alone, i)
		}
	}
	l.layers = make([][]int, depth)
	for i := range l.items {
		if used[i] || l.items[i].port {
			l.layers[l.items[i].rank] = append(l.layers[l.items[i].rank], i)
		}
	}
	// One chain of bends for each item and port, as long as its longest link.
	type start struct{ item, x int }
	chains := map[start][]int{}
	joined := map[[2]int]bool{}
	for i := range l.links {
		k := &l.links[i]
		if k.from == k.to || k.cut {
			continue
		}
		u, v := k.upper(), k.lower()
		x := k.fromX
		if k.up {
			x = -2 // up and down do not share their way
		}
		c := chains[start{u, x}]
		if c == nil {
			c = []int{u}
		}
		for r := l.items[u].rank + len(c); r < l.items[v].rank; r++ {
			b := len(l.vert)
			l.vert = append(l.vert, vertex{layer: r, item: -1})
			l.layers[r] = append(l.layers[r], b)
			l.join(c[len(c)-1], b)
			c = append(c, b)
		}
		chains[start{u, x}] = c
		n := l.items[v].rank - l.items[u].rank
		k.chain = append(slices.Clone(c[:n]), v)
		if end := [2]int{c[n-1], v}; !joined[end] {
			joined[end] = true
			l.join(end[0], v)
		}
	}
	return alone
}

func (l *layered) join(upper, lower int) {
	l.segs = append(l.segs, seg{upper: upper, lower: lower})
	l.vert[upper].down = append(l.vert[upper].down, len(l.segs)-1)
	l.vert[lower].up = append(l.vert[lower].up, len(l.segs)-1)
}

// cutLong cuts the longest links if all together would bend too often.
func (l *layered) cutLong() {
	longest := map[int]int{} // layers that the links of an item go through
	for i := range l.links {
		if k := &l.links[i]; k.from != k.to {
			longest[k.upper()] = max(longest[k.upper()], l.items[k.lower()].rank-l.items[k.upper()].rank-1)
		}
	}
	lengths, sum := make([]int, 0, len(longest)), 0
	for _, n := range longest {
		lengths = append(lengths, n)
		sum += n
	}
	budget := l.bendBudget()
	if sum <= budget {
		return
	}
	// The greatest length at which all fit if none is longer.
	slices.Sort(lengths)
	limit := 0
	for i, n := range lengths {
		if rest := len(lengths) - i; n*rest > budget {
			limit = budget / rest
			break
		}
		budget -= n
		limit = n
	}
	for i := range l.links {
		k := &l.links[i]
		k.cut = k.from != k.to && l.items[k.lower()].rank-l.items[k.upper()].rank-1 > limit
	}
}
