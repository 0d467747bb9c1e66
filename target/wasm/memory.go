package wasm

import (
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
	"github.com/irscope/irscope/target/wasm/wasmbin"
)

// class returns the memory that v points at, as far as aliasing goes.
func (g *gen) class(v *tir.Var) *memClass {
	v = g.root(v)
	if c := g.classes[v]; c != nil {
		return c
	}
	c := g.shared
	if g.noalias {
		c = &memClass{}
	}
	g.classes[v] = c
	return c
}

// root follows pointers that are bound to other pointers.
func (g *gen) root(v *tir.Var) *tir.Var {
	for {
		w, ok := g.roots[v]
		if !ok || w == v {
			return v
		}
		v = w
	}
}

func (g *gen) killClass(c *memClass) {
	kill(c.live)
	c.live = c.live[:0]
}

// killAll ends all reads: what follows may write anywhere.
func (g *gen) killAll() {
	g.killClass(g.shared)
	g.killClass(g.cells)
	for _, c := range g.classes {
		g.killClass(c)
	}
}

// load reads memory of class c. v is the pointer that it goes through, nil for cells.
func (g *gen) load(op wasmbin.Op, base *node, off uint32, c *memClass, v *tir.Var, name string) *node {
	return g.loadLane(op, base, off, 0, nil, c, v, name)
}

// loadLane is load for the instructions that replace one lane of a vector.
func (g *gen) loadLane(op wasmbin.Op, base *node, off uint32, lane int, into *node, c *memClass, v *tir.Var, name string) *node {
	k := nodeKey{op: op, a: base, b: into, imm: uint64(off), hi: uint64(lane)}
	if n := g.lookup(k); n != nil {
		return n
	}
	args := []*node{base}
	if into != nil {
		args = append(args, into)
	}
	n := &node{op: op, args: args, imm: uint64(off), hi: uint64(lane), typ: op.Result(), barrier: never, id: g.nextID(), unstable: true, class: c, pointer: v, name: name}
	switch op {
	case wasmbin.I32Load8U, wasmbin.I32Load16U:
		n.nonneg = true
	}
	c.live = append(c.live, n)
	g.define(n, k, g.placeLoad(args, v))
	return n
}

// placeLoad finds where a read through v can be done: outside the loops that surely run and
// write nothing that v may point at.
func (g *gen) placeLoad(args []*node, v *tir.Var) *region {
	avail := 0
	for _, a := range args {
		if a.region != nil {
			avail = max(avail, a.region.depth)
		}
	}
	to := g.cur
	for x := g.cur; x.depth > avail; x = x.parent {
		if x.kind != loopRegion || x.loop == nil || !x.loop.runs || x.loop.asserts || g.loopWrites(x.loop, v) {
			break
		}
		to = x.parent
	}
	return to
}

// loopWrites reports whether a loop may write what v points at; a nil v stands for the cells.
func (g *gen) loopWrites(e *loopEffects, v *tir.Var) bool {
	switch {
	case e.opaque:
		return true
	case v == nil:
		return e.cells
	}
	c := g.class(v)
	for w := range e.writes {
		if g.class(w) == c {
			return true
		}
	}
	return false
}

// store writes memory through v; nil stands for the cells.
func (g *gen) store(op wasmbin.Op, base *node, off uint32, val *node, v *tir.Var) {
	c := g.cells
	if v != nil {
		c = g.class(v)
	}
	g.killClass(c)
	g.add(item{kind: itemStore, op: op, args: []*node{base, val}, imm: uint64(off)})
}

// storeLane writes one lane of a vector.
func (g *gen) storeLane(op wasmbin.Op, base *node, off uint32, lane int, val *node, v *tir.Var) {
	g.killClass(g.class(v))
	g.add(item{kind: itemStore, op: op, args: []*node{base, val}, imm: uint64(off), lane: uint8(lane)})
}

// scalarMem returns the instructions that load and store a scalar of type d.
func (g *gen) scalarMem(d dtype.DType, what string) (load, store wasmbin.Op) {
	t := g.valType(d.Elem(), what)
	signed := d.IsInt()
	switch {
	case t == wasmbin.F32:
		return wasmbin.F32Load, wasmbin.F32Store
	case t == wasmbin.F64:
		return wasmbin.F64Load, wasmbin.F64Store
	case t == wasmbin.I64:
		return wasmbin.I64Load, wasmbin.I64Store
	case d.IsHandle() || d.Bits == 32:
		return wasmbin.I32Load, wasmbin.I32Store
	case d.Bits == 16 && signed:
		return wasmbin.I32Load16S, wasmbin.I32Store16
	case d.Bits == 16:
		return wasmbin.I32Load16U, wasmbin.I32Store16
	case signed:
		return wasmbin.I32Load8S, wasmbin.I32Store8
	}
	return wasmbin.I32Load8U, wasmbin.I32Store8
}

// elemBytes is the size of an element in memory.
func elemBytes(d dtype.DType) int64 {
	if d.IsHandle() {
		return 8 // as TIR counts it: an array of handles has 8 bytes each
	}
	return int64(d.Elem().Bytes())
}

// partMem returns the instructions that load and store a v128 of so many bits, which is short
// below 128.
func partMem(bits int) (load, store wasmbin.Op) {
	switch bits {
	case 32:
		return wasmbin.V128Load32Zero, wasmbin.V128Store32Lane
	case 64:
		return wasmbin.V128Load64Zero, wasmbin.V128Store64Lane
	}
	return wasmbin.V128Load, wasmbin.V128Store
}

// laneMem returns the instructions that load one lane into a vector, load it first, and
// store one, for lanes of a width; first is 0 where there is no instruction for it.
func laneMem(bits int) (first, load, store wasmbin.Op) {
	switch bits {
	case 8:
		return 0, wasmbin.V128Load8Lane, wasmbin.V128Store8Lane
	case 16:
		return 0, wasmbin.V128Load16Lane, wasmbin.V128Store16Lane
	case 32:
		return wasmbin.V128Load32Zero, wasmbin.V128Load32Lane, wasmbin.V128Store32Lane
	}
	return wasmbin.V128Load64Zero, wasmbin.V128Load64Lane, wasmbin.V128Store64Lane
}
