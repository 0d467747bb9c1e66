package tirpass

import (
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// allocPlacer writes allocations where they were planned.
type allocPlacer struct {
	*planner
	m     tir.Mapper
	place map[tir.Stmt][]*tir.Buffer
	// visible holds, by their pointers, the buffers of parameters and the planned ones that
	// are allocated around the current place.
	visible map[*tir.Var]*tir.Buffer
}

func visibleBuffers(f *tir.PrimFunc) map[*tir.Var]*tir.Buffer {
	out := map[*tir.Var]*tir.Buffer{}
	for _, b := range f.Buffers {
		if b != nil {
			out[b.Data] = b
		}
	}
	return out
}

func (w *allocPlacer) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Block:
		// What a block allocates from now on it neither reads nor writes for others.
		reads, writes := w.outer(s.Reads), w.outer(s.Writes)
		allocs := w.keep(s, w.place[s])
		w.enter(allocs)
		out := w.m.MapStmt(s).(*tir.Block)
		w.leave(allocs)
		if sameBuffers(allocs, s.AllocBuffers) && len(reads) == len(s.Reads) && len(writes) == len(s.Writes) {
			return out
		}
		c := *out
		c.AllocBuffers, c.Reads, c.Writes = allocs, reads, writes
		return &c
	case *tir.For:
		bufs := w.place[s]
		w.enter(bufs)
		out := w.m.MapStmt(s).(*tir.For)
		w.leave(bufs)
		if len(bufs) == 0 {
			return out
		}
		return out.WithBody(opaqueBlock(out.Body, bufs, w.visible))
	}
	return w.m.MapStmt(s)
}

func (w *allocPlacer) enter(bufs []*tir.Buffer) {
	for _, b := range bufs {
		w.visible[b.Data] = b
	}
}

func (w *allocPlacer) leave(bufs []*tir.Buffer) {
	for _, b := range bufs {
		delete(w.visible, b.Data)
	}
}

// outer drops the regions of planned buffers that are not allocated yet; regions itself if
// there are none.
func (w *allocPlacer) outer(regions []*tir.BufferRegion) []*tir.BufferRegion {
	var out []*tir.BufferRegion
	for _, r := range regions {
		if w.home[r.Buffer] == nil || w.visible[r.Buffer.Data] != nil {
			out = append(out, r)
		}
	}
	return out
}

// keep returns the buffers that block b allocates from now on: those placed in it, and those
// of its own that nothing accesses.
func (p *planner) keep(b *tir.Block, placed []*tir.Buffer) []*tir.Buffer {
	var out []*tir.Buffer
	own := map[*tir.Buffer]bool{}
	for _, x := range b.AllocBuffers {
		own[x] = true
	}
	for _, x := range placed {
		if !own[x] {
			out = append(out, x)
		}
	}
	at := map[*tir.Buffer]bool{}
	for _, x := range placed {
		at[x] = true
	}
	var kept []*tir.Buffer
	for _, x := range b.AllocBuffers {
		if at[x] || p.lca[x] == nil {
			kept = append(kept, x)
		}
	}
	return append(kept, out...)
}

func sameBuffers(a, b []*tir.Buffer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// opaqueBlock wraps body in a block that allocates bufs and tells what body reads and writes
// of other buffers; visible holds those around it that body may reach by pointer.
func opaqueBlock(body tir.Stmt, bufs []*tir.Buffer, visible map[*tir.Var]*tir.Buffer) tir.Stmt {
	b := &tir.Block{AllocBuffers: bufs, Body: body}
	reads, writes, opaque := region.OfBlock(b, visible)
	b.Reads, b.Writes = append(reads, opaque...), append(writes, opaque...)
	return &tir.BlockRealize{Predicate: tir.Bool(true), Block: b}
}
