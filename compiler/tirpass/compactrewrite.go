package tirpass

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// same reports whether xs, which ir.MapSame made of ys, is the same slice: nothing changed.
func same[T any](xs, ys []T) bool {
	return len(xs) == 0 || &xs[0] == &ys[0]
}

// rewrite replaces planned buffers and shifts the accesses to them.
func (c *compactor) rewrite(s tir.Stmt) tir.Stmt {
	shift := func(p *compaction, indices []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(indices))
		for i, e := range indices {
			out[i] = c.an.Simplify(tir.Sub(e, tir.CastTo(e.DType(), p.min[i])))
		}
		return out
	}
	shiftRegion := func(r *tir.BufferRegion) *tir.BufferRegion {
		p := c.plan[r.Buffer]
		if p == nil {
			return r
		}
		out := &tir.BufferRegion{Base: r.Base, Buffer: p.buffer, Region: make([]*tir.Range, len(r.Region))}
		for i, x := range r.Region {
			out.Region[i] = &tir.Range{Min: c.an.Simplify(tir.Sub(x.Min, tir.CastTo(x.Min.DType(), p.min[i]))), Extent: x.Extent}
		}
		return out
	}
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		e = m.MapExpr(e)
		if l, ok := e.(*tir.BufferLoad); ok {
			if p := c.plan[l.Buffer]; p != nil {
				return l.WithBuffer(p.buffer).WithIndices(shift(p, l.Indices))
			}
		}
		return e
	}
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		switch s := m.MapStmt(s).(type) {
		case *tir.BufferStore:
			if p := c.plan[s.Buffer]; p != nil {
				return s.WithBuffer(p.buffer).WithIndices(shift(p, s.Indices))
			}
			return s
		case *tir.DeclBuffer:
			if p := c.plan[s.Buffer]; p != nil {
				return s.WithBuffer(p.buffer)
			}
			return s
		case *tir.Allocate:
			if p := c.plan[c.only[s.Var]]; p != nil {
				return s.WithExtents(p.buffer.AllocExtents())
			}
			return s
		case *tir.Block:
			allocs := ir.MapSame(s.AllocBuffers, func(b *tir.Buffer) *tir.Buffer {
				if p := c.plan[b]; p != nil {
					return p.buffer
				}
				return b
			})
			reads, writes := ir.MapSame(s.Reads, shiftRegion), ir.MapSame(s.Writes, shiftRegion)
			matches := ir.MapSame(s.MatchBuffers, func(x *tir.MatchBufferRegion) *tir.MatchBufferRegion {
				src := shiftRegion(x.Source)
				if src == x.Source {
					return x
				}
				return &tir.MatchBufferRegion{Base: x.Base, Buffer: x.Buffer, Source: src}
			})
			if same(allocs, s.AllocBuffers) && same(reads, s.Reads) && same(writes, s.Writes) && same(matches, s.MatchBuffers) {
				return s
			}
			out := *s
			out.AllocBuffers, out.Reads, out.Writes, out.MatchBuffers = allocs, reads, writes, matches
			return &out
		default:
			return s
		}
	}
	return m.Stmt(s)
}
