package wasm

import (
	"github.com/irscope/irscope/compiler/lower"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// pointer returns the address that a pointer variable holds.
func (g *gen) pointer(v *tir.Var, what string) *node {
	x, ok := g.vars[v]
	if !ok {
		g.fail(what, "pointer %s is not defined", v.Name)
	}
	return x.scalar()
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

// checkStorage refuses types that have no whole number of bytes.
func (g *gen) checkStorage(d dtype.DType, what string) {
	if !d.IsBool() && d.Bits < 8 {
		g.fail(what, "cannot address %s: elements smaller than a byte are not supported", d.Elem())
	}
}

func (g *gen) loadLanes(base *node, p lower.Place, dt dtype.DType, v *tir.Var, mask []*node, what string) value {
	size := elemBytes(dt)
	op, _ := g.scalarMem(dt, what)
	n := int(dt.Lanes)
	k := g.native(dt, 0)
	if dt.IsBool() {
		k = 0
	}
	if k > 0 && mask == nil && p.Each == nil && p.Stride == 1 {
		out := value{dt: dt}
		for i := 0; i < n; i += k {
			a, off := g.address(base, p.Lane(i).Scale(size), v.Name)
			load, _ := partMem(k * int(dt.Bits))
			out.parts = append(out.parts, g.load(load, a, off, v, v.Name+"_v"))
		}
		return out
	}
	one := func(i int) *node {
		a, off := g.address(base, p.Lane(i).Scale(size), v.Name)
		return g.load(op, a, off, v, v.Name+"_x")
	}
	if mask != nil {
		return g.loadMasked(dt, mask, one, what)
	}
	if k > 0 && (p.Each != nil || p.Stride != 0) {
		return g.gather(base, p, dt, k, v)
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

// gather loads the lanes one by one into vectors.
func (g *gen) gather(base *node, p lower.Place, dt dtype.DType, k int, v *tir.Var) value {
	first, load, _ := laneMem(int(dt.Bits))
	out := value{dt: dt}
	for i := 0; i < int(dt.Lanes); i += k {
		part := g.konst(wasmbin.OpV128Const, 0, 0)
		for j := range k {
			a, off := g.address(base, p.Lane(i+j).Scale(elemBytes(dt)), v.Name)
			if j == 0 && first != 0 {
				part = g.load(first, a, off, v, "")
			} else {
				part = g.loadLane(load, a, off, j, part, v, "")
			}
		}
		out.parts = append(out.parts, part)
	}
	return out
}

// loadMasked loads only lanes whose predicate holds; the others are zero.
func (g *gen) loadMasked(dt dtype.DType, mask []*node, one func(int) *node, what string) value {
	t := g.valType(dt.Elem(), what)
	xs := make([]*node, dt.Lanes)
	for i := range xs {
		lane := g.newVariable("lane", t)
		g.Set(lane, g.zero(t))
		g.Branch(mask[i], "lane", func() { g.Set(lane, one(i)) }, nil)
		xs[i] = g.Read(lane)
	}
	if len(xs) == 1 {
		return value{dt: dt, parts: xs}
	}
	return g.pack(dt, xs)
}

func (g *gen) zero(t wasmbin.ValType) *node {
	switch t {
	case wasmbin.I64:
		return g.i64(0)
	case wasmbin.F32:
		return g.f32(0)
	case wasmbin.F64:
		return g.f64(0)
	case wasmbin.V128:
		return g.konst(wasmbin.OpV128Const, 0, 0)
	}
	return g.i32(0)
}
