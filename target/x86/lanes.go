package x86

import (
	"encoding/binary"

	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// chunk returns 128 bits of a vector.
func (g *gen) chunk(p *node, i int) *node {
	if p.Type == tZ {
		p, i = g.half(p, i/2), i%2
	}
	if p.Type == tY {
		return g.half(p, i)
	}
	return p
}

// half returns the lower or the upper half of a vector.
func (g *gen) half(p *node, i int) *node {
	if p.Type == tZ {
		return g.op([2]op{pLowY, vec(pHigh, asm.Y)}[i], p)
	}
	return g.op([2]op{pLowX, pHigh}[i], p)
}

// Halves are the lower and the upper half of the lanes of a part of elements of 32 or 64 bits.
func (g *gen) Halves(part value) (lo, hi *node) {
	p := part.Parts[0]
	switch bits := int(part.DType.Bits); {
	case part.DType.IsBool() || bits < 32:
		return nil, nil
	case part.Lanes()*bits > 128:
		return g.half(p, 0), g.half(p, 1)
	}
	return p, g.imm(op(asm.VPERMILPS), 0x0e, p)
}

// Extract returns lane i as a scalar; a lane of a mask becomes 0 or 1.
func (g *gen) Extract(v value, i int) *node {
	bits := v.LaneBits()
	k := g.lanesPerPart(v.Lanes(), bits, v.DType)
	per := 128 / bits
	p := g.chunk(v.Parts[i/k], i%k/per)
	i = i % k % per
	switch {
	case bits == 8:
		x := g.imm(op(asm.VPEXTRB), uint64(i), p)
		if v.DType.IsInt() {
			x = g.Fn(lower.Extend8S, x)
		}
		return g.oneBit(v, x)
	case bits == 16: // there is no instruction on words that is like those on others
		x := g.Extract(value{DType: dtype.UInt32T.WithLanes(4), Parts: []*node{p}}, i/2)
		switch {
		case i%2 == 0 && v.DType.IsInt():
			x = g.Fn(lower.Extend16S, x)
		case i%2 == 0:
			x = g.Fn(lower.And, x, g.i32(0xffff))
		case v.DType.IsInt():
			x = g.Fn(lower.ShrS, x, g.i32(16))
		default:
			x = g.Fn(lower.ShrU, x, g.i32(16))
		}
		return g.oneBit(v, x)
	case v.DType.IsFloat() && bits == 32:
		if i > 0 {
			p = g.imm(op(asm.VPERMILPS), uint64(i), p)
		}
		return g.op(pLowF32, p)
	case v.DType.IsFloat():
		if i > 0 {
			p = g.imm(op(asm.VPERMILPS), 0x0e, p)
		}
		return g.op(pLowF64, p)
	}
	var x *node
	switch {
	case bits == 64 && i == 0:
		x = g.ins(asm.VMOVQS, p)
	case bits == 64:
		x = g.imm(op(asm.VPEXTRQ), uint64(i), p)
	case i == 0:
		x = g.ins(asm.VMOVDS, p)
	default:
		x = g.imm(op(asm.VPEXTRD), uint64(i), p)
	}
	return g.oneBit(v, x)
}

// oneBit makes 0 or 1 of a lane of a mask.
func (g *gen) oneBit(v value, x *node) *node {
	if !v.DType.IsBool() {
		return x
	}
	if x.Type == tI64 {
		x = g.Fn(lower.Wrap, x)
	}
	return g.Fn(lower.And, x, g.i32(1))
}

// PackPart makes a part of scalars.
func (g *gen) PackPart(dt dtype.DType, xs []*node) *node {
	bits := int(dt.Bits)
	w := partWidth(len(xs), bits)
	same, allConst := true, true
	for _, x := range xs {
		same = same && x == xs[0]
		allConst = allConst && x.IsConst()
	}
	switch {
	case same:
		return g.SplatPart(dt, xs[0], len(xs))
	case allConst:
		b := make([]byte, int(w))
		for i, x := range xs {
			var full [8]byte
			binary.LittleEndian.PutUint64(full[:], x.Imm)
			copy(b[i*bits/8:(i+1)*bits/8], full[:])
		}
		return g.vectorConst(string(b), w)
	case w > asm.X:
		lo, hi := g.PackPart(dt, xs[:len(xs)/2]), g.PackPart(dt, xs[len(xs)/2:])
		return g.op(vec(pJoin, w), lo, hi)
	}
	switch {
	case dt.IsFloat() && bits == 64:
		return g.ins(asm.VUNPCKLPD, g.asX(xs[0]), xs[1])
	case dt.IsFloat() && bits == 32:
		pair := func(i int) *node { return g.ins(asm.VUNPCKLPS, g.asX(xs[i]), xs[i+1]) }
		if len(xs) == 2 {
			return pair(0)
		}
		return g.ins(asm.VUNPCKLPD, pair(0), pair(2))
	case bits == 64:
		return g.imm(op(asm.VPINSRQ), 1, g.asX(g.ins(asm.VMOVQ, xs[0])), xs[1])
	}
	insert := map[int]asm.Op{8: asm.VPINSRB, 16: asm.VPINSRW, 32: asm.VPINSRD}[bits]
	p := g.asX(g.ins(asm.VMOVD, xs[0]))
	for i, x := range xs[1:] {
		p = g.imm(op(insert), uint64(i+1), p, x)
	}
	return p
}

// asX takes a scalar in a vector register as a vector whose other lanes mean nothing.
func (g *gen) asX(x *node) *node { return g.op(pLowX, x) }

// SplatPart repeats a scalar.
func (g *gen) SplatPart(dt dtype.DType, x *node, lanes int) *node {
	bits := int(dt.Bits)
	w := partWidth(lanes, bits)
	switch {
	case x.IsConst():
		return g.splatConst(x.Imm, bits/8, w)
	case dt.IsFloat() && bits == 32:
		return g.op(ins(asm.VBROADCASTSS, w), x)
	case dt.IsFloat() && bits == 64 && w == asm.X:
		return g.ins(asm.VUNPCKLPD, g.asX(x), x)
	case dt.IsFloat() && bits == 64:
		return g.op(ins(asm.VBROADCASTSD, w), x)
	}
	return g.imm(vec(pSplat, w), log2(bits/8), x)
}

func log2(n int) uint64 {
	k := uint64(0)
	for n > 1 {
		n /= 2
		k++
	}
	return k
}

// Replace puts a scalar into lane i.
func (g *gen) Replace(dt dtype.DType, lanes int, part *node, i int, x *node) *node {
	bits := int(dt.Bits)
	w := partWidth(lanes, bits)
	mask := make([]byte, int(w))
	for k := range bits / 8 {
		mask[i*bits/8+k] = 0xff
	}
	return g.vop(pBlend, 0, g.SplatPart(dt, x, lanes), part, g.vectorConst(string(mask), w))
}

// ResizeMask brings a mask to lanes of other bits.
func (g *gen) ResizeMask(v value, bits int) value {
	return value{DType: v.DType, Parts: g.resize(v.Parts, v.Lanes(), v.Mask, bits, true), Mask: bits}
}

// widening are the instructions that double integer lanes of 8, 16 and 32 bits, without and with sign.
var widening = map[int][2]asm.Op{8: {asm.VPMOVZXBW, asm.VPMOVSXBW}, 16: {asm.VPMOVZXWD, asm.VPMOVSXWD}, 32: {asm.VPMOVZXDQ, asm.VPMOVSXDQ}}

// resize widens or truncates the integer lanes of a vector in parts.
func (g *gen) resize(parts []*node, lanes, from, to int, signed bool) []*node {
	for ; from < to; from *= 2 {
		o := widening[from][0]
		if signed {
			o = widening[from][1]
		}
		parts = g.widen(parts, lanes, from, 2*from, func(w asm.Width) op { return ins(o, w) })
	}
	for ; from > to; from /= 2 {
		parts = g.narrowParts(parts, lanes, from, from/2, func(p *node) *node { return g.halveLanes(p, from) })
	}
	return parts
}

// halveLanes takes the lower halves of integer lanes of 16, 32 or 64 bits.
func (g *gen) halveLanes(p *node, bits int) *node {
	if bits == 64 {
		return g.evenWords(p)
	}
	if p.Type == tZ {
		return g.op(vec(pJoin, asm.Y), g.halveLanes(g.half(p, 0), bits), g.halveLanes(g.half(p, 1), bits))
	}
	// What is above is cleared, so that the instructions, which clamp, leave the numbers alone.
	pack := asm.VPACKUSDW
	if bits == 16 {
		pack = asm.VPACKUSWB
	}
	low := g.vop(pVAnd, 0, p, g.splatConst(1<<(bits/2)-1, bits/8, widthOfNode(p)))
	if p.Type == tY {
		return g.ins(pack, g.half(low, 0), g.half(low, 1))
	}
	return g.ins(pack, low, low)
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
