package graph

import (
	"cmp"
	"slices"
)

// rows gives the layers their heights. The gap below a layer grows with how far the edges in
// it move sideways.
func (l *layered) rows() {
	y := 0
	for r, layer := range l.layers {
		height, wide := 0, 0
		for _, v := range layer {
			x := &l.vert[v]
			if x.item >= 0 {
				height = max(height, l.items[x.item].h)
			}
			for _, s := range x.down {
				wide = max(wide, abs(int(l.vert[l.segs[s].lower].x)-int(x.x)))
			}
		}
		for _, v := range layer {
			if i := l.vert[v].item; i >= 0 {
				it := &l.items[i]
				it.x, it.y = int(l.vert[v].x)-it.w/2, y+(height-it.h)/2
			}
			l.vert[v].top, l.vert[v].height = y, height
		}
		y += height
		l.h = y
		if r+1 < len(l.layers) {
			y += min(gapLimit, layerGap+wide/steepness)
		}
	}
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// pack puts items without links in rows: below the drawing, or to its right where links
// leave it through ports.
func (l *layered) pack(alone []int) {
	if len(alone) == 0 {
		return
	}
	left, top := 0, 0
	if slices.ContainsFunc(l.items, func(it item) bool { return it.port }) {
		left = l.w + nodeGap
	} else if l.h > 0 {
		top = l.h + layerGap
	}
	area := 0
	for _, i := range alone {
		area += (l.items[i].w + nodeGap) * (l.items[i].h + layerGap)
	}
	width := max(l.w-left, 600)
	for width*width < area {
		width = width * 5 / 4
	}
	x, y, height := left, top, 0
	for _, i := range alone {
		it := &l.items[i]
		extra := 0
		if it.loop {
			extra = 2 * loopWidth
		}
		if x > left && x+it.w+extra > left+width {
			x, y, height = left, y+height+layerGap/2, 0
		}
		it.x, it.y = x+extra/2, y
		l.vert[i].x = float64(it.x + it.w/2)
		x += it.w + extra + nodeGap
		height = max(height, it.h)
		l.w, l.h = max(l.w, it.x+it.w+extra/2), max(l.h, it.y+it.h)
	}
}

// routes gives links their points: straight through a layer, and a curve in each gap.
func (l *layered) routes() {
	starts, ends := l.attach()
	for i := range l.links {
		k := &l.links[i]
		u, v := &l.items[k.upper()], &l.items[k.lower()]
		switch {
		case k.from == k.to:
			right, y := u.x+u.w, u.y
			k.points = []Point{{right, y + u.h/3}, {right + loopWidth - 4, y + u.h/3}, {right + loopWidth - 4, y + u.h*2/3}, {right, y + u.h*2/3}}
			continue
		case k.cut:
			k.points = []Point{{starts[i], u.y + u.h}, {starts[i], u.y + u.h + l.below(k.upper())}}
			k.rest = []Point{{ends[i], v.y - l.above(k.lower())}, {ends[i], v.y}}
			if k.up {
				slices.Reverse(k.points)
				slices.Reverse(k.rest)
				k.points, k.rest = k.rest, k.points
			}
			continue
		}
		list := []Point{{starts[i], u.y + u.h}, {starts[i], l.bottom(k.chain[0])}}
		for _, b := range k.chain[1 : len(k.chain)-1] {
			x := int(l.vert[b].x)
			list = append(list, Point{x, l.vert[b].top}, Point{x, l.bottom(b)})
		}
		list = append(list, Point{ends[i], l.vert[k.lower()].top}, Point{ends[i], v.y})
		if k.up {
			slices.Reverse(list)
		}
		k.points = straighten(list)
	}
}

func (l *layered) bottom(v int) int { return l.vert[v].top + l.vert[v].height }

// below and above are how far the end of a cut edge reaches: into the gap of the layer.
func (l *layered) below(i int) int { return l.bottom(i) - l.items[i].y - l.items[i].h + stubLength }
func (l *layered) above(i int) int { return l.items[i].y - l.vert[i].top + stubLength }

// attach says where links begin and end: in the order of what they lead to, around the
// middle of their items, with the straightest of them in it.
func (l *layered) attach() (starts, ends []int) {
	starts, ends = make([]int, len(l.links)), make([]int, len(l.links))
	down, up := make([][]int, len(l.items)), make([][]int, len(l.items))
	for i := range l.links {
		if k := &l.links[i]; k.from != k.to {
			down[k.upper()] = append(down[k.upper()], i)
			up[k.lower()] = append(up[k.lower()], i)
		}
	}
	for i := range l.items {
		l.spread(i, down[i], starts, func(k *link) int { return l.second(k, false) }, func(k *link) int {
			if k.up {
				return k.toX
			}
			return k.fromX
		})
		l.spread(i, up[i], ends, func(k *link) int { return l.second(k, true) }, func(k *link) int {
			if k.up {
				return k.fromX
			}
			return k.toX
		})
	}
	return starts, ends
}

// second returns the vertex next to an end of a link.
func (l *layered) second(k *link, atLower bool) int {
	switch {
	case k.cut && atLower:
		return k.upper()
	case k.cut:
		return k.lower()
	case atLower:
		return k.chain[len(k.chain)-2]
	}
	return k.chain[1]
}

// portGap is the distance of links at an item, if there is room.
const portGap = 12

func (l *layered) spread(i int, list, out []int, second func(*link) int, fixed func(*link) int) {
	it := &l.items[i]
	mid := it.x + it.w/2
	// Links to one vertex begin as one.
	var groups [][]int
	at := map[int]int{}
	for _, k := range list {
		if x := fixed(&l.links[k]); x >= 0 {
			out[k] = it.x + x
			continue
		}
		v := second(&l.links[k])
		g, ok := at[v]
		if !ok {
			g = len(groups)
			at[v] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], k)
	}
	if len(groups) == 0 {
		return
	}
	x := func(g []int) float64 { return l.vert[second(&l.links[g[0]])].x }
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(x(a), x(b)) })
	straight := 0
	for j, g := range groups {
		if d := abs(int(x(g)) - mid); d < abs(int(x(groups[straight]))-mid) {
			straight = j
		}
	}
	room := max(0, it.w/2-10)
	gap := portGap
	if side := max(straight, len(groups)-1-straight); side > 0 {
		gap = min(gap, room/side)
	}
	for j, g := range groups {
		for _, k := range g {
			out[k] = mid + (j-straight)*gap
		}
	}
}
