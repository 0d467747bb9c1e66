package memory

import (
	"errors"
	"fmt"
	"math/bits"
)

// Align is the alignment of every allocation and the granularity of their sizes.
const Align = 64

// growStep is the least by which a heap extends itself, limit permitting.
const growStep = 1 << 20

// ErrFull is wrapped by errors about allocations for which there is no room.
var ErrFull = errors.New("out of device memory")

// block is a range of the heap; all blocks form a list by address in which no two
// neighbours are free.
type block struct {
	addr, size       uint64
	prev, next       *block // neighbours by address
	binPrev, binNext *block // neighbours in the list of free blocks of a size class
	free             bool
}

// Heap hands out pieces of an address range that begins at a fixed start and grows on
// demand. It is a two-level segregated fit allocator (Masmano et al., "TLSF: a new
// dynamic memory allocator for real-time systems", 2004) whose bookkeeping lies outside of
// the range, so that no kernel can damage it: allocation and release take constant
// time, but for a search through one size class before the heap grows, and free
// neighbours are merged at once. A Heap is not safe for concurrent use.
type Heap struct {
	end, limit uint64
	grow       func(end uint64) error
	last       *block
	live       map[uint64]*block
	bins       [128]*block
	filled     [2]uint64 // one bit for each bin that is not empty
	spare      []*block
	used, peak uint64
}

// Stats is the state of a heap in bytes. Used and Peak count allocations rounded up to
// Align.
type Stats struct {
	Used, Peak  uint64
	Grown       uint64 // end of what the heap has taken so far
	Limit       uint64
	Allocations int
}

// NewHeap returns an empty heap over [start, limit). It calls grow before it first uses
// addresses up to end; grow may refuse.
func NewHeap(start, limit uint64, grow func(end uint64) error) *Heap {
	return &Heap{end: start, limit: limit, grow: grow, live: map[uint64]*block{}}
}

// Alloc returns the address of size bytes, aligned to Align. A size of zero takes one
// unit, so that addresses of distinct allocations differ. Contents are undefined.
func (h *Heap) Alloc(size uint64) (uint64, error) {
	if size > h.limit {
		return 0, h.full(size)
	}
	size = max(Align, (size+Align-1)/Align*Align)
	b := h.find(size)
	if b == nil {
		if err := h.extend(size); err != nil {
			return 0, err
		}
		b = h.last
	}
	h.unbin(b)
	if b.size > size {
		rest := h.newBlock(b.addr+size, b.size-size)
		b.size = size
		h.link(b, rest)
		h.bin(rest)
	}
	h.live[b.addr] = b
	h.used += size
	h.peak = max(h.peak, h.used)
	return b.addr, nil
}

// Free releases the allocation at addr and reports whether there was one.
func (h *Heap) Free(addr uint64) bool {
	b := h.live[addr]
	if b == nil {
		return false
	}
	delete(h.live, addr)
	h.used -= b.size
	if p := b.prev; p != nil && p.free {
		h.unbin(p)
		p.size += b.size
		h.unlink(b)
		b = p
	}
	if n := b.next; n != nil && n.free {
		h.unbin(n)
		b.size += n.size
		h.unlink(n)
	}
	h.bin(b)
	return true
}

// Size is the number of bytes of the allocation at addr, 0 where there is none.
func (h *Heap) Size(addr uint64) uint64 {
	if b := h.live[addr]; b != nil {
		return b.size
	}
	return 0
}

// Stats reports the state of the heap.
func (h *Heap) Stats() Stats {
	return Stats{Used: h.used, Peak: h.peak, Grown: h.end, Limit: h.limit, Allocations: len(h.live)}
}

// ResetPeak makes the current use the new peak.
func (h *Heap) ResetPeak() { h.peak = h.used }

// EachFree calls f for every free range.
func (h *Heap) EachFree(f func(from, to uint64)) {
	for b := h.last; b != nil; b = b.prev {
		if b.free {
			f(b.addr, b.addr+b.size)
		}
	}
}

// find returns a free block of at least size bytes. Blocks of the bins above size's own
// all fit; of its own bin a few are tried so that a freed block serves its like again.
func (h *Heap) find(size uint64) *block {
	own := binOf(size)
	for b, n := h.bins[own], 0; b != nil && n < 8; b, n = b.binNext, n+1 {
		if b.size >= size {
			return b
		}
	}
	for i := own + 1; i < len(h.bins); i = i/64*64 + 64 {
		if w := h.filled[i/64] >> (i % 64); w != 0 {
			return h.bins[i+bits.TrailingZeros64(w)]
		}
	}
	for b := h.bins[own]; b != nil; b = b.binNext {
		if b.size >= size {
			return b
		}
	}
	return nil
}

// extend grows the heap until its last block is free and has size bytes.
func (h *Heap) extend(size uint64) error {
	need := size
	if h.last != nil && h.last.free {
		need -= h.last.size
	}
	if need > h.limit-h.end {
		return h.full(size)
	}
	by := min(max(need, growStep), h.limit-h.end)
	if err := h.grow(h.end + by); err != nil {
		return fmt.Errorf("%w (%w)", h.full(size), err)
	}
	if h.last != nil && h.last.free {
		h.unbin(h.last)
		h.last.size += by
	} else {
		b := h.newBlock(h.end, by)
		if h.last != nil {
			h.last.next, b.prev = b, h.last
		}
		h.last = b
	}
	h.bin(h.last)
	h.end += by
	return nil
}

func (h *Heap) full(size uint64) error {
	return fmt.Errorf("%w: %d bytes wanted, %d of %d in use", ErrFull, size, h.used, h.limit)
}

// binOf numbers size classes: four to each power of two.
func binOf(size uint64) int {
	units := size / Align
	if units < 4 {
		return int(units)
	}
	top := bits.Len64(units) - 1
	return 4*(top-1) + int(units>>(top-2)&3)
}

func (h *Heap) bin(b *block) {
	i := binOf(b.size)
	b.free = true
	b.binPrev, b.binNext = nil, h.bins[i]
	if b.binNext != nil {
		b.binNext.binPrev = b
	}
	h.bins[i] = b
	h.filled[i/64] |= 1 << (i % 64)
}

func (h *Heap) unbin(b *block) {
	i := binOf(b.size)
	b.free = false
	if b.binNext != nil {
		b.binNext.binPrev = b.binPrev
	}
	if b.binPrev != nil {
		b.binPrev.binNext = b.binNext
	} else if h.bins[i] = b.binNext; b.binNext == nil {
		h.filled[i/64] &^= 1 << (i % 64)
	}
	b.binPrev, b.binNext = nil, nil
}

func (h *Heap) link(b, after *block) {
	after.prev, after.next = b, b.next
	if b.next != nil {
		b.next.prev = after
	} else {
		h.last = after
	}
	b.next = after
}

func (h *Heap) unlink(b *block) {
	if b.prev != nil {
		b.prev.next = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	} else {
		h.last = b.prev
	}
	*b = block{}
	h.spare = append(h.spare, b)
}

func (h *Heap) newBlock(addr, size uint64) *block {
	if n := len(h.spare); n > 0 {
		b := h.spare[n-1]
		h.spare = h.spare[:n-1]
		b.addr, b.size = addr, size
		return b
	}
	return &block{addr: addr, size: size}
}
