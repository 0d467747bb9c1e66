package starpass

import (
	"hash/maphash"

	"go.starlark.net/starlark"
)

// crowds tells how many of the keys that a run has used share a chain in a dictionary or set.
//
// The hashes of Starlark are known to whoever writes a script: integers that agree in their low 32
// bits have one hash, and a table looks through all keys of a chain, which the low bits of the hash
// choose. So the keys that were used, told apart by a hash that no script knows, are counted by the
// lowest 16 and the lowest 8 bits of the hash that the tables use; the latter are compared with what
// an even distribution gives, since large tables use more bits. Either bounds the length of a
// chain that is longer than it should be. What a table no longer holds stays counted.
type crowds struct {
	seen   map[uint64]struct{}
	narrow map[uint16]int
	wide   [256]int
}

// bucket is the length of a chain that costs nothing. Each further key is a step.
const bucket = 8

var keySeed = maphash.MakeSeed()

// chain counts a key, and returns whether it is new and how many others it meets at most.
func (c *crowds) chain(key starlark.Value) (fresh bool, length int) {
	h, err := key.Hash()
	if err != nil {
		return false, 0 // the operation that needs it says so
	}
	if c.seen == nil {
		c.seen, c.narrow = map[uint64]struct{}{}, map[uint16]int{}
	}
	id := identity(key, h)
	if _, ok := c.seen[id]; !ok {
		c.seen[id] = struct{}{}
		c.narrow[uint16(h)]++
		c.wide[uint8(h)]++
		fresh = true
	}
	return fresh, max(c.narrow[uint16(h)], c.wide[uint8(h)]-4*len(c.seen)/len(c.wide))
}

// identity returns a number that differs for keys that differ, whatever their hash h.
func identity(key starlark.Value, h uint32) uint64 {
	switch k := key.(type) {
	case starlark.Int:
		if n, ok := k.Int64(); ok {
			return maphash.Comparable(keySeed, n)
		}
		return maphash.Bytes(keySeed, k.BigInt().Bytes())
	case starlark.String:
		return maphash.String(keySeed, string(k))
	case starlark.Bytes:
		return maphash.String(keySeed, string(k))
	case starlark.Float:
		return maphash.Comparable(keySeed, float64(k))
	case starlark.Tuple:
		var of [3]uint64
		for _, x := range k {
			xh, _ := x.Hash() // that of the tuple has succeeded
			of = [3]uint64{of[0] + 1, of[2], identity(x, xh)}
			of[2] = maphash.Comparable(keySeed, of)
		}
		return maphash.Comparable(keySeed, of)
	}
	return maphash.Comparable(keySeed, h)
}

// key counts the use of a key of a dictionary or set.
func (m *meter) key(key starlark.Value) error {
	fresh, length := m.keys.chain(key)
	if fresh {
		if err := m.alloc(dictEntry); err != nil {
			return err
		}
	}
	return m.work(max(length-bucket, 0))
}

// keysIn counts the use of all that v holds as keys; of pairs only the first is one, as where a
// dictionary is made of a list. What is no collection holds none.
func (m *meter) keysIn(v starlark.Value, pairs bool) error {
	it, ok := v.(starlark.Iterable)
	if !ok {
		return nil
	}
	switch v.(type) {
	case *starlark.Dict, *starlark.Set:
		pairs = false
	}
	for x := range starlark.Elements(it) {
		if pair, ok := x.(starlark.Iterable); ok && pairs {
			for first := range starlark.Elements(pair) {
				x = first
				break
			}
		}
		if err := m.hashed(x); err != nil {
			return err
		}
	}
	return nil
}
