package lru

import (
	"container/list"
	"sync"
)

// Shared is a cache of values that are made of parts, which values share. A part counts once,
// for as long as any value holds it; so what the cache says that it uses is what dropping
// everything would free. It may be used by several goroutines. NewShared makes one.
type Shared[K, P comparable, V any] struct {
	limit   int64
	measure Measure[P]

	mu    sync.Mutex
	used  int64
	order *list.List // of *sharing[K, P, V], most recently used first
	byKey map[K]*list.Element
	parts map[P]*part[P]
}

// Measure returns the bytes of a part and the parts that it holds itself, which hold none. It
// is called for each part when it is first held.
type Measure[P comparable] func(p P) (bytes int64, holds []P)

// sharing is a value with its key, its own bytes and its parts.
type sharing[K, P comparable, V any] struct {
	key   K
	value V
	bytes int64
	parts []P
}

// part is a part with the number of values and parts that hold it.
type part[P comparable] struct {
	bytes int64
	holds []P
	refs  int
}

// NewShared returns an empty cache of at most limit bytes.
func NewShared[K, P comparable, V any](limit int64, measure Measure[P]) *Shared[K, P, V] {
	return &Shared[K, P, V]{
		limit: limit, measure: measure, order: list.New(), byKey: map[K]*list.Element{}, parts: map[P]*part[P]{},
	}
}

// Get returns the value of a key, and whether there is one.
func (c *Shared[K, P, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byKey[key]
	if el == nil {
		var none V
		return none, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*sharing[K, P, V]).value, true
}

// Put keeps a value that holds the parts and so many bytes besides. A key that is there
// already keeps its value. What was used longest ago goes until everything fits; a value that
// does not fit by itself is not kept.
func (c *Shared[K, P, V]) Put(key K, value V, bytes int64, parts []P) {
	if c.limit <= 0 {
		return
	}
	known := c.weigh(parts)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[key] != nil || bytes+known.total() > c.limit {
		return
	}
	c.byKey[key] = c.order.PushFront(&sharing[K, P, V]{key, value, bytes, parts})
	c.used += bytes
	for _, p := range parts {
		c.hold(p, known)
	}
	for c.used > c.limit {
		c.drop(c.order.Back())
	}
}

// weights are parts that were measured.
type weights[P comparable] map[P]*part[P]

// total is the bytes of all of them.
func (w weights[P]) total() int64 {
	n := int64(0)
	for _, p := range w {
		n += p.bytes
	}
	return n
}

// weigh measures parts and what they hold, without the lock; what the cache knows it does not
// measure again.
func (c *Shared[K, P, V]) weigh(parts []P) weights[P] {
	out := weights[P]{}
	var fresh []P
	look := func(parts []P) {
		for _, p := range parts {
			if out[p] != nil {
				continue
			}
			if x := c.parts[p]; x != nil {
				out[p] = &part[P]{bytes: x.bytes, holds: x.holds}
			} else {
				out[p] = &part[P]{}
				fresh = append(fresh, p)
			}
		}
	}
	for todo := parts; len(todo) > 0; {
		fresh = nil
		c.mu.Lock()
		look(todo)
		for _, p := range todo {
			look(out[p].holds)
		}
		c.mu.Unlock()
		todo = nil
		for _, p := range fresh {
			out[p].bytes, out[p].holds = c.measure(p)
			todo = append(todo, out[p].holds...)
		}
	}
	return out
}

// hold counts one more that holds a part; the caller has the lock.
func (c *Shared[K, P, V]) hold(p P, known weights[P]) {
	x := c.parts[p]
	if x == nil {
		x = &part[P]{bytes: known[p].bytes, holds: known[p].holds}
		c.parts[p] = x
		c.used += x.bytes
		for _, q := range x.holds {
			c.hold(q, known)
		}
	}
	x.refs++
}

// release counts one less; the caller has the lock.
func (c *Shared[K, P, V]) release(p P) {
	x := c.parts[p]
	if x.refs--; x.refs > 0 {
		return
	}
	delete(c.parts, p)
	c.used -= x.bytes
	for _, q := range x.holds {
		c.release(q)
	}
}

// Drop forgets a key.
func (c *Shared[K, P, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byKey[key]; el != nil {
		c.drop(el)
	}
}

// drop removes an element; the caller has the lock.
func (c *Shared[K, P, V]) drop(el *list.Element) {
	e := c.order.Remove(el).(*sharing[K, P, V])
	delete(c.byKey, e.key)
	c.used -= e.bytes
	for _, p := range e.parts {
		c.release(p)
	}
}

// Used returns the bytes held.
func (c *Shared[K, P, V]) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Len returns the number of values.
func (c *Shared[K, P, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byKey)
}
