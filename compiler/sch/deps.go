package sch

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// depKind is why one block must run after another.
type depKind uint8

const (
	readAfterWrite depKind = iota
	writeAfterWrite
	writeAfterRead
)

// dep says that dst must run after src.
type dep struct {
	src, dst *tir.Block
	kind     depKind
}

// scopeDeps is what the child blocks of a block have to do with each other, after TVM's BlockScope.
type scopeDeps struct {
	blocks  []*tir.BlockRealize
	bySrc   map[*tir.Block][]dep
	byDst   map[*tir.Block][]dep
	writers map[*tir.Buffer][]*tir.Block
}

// depsOf derives the dependencies among the child blocks of a loop or block.
func depsOf(scope tir.Stmt) *scopeDeps {
	d := &scopeDeps{
		blocks: realizes(scope), bySrc: map[*tir.Block][]dep{}, byDst: map[*tir.Block][]dep{}, writers: map[*tir.Buffer][]*tir.Block{},
	}
	readers := map[*tir.Buffer][]*tir.Block{}
	add := func(from []*tir.Block, to *tir.Block, kind depKind) {
		for _, b := range from {
			if b != to {
				x := dep{b, to, kind}
				d.bySrc[b] = append(d.bySrc[b], x)
				d.byDst[to] = append(d.byDst[to], x)
			}
		}
	}
	local := locals(scope)
	for _, r := range d.blocks {
		b := r.Block
		reads, writes := declared(b)
		reads = withHidden(b, reads, writes, local)
		for _, x := range reads {
			readers[x.Buffer] = append(readers[x.Buffer], b)
		}
		for _, x := range writes {
			d.writers[x.Buffer] = append(d.writers[x.Buffer], b)
		}
		for _, x := range reads {
			add(d.writers[x.Buffer], b, readAfterWrite)
		}
		for _, x := range writes {
			add(d.writers[x.Buffer], b, writeAfterWrite)
		}
		for _, x := range writes {
			add(readers[x.Buffer], b, writeAfterRead)
		}
	}
	return d
}

// deps returns the dependencies among the child blocks of a loop or block. Those of the one that was asked for last are remembered, since the
// conditions of a primitive ask for them one after the other; nobody may change them.
func (s *State) deps(scope tir.Stmt) *scopeDeps {
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	if s.facts.deps.of != scope {
		s.facts.deps.of, s.facts.deps.list = scope, depsOf(scope)
	}
	return s.facts.deps.list
}

// producers returns the blocks that b must run after, but for those that only read what b writes.
func (d *scopeDeps) producers(b *tir.Block) []*tir.Block {
	var out []*tir.Block
	seen := map[*tir.Block]bool{}
	for _, x := range d.byDst[b] {
		if x.kind != writeAfterRead && !seen[x.src] {
			seen[x.src] = true
			out = append(out, x.src)
		}
	}
	return out
}

// consumers returns the blocks that must run after b, but for those that only overwrite what b reads.
func (d *scopeDeps) consumers(b *tir.Block) []*tir.Block {
	var out []*tir.Block
	seen := map[*tir.Block]bool{}
	for _, x := range d.bySrc[b] {
		if x.kind != writeAfterRead && !seen[x.dst] {
			seen[x.dst] = true
			out = append(out, x.dst)
		}
	}
	return out
}

// undeclared reports whether a block says nothing of what the blocks inside of it access, as those that loop_partition makes do.
func undeclared(b *tir.Block) bool {
	return len(b.Reads)+len(b.Writes) == 0 && len(realizes(b)) > 0
}

// declared returns what a block reads and writes, of an undeclared one what the blocks inside declare.
func declared(b *tir.Block) (reads, writes []*tir.BufferRegion) {
	if !undeclared(b) {
		return b.Reads, b.Writes
	}
	local := map[*tir.Buffer]bool{}
	for _, a := range b.AllocBuffers {
		local[a] = true
	}
	once := func(list []*tir.BufferRegion, x *tir.BufferRegion) []*tir.BufferRegion {
		if local[x.Buffer] || regionOf(list, x.Buffer) != nil {
			return list
		}
		return append(list, tir.FullRegion(x.Buffer))
	}
	for _, r := range realizes(b) {
		in, out := declared(r.Block)
		for _, x := range in {
			reads = once(reads, x)
		}
		for _, x := range out {
			writes = once(writes, x)
		}
	}
	return reads, writes
}

// locals returns the buffers that a scope allocates.
func locals(scope tir.Stmt) map[*tir.Buffer]bool {
	b, ok := scope.(*tir.Block)
	if !ok || len(b.AllocBuffers) == 0 {
		return nil
	}
	out := make(map[*tir.Buffer]bool, len(b.AllocBuffers))
	for _, a := range b.AllocBuffers {
		out[a] = true
	}
	return out
}

// withHidden adds to what a block declares to read what else it loads of local buffers: cache_index makes such loads.
func withHidden(b *tir.Block, reads, writes []*tir.BufferRegion, local map[*tir.Buffer]bool) []*tir.BufferRegion {
	if len(local) == 0 {
		return reads
	}
	var look func(ir.Node)
	look = func(n ir.Node) {
		if l, ok := n.(*tir.BufferLoad); ok && local[l.Buffer] && regionOf(reads, l.Buffer) == nil && regionOf(writes, l.Buffer) == nil {
			reads = append(reads[:len(reads):len(reads)], tir.FullRegion(l.Buffer))
		}
		n.EachChild(look)
	}
	look(b.Body)
	return reads
}
