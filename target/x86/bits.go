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
	mask := g.Splat(a.DType, g.IntConst(a.DType.Elem(), int64(a.DType.Bits)-1, "shift"))
	return lower.Each(d, 0, len(a.Parts), func(i int) *node { return g.vins(o, a.Parts[i], g.maskCount(n.Parts[i], mask.Parts[i])) }), true
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
