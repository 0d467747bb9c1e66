package sch

import "github.com/irscope/irscope/compiler/tir"

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
	for _, r := range d.blocks {
		b := r.Block
		for _, x := range b.Reads {
			readers[x.Buffer] = append(readers[x.Buffer], b)
		}
		for _, x := range b.Writes {
			d.writers[x.Buffer] = append(d.writers[x.Buffer], b)
		}
		for _, x := range b.Reads {
			add(d.writers[x.Buffer], b, readAfterWrite)
		}
		for _, x := range b.Writes {
			add(d.writers[x.Buffer], b, writeAfterWrite)
		}
		for _, x := range b.Writes {
			add(readers[x.Buffer], b, writeAfterRead)
		}
	}
	return d
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
