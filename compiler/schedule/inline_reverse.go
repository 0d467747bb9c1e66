package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// ReverseComputeInline moves what b computes into its only producer, which then writes what
// b wrote, and removes b. Each element of b must depend on the one element of the producer's
// buffer at b's iteration variables; the producer must not reduce and may run under a
// condition.
func (s *Schedule) ReverseComputeInline(b *Block) error {
	const prim = "reverse_compute_inline"
	if err := check(prim, b); err != nil {
		return err
	}
	st, ok := b.body.(*tir.BufferStore)
	if !ok || b.init != nil || b.IsReduction() || st.Predicate != nil || !tir.IsTrue(b.pred) {
		return fail(prim, b, nil, "it is not one store without reduction or condition")
	}
	var p *Block
	for _, r := range b.reads {
		w := s.writers[r.Buffer]
		if len(w) == 0 || s.home[r.Buffer] == nil || len(s.readers[r.Buffer]) != 1 || len(w) != 1 {
			continue
		}
		if pst, ok := w[0].body.(*tir.BufferStore); ok && pst.Predicate == nil && w[0].init == nil && !w[0].IsReduction() && s.matches(b, pst) != nil {
			p = w[0]
			break
		}
	}
	if p == nil {
		return fail(prim, b, nil, "no buffer that it reads at its iteration variables comes from one block for it alone")
	}
	if err := complete(prim, b, nil); err != nil {
		return err
	}
	pst := p.body.(*tir.BufferStore)
	sub := s.matches(b, pst)
	value := tir.RewriteExpr(st.Value, func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.BufferLoad); ok && l.Buffer == pst.Buffer {
			return pst.Value
		}
		return e
	})
	out := &tir.BufferStore{Base: st.Base, Buffer: st.Buffer, Value: tir.SubstExpr(value, sub)}
	for _, ix := range st.Indices {
		out.Indices = append(out.Indices, tir.SubstExpr(ix, sub))
	}
	// What b reads besides must have been written before its producer runs.
	for _, r := range b.reads {
		for _, w := range s.writers[r.Buffer] {
			if w != p && !s.before(w, p) {
				return fail(prim, b, nil, "block %s, which writes %s, runs after the producer", w.name, r.Buffer.Name)
			}
		}
	}
	// What else uses what b writes must not come to run after it, or before it.
	for _, u := range addBlocks(slices.Clone(s.writers[st.Buffer]), s.readers[st.Buffer], b) {
		if u != b && !s.before(u, p) && !s.before(b, u) {
			return fail(prim, b, nil, "block %s, which uses %s, runs after the producer", u.name, st.Buffer.Name)
		}
	}
	s.remove(b)
	s.release(pst.Buffer)
	s.setBody(p, nil, out)
	s.absorb(p, b)
	return nil
}

// matches maps the iteration variables of consumer b to the indices of the producer's
// store, nil if b does not read that buffer at exactly its iteration variables.
func (s *Schedule) matches(b *Block, pst *tir.BufferStore) map[*tir.Var]tir.Expr {
	var sub map[*tir.Var]tir.Expr
	ok := true
	eachLoad(b.body, func(l *tir.BufferLoad) {
		if l.Buffer != pst.Buffer || !ok {
			return
		}
		m := map[*tir.Var]tir.Expr{}
		for k, ix := range l.Indices {
			v, isVar := ix.(*tir.Var)
			if !isVar {
				ok = ok && tir.IsConst(ix, 0) && tir.IsConst(pst.Buffer.Shape[k], 1)
				continue
			}
			i := b.iter(v)
			if i < 0 || m[v] != nil || !tir.IsConst(b.iters[i].Dom.Min, 0) || !arith.Equal(b.iters[i].Dom.Extent, pst.Buffer.Shape[k]) {
				ok = false
				return
			}
			m[v] = pst.Indices[k]
			if sub != nil && sub[v] != pst.Indices[k] {
				ok = false
			}
		}
		sub = m
	})
	if !ok || sub == nil {
		return nil
	}
	for _, iv := range b.iters {
		if sub[iv.Var] == nil {
			if !tir.IsConst(iv.Dom.Extent, 1) {
				return nil
			}
			sub[iv.Var] = iv.Dom.Min
		}
		sub[iv.Var] = tir.CastTo(iv.Var.DType(), sub[iv.Var])
	}
	return sub
}
