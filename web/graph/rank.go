package graph

import "slices"

// acyclic turns links around until there is no cycle: it takes items away that nothing left
// leads to, and where there is none the first one that is left.
func (l *layered) acyclic() {
	indeg := make([]int, len(l.items))
	out := make([][]int, len(l.items))
	for i := range l.links {
		k := &l.links[i]
		if k.from == k.to {
			l.items[k.from].loop = true
			continue
		}
		indeg[k.to]++
		out[k.from] = append(out[k.from], i)
	}
	place := make([]int, len(l.items)) // in the order of taking, from 1
	var ready []int
	for i, n := range indeg {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	taken, first := 0, 0
	for taken < len(l.items) {
		if len(ready) == 0 {
			for place[first] > 0 {
				first++
			}
			ready = append(ready, first)
		}
		i := ready[0]
		ready = ready[1:]
		if place[i] > 0 {
			continue
		}
		taken++
		place[i] = taken
		for _, k := range out[i] {
			if to := l.links[k].to; place[to] == 0 {
				if indeg[to]--; indeg[to] == 0 {
					ready = append(ready, to)
				}
			}
		}
	}
	for i := range l.links {
		k := &l.links[i]
		k.up = place[k.from] > place[k.to]
	}
	l.byPlace(place)
}

// upper and lower are the ends of a link as it lies in the layers.
func (k *link) upper() int {
	if k.up {
		return k.to
	}
	return k.from
}

func (k *link) lower() int {
	if k.up {
		return k.from
	}
	return k.to
}

// byPlace gives the items their longest path from above as rank, in the order of place.
func (l *layered) byPlace(place []int) {
	order := make([]int, len(l.items))
	for i, p := range place {
		order[p-1] = i
	}
	out := l.outgoing()
	for _, i := range order {
		for _, k := range out[i] {
			to := l.links[k].lower()
			l.items[to].rank = max(l.items[to].rank, l.items[i].rank+1)
		}
	}
	l.sink(order, out)
}

// sink moves items down to what uses them where that makes links shorter: those with more
// links below than above, and whole parts of the drawing that begin beside the longest ways
// from the top to the bottom and have nothing to hold them up. An item without links below
// and with one above, such as the end of an allocation, comes along.
func (l *layered) sink(order []int, out [][]int) {
	in, last := make([]int, len(l.items)), 0
	from := make([][]int, len(l.items))
	for i := range l.links {
		if k := &l.links[i]; k.from != k.to {
			in[k.lower()]++
			from[k.lower()] = append(from[k.lower()], k.upper())
		}
	}
	for i := range l.items {
		last = max(last, l.items[i].rank)
	}
	latest := make([]int, len(l.items))
	for _, i := range slices.Backward(order) {
		latest[i] = last
		for _, k := range out[i] {
			latest[i] = min(latest[i], latest[l.links[k].lower()]-1)
		}
	}
	held := make([]bool, len(l.items)) // on a longest way, or below one
	for _, i := range order {
		held[i] = latest[i] == l.items[i].rank
		for _, u := range from[i] {
			held[i] = held[i] || held[u]
		}
	}
	for _, i := range slices.Backward(order) {
		if l.items[i].port || len(out[i]) == 0 || held[i] && in[i] >= len(out[i]) {
			continue
		}
		least, leaf := last+1, last+1
		for _, k := range out[i] {
			v := l.links[k].lower()
			if len(out[v]) == 0 && in[v] == 1 && !l.items[v].port {
				leaf = min(leaf, l.items[v].rank)
			} else {
				least = min(least, l.items[v].rank)
			}
		}
		if least > last {
			least = leaf
		}
		if least-1 <= l.items[i].rank {
			continue
		}
		l.items[i].rank = least - 1
		for _, k := range out[i] {
			v := &l.items[l.links[k].lower()]
			v.rank = max(v.rank, least)
		}
	}
}

func (l *layered) outgoing() [][]int {
	out := make([][]int, len(l.items))
	for i := range l.links {
		if k := &l.links[i]; k.from != k.to {
			out[k.upper()] = append(out[k.upper()], i)
		}
	}
	return out
}

// rank puts ports into the first and the last layer.
func (l *layered) rank() {
	last := 0
	for i := range l.items {
		last = max(last, l.items[i].rank)
	}
	for i := range l.items {
		if it := &l.items[i]; it.port && it.last {
			it.rank = last
		}
	}
	// An item that a port leads out of must stand above the port.
	for i := range l.links {
		if k := &l.links[i]; l.items[k.to].last && l.items[k.from].rank == last {
			for j := range l.items {
				if it := &l.items[j]; it.port && it.last {
					it.rank = last + 1
				}
			}
			return
		}
	}
}
