package execute

// recent is a map that forgets what was not used lately once it holds more than a weight: entries are put into a young generation, which
// becomes the old one when it weighs half of the bound; an old entry that is used becomes young again. Every operation takes constant time.
type recent[K comparable, V any] struct {
	max        int64
	young, old map[K]weighed[V]
	weight     int64 // of young
}

type weighed[V any] struct {
	value  V
	weight int64
}

func newRecent[K comparable, V any](maxWeight int64) *recent[K, V] {
	return &recent[K, V]{max: maxWeight, young: map[K]weighed[V]{}}
}

// get returns what was put under k.
func (r *recent[K, V]) get(k K) (v V, ok bool) {
	if x, ok := r.young[k]; ok {
		return x.value, true
	}
	x, ok := r.old[k]
	if ok {
		delete(r.old, k)
		r.put(k, x.value, x.weight)
	}
	return x.value, ok
}

// put keeps v of a weight; what weighs more than half of the bound is not kept.
func (r *recent[K, V]) put(k K, v V, weight int64) {
	if weight > r.max/2 {
		return
	}
	if r.weight += weight; r.weight > r.max/2 {
		r.old, r.young, r.weight = r.young, map[K]weighed[V]{}, weight
	}
	r.young[k] = weighed[V]{v, weight}
}
