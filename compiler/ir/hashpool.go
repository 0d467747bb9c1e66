package ir

import (
	"sync"
	"unsafe"
)

// hashing is the memory of one hash. Passes hash thousands of small functions, and the tables of each would be garbage at once.
type hashing struct {
	grapher grapher
	hasher  hasher
}

var hashings = sync.Pool{New: func() any { return &hashing{grapher: grapher{index: map[unsafe.Pointer]int32{}}} }}

func takeHashing() *hashing { return hashings.Get().(*hashing) }

// maxHashed is how many nodes the memory that is kept has room for: clearing the index takes as long as there is room.
const maxHashed = 1 << 12

// done gives the memory back. None of it refers to a node afterwards.
func (s *hashing) done() {
	g := &s.grapher
	if len(g.nodes) > maxHashed || cap(g.edges) > 4*maxHashed || cap(g.stack) > 4*maxHashed {
		return
	}
	clear(g.index)
	g.graph = graph{nodes: g.nodes[:0], edges: g.edges[:0]}
	g.stack = g.stack[:0]
	s.hasher.graph = nil
	hashings.Put(s)
}
