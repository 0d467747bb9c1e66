package x86

import (
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// picked makes a vector of lanes of 32 bits of vectors that are as wide: lane i is lane lanes[i] of all of them one after the other. AVX-512 has an instruction that picks lanes of two vectors. Those of
// AVX2 pick lanes of one, or pairs of two within 128 bits. Four lanes are picked as pairs; it is nil where they are none.
func (g *gen) picked(parts []*node, lanes []int) *node {
	p := picking{g: g, parts: parts, lanes: lanes, w: widthOfNode(parts[0])}
	switch {
	case p.w == asm.X:
		return p.four()
	case g.mod.machine.Features.AVX512 && len(parts) > 1:
		return p.ofTwo()
	case p.w == asm.Y && len(parts) == 2:
		if v := p.eight(); v != nil {
			return v
		}
	}
	out := p.one(0)
	for k := 1; k < len(parts); k++ {
		out = g.op(vec(pBlend, p.w), p.one(k), out, p.numbers(func(i int) int64 {
			if lanes[i]/len(lanes) == k {
				return -1
			}
			return 0
		}))
	}
	return out
}

// picking is a vector under way whose lanes are lanes of parts.
type picking struct {
	g     *gen
	parts []*node
	lanes []int
	w     asm.Width
}

// numbers is a constant vector.
func (p picking) numbers(of func(i int) int64) *node {
	xs := make([]*node, len(p.lanes))
	for i := range xs {
		xs[i] = p.g.i32(int32(of(i)))
	}
	return p.g.PackPart(dtype.Int32T.WithLanes(len(xs)), xs)
}

// one is a vector with the lanes of part k in their places.
func (p picking) one(k int) *node {
	n := len(p.lanes)
	still := true
	for i, l := range p.lanes {
		still = still && (l/n != k || l%n == i)
	}
	if still {
		return p.parts[k]
	}
	return p.g.op(ins(asm.VPERMPS, p.w), p.numbers(func(i int) int64 { return int64(p.lanes[i] % n) }), p.parts[k])
}

// ofTwo takes the lanes of two parts at once, and then those of one part after the other.
func (p picking) ofTwo() *node {
	out, lanes := p.parts[0], slices.Clone(p.lanes)
	n := len(lanes)
	if phase := p.phase(); phase >= 0 {
		out = p.pick(out, p.parts[1], func(i int) int { return 2*i + phase })
		for i, l := range lanes {
			if l < 2*n {
				lanes[i] = l / 2
			} else {
				lanes[i] = l - n
			}
		}
		p.parts = append([]*node{out}, p.parts[2:]...)
	}
	for k := 1; k < len(p.parts); k++ {
		out = p.pick(out, p.parts[k], func(i int) int {
			switch l := lanes[i]; {
			case l/n == k:
				return n + l%n
			case k == 1:
				return l % n
			}
			return i
		})
	}
	return out
}

// pick takes lanes of two vectors.
func (p picking) pick(a, b *node, lane func(i int) int) *node {
	return p.g.op(vec(pPick, p.w), p.numbers(func(i int) int64 { return int64(lane(i)) }), a, b)
}

// phase is 0 or 1 where all lanes of the first two of several parts are even or odd, else -1. Then every other lane of these two is picked first, which is often picked anyway: neighbouring columns of
// windows that move by two have all but one element of it.
func (p picking) phase() int {
	n, phase := len(p.lanes), -1
	for _, l := range p.lanes {
		switch {
		case l >= 2*n:
		case phase < 0:
			phase = l % 2
		case l%2 != phase:
			return -1
		}
	}
	if len(p.parts) == 2 {
		return -1
	}
	return phase
}

// pair are two lanes of a part that are within 128 bits.
type pair struct {
	part, block int
	by          uint64 // the lanes, as a shuffle names them
}

// pairOf is the pair of lanes i and i+1, false where they are not within 128 bits of a part.
func (p picking) pairOf(i int) (pair, bool) {
	a, b, n := p.lanes[i], p.lanes[i+1], len(p.lanes)
	return pair{a / n, a % n / 4, uint64(a%4 | b%4<<2)}, a/4 == b/4
}

// four shuffles one pair and another one; nil where the lanes are no pairs.
func (p picking) four() *node {
	a, ok := p.pairOf(0)
	b, too := p.pairOf(2)
	if !ok || !too {
		return nil
	}
	return p.g.imm(ins(asm.VSHUFPS, p.w), a.by|b.by<<4, p.parts[a.part], p.parts[b.part])
}

// eight shuffles pairs of two parts, the same lanes in both 128 bits of each, and puts them in order; nil where the lanes are others.
func (p picking) eight() *node {
	var by [2]uint64
	var known [2]bool
	order := uint64(0)
	for i := range 4 {
		x, ok := p.pairOf(2 * i)
		if !ok || known[x.part] && by[x.part] != x.by {
			return nil
		}
		by[x.part], known[x.part] = x.by, true
		order |= uint64(2*x.block+x.part) << (2 * i)
	}
	shuffled := p.g.imm(ins(asm.VSHUFPS, p.w), by[0]|by[1]<<4, p.parts[0], p.parts[1])
	return p.g.imm(ins(asm.VPERMPD, p.w), order, shuffled)
}
