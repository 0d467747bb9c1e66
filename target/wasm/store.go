package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
)

// bufferStore translates a write.
func (g *gen) bufferStore(s *tir.BufferStore) {
	what := lower.KindName(s)
	g.checkStorage(s.Buffer.DType, what)
	v := g.expr(s.Value)
	want := lower.AccessType(s.Buffer, s.Indices)
	if v.dt.Lanes == 1 && want.Lanes > 1 {
		v = g.splat(v.dt.WithLanes(int(want.Lanes)), v.scalar())
	}
	if v.dt != want {
		g.fail(what, "the value has type %s, expected %s", v.dt, want)
	}
	if sl := g.slots[s.Buffer.Data]; sl != nil {
		g.storeSlots(sl, lower.ConstantIndex(s.Buffer, s.Indices), v)
		return
	}
	if _, ok := g.promoted[s.Buffer.Data]; ok {
		g.storePromoted(s.Buffer.Data, v)
		return
	}
	p := g.Place(s.Buffer, s.Indices, what)
	var mask []*node
	if s.Predicate != nil && !tir.IsTrue(s.Predicate) {
		mask = g.scalars(g.expr(s.Predicate))
	}
	g.storeLanes(g.pointer(s.Buffer.Data, what), p, v, s.Buffer.Data, mask, what)
}

func (g *gen) storeLanes(base *node, p lower.Place, v value, ptr *tir.Var, mask []*node, what string) {
	size := elemBytes(v.dt)
	_, op := g.scalarMem(v.dt, what)
	k := 0
	if v.packed() && !v.dt.IsBool() {
		k = g.native(v.dt, 0)
	}
	if k > 0 && mask == nil && p.Each == nil && p.Stride == 1 {
		for i, part := range v.parts {
			a, off := g.address(base, p.Lane(i*k).Scale(size), ptr.Name)
			_, store := partMem(k * int(v.dt.Bits))
			g.store(store, a, off, part, ptr)
		}
		return
	}
	_, _, laneOp := laneMem(int(v.dt.Bits))
	for i := range v.lanes() {
		write := func() {
			a, off := g.address(base, p.Lane(i).Scale(size), ptr.Name)
			if k > 0 {
				g.storeLane(laneOp, a, off, i%k, v.parts[i/k], ptr)
			} else {
				g.store(op, a, off, g.extract(v, i), ptr)
			}
		}
		if mask == nil {
			write()
		} else {
			g.Branch(mask[i], "lane", write, nil)
		}
	}
}
