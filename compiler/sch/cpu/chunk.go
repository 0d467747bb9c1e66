package cpu

import (
	"slices"
)

// leastChunkWork is how many products of vectors a tile must make in a chunk so that its sums may go to memory and come back.
const leastChunkWork = 1000

// chunks has a product take the steps of its outermost reduction loop in chunks where a panel and what all tiles of the innermost loop read of the other factor do not fit two thirds
// of the second cache together; their parts take a third. Goto and van de Geijn (2008) call the length of a chunk k_c.
func (p *plan) chunks(v int) {
	p.Chunk, p.ChunkAt = 0, 0
	if len(p.reduce) == 0 || p.Matrix || p.cut || len(p.Whole) > 0 || len(p.Pack)+len(p.Splat) > 0 || p.run > 0 || p.Blocks != nil {
		return
	}
	k := p.reduce[0]
	n := p.extent(k)
	if n == 0 || p.isUnrolled(k) {
		return
	}
	cache := float64(p.machine.L2)
	all, at := p.tilePanel(v)+p.sweep(), p.chunkPlace()
	if all <= 2*cache/3 || at < 0 {
		return
	}
	c := largestPart(n, cache/3/all)
	if c*p.sums()*p.stepsBeside(k) >= leastChunkWork {
		p.Chunk, p.ChunkAt = c, at
	}
}

// largestPart is the largest number that divides n and is no more than a share of it, at least 1.
func largestPart(n int64, share float64) int64 {
	for c := int64(share * float64(n)); c > 1; c-- {
		if n%c == 0 {
			return c
		}
	}
	return 1
}

// stepsBeside is how many steps the loops over the other reduction variables take.
func (p *plan) stepsBeside(k int) int64 {
	n := int64(1)
	for _, j := range p.reduce {
		if j != k {
			n *= max(p.extent(j), 1)
		}
	}
	return n
}

// chunkPlace is the place in the order of the loop over chunks: around all tiles of a panel, so that each chunk of it is read once from beyond the second cache. It is -1 where there are
// other loops among them, their sums do not fit that cache, or threads would have no loop outside to share.
func (p *plan) chunkPlace() int {
	turns, work := p.orderTurns()
	at, tiles := len(p.Order), int64(1)
	for at > 0 && slices.Contains(p.rowAxes(p.Vector), p.Order[at-1]) {
		at--
		if p.extent(p.Order[at]) == 0 {
			return -1
		}
		tiles *= turns[at]
	}
	if at == len(p.Order) || tiles*p.sums()*p.vectorBytes() > p.machine.L2 || p.machine.Threads > 1 && p.machine.shares(turns[:at], work) < 0 {
		return -1
	}
	return at
}

// vectorBytes is how many bytes a vector of sums takes.
func (p *plan) vectorBytes() int64 { return p.Lanes * int64(p.store.buf.DType.Bits/8) / p.registers }
