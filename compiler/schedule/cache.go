package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// CacheRead copies the k-th buffer that b reads into memory of the given scope, before the
// nest of b in its scope block, and lets b read the copy. It returns the copying block.
func (s *Schedule) CacheRead(b *Block, k int, scope string) (*Block, error) {
	const prim = "cache_read"
	if err := check(prim, b); err != nil {
		return nil, err
	}
	if k < 0 || k >= len(b.reads) {
		return nil, fail(prim, b, nil, "it reads %d buffers, so there is no buffer %d", len(b.reads), k)
	}
	from := b.reads[k].Buffer
	if slices.Contains(s.writers[from], b) {
		return nil, fail(prim, b, nil, "it writes %s as well", from.Name)
	}
	top := kidOf(b, scopeOf(b))
	for _, w := range s.writers[from] {
		if !s.before(w, top) {
			return nil, fail(prim, b, nil, "block %s, which writes %s, is in the same nest", w.name, from.Name)
		}
	}
	to := s.cacheBuffer(from, scope, b.base)
	c := s.copyBlock(from, to, whole(from), b.base)
	s.replaceLoads(b, from, func(l *tir.BufferLoad) tir.Expr { return tir.Load(to, l.Indices...) })
	p := top.at().parent
	insert(p, slices.Index(p.at().kids, top), top2(c))
	return c, nil
}

// CacheWrite lets b write the k-th of its results to memory of the given scope, from where a
// block behind its nest copies it. It returns the copying block.
func (s *Schedule) CacheWrite(b *Block, k int, scope string) (*Block, error) {
	const prim = "cache_write"
	if err := check(prim, b); err != nil {
		return nil, err
	}
	if k < 0 || k >= len(b.writes) {
		return nil, fail(prim, b, nil, "it writes %d buffers, so there is no buffer %d", len(b.writes), k)
	}
	to := b.writes[k].Buffer
	if n := len(s.writers[to]); n != 1 {
		return nil, fail(prim, b, nil, "%d blocks write %s", n, to.Name)
	}
	top := kidOf(b, scopeOf(b))
	for _, r := range s.readers[to] {
		if r != b && !s.before(top, r) {
			return nil, fail(prim, b, nil, "block %s, which reads %s, is in the same nest", r.name, to.Name)
		}
	}
	// What b does not write of a parameter keeps its contents.
	part := whole(to)
	if s.home[to] == nil {
		part = touched(to, []*Block{b}, true, nil, ranges(b))
	}
	from := s.cacheBuffer(to, scope, b.base)
	c := s.copyBlock(from, to, part, b.base)
	s.replaceBuffer(b, to, from)
	p := top.at().parent
	insert(p, slices.Index(p.at().kids, top)+1, top2(c))
	return c, nil
}

func (s *Schedule) cacheBuffer(like *tir.Buffer, scope string, base ir.Base) *tir.Buffer {
	name := like.Name + "_" + scope
	if scope == "" {
		name = like.Name + "_global"
	}
	out := tir.NewBuffer(name, like.DType, like.Shape, scope)
	out.Base = base
	s.allocate(out)
	return out
}

// whole is the region of all of a buffer.
func whole(x *tir.Buffer) []*tir.Range {
	out := make([]*tir.Range, len(x.Shape))
	for k, n := range x.Shape {
		out[k] = &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n}
	}
	return out
}

// copyBlock returns a block, in loops, that copies a part of from.
func (s *Schedule) copyBlock(from, to *tir.Buffer, part []*tir.Range, base ir.Base) *Block {
	b := &Block{base: base, name: s.fresh(to.Name)}
	if s.home[to] == nil {
		b.name = s.fresh(from.Name)
	}
	var loops []*Loop
	var at []tir.Expr
	for k, n := range from.Shape {
		i := string(rune('0' + k%10))
		l := &Loop{base: base, v: tir.NewVar("ax"+i, n.DType()), extent: part[k].Extent}
		v := tir.NewVar("v"+i, n.DType())
		loops = append(loops, l)
		b.iters = append(b.iters, &tir.IterVar{Dom: &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n}, Var: v})
		b.values = append(b.values, tir.Add(part[k].Min, l.v))
		at = append(at, v)
	}
	s.setBody(b, nil, tir.Store(to, tir.Load(from, at...), at...))
	nest(loops, b)
	return b
}

// top2 returns the outermost node above a block that is not in the tree yet.
func top2(n node) node {
	for n.at().parent != nil {
		n = n.at().parent
	}
	return n
}

// replaceBuffer lets a leaf block use another buffer at the same indices.
func (s *Schedule) replaceBuffer(b *Block, old, to *tir.Buffer) {
	same := func(ix []tir.Expr) []tir.Expr { return ix }
	s.reindex(b, old, to, same)
}

// reindex lets a leaf block use another buffer at indices computed from the old ones.
func (s *Schedule) reindex(b *Block, old, to *tir.Buffer, f func([]tir.Expr) []tir.Expr) {
	expr := func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.BufferLoad:
			if x.Buffer == old {
				return &tir.BufferLoad{Base: x.Base, Buffer: to, Indices: f(x.Indices), Predicate: x.Predicate}
			}
		case *tir.Var:
			if x == old.Data {
				return to.Data
			}
		}
		return e
	}
	stmt := func(st tir.Stmt) tir.Stmt {
		if x, ok := st.(*tir.BufferStore); ok && x.Buffer == old {
			return &tir.BufferStore{Base: x.Base, Buffer: to, Value: x.Value, Indices: f(x.Indices), Predicate: x.Predicate}
		}
		return st
	}
	init := b.init
	if init != nil {
		init = tir.RewriteStmt(init, stmt, expr)
	}
	s.setBody(b, init, tir.RewriteStmt(b.body, stmt, expr))
}

// SetScope moves the k-th buffer that b writes to another memory scope.
func (s *Schedule) SetScope(b *Block, k int, scope string) error {
	const prim = "set_scope"
	if err := check(prim, b); err != nil {
		return err
	}
	if k < 0 || k >= len(b.writes) {
		return fail(prim, b, nil, "it writes %d buffers, so there is no buffer %d", len(b.writes), k)
	}
	old := b.writes[k].Buffer
	if s.home[old] == nil {
		return fail(prim, b, nil, "%s is not allocated by the function", old.Name)
	}
	to := tir.NewBuffer(old.Name, old.DType, old.Shape, scope)
	to.Base = old.Base
	s.exchangeBuffer(old, to, func(ix []tir.Expr) []tir.Expr { return ix })
	return nil
}

// exchangeBuffer puts another buffer in the place of one that the function allocates.
func (s *Schedule) exchangeBuffer(old, to *tir.Buffer, f func([]tir.Expr) []tir.Expr) {
	home := s.home[old]
	home.allocs = slices.Clone(home.allocs)
	home.allocs[slices.Index(home.allocs, old)] = to
	delete(s.home, old)
	s.home[to] = home
	for _, b := range addBlocks(slices.Clone(s.writers[old]), s.readers[old], nil) {
		s.reindex(b, old, to, f)
	}
}
