package x86

import (
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"

	"github.com/irscope/irscope/compiler/lower"
)

// VectorShift shifts lanes by lanes. Instructions give 0 or the sign for counts that are too large; the counts here are taken modulo the width, as scalars are.
func (g *gen) VectorShift(left bool, d dtype.DType, a, n value) (value, bool) {
	o := shiftOps(a.DType, left, g.wide == asm.Z)
	if n.DType != a.DType || o == 0 {
		return value{}, false
	}
	if a.DType.Bits < 32 { // as scalars are shifted: in 32 bits
		words := a.DType
		words.Bits = 32
		out, ok := g.VectorShift(left, words, g.Cast(a, words, "shift"), g.Cast(n, words, "shift"))
		return g.Cast(out, d, "shift"), ok
	}
	if out, ok := g.shiftAlike(left, d, a, n); ok {
		return out, true
	}
	mask := g.Splat(a.DType, g.IntConst(a.DType.Elem(), int64(a.DType.Bits)-1, "shift"))
	return lower.Each(d, 0, len(a.Parts), func(i int) *node { return g.vins(o, a.Parts[i], g.maskCount(n.Parts[i], mask.Parts[i])) }), true
}

// shiftAlike shifts all lanes by the same constant, which then takes no register.
func (g *gen) shiftAlike(left bool, d dtype.DType, a, n value) (value, bool) {
	o := op(shiftsAlike[shift{a.DType.Bits, left, a.DType.IsInt()}])
	counts := make([]uint64, len(n.Parts))
	for i, x := range n.Parts {
		k, ok := g.sameBits(x, int(a.DType.Bits)/8)
		if counts[i] = k; !ok || k >= uint64(a.DType.Bits) || o == 0 {
			return value{}, false
		}
	}
	return lower.Each(d, 0, len(a.Parts), func(i int) *node {
		if counts[i] == 0 {
			return a.Parts[i]
		}
		return g.imm(vec(o, widthOfNode(a.Parts[i])), counts[i], a.Parts[i])
	}), true
}

// sameBits returns the bits of the lanes of a constant vector that are all alike.
func (g *gen) sameBits(n *node, size int) (bits uint64, ok bool) {
	if code(n.Op) != pConstV {
		return 0, false
	}
	data := g.pool[n.Imm]
	for i := range len(data) {
		if data[i] != data[i%size] {
			return 0, false
		}
		if i < size {
			bits |= uint64(data[i]) << (8 * i)
		}
	}
	return bits, true
}

// shift is a kind of shift: of lanes of so many bits, to the left or not, with a sign or not.
type shift struct {
	bits         uint8
	left, signed bool
}

// shiftsAlike are the instructions that shift all lanes by as many places; the one for signed lanes of 64 bits is not in AVX2.
var shiftsAlike = map[shift]asm.Op{
	{32, true, true}: asm.VPSLLD, {32, true, false}: asm.VPSLLD, {64, true, true}: asm.VPSLLQ, {64, true, false}: asm.VPSLLQ,
	{32, false, true}: asm.VPSRAD, {32, false, false}: asm.VPSRLD, {64, false, false}: asm.VPSRLQ,
}

// maskCount takes counts of shifts modulo the width of lanes.
func (g *gen) maskCount(n, mask *node) *node {
	if n.IsConst() {
		small := true
		data, size := g.pool[n.Imm], len(g.pool[n.Imm])
		limit := g.pool[mask.Imm]
		for i := range size {
			small = small && (data[i] <= limit[i] && (limit[i] != 0 || data[i] == 0))
		}
		if small {
			return n
		}
	}
	return g.vop(pVAnd, 0, n, mask)
}

// shiftOps are the instructions that shift lanes by lanes; AVX2 has none for signed lanes of 64 bits.
func shiftOps(d dtype.DType, left, avx512 bool) asm.Op {
	switch {
	case left && d.Bits == 64:
		return asm.VPSLLVQ
	case left:
		return asm.VPSLLVD
	case d.IsInt() && d.Bits == 64 && avx512:
		return asm.VPSRAVQ
	case d.IsInt() && d.Bits == 64:
		return 0
	case d.IsInt():
		return asm.VPSRAVD
	case d.Bits == 64:
		return asm.VPSRLVQ
	}
	return asm.VPSRLVD
}

// Reinterpret moves bits between general and vector registers.
func (g *gen) Reinterpret(x *node, t lower.Type) *node {
	switch {
	case x.Type == tF32 && t == tI32:
		return g.ins(asm.VMOVDS, x)
	case x.Type == tF64 && t == tI64:
		return g.ins(asm.VMOVQS, x)
	case x.Type == tI32 && t == tF32:
		return g.ins(asm.VMOVD, x)
	case x.Type == tI64 && t == tF64:
		return g.ins(asm.VMOVQ, x)
	}
	return x
}

// CountBits counts ones or leading zeros.
func (g *gen) CountBits(zeros bool, x *node) *node {
	c := pPopcount
	if zeros {
		c = pClz
	}
	return g.op(sized(c, 8*bytesOf(x.Type)), x)
}
