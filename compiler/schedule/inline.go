package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// ComputeInline replaces what is read from the buffer that b writes by the expression that
// b computes, and removes b. The block must compute one element of a buffer of the function
// at its iteration variables, without a condition and without reducing.
func (s *Schedule) ComputeInline(b *Block) error {
	const prim = "compute_inline"
	st, err := s.pointwise(prim, b)
	if err != nil {
		return err
	}
	var formal []*tir.Var
	for k, ix := range st.Indices {
		v, ok := ix.(*tir.Var)
		if !ok && !tir.IsConst(ix, 0) {
			return fail(prim, b, nil, "index %d of its store is not an iteration variable", k)
		}
		formal = append(formal, v)
	}
	if err := s.settled(prim, b, nil); err != nil {
		return err
	}
	unit := map[*tir.Var]tir.Expr{}
	for _, iv := range b.iters {
		if tir.IsConst(iv.Dom.Extent, 1) {
			unit[iv.Var] = iv.Dom.Min // its only element
		}
	}
	expand := func(l *tir.BufferLoad) tir.Expr {
		sub := make(map[*tir.Var]tir.Expr, len(formal)+len(unit))
		for v, e := range unit {
			sub[v] = e
		}
		for k, v := range formal {
			if v != nil {
				sub[v] = tir.CastTo(v.DType(), l.Indices[k])
			}
		}
		return tir.CastTo(l.DType(), tir.SubstExpr(st.Value, sub))
	}
	for _, c := range slices.Clone(s.readers[st.Buffer]) {
		s.replaceLoads(c, st.Buffer, expand)
		s.absorb(c, b)
	}
	s.remove(b)
	s.release(st.Buffer)
	return nil
}

// settled checks that all that b reads has been written when b runs, so that it may run later.
func (s *Schedule) settled(prim string, b *Block, l *Loop) error {
	for _, r := range b.reads {
		for _, w := range s.writers[r.Buffer] {
			if w != b && !s.before(w, b) {
				return fail(prim, b, l, "block %s, which writes %s, does not run before it", w.name, r.Buffer.Name)
			}
		}
	}
	return nil
}

// absorb notes that block c does the work of b too.
func (s *Schedule) absorb(c, b *Block) {
	if s.origins == nil || b.base.Origin == 0 || c.base.Origin == b.base.Origin {
		return
	}
	c.base.Origin = s.origins.Merge("ApplyDefaultSchedule", b.base.Origin, c.base.Origin)
	own := func(n tir.Stmt) tir.Stmt {
		if n == nil {
			return nil
		}
		return tir.RewriteStmt(n, func(n tir.Stmt) tir.Stmt { return ir.WithOrigin(n, c.base.Origin) }, nil)
	}
	c.init, c.body = own(c.init), own(c.body)
}

// pointwise returns the only store of a block that computes single elements of a buffer
// that nothing else writes and that the function allocates.
func (s *Schedule) pointwise(prim string, b *Block) (*tir.BufferStore, error) {
	if err := check(prim, b); err != nil {
		return nil, err
	}
	st, ok := b.body.(*tir.BufferStore)
	switch {
	case !ok || st.Predicate != nil:
		return nil, fail(prim, b, nil, "its body is a %T, expected one store", b.body)
	case b.init != nil || b.IsReduction():
		return nil, fail(prim, b, nil, "it is a reduction")
	case !tir.IsTrue(b.pred):
		return nil, fail(prim, b, nil, "it runs under a condition")
	case s.home[st.Buffer] == nil:
		return nil, fail(prim, b, nil, "it writes %s, which the function does not allocate", st.Buffer.Name)
	case len(s.writers[st.Buffer]) != 1:
		return nil, fail(prim, b, nil, "%d blocks write %s", len(s.writers[st.Buffer]), st.Buffer.Name)
	case slices.Contains(s.readers[st.Buffer], b):
		return nil, fail(prim, b, nil, "it reads what it writes")
	}
	if err := s.covers(prim, b, st); err != nil {
		return nil, err
	}
	return st, nil
}

// covers checks that a block writes each element of the buffer once: its indices are
// different iteration variables (0 along axes of extent 1), each over all of its axis.
func (s *Schedule) covers(prim string, b *Block, st *tir.BufferStore) error {
	used := map[*tir.Var]bool{}
	for k, ix := range st.Indices {
		v, ok := ix.(*tir.Var)
		if !ok {
			if tir.IsConst(ix, 0) && tir.IsConst(st.Buffer.Shape[k], 1) {
				continue
			}
			return fail(prim, b, nil, "index %d of its store is not an iteration variable", k)
		}
		iv := b.iter(v)
		if iv < 0 || used[v] {
			return fail(prim, b, nil, "index %d of its store is not an iteration variable of its own", k)
		}
		used[v] = true
		dom := b.iters[iv].Dom
		if !tir.IsConst(dom.Min, 0) || !arith.Equal(dom.Extent, st.Buffer.Shape[k]) {
			return fail(prim, b, nil, "it does not write all of axis %d of %s", k, st.Buffer.Name)
		}
	}
	for _, iv := range b.iters {
		if !used[iv.Var] && !tir.IsConst(iv.Dom.Extent, 1) {
			return fail(prim, b, nil, "its store does not depend on %s", iv.Var.Name)
		}
	}
	return nil
}

// iter returns the number of an iteration variable, -1 if it is none of b.
func (b *Block) iter(v *tir.Var) int {
	for k, iv := range b.iters {
		if iv.Var == v {
			return k
		}
	}
	return -1
}

// replaceLoads maps the loads of one buffer in a leaf block.
func (s *Schedule) replaceLoads(c *Block, buf *tir.Buffer, f func(*tir.BufferLoad) tir.Expr) {
	change := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok && l.Buffer == buf {
			return f(l)
		}
		return e
	}
	init := c.init
	if init != nil {
		init = tir.RewriteStmt(init, nil, change)
	}
	s.setBody(c, init, tir.RewriteStmt(c.body, nil, change))
}

// remove takes a block out of the tree.
func (s *Schedule) remove(b *Block) {
	s.unindex(b)
	prune(b)
}

// release drops the allocation of a buffer.
func (s *Schedule) release(x *tir.Buffer) {
	b := s.home[x]
	b.allocs = slices.DeleteFunc(slices.Clone(b.allocs), func(y *tir.Buffer) bool { return y == x })
	delete(s.home, x)
}

// allocate adds a buffer to the root block.
func (s *Schedule) allocate(x *tir.Buffer) {
	s.root.allocs = append(slices.Clone(s.root.allocs), x)
	s.home[x] = s.root
}

func eachLoad(st tir.Stmt, f func(*tir.BufferLoad)) {
	walkExprs(st, func(e tir.Expr) {
		if l, ok := e.(*tir.BufferLoad); ok {
			f(l)
		}
	})
}

// before reports whether all of a runs before b.
func (s *Schedule) before(a, b node) bool {
	up := map[node]node{}
	for n := a; n.at().parent != nil; n = n.at().parent {
		up[n.at().parent] = n
	}
	for n := b; n.at().parent != nil; n = n.at().parent {
		p := n.at().parent
		if k, ok := up[p]; ok {
			return slices.Index(p.at().kids, k) < slices.Index(p.at().kids, n)
		}
	}
	return false
}
