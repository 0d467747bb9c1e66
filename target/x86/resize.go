package x86

import (
	"slices"

	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// widening are the instructions that double integer lanes of 8, 16 and 32 bits, without and with sign.
var widening = map[int][2]asm.Op{8: {asm.VPMOVZXBW, asm.VPMOVSXBW}, 16: {asm.VPMOVZXWD, asm.VPMOVSXWD}, 32: {asm.VPMOVZXDQ, asm.VPMOVSXDQ}}

// truncating are those of AVX-512 that take the lower bits of lanes of 16 and 32 bits, by the bits before and after.
var truncating = map[[2]int]asm.Op{{16, 8}: asm.VPMOVWB, {32, 8}: asm.VPMOVDB, {32, 16}: asm.VPMOVDW}

// resize widens or truncates the integer lanes of a vector in parts.
func (g *gen) resize(parts []*node, lanes, from, to int, signed bool) []*node {
	if out := g.bytesAgain(parts, lanes, from, to, signed); out != nil {
		return out
	}
	if from == 32 && to < 32 {
		parts = slices.Clone(parts)
		for i, p := range parts {
			parts[i] = g.lowBits(p)
		}
	}
	if from == 8 && to >= 32 {
		o := asm.VPMOVZXBD
		if signed {
			o = asm.VPMOVSXBD
		}
		parts, from = g.widenBytes(parts, lanes, o), 32
	}
	for ; from < to; from *= 2 {
		o := widening[from][0]
		if signed {
			o = widening[from][1]
		}
		parts = g.widen(parts, lanes, from, 2*from, func(w asm.Width) op { return ins(o, w) })
	}
	if from > to && from == 64 {
		parts, from = g.narrowParts(parts, lanes, 64, 32, g.evenWords), 32
	}
	if from > to && g.mod.machine.Features.AVX512 {
		o := truncating[[2]int{from, to}]
		return g.narrowParts(parts, lanes, from, to, func(p *node) *node {
			t := tX
			if p.Type == tZ && from == 2*to {
				t = tY
			}
			return g.retype(ins(o, widthOfNode(p)), t, p)
		})
	}
	// What is above is cleared, so that the instructions, which clamp, leave the numbers alone.
	if from > to {
		cleared := make([]*node, len(parts))
		for i, p := range parts {
			cleared[i] = g.vop(pVAnd, 0, p, g.splatConst(1<<to-1, from/8, widthOfNode(p)))
		}
		parts = cleared
	}
	for ; from > to; from /= 2 {
		parts = g.narrowParts(parts, lanes, from, from/2, func(p *node) *node { return packLanes(g, p, from) })
	}
	return parts
}

// lowBits is p in its lower 16 bits. Sums need no others of their operands, and the lower bits of what a float was converted to are right for NaN without a test for it.
func (g *gen) lowBits(p *node) *node {
	switch code(p.Op) {
	case op(asm.VPADDD), op(asm.VPSUBD):
		x, y := g.lowBits(p.Args[0]), g.lowBits(p.Args[1])
		if x != p.Args[0] || y != p.Args[1] {
			return g.op(p.Op, x, y)
		}
	case pVAnd:
		if x := p.Args[0]; g.isNumber(p.Args[1]) && converts(x) {
			return x
		}
	}
	return p
}

// isNumber reports whether a mask has ones where lanes of float32 are no NaN.
func (g *gen) isNumber(p *node) bool {
	return code(p.Op) == pVCompare32 && p.Imm == cmpOrd && p.Args[0] == p.Args[1]
}

// converts reports whether p has the integers that lanes of float32 are converted to.
func converts(p *node) bool {
	if code(p.Op) == pVXor { // where they are too large
		p = p.Args[0]
	}
	return code(p.Op) == op(asm.VCVTPS2DQ) || code(p.Op) == op(asm.VCVTTPS2DQ)
}

// widenBytes makes lanes of 32 bits of bytes at once.
func (g *gen) widenBytes(parts []*node, lanes int, o asm.Op) []*node {
	k, ks := g.lanesPerPart(lanes, 32, dtype.Int32T), g.lanesPerPart(lanes, 8, dtype.Int32T)
	var out []*node
	for i := 0; i < lanes; i += k {
		at := i % ks // the first byte
		p := g.chunk(parts[i/ks], at/16)
		if word := uint64(at % 16 / 4); word > 0 {
			p = g.imm(op(asm.VPERMILPS), word|(word+1)&3<<2, p)
		}
		out = append(out, g.op(ins(o, partWidth(k, 32)), p))
	}
	return out
}

// bytesAgain widens the lanes of parts that have just been made of lanes as wide, of which the lower bits are left alone then; nil where they have not, or have signs.
func (g *gen) bytesAgain(parts []*node, lanes, from, to int, signed bool) []*node {
	if from != 8 || to != 32 || signed {
		return nil
	}
	k, ks := g.lanesPerPart(lanes, to, dtype.Int32T), g.lanesPerPart(lanes, from, dtype.Int32T)
	if k < 4 {
		return nil
	}
	var out []*node
	for i := 0; i < lanes; i += k {
		p := parts[i/ks]
		for n := ks; n > k; n /= 2 {
			if code(p.Op) != pJoin {
				return nil
			}
			p = p.Args[i%n/(n/2)]
		}
		if code(p.Op) != op(asm.VPMOVDB) {
			return nil
		}
		wide := p.Args[0]
		if int(widthOfNode(wide)) != 4*k {
			return nil
		}
		out = append(out, g.vop(pVAnd, 0, wide, g.splatConst(0xff, 4, widthOfNode(wide))))
	}
	return out
}

// packLanes takes the lower halves of integer lanes of 16 or 32 bits whose upper halves are zero.
func packLanes(g *gen, p *node, bits int) *node {
	pack := asm.VPACKUSDW
	if bits == 16 {
		pack = asm.VPACKUSWB
	}
	if p.Type == tY {
		return g.ins(pack, g.half(p, 0), g.half(p, 1))
	}
	return g.ins(pack, p, p)
}

// widen converts parts of lanes to lanes that are twice as wide; by is the instruction that takes the lower half of a vector, or a vector
// half as wide, to a vector of a width.
func (g *gen) widen(parts []*node, lanes, from, to int, by func(asm.Width) op) []*node {
	k, ks := g.lanesPerPart(lanes, to, dtype.Int32T), g.lanesPerPart(lanes, from, dtype.Int32T)
	w := partWidth(k, to)
	var out []*node
	for i := 0; i < lanes; i += k {
		p := parts[i/ks]
		at := i % ks * from / 8 // the first byte
		switch width := widthOfNode(p); {
		case width == w && at > 0: // the upper half of a part as wide
			if w == asm.X {
				p = g.imm(op(asm.VPERMILPS), 0x0e, p)
			} else {
				p = g.half(p, 1)
			}
		case width == w && w > asm.X:
			p = g.half(p, 0)
		case width > w: // cannot be: the part of twice the bits is at least as wide
			panic("x86: a part shrinks as it is widened")
		}
		out = append(out, g.op(by(w), p))
	}
	return out
}

// narrowParts converts parts of lanes to lanes that are half as wide; by makes a vector half as wide of one.
func (g *gen) narrowParts(parts []*node, lanes, from, to int, by func(*node) *node) []*node {
	k, ks := g.lanesPerPart(lanes, to, dtype.Int32T), g.lanesPerPart(lanes, from, dtype.Int32T)
	var halves []*node
	for _, p := range parts {
		halves = append(halves, by(p))
	}
	for n := ks; n < k; n *= 2 { // join pairs
		w := partWidth(2*n, to)
		var joined []*node
		for i := 0; i < len(halves); i += 2 {
			if short(n, to) {
				joined = append(joined, g.ins(asm.VUNPCKLPD, halves[i], halves[i+1]))
			} else {
				joined = append(joined, g.op(vec(pJoin, w), halves[i], halves[i+1]))
			}
		}
		halves = joined
	}
	return halves
}

// evenWords takes the lower halves of the lanes of 64 bits.
func (g *gen) evenWords(p *node) *node {
	switch p.Type {
	case tX:
		return g.imm(op(asm.VPERMILPS), 0x08, p)
	case tY:
		return g.imm(op(asm.VSHUFPS), 0x88, g.half(p, 0), g.half(p, 1))
	}
	lo, hi := g.evenWords(g.half(p, 0)), g.evenWords(g.half(p, 1))
	return g.op(vec(pJoin, asm.Y), lo, hi)
}
