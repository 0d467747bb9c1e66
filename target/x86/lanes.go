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
	if code(p.Op) == pJoin {
		return p.Args[i]
	}
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
