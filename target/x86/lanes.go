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

// extract returns lane i as a scalar; a lane of a mask becomes 0 or 1.
func (g *gen) extract(v value, i int) *node {
	if !v.packed {
		return v.parts[i]
	}
	bits := v.laneBits()
	k := g.lanesPerPart(v.lanes(), bits, v.dt)
	per := 128 / bits
	p := g.chunk(v.parts[i/k], i%k/per)
	i = i % k % per
	switch {
	case v.dt.IsFloat() && bits == 32:
		if i > 0 {
			p = g.imm(op(asm.VPERMILPS), uint64(i), p)
		}
		return g.op(pLowF32, p)
	case v.dt.IsFloat():
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
	if !v.dt.IsBool() {
		return x
	}
	if bits == 64 {
		x = g.conv(lower.Wrap, x)
	}
	return g.fn(lower.And, x, g.i32(1))
}

// scalars returns all lanes as scalars.
func (g *gen) scalars(v value) []*node {
	if !v.packed {
		return v.parts
	}
	out := make([]*node, v.lanes())
	for i := range out {
		out[i] = g.extract(v, i)
	}
	return out
}

// pack makes a vector of type dt out of scalars, in parts where it fits.
func (g *gen) pack(dt dtype.DType, xs []*node) value {
	k := 0
	if !dt.IsBool() {
		k = g.native(dt, 0)
	}
	if k == 0 {
		return value{dt: dt, parts: xs}
	}
	return each(dt, 0, true, len(xs)/k, func(i int) *node { return g.packPart(dt, xs[i*k:(i+1)*k]) })
}

func (g *gen) packPart(dt dtype.DType, xs []*node) *node {
	bits := int(dt.Bits)
	w := partWidth(len(xs), bits)
	same, allConst := true, true
	for _, x := range xs {
		same = same && x == xs[0]
		allConst = allConst && x.IsConst()
	}
	switch {
	case same:
		return g.splatPart(dt, xs[0], w)
	case allConst:
		b := make([]byte, int(w))
		for i, x := range xs {
			var full [8]byte
			binary.LittleEndian.PutUint64(full[:], x.Imm)
			copy(b[i*bits/8:(i+1)*bits/8], full[:])
		}
		return g.vectorConst(string(b), w)
	case w > asm.X:
		lo, hi := g.packPart(dt, xs[:len(xs)/2]), g.packPart(dt, xs[len(xs)/2:])
		return g.op(vec(pJoin, w), lo, hi)
	}
	switch {
	case dt.IsFloat() && bits == 64:
		return g.ins(asm.VUNPCKLPD, g.asX(xs[0]), xs[1])
	case dt.IsFloat():
		pair := func(i int) *node { return g.ins(asm.VUNPCKLPS, g.asX(xs[i]), xs[i+1]) }
		if len(xs) == 2 {
			return pair(0)
		}
		return g.ins(asm.VUNPCKLPD, pair(0), pair(2))
	case bits == 64:
		return g.imm(op(asm.VPINSRQ), 1, g.asX(g.ins(asm.VMOVQ, xs[0])), xs[1])
	}
	p := g.asX(g.ins(asm.VMOVD, xs[0]))
	for i, x := range xs[1:] {
		p = g.imm(op(asm.VPINSRD), uint64(i+1), p, x)
	}
	return p
}

// asX takes a scalar in a vector register as a vector whose other lanes mean nothing.
func (g *gen) asX(x *node) *node { return g.op(pLowX, x) }

// splat repeats a scalar.
func (g *gen) splat(dt dtype.DType, x *node) value {
	k := 0
	if !dt.IsBool() {
		k = g.native(dt, 0)
	}
	if k == 0 {
		return each(dt, 0, false, int(dt.Lanes), func(int) *node { return x })
	}
	p := g.splatPart(dt, x, partWidth(k, int(dt.Bits)))
	return each(dt, 0, true, int(dt.Lanes)/k, func(int) *node { return p })
}

func (g *gen) splatPart(dt dtype.DType, x *node, w asm.Width) *node {
	bits := int(dt.Bits)
	switch {
	case x.IsConst():
		return g.splatConst(x.Imm, bits/8, w)
	case dt.IsFloat() && bits == 32:
		return g.op(ins(asm.VBROADCASTSS, w), x)
	case dt.IsFloat() && w == asm.X:
		return g.ins(asm.VUNPCKLPD, g.asX(x), x)
	case dt.IsFloat():
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

// toMask turns a vector of bool into a mask with lanes of the given width, where such vectors are in parts.
func (g *gen) toMask(v value, bits int) value {
	if v.packed && v.mask == bits {
		return v
	}
	k := g.native(v.dt, bits)
	if k == 0 {
		return value{dt: v.dt, parts: g.scalars(v)}
	}
	if v.packed {
		return value{dt: v.dt, parts: g.resize(v.parts, v.lanes(), v.mask, bits, true), mask: bits, packed: true}
	}
	asInt := dtype.DType{Code: dtype.Int, Bits: uint8(bits), Lanes: v.dt.Lanes}
	xs := make([]*node, len(v.parts))
	for i, x := range v.parts {
		x = g.fn(lower.Sub, g.i32(0), x)
		if bits == 64 {
			x = g.conv(lower.ExtendS, x)
		}
		xs[i] = x
	}
	return value{dt: v.dt, parts: g.pack(asInt, xs).parts, mask: bits, packed: true}
}

// resize widens or truncates the integer lanes of a vector in parts, from one width to another of 32 and 64 bits.
func (g *gen) resize(parts []*node, lanes, from, to int, signed bool) []*node {
	switch {
	case from < to:
		return g.widen(parts, lanes, from, to, func(w asm.Width) op {
			if signed {
				return ins(asm.VPMOVSXDQ, w)
			}
			return ins(asm.VPMOVZXDQ, w)
		})
	case from > to:
		return g.narrowParts(parts, lanes, from, to, g.evenWords)
	}
	return parts
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
