package lower

import (
	"maps"

	"github.com/irscope/irscope/compiler/tir"
)

// Class is memory that a store to one pointer may change.
type Class struct{ live []*Node }

// Class returns the memory that v points at, as far as aliasing goes.
func (b *Builder) Class(v *tir.Var) *Class {
	v = b.Root(v)
	if c := b.classes[v]; c != nil {
		return c
	}
	c := b.shared
	if b.NoAlias {
		c = &Class{}
	}
	b.classes[v] = c
	return c
}

// OwnClass says that nothing but v points at its memory, as that of an allocation.
func (b *Builder) OwnClass(v *tir.Var) { b.classes[v] = &Class{} }

// Root follows pointers that are bound to other pointers.
func (b *Builder) Root(v *tir.Var) *tir.Var {
	for {
		w, ok := b.Effects.roots[v]
		if !ok || w == v {
			return v
		}
		v = w
	}
}

func killClass(c *Class) {
	kill(c.live)
	c.live = c.live[:0]
}

// KillAll ends all reads: what follows may write anywhere.
func (b *Builder) KillAll() {
	killClass(b.shared)
	killClass(b.Cells)
	for c := range maps.Values(b.classes) { // in any order: all end at the same place
		killClass(c)
	}
}

// Access is a load or store of memory: Op at an address plus Offset.
type Access struct {
	Op      Op
	Address *Node
	Offset  uint64
	Lane    uint8
	Through *tir.Var // the pointer; nil for memory of no buffer
}

func (b *Builder) classOf(v *tir.Var) *Class {
	if v == nil {
		return b.Cells
	}
	return b.Class(v)
}

// Load reads memory. into is the vector of which a lane is replaced, or the mask of what is read, nil where all is read. name
// is a hint for the register that holds the value.
func (b *Builder) Load(a Access, into *Node, name string) *Node {
	k := key{op: a.Op, a: a.Address, b: into, imm: a.Offset, hi: uint64(a.Lane)}
	if n := b.lookup(&k); n != nil && !b.forgotten(n) {
		n.used = b.ids
		return n
	}
	args := []*Node{a.Address, into}
	if into == nil {
		args = args[:1]
	}
	info, c := b.Machine.Info(a.Op), b.classOf(a.Through)
	n := b.node(Node{Op: a.Op, Imm: a.Offset, Hi: uint64(a.Lane), Type: info.Result, unstable: true, spread: b.spreads, Pointer: a.Through, Name: name}, args)
	n.used = b.ids
	c.live = append(c.live, n)
	b.define(n, &k, b.placeLoad(args, a.Through))
	return n
}

// forgotten reports whether a load that is known was last used so long ago that to read again is better than to have held it, in a register for floats or vectors, or in one of a vector that repeats it.
func (b *Builder) forgotten(n *Node) bool {
	m := b.Machine
	return m.Reach > 0 && n.Region == b.Cur && b.ids-n.used > m.Reach && (n.spread || n.Type != m.Int(32) && n.Type != m.Int(64))
}

// placeLoad finds where a read through v can be done: outside an innermost loop that writes nothing that v
// may point at. Around loops with loops inside a value would be held over these, in a register that they need more. A loop region surely runs once: what may skip it is
// a branch or block around it.
func (b *Builder) placeLoad(args []*Node, v *tir.Var) *Region {
	avail := available(args)
	to := b.Cur
	for x := b.Cur; x.depth > avail; x = x.parent {
		if x.Kind != LoopRegion || x.Loop == nil || x.Loop.Outer || x.Loop.asserts || b.loopWrites(x.Loop, v) {
			break
		}
		to = x.parent
	}
	return to
}

// loopWrites reports whether a loop may write what v points at; a nil v stands for the cells.
func (b *Builder) loopWrites(e *LoopEffects, v *tir.Var) bool {
	switch {
	case e.opaque:
		return true
	case v == nil:
		return e.cells
	}
	c := b.Class(v)
	for w := range e.writes {
		if b.Class(w) == c {
			return true
		}
	}
	return false
}

// Store writes memory; mask says which lanes of a vector, where there is one.
func (b *Builder) Store(a Access, val *Node, mask ...*Node) {
	killClass(b.classOf(a.Through))
	args := b.memory.args.Take(2 + len(mask))
	args[0], args[1] = a.Address, val
	copy(args[2:], mask)
	b.Add(Item{Kind: ItemStore, Op: a.Op, Args: args, Imm: a.Offset, Lane: a.Lane})
}

// KillEffects ends the reads of what a loop may write; nil stands for a loop that may write anything.
func (b *Builder) KillEffects(e *LoopEffects) {
	if e == nil || e.opaque {
		b.KillAll()
	}
	if e == nil {
		return
	}
	if e.cells {
		killClass(b.Cells)
	}
	for v := range e.writes {
		for _, x := range b.Instead[v] {
			b.killVariable(x)
		}
		killClass(b.Class(v))
	}
}
