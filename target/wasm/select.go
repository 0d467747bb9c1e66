package wasm

import (
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// laneBits is the width of the lanes of a packed value.
func laneBits(v value) int {
	if v.dt.IsBool() {
		return v.mask
	}
	return int(v.dt.Bits)
}

// selectValue computes both values and takes a where cond holds.
func (g *gen) selectValue(cond, a, b value) value {
	if cond.lanes() == 1 {
		if a.packed() != b.packed() || (a.packed() && laneBits(a) != laneBits(b)) {
			a, b = g.alike(a, b)
		}
		return g.each(a.dt, a.mask, func(i int) *node { return g.pick(cond.scalar(), a.parts[i], b.parts[i]) }, len(a.parts))
	}
	a, b = g.alike(a, b)
	if a.packed() {
		if m := g.toMask(cond, laneBits(a)); m.packed() {
			return g.each(a.dt, a.mask, func(i int) *node {
				return g.op(wasmbin.V128Bitselect, a.parts[i], b.parts[i], m.parts[i])
			}, len(a.parts))
		}
	}
	cs, as, bs := g.scalars(cond), g.scalars(a), g.scalars(b)
	xs := make([]*node, len(cs))
	for i := range xs {
		xs[i] = g.pick(cs[i], as[i], bs[i])
	}
	return g.pack(a.dt, xs)
}

// pick is the select instruction.
func (g *gen) pick(cond, a, b *node) *node {
	if a == b {
		return a
	}
	return g.op(wasmbin.OpSelect, a, b, cond)
}

// alike brings two values of one type into the same form.
func (g *gen) alike(a, b value) (value, value) {
	switch {
	case a.packed() == b.packed() && a.mask == b.mask:
		return a, b
	case a.dt.IsBool() && a.packed() && b.packed():
		return a, g.toMask(b, a.mask)
	case a.packed() && a.dt.IsBool():
		return a, g.toMask(b, a.mask)
	case b.packed() && b.dt.IsBool():
		return g.toMask(a, b.mask), b
	}
	return g.pack(a.dt, g.scalars(a)), g.pack(b.dt, g.scalars(b))
}
