package graph

// mates chooses the segments that are to be upright, so that the main line of a graph runs
// straight and what joins it stands beside it. Without a choice, Brandes and Köpf line a node
// up with its operands in turns, and a chain of nodes with a parameter each drifts sideways.
//
// A segment is chosen if it is the best one for both of its ends: between bends before between
// boxes before between a bend and a box, then on the longest way from the top or to the bottom,
// then in the middle.
func (l *layered) mates() {
	up, down := make([]int, len(l.vert)), make([]int, len(l.vert)) // boxes above and below on the longest way
	box := func(v int) int {
		if l.vert[v].item < 0 {
			return 0
		}
		return 1
	}
	most := 0
	for _, layer := range l.layers {
		for _, v := range layer {
			for _, s := range l.vert[v].up {
				u := l.segs[s].upper
				up[v] = max(up[v], up[u]+box(u))
			}
		}
	}
	for r := len(l.layers) - 1; r >= 0; r-- {
		for _, v := range l.layers[r] {
			for _, s := range l.vert[v].down {
				u := l.segs[s].lower
				down[v] = max(down[v], down[u]+box(u))
			}
			most = max(most, up[v]+box(v)+down[v])
		}
	}
	bestDown := make([]int, len(l.vert))
	for v := range l.vert {
		x := &l.vert[v]
		x.mateUp, x.mateDown = -1, -1
		x.main = up[v]+box(v)+down[v] == most
		bestDown[v] = l.best(x.down, func(s *seg) int { return down[s.lower] })
	}
	for v := range l.vert {
		x := &l.vert[v]
		if e := l.best(x.up, func(s *seg) int { return up[s.upper] }); e >= 0 && bestDown[l.segs[e].upper] == e {
			x.mateUp = e
			l.vert[l.segs[e].upper].mateDown = e
		}
	}
}

// best returns the best of the segments on one side of a vertex, -1 of none.
func (l *layered) best(list []int, length func(*seg) int) int {
	best, kind, way, off := -1, 0, 0, 0
	for i, e := range list {
		s := &l.segs[e]
		k := 1
		switch a, b := l.vert[s.upper].item < 0, l.vert[s.lower].item < 0; {
		case a && b:
			k = 3
		case !a && !b:
			k = 2
		}
		n, d := length(s), abs(2*i-len(list)+1)
		if best < 0 || k > kind || k == kind && (n > way || n == way && d < off) {
			best, kind, way, off = e, k, n, d
		}
	}
	return best
}
