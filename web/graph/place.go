package graph

import (
	"context"
	"math"
	"slices"
)

// assign gives the vertices places from left to right, after Brandes and Köpf, "Fast and
// simple horizontal coordinate assignment" (2001): each vertex is put in one line with the
// middle of its neighbours where that crosses no other line; this is done from each of the
// four corners, and the mean of the two middle results taken. Blocks are placed by longest
// paths between them, which keeps distances in every case.
func (l *layered) assign(ctx context.Context) error {
	l.conflicts()
	for i := range l.vert {
		up, down := l.vert[i].up, l.vert[i].down
		slices.SortStableFunc(up, func(a, b int) int { return l.vert[l.segs[a].upper].pos - l.vert[l.segs[b].upper].pos })
		slices.SortStableFunc(down, func(a, b int) int { return l.vert[l.segs[a].lower].pos - l.vert[l.segs[b].lower].pos })
	}
	l.mates()
	var all [4][]float64
	for corner := range all {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		all[corner] = l.compact(l.align(corner&1 != 0, corner&2 != 0), corner&2 != 0)
	}
	l.balance(&all)
	return nil
}

// conflicts marks segments that cross one between two bends: those stay straight.
func (l *layered) conflicts() {
	bends := func(s *seg) bool { return l.vert[s.upper].item < 0 && l.vert[s.lower].item < 0 }
	for r := 0; r+1 < len(l.layers); r++ {
		upper, lower := l.layers[r], l.layers[r+1]
		left, done := 0, 0 // the place above of the straight segment before, and the vertices seen
		for i, v := range lower {
			right, straight := len(upper)-1, false
			for _, s := range l.vert[v].up {
				if bends(&l.segs[s]) {
					right, straight = l.vert[l.segs[s].upper].pos, true
				}
			}
			if !straight && i < len(lower)-1 {
				continue
			}
			for ; done <= i; done++ {
				for _, s := range l.vert[lower[done]].up {
					if p := l.vert[l.segs[s].upper].pos; (p < left || p > right) && !bends(&l.segs[s]) {
						l.segs[s].conflict = true
					}
				}
			}
			left = right
		}
	}
}

// align joins vertices to blocks and returns the first vertex of the block of each.
func (l *layered) align(fromBelow, fromRight bool) []int {
	root, joined := make([]int, len(l.vert)), make([]bool, len(l.vert))
	for i := range root {
		root[i] = i
	}
	for step := range l.layers {
		r := step
		if fromBelow {
			r = len(l.layers) - 1 - step
		}
		layer := l.layers[r]
		limit := -1 // the place of the last neighbour that is taken, from the side of the corner
		for j := range layer {
			v := layer[j]
			if fromRight {
				v = layer[len(layer)-1-j]
			}
			list := l.vert[v].up
			if fromBelow {
				list = l.vert[v].down
			}
			if len(list) == 0 {
				continue
			}
			lo, hi := (len(list)-1)/2, len(list)/2
			if fromRight {
				lo, hi = hi, lo
			}
			mate := l.vert[v].mateUp
			if fromBelow {
				mate = l.vert[v].mateDown
			}
			tries := [2]int{list[lo], list[hi]}
			if mate >= 0 {
				tries = [2]int{mate, mate}
			}
			for k, e := range tries {
				if joined[v] || k == 1 && tries[0] == e {
					break
				}
				s := &l.segs[e]
				u, pos := s.upper, l.vert[s.upper].pos
				if fromBelow {
					u, pos = s.lower, l.vert[s.lower].pos
				}
				if fromRight {
					pos = len(l.layers[l.vert[u].layer]) - 1 - pos
				}
				taken := l.vert[u].mateDown
				if fromBelow {
					taken = l.vert[u].mateUp
				}
				if s.conflict || pos <= limit || taken >= 0 && taken != e {
					continue
				}
				root[v], joined[v] = root[u], true
				limit = pos
			}
		}
	}
	return root
}

// gap is the least distance between the middles of two neighbours.
func (l *layered) gap(a, b *vertex) float64 {
	between := lineGap
	if a.item >= 0 && b.item >= 0 && !l.items[a.item].port && !l.items[b.item].port {
		between = nodeGap
	}
	return float64(a.w+b.w)/2 + float64(between)
}

// compact places the blocks as far to the left as they go, and then each as far to the right
// as its neighbours let it without moving them.
func (l *layered) compact(root []int, fromRight bool) []float64 {
	type arc struct {
		to   int
		dist float64
	}
	// The arcs of a block stand together: they are counted first.
	first, indeg := make([]int, len(l.vert)+1), make([]int, len(l.vert))
	each := func(f func(a, b int)) {
		for _, layer := range l.layers {
			for i := 1; i < len(layer); i++ {
				if fromRight {
					f(layer[i], layer[i-1])
				} else {
					f(layer[i-1], layer[i])
				}
			}
		}
	}
	each(func(a, b int) {
		first[root[a]+1]++
		indeg[root[b]]++
	})
	for v := range l.vert {
		first[v+1] += first[v]
	}
	arcs := make([]arc, first[len(l.vert)])
	fill := slices.Clone(first)
	each(func(a, b int) {
		arcs[fill[root[a]]] = arc{root[b], l.gap(&l.vert[a], &l.vert[b])}
		fill[root[a]]++
	})
	out := func(v int) []arc { return arcs[first[v]:first[v+1]] }
	order := make([]int, 0, len(l.vert))
	for v := range root {
		if root[v] == v && indeg[v] == 0 {
			order = append(order, v)
		}
	}
	x := make([]float64, len(l.vert))
	for i := 0; i < len(order); i++ {
		for _, a := range out(order[i]) {
			x[a.to] = max(x[a.to], x[order[i]]+a.dist)
			if indeg[a.to]--; indeg[a.to] == 0 {
				order = append(order, a.to)
			}
		}
	}
	for _, v := range slices.Backward(order) {
		room := math.Inf(1)
		for _, a := range out(v) {
			room = min(room, x[a.to]-a.dist)
		}
		if !math.IsInf(room, 1) {
			x[v] = max(x[v], room)
		}
	}
	for v := range x {
		x[v] = x[root[v]]
	}
	if fromRight {
		for v := range x {
			x[v] = -x[v]
		}
	}
	return x
}
