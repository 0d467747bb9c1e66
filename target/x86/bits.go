package x86

import (
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"

	"github.com/irscope/irscope/compiler/lower"
)

// vectorBits is intMath where there are instructions on vectors.
func (g *gen) vectorBits(name string, dt dtype.DType, args []value) (value, bool) {
	for _, a := range args {
		if !a.packed || a.dt != args[0].dt || a.mask != args[0].mask {
			return value{}, false
		}
	}
	a := args[0]
	by := func(f func(i int) *node) (value, bool) { return each(dt, a.mask, true, len(a.parts), f), true }
	two := func(c op) (value, bool) {
		return by(func(i int) *node { return g.vop(c, 0, a.parts[i], args[1].parts[i]) })
	}
	switch name {
	case "bitwise_and":
		return two(pVAnd)
	case "bitwise_or":
		return two(pVOr)
	case "bitwise_xor":
		return two(pVXor)
	case "bitwise_not":
		return by(func(i int) *node { return g.vnot(a.parts[i]) })
	case "shift_left", "shift_right":
		if o := shiftOps(a.dt, name == "shift_left", g.wide == asm.Z); o != 0 && !a.dt.IsBool() {
			// Instructions give 0 or the sign for counts that are too large; the counts here are taken modulo the width, as scalars are.
			mask := g.splat(a.dt, g.intConst(a.dt.Elem(), int64(a.dt.Bits)-1, name))
			return by(func(i int) *node { return g.vins(o, a.parts[i], g.maskCount(args[1].parts[i], mask.parts[i])) })
		}
	}
	return value{}, false
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

// reinterpret reads the bits of v as another type of the same size.
func (g *gen) reinterpret(v value, to dtype.DType, what string) value {
	if int(v.dt.Bits)*v.lanes() != int(to.Bits)*int(to.Lanes) && !v.dt.IsHandle() && !to.IsHandle() {
		g.fail(what, "from %s to %s: the sizes differ", v.dt, to)
	}
	if v.packed && !v.dt.IsBool() && g.native(to, 0) > 0 && !to.IsBool() {
		return value{dt: to, parts: v.parts, packed: true}
	}
	if v.dt.Lanes != to.Lanes {
		g.fail(what, "from %s to %s is not supported", v.dt, to)
	}
	xs := g.scalars(v)
	out := make([]*node, len(xs))
	for i, x := range xs {
		out[i] = g.reinterpretScalar(x, to, what)
	}
	if to.Lanes == 1 {
		return one(to, out[0])
	}
	return g.pack(to, out)
}

func (g *gen) reinterpretScalar(x *node, to dtype.DType, what string) *node {
	t := g.valType(to, what)
	switch {
	case x.Type == tF32 && t == tI32:
		return g.ins(asm.VMOVDS, x)
	case x.Type == tF64 && t == tI64:
		return g.ins(asm.VMOVQS, x)
	case x.Type == tI32 && t == tF32:
		return g.ins(asm.VMOVD, x)
	case x.Type == tI64 && t == tF64:
		return g.ins(asm.VMOVQ, x)
	case x.Type == tI32 && t == tI64:
		return g.conv(lower.ExtendU, x)
	case x.Type == tI64 && t == tI32:
		return g.conv(lower.Wrap, x)
	case t == tI32:
		return g.narrow(x, to)
	}
	return x
}
