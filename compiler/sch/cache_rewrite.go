package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// redirect has blocks access another buffer in place of one.
type redirect struct {
	old, now *tir.Buffer
	// index and region return where the other buffer is accessed in place of the one.
	index  func([]tir.Expr) []tir.Expr
	region func([]*tir.Range) []*tir.Range
	// enter says of a block whether it accesses the other buffer, and whether what is in it is looked at. under says the former of the block around.
	enter func(b *tir.Block, under bool) (rewrite, below bool)
	// writes: the writes of blocks are redirected too.
	writes bool
}

// same keeps indices and regions.
func (r *redirect) same() {
	r.index = func(x []tir.Expr) []tir.Expr { return x }
	r.region = func(x []*tir.Range) []*tir.Range { return x }
}

// less makes indices relative to the beginning of a region.
func (r *redirect) less(base []*tir.Range) {
	an := arith.NewAnalyzer()
	sub := func(e, lo tir.Expr) tir.Expr {
		if tir.IsConst(lo, 0) { // of whatever type
			return an.Simplify(e)
		}
		return an.Simplify(tir.Sub(e, lo))
	}
	r.index = func(x []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(x))
		for i, e := range x {
			out[i] = sub(e, base[i].Min)
		}
		return out
	}
	r.region = func(x []*tir.Range) []*tir.Range {
		out := make([]*tir.Range, len(x))
		for i, e := range x {
			out[i] = &tir.Range{Min: sub(e.Min, base[i].Min), Extent: e.Extent}
		}
		return out
	}
}

// to accesses the other buffer at the same indices everywhere.
func (r *redirect) to(indices []tir.Expr) {
	r.index = func([]tir.Expr) []tir.Expr { return indices }
	r.region = func([]*tir.Range) []*tir.Range { return point(r.now, indices).Region }
}

// regions redirects regions.
func (r *redirect) regions(list []*tir.BufferRegion) []*tir.BufferRegion {
	out := list
	for i, x := range list {
		if x.Buffer == r.old {
			if &out[0] == &list[0] {
				out = append([]*tir.BufferRegion(nil), list...)
			}
			out[i] = &tir.BufferRegion{Base: x.Base, Buffer: r.now, Region: r.region(x.Region)}
		}
	}
	return out
}

func (r *redirect) matches(list []*tir.MatchBufferRegion) []*tir.MatchBufferRegion {
	out := list
	for i, x := range list {
		if x.Source.Buffer == r.old {
			if &out[0] == &list[0] {
				out = append([]*tir.MatchBufferRegion(nil), list...)
			}
			out[i] = x.WithSource(&tir.BufferRegion{Base: x.Source.Base, Buffer: r.now, Region: r.region(x.Source.Region)})
		}
	}
	return out
}

// rewrite puts the copy of c, if any, in its place in the scope and redirects accesses there. alloc is the buffer that the scope then allocates,
// nil for none.
func (c *cacheStage) rewrite(s *State, r *redirect, alloc *tir.Buffer) *State {
	scope := c.root.Block()
	c.became = reuse{}
	under := false
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if !under {
			return e
		}
		if v, ok := e.(*tir.Var); ok {
			if v == r.old.Data {
				return r.now.Data
			}
			return e
		}
		out := m.MapExpr(e)
		if l, ok := out.(*tir.BufferLoad); ok && l.Buffer == r.old {
			return &tir.BufferLoad{Base: l.Base, Buffer: r.now, Indices: r.index(l.Indices), Predicate: l.Predicate}
		}
		return out
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		switch x := x.(type) {
		case *tir.For:
			out := m.MapStmt(x).(*tir.For)
			if tir.Stmt(x) == c.loc {
				out = out.WithBody(c.inserted(out.Body))
			}
			return out
		case *tir.BufferStore:
			out := m.MapStmt(x).(*tir.BufferStore)
			if under && r.writes && out.Buffer == r.old {
				return out.WithBuffer(r.now).WithIndices(r.index(out.Indices))
			}
			return out
		case *tir.Block:
			outer := under
			defer func() { under = outer }()
			below := true
			if x == scope {
				under = false
			} else if under, below = r.enter(x, outer); !below {
				return x
			}
			out := m.MapStmt(x).(*tir.Block)
			if x == c.loc {
				out = out.WithBody(c.inserted(out.Body))
			}
			if x == scope && alloc != nil {
				out = out.WithAllocBuffers(append(append([]*tir.Buffer(nil), out.AllocBuffers...), alloc))
			}
			if x != scope && under {
				out = out.WithReads(r.regions(out.Reads)).WithMatchBuffers(r.matches(out.MatchBuffers))
				if r.writes {
					out = out.WithWrites(r.regions(out.Writes))
				}
			}
			if out != x {
				c.became[x] = out
			}
			return out
		}
		return m.MapStmt(x)
	}
	return s.replace(c.root, m.Stmt(scope), c.became)
}
