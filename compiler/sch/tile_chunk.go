package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// A reduction in chunks adds a part of its steps for many tiles before it goes on:
//
//	for i_o, j_o: parts[i_o, j_o, ...] = 0
//	for k_c in 4:
//	  for i_o, j_o:
//	    acc = parts[i_o, j_o, ...]
//	    for k in 16: acc += A[i, k_c*16 + k]*B[k_c*16 + k, j]
//	    parts[i_o, j_o, ...] = acc
//	for i_o, j_o: C[i, j] = parts[i_o, j_o, ...]
//
// The order in which a result adds its terms is the same. Each tile has sums of its own, also those of two tiles that compute a result twice. The length of a chunk is k_c of
// Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008).

// checkChunk checks that the reduction can be taken in chunks, if that is asked for.
func (t *tiler) checkChunk() error {
	s := t.spec
	if s.Chunk == 0 {
		return nil
	}
	if len(s.Reduce) == 0 || s.Reduce[0] < 0 || s.Reduce[0] >= len(t.axes) {
		return t.fail("it has no variable to reduce over in chunks")
	}
	k := s.Reduce[0]
	n, ok := tir.AsInt(t.axes[k].extent)
	switch {
	case s.Chunk < 0 || !ok || n%s.Chunk != 0:
		return t.fail("chunks of %d steps do not divide the extent of %s", s.Chunk, t.b.IterVars[k].Var.Name)
	case s.ChunkAt < 0 || s.ChunkAt > len(s.Order):
		return t.fail("its order has %d places, and no place %d for the loop over chunks", len(s.Order), s.ChunkAt)
	case t.dot || s.Run > 0 || t.unrolled(k) || len(s.Splat)+len(s.Pack) > 0:
		return t.fail("it cannot be taken in chunks where lanes reduce, sums are taken in runs, the loop over %s is unrolled, or a load is copied", t.b.IterVars[k].Var.Name)
	}
	for i, k := range s.Order {
		if i < s.ChunkAt {
			continue
		}
		if k < 0 || k >= len(t.axes) {
			continue // which is said where the order is checked
		}
		if _, ok := tir.AsInt(t.axes[k].extent); !ok {
			return t.fail("%s has a symbolic extent, inside of the loop over chunks", t.b.IterVars[k].Var.Name)
		}
		if slices.Contains(s.Parallel, i) {
			return t.fail("the loop over %s is parallel, inside of the loop over chunks", t.b.IterVars[k].Var.Name)
		}
	}
	return nil
}

// buildChunks makes the nest of a reduction in chunks: inside of the loops outside of that over chunks a nest that starts the sums of all tiles, the one that adds chunks
// to them, and one that writes results.
func (t *tiler) buildChunks() (nest tir.Stmt, write *tir.Block) {
	outer, _ := t.tileLoops(0, t.spec.ChunkAt)
	body := []tir.Stmt{}
	inside := func(tile func() []tir.Stmt) tir.Stmt {
		t.inside, _ = t.tileLoops(t.spec.ChunkAt, len(t.spec.Order))
		bodies := bodiesOf(len(t.inside))
		if t.parts == nil {
			t.allocParts()
		}
		bodies[len(t.inside)] = tile()
		return inLoops(t.inside, bodies)
	}
	body = append(body, inside(func() []tir.Stmt { return []tir.Stmt{t.init(t.parts)} }))
	k := t.spec.Reduce[0]
	a := t.axes[k]
	n, _ := tir.AsInt(a.extent)
	chunks := t.loop(t.b.IterVars[k].Var.Name+"_c", tir.Const(a.extent.DType(), n/t.spec.Chunk), tir.Serial)
	t.chunk = chunks.LoopVar
	body = append(body, around(chunks, inside(func() []tir.Stmt {
		out := []tir.Stmt{t.move(t.acc, t.parts, "_load")}
		for _, u := range t.updates() {
			out = append(out, t.update(u))
		}
		return append(out, t.move(t.parts, t.acc, "_save"))
	})))
	t.chunk = nil
	body = append(body, inside(func() (out []tir.Stmt) {
		out, write = t.write()
		return out
	}))
	bodies := bodiesOf(len(outer))
	bodies[len(outer)] = body
	return inLoops(outer, bodies), write
}

// bodiesOf are the bodies of so many loops, which hold nothing yet.
func bodiesOf(loops int) [][]tir.Stmt { return make([][]tir.Stmt, loops+1) }

// allocParts allocates the sums of all tiles of the loops inside.
func (t *tiler) allocParts() {
	var shape []tir.Expr
	for _, l := range t.inside {
		shape = append(shape, l.Extent)
	}
	t.parts = tir.NewBuffer(t.store.Buffer.Name+"_parts", t.value.DType(), append(shape, t.acc.Shape...), "")
	t.parts.Base = t.b.Base
	t.allocs = append(t.allocs, t.parts)
}

// tileAt are the first indices into the sums of all tiles: those of the tile under way.
func (p *part) tileAt() []tir.Expr {
	var out []tir.Expr
	for _, l := range p.t.inside {
		out = append(out, p.iter("n_"+l.LoopVar.Name, l.Extent, l.LoopVar, tir.DataPar))
	}
	return out
}

// move is the nest that copies the sums of a tile to its accumulators, or back.
func (t *tiler) move(to, from *tir.Buffer, name string) tir.Stmt {
	p := t.part(name)
	pos, _ := p.inner(true)
	at := p.at(pos)
	all := append(p.tileAt(), at...)
	index := func(b *tir.Buffer) []tir.Expr {
		if b == t.parts {
			return all
		}
		return at
	}
	n, _ := p.finish(tir.Store(to, tir.Load(from, index(from)...), index(to)...))
	return n
}

// steps is how many steps the loop over a reduction variable takes.
func (t *tiler) steps(k int) tir.Expr {
	if t.chunk != nil && k == t.spec.Reduce[0] {
		return tir.Const(t.axes[k].extent.DType(), t.spec.Chunk)
	}
	return t.axes[k].extent
}

// fromChunk is the value of a reduction variable at a step of its loop.
func (t *tiler) fromChunk(k int, step tir.Expr) tir.Expr {
	if t.chunk == nil || k != t.spec.Reduce[0] {
		return step
	}
	return tir.Add(tir.Mul(t.chunk, tir.Const(step.DType(), t.spec.Chunk)), step)
}
