package sch

import (
	"github.com/irscope/irscope/compiler/tir"
)

// bufferSwap puts buffers in the place of others in all that a block holds.
type bufferSwap struct {
	now  map[*tir.Buffer]*tir.Buffer
	data map[*tir.Var]*tir.Buffer // by the pointer of the buffer before
	// view returns what becomes of a view of a buffer whose place source took.
	view func(view, source *tir.Buffer) *tir.Buffer
	// load and store return what takes the place of accesses to buffers that were replaced, where not nil. They are given the buffer before.
	load   func(*tir.Buffer, *tir.BufferLoad) tir.Expr
	store  func(*tir.Buffer, *tir.BufferStore) tir.Stmt
	became reuse
}

func newBufferSwap(old, now *tir.Buffer, view func(view, source *tir.Buffer) *tir.Buffer) *bufferSwap {
	b := &bufferSwap{now: map[*tir.Buffer]*tir.Buffer{}, data: map[*tir.Var]*tir.Buffer{}, view: view, became: reuse{}}
	b.add(old, now)
	return b
}

func (b *bufferSwap) add(old, now *tir.Buffer) { b.now[old], b.data[old.Data] = now, now }

// block returns a block with the buffers replaced. b.became says what became of it and of the blocks inside.
func (b *bufferSwap) block(x *tir.Block) *tir.Block {
	m := &tir.Mapper{}
	m.Buffer = func(x *tir.Buffer) *tir.Buffer {
		if now := b.now[x]; now != nil {
			return now
		}
		return x
	}
	m.Expr = func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.Var:
			if now := b.data[x]; now != nil {
				return now.Data
			}
			return e
		case *tir.BufferLoad:
			if out := m.MapExpr(x).(*tir.BufferLoad); b.now[x.Buffer] != nil && b.load != nil {
				return b.load(x.Buffer, out)
			} else {
				return out
			}
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		switch x := s.(type) {
		case *tir.BufferStore:
			if out := m.MapStmt(x).(*tir.BufferStore); b.now[x.Buffer] != nil && b.store != nil {
				return b.store(x.Buffer, out)
			} else {
				return out
			}
		case *tir.Block:
			for _, v := range x.MatchBuffers {
				if source := b.now[v.Source.Buffer]; source != nil && b.view != nil {
					b.add(v.Buffer, b.view(v.Buffer, source))
				}
			}
			out := m.MapStmt(x)
			if out != s {
				b.became[x] = out.(*tir.Block)
			}
			return out
		}
		return m.MapStmt(s)
	}
	return m.Stmt(x).(*tir.Block)
}

// definingSite returns the block above or at a site that allocates a buffer; alloc is false where it is a view that the block makes, and ok is false
// for a buffer of the function.
func definingSite(at site, b *tir.Buffer) (def site, alloc, ok bool) {
	for q, up := at, true; up; q, up = q.up() {
		x, isBlock := q.stmt().(*tir.Block)
		if !isBlock {
			continue
		}
		for _, a := range x.AllocBuffers {
			if a == b {
				return q, true, true
			}
		}
		for _, v := range x.MatchBuffers {
			if v.Buffer == b {
				return q, false, true
			}
		}
	}
	return site{}, false, false
}

// allocationSite returns the block that allocates a buffer, and an error if none does.
func (s *State) allocationSite(at site, b *tir.Buffer) (site, error) {
	def, alloc, ok := definingSite(at, b)
	if !ok || !alloc {
		return site{}, s.fail("NonAllocatedBufferError", "The input buffer "+b.Name+
			" is not allocated by a block. This means the buffer is either a function parameter or defined in `match_buffer` of a block.")
	}
	return def, nil
}

// rootSite returns the root block of the function.
func rootSite(at site) site {
	for {
		up, ok := at.scope()
		if !ok {
			return at
		}
		at = up
	}
}

// ownerSite returns the block in which all accesses to a buffer stand: that which allocates it, or the root block if it is one of the function. The
// function of the site has now in the place of the buffer.
func (s *State) ownerSite(at site, b, now *tir.Buffer) (site, error) {
	def, alloc, ok := definingSite(at, b)
	if ok && !alloc {
		return site{}, s.fail("BufferIsSubregionError", "The input buffer "+b.Name+
			" is defined in `match_buffer` of a block, it is expected to be a function parameter or allocated by a block.")
	}
	if ok {
		return def, nil
	}
	if _, err := s.scopeRoot(at, false); err != nil {
		return site{}, err
	}
	root := rootSite(at)
	buffers := make([]*tir.Buffer, len(root.f.Buffers))
	for i, x := range root.f.Buffers {
		if buffers[i] = x; x == b {
			buffers[i] = now
		}
	}
	root.f = root.f.WithBuffers(buffers)
	return root, nil
}
