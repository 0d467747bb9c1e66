package x86

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/runtime/native/asm"
)

// pointer returns the address that a pointer variable holds.
func (g *gen) pointer(v *tir.Var, what string) *node {
	x, ok := g.vars[v]
	if !ok {
		g.fail(what, "pointer %s is not defined", v.Name)
	}
	return x.scalar()
}

// load reads memory through v, nil for cells.
func (g *gen) load(o op, base *node, off uint64, v *tir.Var, name string) *node {
	n := g.Load(lower.Access{Op: o, Address: base, Offset: off, Through: v}, nil, name)
	if o == pLoad8U || o == pLoad16U {
		n.Nonneg = true
	}
	return n
}

// store writes memory through v; nil stands for the cells.
func (g *gen) store(o op, base *node, off uint64, val *node, v *tir.Var) {
	g.Store(lower.Access{Op: o, Address: base, Offset: off, Through: v}, val)
}

// scalarMem returns the instructions that load and store a scalar of type d.
func (g *gen) scalarMem(d dtype.DType, what string) (load, store op) {
	t := g.valType(d.Elem(), what)
	signed := d.IsInt()
	switch {
	case t == tF32:
		return pLoadF32, pStoreF32
	case t == tF64:
		return pLoadF64, pStoreF64
	case t == tI64:
		return sized(pLoad, 64), sized(pStore, 64)
	case d.IsHandle() || d.Bits == 32:
		return pLoad, pStore
	case d.Bits == 16 && signed:
		return pLoad16S, pStore16
	case d.Bits == 16:
		return pLoad16U, pStore16
	case signed:
		return pLoad8S, pStore8
	}
	return pLoad8U, pStore8
}

// partMem returns the instructions that load and store a part of so many bits.
func partMem(bits int) (load, store op) {
	if bits == 64 {
		return pLoadV8, pStoreV8
	}
	w := asm.Width(bits / 8)
	return vec(pLoadV, w), vec(pStoreV, w)
}

// elemBytes is the size of an element in memory.
func elemBytes(d dtype.DType) int64 {
	if d.IsHandle() {
		return 8 // as TIR counts it: an array of handles has 8 bytes each
	}
	return int64(d.Elem().Bytes())
}

// checkStorage refuses types that have no whole number of bytes.
func (g *gen) checkStorage(d dtype.DType, what string) {
	if !d.IsBool() && d.Bits < 8 {
		g.fail(what, "cannot address %s: elements smaller than a byte are not supported", d.Elem())
	}
}

// bufferLoad translates a read.
func (g *gen) bufferLoad(e *tir.BufferLoad) value {
	what := lower.KindName(e)
	g.checkStorage(e.Buffer.DType, what)
	dt := e.DType()
	if s := g.slots[e.Buffer.Data]; s != nil {
		return g.loadSlots(s, lower.ConstantIndex(e.Buffer, e.Indices), dt)
	}
	if _, ok := g.promoted[e.Buffer.Data]; ok {
		return g.loadPromoted(e.Buffer.Data)
	}
	p := g.Place(e.Buffer, e.Indices, what)
	var mask []*node
	if e.Predicate != nil && !tir.IsTrue(e.Predicate) {
		mask = g.scalars(g.expr(e.Predicate))
	}
	return g.loadLanes(g.pointer(e.Buffer.Data, what), p, dt, e.Buffer.Data, mask, what)
}

func (g *gen) loadLanes(base *node, p lower.Place, dt dtype.DType, v *tir.Var, mask []*node, what string) value {
	size := elemBytes(dt)
	o, _ := g.scalarMem(dt, what)
	n, k := int(dt.Lanes), 0
	if !dt.IsBool() {
		k = g.native(dt, 0)
	}
	if k > 0 && mask == nil && p.Each == nil && p.Stride == 1 {
		load, _ := partMem(k * int(dt.Bits))
		return each(dt, 0, true, n/k, func(i int) *node {
			a, off := g.Address(base, p.Lane(i*k).Scale(size), v.Name)
			return g.load(load, a, off, v, v.Name+"_v")
		})
	}
	one := func(i int) *node {
		a, off := g.Address(base, p.Lane(i).Scale(size), v.Name)
		return g.load(o, a, off, v, v.Name+"_x")
	}
	if mask != nil {
		return g.loadMasked(dt, mask, one, what)
	}
	if n > 1 && p.Each == nil && p.Stride == 0 {
		return g.splat(dt, one(0))
	}
	xs := make([]*node, n)
	for i := range xs {
		xs[i] = one(i)
	}
	if n == 1 {
		return value{dt: dt, parts: xs}
	}
	return g.pack(dt, xs)
}

// loadMasked loads only lanes whose predicate holds; the others are zero.
func (g *gen) loadMasked(dt dtype.DType, mask []*node, one func(int) *node, what string) value {
	t := g.valType(dt.Elem(), what)
	xs := make([]*node, dt.Lanes)
	for i := range xs {
		lane := g.NewVariable("lane", t)
		g.Set(lane, g.zero(t))
		g.Branch(mask[i], "lane", func() { g.Set(lane, one(i)) }, nil)
		xs[i] = g.Read(lane)
	}
	if len(xs) == 1 {
		return value{dt: dt, parts: xs}
	}
	return g.pack(dt, xs)
}

// zero is the zero of a type.
func (g *gen) zero(t lower.Type) *node {
	switch t {
	case tI32:
		return g.i32(0)
	case tI64:
		return g.i64(0)
	case tF32:
		return g.f32(0)
	case tF64:
		return g.f64(0)
	}
	return g.splatConst(0, 8, asm.Width(bytesOf(t)))
}

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
	_, o := g.scalarMem(v.dt, what)
	if v.packed && !v.dt.IsBool() && mask == nil && p.Each == nil && p.Stride == 1 {
		k := g.native(v.dt, 0)
		_, store := partMem(k * int(v.dt.Bits))
		for i, part := range v.parts {
			a, off := g.Address(base, p.Lane(i*k).Scale(size), ptr.Name)
			g.store(store, a, off, part, ptr)
		}
		return
	}
	for i := range v.lanes() {
		write := func() {
			a, off := g.Address(base, p.Lane(i).Scale(size), ptr.Name)
			g.store(o, a, off, g.extract(v, i), ptr)
		}
		if mask == nil {
			write()
		} else {
			g.Branch(mask[i], "lane", write, nil)
		}
	}
}
