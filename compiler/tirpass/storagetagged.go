package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// taggedAlign is the alignment in bits of the parts of memory of a special kind, at least.
const taggedAlign = 32

// specialTag reports whether a tag names memory of a special kind, of which a place has one piece.
func specialTag(tag string) bool {
	return tag != "" && tag != ".dyn" && tag != ".workspace" && tag != ".vtcm"
}

// mergeTagged makes entries of memory of a special kind parts of the first one of the same kind in the same place. Entries whose address is passed
// on stay, as only accesses can be shifted.
func mergeTagged(live *storageLives, entries map[tir.Stmt][]*storageEntry) {
	var passed map[*tir.Var]bool
	for attach, list := range entries {
		first := map[string]*storageEntry{}
		var kept []*storageEntry
		for _, e := range list {
			e.placed = e
			if !specialTag(e.tag) || e.bits == 0 || len(e.allocs[0].node.Extents) != 1 {
				kept = append(kept, e)
				continue
			}
			if passed == nil {
				passed = live.passed()
			}
			to := first[e.scope]
			if to == nil || e.usesAny(passed) {
				if to == nil {
					first[e.scope] = e
				}
				e.pieces = []*storageEntry{e}
				kept = append(kept, e)
				continue
			}
			last := to.pieces[len(to.pieces)-1]
			e.offset = alignedTo(last.offset+last.bits, max(taggedAlign, e.widest()))
			e.placed = to
			to.pieces = append(to.pieces, e)
		}
		entries[attach] = kept
	}
}

func alignedTo(n, align int64) int64 { return (n + align - 1) / align * align }

// widest is the size in bits of the largest element.
func (e *storageEntry) widest() int64 {
	n := int64(8)
	for _, a := range e.allocs {
		n = max(n, elemBits(a.node.Type))
	}
	return n
}

func (e *storageEntry) usesAny(vars map[*tir.Var]bool) bool {
	for _, a := range e.allocs {
		if vars[a.node.Var] {
			return true
		}
	}
	return false
}

// passed returns the allocations whose address is used other than by accesses.
func (p *storageLives) passed() map[*tir.Var]bool {
	out := map[*tir.Var]bool{}
	var visit func(n ir.Node)
	visit = func(n ir.Node) {
		switch n := n.(type) {
		case *tir.Var:
			if p.byVar[n] != nil {
				out[n] = true
			}
		case *tir.Allocate:
			for _, e := range n.Extents {
				visit(e)
			}
			visit(n.Body)
			return
		case *tir.Call:
			if op, _ := callOp(n, true); op == tir.OpAccessPtr.Name && len(n.Args) == 5 {
				for _, x := range n.Args[2:] {
					visit(x)
				}
				return
			}
		}
		n.EachChild(visit)
	}
	visit(p.body)
	return out
}

// part returns the entry of memory that is a part of another one, behind its begin; nil for other memory.
func (r *storageRewriter) part(v *tir.Var) *storageEntry {
	if a := r.live.byVar[v]; a != nil && a.entry != nil && a.entry.offset > 0 {
		return a.entry
	}
	return nil
}

// buffer makes a buffer large enough for indices that are shifted.
func (r *storageRewriter) buffer(b *tir.Buffer) *tir.Buffer {
	e := r.part(b.Data)
	if e == nil || len(b.Shape) == 0 {
		return b
	}
	out, ok := r.buffers[b]
	if !ok {
		again := *b
		n := len(b.Shape) - 1
		again.Shape = append(append([]tir.Expr{}, b.Shape[:n]...), tir.Add(b.Shape[n], tir.Const(b.Shape[n].DType(), e.offset/elemBits(b.DType))))
		out = &again
		r.buffers[b] = out
	}
	return out
}

// shifted returns indices of a buffer where its memory begins behind that of the allocation.
func (r *storageRewriter) shifted(b *tir.Buffer, indices []tir.Expr) []tir.Expr {
	e := r.part(b.Data)
	if e == nil || len(indices) == 0 {
		return indices
	}
	last := indices[len(indices)-1]
	off := tir.Const(last.DType(), e.offset/elemBits(b.DType))
	return append(append([]tir.Expr{}, indices[:len(indices)-1]...), tir.Add(off, last))
}

func (r *storageRewriter) expr(x tir.Expr) tir.Expr {
	switch n := x.(type) {
	case *tir.BufferLoad:
		out := r.m.MapExpr(n).(*tir.BufferLoad)
		return out.WithIndices(r.shifted(n.Buffer, out.Indices))
	case *tir.Call:
		op, _ := callOp(n, true)
		if op != tir.OpAccessPtr.Name || len(n.Args) != 5 {
			break
		}
		v, _ := n.Args[1].(*tir.Var)
		if e := r.part(v); e != nil {
			d := n.Args[0].DType()
			out := r.m.MapExpr(n).(*tir.Call)
			at := out.Args[2]
			at = tir.Add(tir.Const(at.DType(), e.offset/elemBits(d)), at)
			return out.WithArgs([]tir.Expr{out.Args[0], out.Args[1], at, out.Args[3], out.Args[4]})
		}
	}
	return r.m.MapExpr(x)
}
