package share

import "slices"

// Ring is a queue that serves its owners in turns: each has a lane of its own, whose items stay
// in order, and after one of its items was taken the next owner comes first. The zero value is
// empty. It is not safe for concurrent use.
type Ring[K comparable, T comparable] struct {
	lanes []lane[K, T] // the next one first; none is empty
	n     int
}

// lane is what one owner waits for.
type lane[K comparable, T comparable] struct {
	owner K
	items []T
}

// Push adds an item behind those of its owner. An owner who has none comes last.
func (r *Ring[K, T]) Push(owner K, item T) {
	r.n++
	for i := range r.lanes {
		if r.lanes[i].owner == owner {
			r.lanes[i].items = append(r.lanes[i].items, item)
			return
		}
	}
	r.lanes = append(r.lanes, lane[K, T]{owner, []T{item}})
}

// Next returns the item whose turn it is of those that may be taken, and leaves it there. Only
// the first item of an owner is asked for.
func (r *Ring[K, T]) Next(may func(T) bool) (item T, ok bool) {
	for _, l := range r.lanes {
		if may(l.items[0]) {
			return l.items[0], true
		}
	}
	return item, false
}

// Take takes an item that Next returned, so that the turn goes to the owner behind its own.
func (r *Ring[K, T]) Take(item T) {
	for i, l := range r.lanes {
		if l.items[0] == item {
			r.lanes = slices.Delete(r.lanes, i, i+1)
			if l.items = l.items[1:]; len(l.items) > 0 {
				r.lanes = append(r.lanes, l)
			}
			r.n--
			return
		}
	}
}

// Remove takes an item out that does not wait any longer, and tells whether it was there.
func (r *Ring[K, T]) Remove(item T) bool {
	for i := range r.lanes {
		l := &r.lanes[i]
		k := slices.Index(l.items, item)
		if k < 0 {
			continue
		}
		r.n--
		if l.items = slices.Delete(l.items, k, k+1); len(l.items) == 0 {
			r.lanes = slices.Delete(r.lanes, i, i+1)
		}
		return true
	}
	return false
}

// Len returns the number of items.
func (r *Ring[K, T]) Len() int { return r.n }

// All returns the items in the order in which they come if all may be taken.
func (r *Ring[K, T]) All() []T {
	out := make([]T, 0, r.n)
	for k := 0; len(out) < r.n; k++ {
		for _, l := range r.lanes {
			if k < len(l.items) {
				out = append(out, l.items[k])
			}
		}
	}
	return out
}
