// Package lru is a cache of values by key that holds a bounded number of bytes and
// drops what was used longest ago. The packages below web use it; it knows nothing
// of them and imports only the standard library.
package lru

import (
	"container/list"
	"sync"
)

// Cache may be used by several goroutines. New makes one.
type Cache[K comparable, V any] struct {
	limit int64

	mu    sync.Mutex
	used  int64
	order *list.List // of *entry[K, V], most recently used first
	byKey map[K]*list.Element
}

// entry is a value with its key and the bytes that it counts for.
type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int64
}

// New returns an empty cache of at most limit bytes.
func New[K comparable, V any](limit int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, order: list.New(), byKey: map[K]*list.Element{}}
}

// Get returns the value of a key, and whether there is one.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byKey[key]
	if el == nil {
		var none V
		return none, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*entry[K, V]).value, true
}

// Put keeps a value that counts for so many bytes. A key that is there already
// keeps its value, and a value larger than the whole cache is not kept.
func (c *Cache[K, V]) Put(key K, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.limit || c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.order.PushFront(&entry[K, V]{key, value, bytes})
	for c.used += bytes; c.used > c.limit; {
		c.drop(c.order.Back())
	}
}

// Drop forgets a key.
func (c *Cache[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byKey[key]; el != nil {
		c.drop(el)
	}
}

// drop removes an element; the caller holds the lock.
func (c *Cache[K, V]) drop(el *list.Element) {
	e := c.order.Remove(el).(*entry[K, V])
	delete(c.byKey, e.key)
	c.used -= e.bytes
}

// Used returns the bytes held.
func (c *Cache[K, V]) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}
