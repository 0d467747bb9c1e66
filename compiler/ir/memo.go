package ir

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Memo is a table of what was found of nodes, told apart by address as the keys of a map are. Rewrites and questions make, fill and
// forget millions of them: finding a node takes a fraction of the time that it takes in a map of interfaces, and Clear takes none,
// however large the table has become. The zero Memo is empty. What was cleared is held until it is overwritten.
type Memo[K Node, V any] struct {
	slots []memoSlot[V] // a power of two of them; those of this epoch count, and at least a quarter are free
	used  int
	epoch uint32
}

type memoSlot[V any] struct {
	key   unsafe.Pointer
	epoch uint32
	value V
}

// minSlots is the size of the smallest table.
const minSlots = 8

// address returns the address of the node that k refers to, be k a pointer or an interface.
func address[K Node](k K) unsafe.Pointer {
	if unsafe.Sizeof(k) == unsafe.Sizeof(uintptr(0)) {
		return *(*unsafe.Pointer)(unsafe.Pointer(&k))
	}
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&k))[1]
}

// Len returns the number of entries.
func (m *Memo[K, V]) Len() int { return m.used }

// Get returns what Put noted for k.
func (m *Memo[K, V]) Get(k K) (V, bool) {
	if m.used > 0 {
		if s := m.slot(address(k)); s.epoch == m.epoch {
			return s.value, true
		}
	}
	var none V
	return none, false
}

// Put notes v for k.
func (m *Memo[K, V]) Put(k K, v V) {
	if 4*(m.used+1) > 3*len(m.slots) {
		m.grow()
	}
	p := address(k)
	s := m.slot(p)
	if s.epoch != m.epoch {
		s.key, s.epoch = p, m.epoch
		m.used++
	}
	s.value = v
}

// Clear forgets all entries.
func (m *Memo[K, V]) Clear() {
	if m.used == 0 {
		return
	}
	m.used = 0
	if m.epoch++; m.epoch == 0 { // around once: what is old must not look new
		clear(m.slots)
		m.epoch = 1
	}
}

// slot returns the slot of p, or the free one where it belongs.
func (m *Memo[K, V]) slot(p unsafe.Pointer) *memoSlot[V] {
	mask := uint(len(m.slots) - 1)
	// The upper bits of the product depend on all of the address, whose lowest are 0.
	hi, _ := bits.Mul64(uint64(uintptr(p))*0x9e3779b97f4a7c15, uint64(len(m.slots)))
	for i := uint(hi); ; i++ {
		s := &m.slots[i&mask]
		if s.epoch != m.epoch || s.key == p {
			return s
		}
	}
}

func (m *Memo[K, V]) grow() {
	old := m.slots
	m.slots = make([]memoSlot[V], max(minSlots, 2*len(old)))
	if m.epoch == 0 {
		m.epoch = 1
	}
	for i := range old {
		if s := &old[i]; s.epoch == m.epoch {
			*m.slot(s.key) = *s
		}
	}
}

// Seen is a set of nodes that were met, for a walk that visits shared nodes once.
type Seen struct{ met Memo[Node, struct{}] }

// maxSeen is how many nodes a set may have that is kept for the next walk: a larger one would hold on to much.
const maxSeen = 1 << 12

var seens = sync.Pool{New: func() any { return &Seen{} }}

// NewSeen returns an empty set. Whoever is done with it calls Done.
func NewSeen() *Seen { return seens.Get().(*Seen) }

// First adds n, and reports whether it was not there.
func (s *Seen) First(n Node) bool {
	if _, met := s.met.Get(n); met {
		return false
	}
	s.met.Put(n, struct{}{})
	return true
}

// Done keeps the memory of the set for the next walk.
func (s *Seen) Done() {
	if s.met.Len() <= maxSeen {
		s.met.Clear()
		seens.Put(s)
	}
}
