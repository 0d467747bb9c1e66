package graph

import (
	"math"
	"slices"
)

// Of relax: how often it goes through the drawing at most, and how far a piece that is cut off
// its line must get to be worth the bend.
const (
	relaxRounds = 30
	relaxWork   = 40_000 // vertices looked at
	leastShift  = 16
)

// relax makes edges shorter where straight lines made them long. Lines that run beside each
// other for a few layers push each other aside as a whole, which adds up to a staircase. So
// pieces of lines are moved sideways, as far as their neighbours let them, where more edges
// become shorter than longer; an end at which a piece leaves its line counts as an edge.
func (l *layered) relax() {
	l.mainAt = make([]int, len(l.layers))
	for r, layer := range l.layers {
		l.mainAt[r] = slices.IndexFunc(layer, func(v int) bool { return l.vert[v].main })
	}
	var line []int
	for range min(relaxRounds, max(2, relaxWork/max(1, len(l.vert)))) {
		moved := false
		for _, layer := range l.layers {
			for _, v := range layer {
				if u := l.vert[v].mateUp; u >= 0 && l.inLine(l.segs[u].upper, v) {
					continue // not the first of its line
				}
				line = append(line[:0], v)
				for {
					last := line[len(line)-1]
					m := l.vert[last].mateDown
					if m < 0 || !l.inLine(last, l.segs[m].lower) {
						break
					}
					line = append(line, l.segs[m].lower)
				}
				if l.shift(line, -1) || l.shift(line, 1) {
					moved = true
				}
			}
		}
		if !moved {
			return
		}
	}
}

func (l *layered) inLine(a, b int) bool { return math.Abs(l.vert[a].x-l.vert[b].x) < 0.5 }

// shift moves a whole line to the left (-1) or the right (1), or the piece of it that gains
// most of those that have room.
func (l *layered) shift(line []int, side float64) bool {
	whole, free := 0, math.Inf(1)
	best, from, to := 0, 0, 0
	sum, start := 0, -1 // of the best piece that ends here, without the cut at its end
	for i, v := range line {
		room := min(l.room(v, side), l.reach(v, side))
		gain := l.gain(v, side)
		whole += gain
		free = min(free, room)
		if room < leastShift {
			start = -1
			continue
		}
		cut := 1
		if l.vert[v].item < 0 {
			cut = 2 // an edge shall not bend without need
		}
		alone := gain
		if i > 0 {
			alone -= cut
		}
		if start < 0 || sum+gain < alone {
			sum, start = alone, i
		} else {
			sum += gain
		}
		total := sum
		if i < len(line)-1 {
			total -= cut
		}
		if total > best {
			best, from, to = total, start, i+1
		}
	}
	way := math.Inf(1)
	switch {
	case (whole > 0 || whole == 0 && l.toMain(line[0], side)) && free >= 1:
		from, to, way = 0, len(line), free
	case best > 0:
		for _, v := range line[from:to] {
			way = min(way, l.room(v, side), l.reach(v, side))
		}
	}
	if math.IsInf(way, 1) || way < 1 {
		return false
	}
	for _, v := range line[from:to] {
		l.vert[v].x += side * way
	}
	return true
}

// toMain reports whether the main line is on the given side of v. A line that could as well
// stand elsewhere moves there, and makes room for others.
func (l *layered) toMain(v int, side float64) bool {
	at := l.mainAt[l.vert[v].layer]
	return at >= 0 && (at > l.vert[v].pos) == (side > 0)
}

// each calls f for how far to the given side the ends of the edges of v are that are no part
// of its line.
func (l *layered) each(v int, side float64, f func(dist float64)) {
	x := &l.vert[v]
	for _, e := range x.up {
		if u := l.segs[e].upper; e != x.mateUp || !l.inLine(u, v) {
			f((l.vert[u].x - x.x) * side)
		}
	}
	for _, e := range x.down {
		if u := l.segs[e].lower; e != x.mateDown || !l.inLine(u, v) {
			f((l.vert[u].x - x.x) * side)
		}
	}
}

// gain is how many more edges become shorter than longer if v moves.
func (l *layered) gain(v int, side float64) int {
	n := 0
	l.each(v, side, func(dist float64) {
		if dist >= 1 {
			n++
		} else {
			n--
		}
	})
	return n
}

// reach is how far v can move until an edge is upright.
func (l *layered) reach(v int, side float64) float64 {
	way := math.Inf(1)
	l.each(v, side, func(dist float64) {
		if dist >= 1 {
			way = min(way, dist)
		}
	})
	return way
}

// room is how far v can move until it meets its neighbour. The main line stays where it is,
// or all would move towards what stands on one side of it.
func (l *layered) room(v int, side float64) float64 {
	x := &l.vert[v]
	if x.main {
		return 0
	}
	i := x.pos + int(side)
	layer := l.layers[x.layer]
	if i < 0 || i >= len(layer) {
		return math.Inf(1)
	}
	u := &l.vert[layer[i]]
	return (u.x-x.x)*side - l.gap(u, x)
}
