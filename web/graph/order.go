package graph

import (
	"context"
	"slices"
)

// sweeps bounds how often order goes through the layers; patience is the number of times in
// a row after which it stops if that gained nothing. A large drawing gets fewer sweeps: about
// so many that sweepWork segments are looked at, but some in every case.
const (
	sweeps    = 24
	patience  = 4
	sweepWork = 60_000

	switchLimit = 4000 // segments up to which neighbours are swapped after each sweep
	pairLimit   = 1000 // pairs of segments that are compared for a swap
)

// order finds an order in each layer with few crossings: it starts with a walk from the top
// and then sorts each layer by the middle of its neighbours, down and up in turns. The best
// order stays.
func (l *layered) order(ctx context.Context) error {
	l.walk()
	best := l.crossings()
	kept := cloneLayers(l.layers)
	keys := make([]uint64, 0, len(l.vert))
	limit := min(sweeps, max(6, sweepWork/max(1, len(l.segs))))
	for i, idle := 0, 0; best > 0 && i < limit && idle < patience; i++ {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if i%2 == 0 {
			for r := 1; r < len(l.layers); r++ {
				l.sort(r, keys, i%4 >= 2, true)
			}
		} else {
			for r := len(l.layers) - 2; r >= 0; r-- {
				l.sort(r, keys, i%4 >= 2, false)
			}
		}
		idle++
		if len(l.segs) < switchLimit {
			l.exchange()
		}
		if c := l.crossings(); c < best {
			best, idle = c, 0
			for r := range kept {
				copy(kept[r], l.layers[r])
			}
		}
	}
	l.layers = kept
	l.number()
	l.exchange()
	return nil
}

// exchange swaps neighbours in a layer where that takes crossings away, in a few rounds.
func (l *layered) exchange() {
	for range 4 {
		better := false
		for _, layer := range l.layers {
			for i := 1; i < len(layer); i++ {
				u, v := &l.vert[layer[i-1]], &l.vert[layer[i]]
				gain := l.pairs(u.up, v.up, true) + l.pairs(u.down, v.down, false)
				if gain > 0 {
					layer[i-1], layer[i] = layer[i], layer[i-1]
					u.pos, v.pos = i, i-1
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// pairs counts how many more crossings the segments a have with b, whose vertex is the next
// one to the right, than they would have if the two were swapped.
func (l *layered) pairs(a, b []int, above bool) int {
	if len(a)*len(b) > pairLimit {
		return 0
	}
	n := 0
	for _, x := range a {
		p := l.vert[l.segs[x].lower].pos
		if above {
			p = l.vert[l.segs[x].upper].pos
		}
		for _, y := range b {
			q := l.vert[l.segs[y].lower].pos
			if above {
				q = l.vert[l.segs[y].upper].pos
			}
			if p > q {
				n++
			} else if p < q {
				n--
			}
		}
	}
	return n
}

func cloneLayers(layers [][]int) [][]int {
	out := make([][]int, len(layers))
	for i := range layers {
		out[i] = slices.Clone(layers[i])
	}
	return out
}

func (l *layered) number() {
	for _, layer := range l.layers {
		for i, v := range layer {
			l.vert[v].pos = i
		}
	}
}

// walk orders the layers as a walk along the links meets their vertices, so that what belongs
// together stands together.
func (l *layered) walk() {
	seen := make([]bool, len(l.vert))
	next := make([][]int, len(l.layers))
	var stack []int
	for _, layer := range l.layers {
		for _, root := range layer {
			stack = append(stack, root)
			for len(stack) > 0 {
				v := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if seen[v] {
					continue
				}
				seen[v] = true
				next[l.vert[v].layer] = append(next[l.vert[v].layer], v)
				for _, s := range slices.Backward(l.vert[v].down) {
					stack = append(stack, l.segs[s].lower)
				}
			}
		}
	}
	l.layers = next
	l.number()
}

// sort orders a layer by the mean place of the neighbours on one side. Vertices without any
// keep their places. Of equal ones the later come first if flip says so.
func (l *layered) sort(r int, keys []uint64, flip, above bool) {
	layer := l.layers[r]
	if len(layer) < 2 {
		return
	}
	// A key holds the mean, in parts of a place, and below it the number in the layer.
	const parts, bits = 1 << 8, 24
	keys = keys[:0]
	for i, v := range layer {
		list := l.vert[v].up
		if !above {
			list = l.vert[v].down
		}
		if len(list) == 0 {
			continue
		}
		sum := 0
		for _, e := range list {
			s := &l.segs[e]
			if above {
				sum += l.vert[s.upper].pos
			} else {
				sum += l.vert[s.lower].pos
			}
		}
		n := i
		if flip {
			n = len(layer) - 1 - i
		}
		keys = append(keys, uint64(sum*parts/len(list))<<bits|uint64(n))
	}
	slices.Sort(keys)
	l.spare = append(l.spare[:0], layer...)
	next := 0
	for i, v := range l.spare {
		if above && len(l.vert[v].up) == 0 || !above && len(l.vert[v].down) == 0 {
			continue
		}
		n := int(keys[next] & (1<<bits - 1))
		if flip {
			n = len(layer) - 1 - n
		}
		layer[i] = l.spare[n]
		next++
	}
	for i, v := range layer {
		l.vert[v].pos = i
	}
}

// crossings counts the pairs of segments that cross, with a tree of counts for each pair of
// layers: Barth, Mutzel and Jünger, "Simple and efficient bilayer cross counting" (2004).
func (l *layered) crossings() int {
	total := 0
	var tree, ends []int
	for r := 0; r+1 < len(l.layers); r++ {
		lower := len(l.layers[r+1])
		size := 1
		for size < lower {
			size *= 2
		}
		tree = append(tree[:0], make([]int, 2*size)...)
		for _, v := range l.layers[r] {
			ends = ends[:0]
			for _, s := range l.vert[v].down {
				ends = append(ends, l.vert[l.segs[s].lower].pos)
			}
			slices.Sort(ends)
			for _, e := range ends {
				for i := e + size; i > 0; i /= 2 {
					tree[i]++
					if i%2 == 0 && i > 1 {
						total += tree[i+1]
					}
				}
			}
		}
	}
	return total
}
