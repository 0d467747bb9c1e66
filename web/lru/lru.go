// Package lru is a cache of values by key that holds a bounded number of bytes and
// drops what was used longest ago. The packages below web use it; it knows nothing
// of them and imports only the standard library.
package lru

// Cache is a Shared of values that have nothing in common. New makes one.
type Cache[K comparable, V any] struct {
	*Shared[K, struct{}, V]
}

// New returns an empty cache of at most limit bytes.
func New[K comparable, V any](limit int64) *Cache[K, V] {
	return &Cache[K, V]{NewShared[K, struct{}, V](limit, nil)}
}

// Put keeps a value that counts for so many bytes. A key that is there already
// keeps its value, and a value larger than the whole cache is not kept.
func (c *Cache[K, V]) Put(key K, value V, bytes int64) { c.Shared.Put(key, value, bytes, nil) }
