package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// ReverseComputeInline has the only producer of a block store what the block makes of its elements, and removes the block (TVM's
// reverse_compute_inline).
func (s *State) ReverseComputeInline(b *Block) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	consumer := at.Block()
	if err := s.hasInit(consumer); err != nil {
		return nil, err
	}
	root, err := s.scopeRoot(at, true)
	if err != nil {
		return nil, err
	}
	buf, err := s.singleRead(consumer, root.Block())
	if err != nil {
		return nil, err
	}
	if err := s.checkComplete(at, root.Block()); err != nil {
		return nil, err
	}
	producer, err := s.onlyProducer(consumer, buf, root)
	if err != nil {
		return nil, err
	}
	if err := s.checkNotOutput(producer, root); err != nil {
		return nil, err
	}
	v := &reverser{buf: buf, producer: producer.Block(), consumer: consumer, sub: map[*tir.Var]tir.Expr{}, an: arith.NewAnalyzer()}
	if !tir.IsTrue(at.Realize().Predicate) || !v.analyze() {
		return nil, s.fail("BodyAnalysisError", errBodyReverseInline, consumer)
	}
	n := &inliner{root: root, buf: buf, store: v.store, realize: v.realize, origin: consumer.Origin}
	if n.from, n.to, err = s.removal(at, root); err != nil {
		return nil, err
	}
	return n.run(s)
}

// singleRead returns the only buffer that a block reads of those that its scope writes.
func (s *State) singleRead(b, scope *tir.Block) (*tir.Buffer, error) {
	writers := s.deps(scope).writers
	var buf *tir.Buffer
	for _, r := range b.Reads {
		if r.Buffer == buf || writers[r.Buffer] == nil {
			continue
		}
		if buf != nil {
			buf = nil
			break
		}
		buf = r.Buffer
	}
	if buf == nil {
		return nil, s.fail("NotSingleReadWriteBuffer", fmt.Sprintf("The block is only allowed to read a single buffer region, but it reads %d region(s): {0}", len(b.Reads)), b)
	}
	return buf, nil
}

// onlyProducer returns the only innermost block of a scope that writes a buffer, which must be complete.
func (s *State) onlyProducer(consumer *tir.Block, buf *tir.Buffer, root site) (site, error) {
	const msg = "The consumer block {0} to be inlined is required to have only a single producer block, and the producer block should be a complete block who has only a single consumer"
	var found []*tir.Block
	var err error
	var below func(b *tir.Block) bool
	below = func(b *tir.Block) (inner bool) {
		for _, r := range realizes(b) {
			inner = below(r.Block) || inner
		}
		if inner || b == root.Block() {
			return inner
		}
		for _, w := range b.Writes {
			if w.Buffer == buf {
				if (s.incomplete(b, root.Block()) > 0 || b.Init != nil) && err == nil { // a block with an init stores twice, which TVM forgets
					err = s.fail("NonSingleProducerError", msg, b)
				}
				found = append(found, b)
				return true
			}
		}
		return false
	}
	below(root.Block())
	if err != nil {
		return site{}, err
	}
	if len(found) != 1 {
		return site{}, s.fail("NonSingleProducerError", msg, consumer)
	}
	at, _ := s.below(root, found[0])
	visit(root.Block().Body, func(x tir.Stmt) bool { // TVM forgets others that read the buffer
		b, ok := x.(*tir.Block)
		if ok && b != consumer && b != found[0] && len(realizes(b)) == 0 && (regionOf(b.Reads, buf) != nil || regionOf(b.Writes, buf) != nil) {
			err = s.fail("NonSingleProducerError", msg, consumer)
		}
		return err == nil
	})
	return at, err
}

// reverser rewrites the store of a producer to that of its consumer.
type reverser struct {
	buf                *tir.Buffer
	producer, consumer *tir.Block
	out                *tir.BufferStore // of the consumer
	in                 []tir.Expr       // indices of what it reads
	sub                map[*tir.Var]tir.Expr
	an                 *arith.Analyzer
}

// analyze finds what the variables of the consumer are at the element that the producer stores.
func (v *reverser) analyze() bool {
	var ok bool
	if v.out, ok = v.consumer.Body.(*tir.BufferStore); !ok {
		return false
	}
	var indices []tir.Expr
	same := true
	look := func(e tir.Expr) {
		ir.Walk(e, func(n ir.Node) bool {
			if l, ok := n.(*tir.BufferLoad); ok && l.Buffer == v.buf {
				if indices == nil {
					indices = l.Indices
				}
				for i, x := range l.Indices {
					same = same && tir.Equal(x, indices[i])
				}
			}
			return true
		})
	}
	for _, e := range v.out.Indices {
		look(e)
	}
	look(v.out.Value)
	if indices == nil || !same {
		return false
	}
	for _, iv := range v.consumer.IterVars {
		if tir.IsConst(iv.Dom.Extent, 1) && !tir.Symbolic(iv.Dom.Min) {
			v.sub[iv.Var] = iv.Dom.Min
		}
	}
	v.in = indices
	res := arith.DetectIterMap(indices, domains(v.consumer), tir.Bool(true), arith.NoCheck, v.an, false)
	if len(res.Indices) == 0 {
		return false
	}
	store := storeOf(v.producer)
	if store == nil {
		return false
	}
	inverse, err := arith.InverseAffineIterMap(res.Indices, store.Indices)
	if err != nil {
		return false
	}
	for x, e := range inverse {
		v.sub[x] = e
	}
	return v.covered()
}

// storeOf returns the store that is all that a block does, perhaps under a condition; nil if it does anything else.
func storeOf(b *tir.Block) *tir.BufferStore {
	body := b.Body
	if c, ok := body.(*tir.IfThenElse); ok && c.Else == nil {
		body = c.Then
	}
	store, _ := body.(*tir.BufferStore)
	return store
}

// covered reports whether the producer reaches the ends of the domain of the consumer.
func (v *reverser) covered() bool {
	doms := arith.AsIntSets(domains(v.producer))
	for _, iv := range v.consumer.IterVars {
		e, ok := v.sub[iv.Var]
		if !ok {
			return false
		}
		set := arith.EvalSet(e, doms)
		end := tir.Sub(tir.Add(iv.Dom.Min, iv.Dom.Extent), tir.Const(iv.Dom.Extent.DType(), 1))
		if set.Min != nil && v.an.CanProve(tir.GT(set.Min, iv.Dom.Min)) || set.Max != nil && v.an.CanProve(tir.LT(set.Max, end)) {
			return false
		}
	}
	return true
}

// store is what the producer does in place of its store.
func (v *reverser) store(p *tir.BufferStore) tir.Stmt {
	return v.mapper(func(*tir.BufferLoad) tir.Expr { return p.Value }).MapStmt(v.out)
}

// mapper replaces the variables of the consumer, and what reads the buffer between the two by what load makes of it.
func (v *reverser) mapper(load func(l *tir.BufferLoad) tir.Expr) *tir.Mapper {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if x, ok := e.(*tir.Var); ok {
			if y, ok := v.sub[x]; ok {
				return y
			}
			return e
		}
		out := m.MapExpr(e)
		if l, ok := out.(*tir.BufferLoad); ok && l.Buffer == v.buf {
			return load(l)
		}
		return out
	}
	return m
}

// realize guards the producer where its elements may lie outside of the domain of the consumer.
func (v *reverser) realize(old *tir.Block, r *tir.BlockRealize) *tir.BlockRealize {
	if old != v.producer {
		return r
	}
	b := r.Block
	for _, iv := range b.IterVars {
		v.an.BindRange(iv.Var, iv.Dom)
	}
	inside := tir.Expr(tir.Bool(true))
	for _, iv := range v.consumer.IterVars {
		inside = tir.And(inside, tir.And(tir.GE(iv.Var, iv.Dom.Min), tir.LT(iv.Var, tir.Add(iv.Dom.Min, iv.Dom.Extent))))
	}
	for d, x := range storeOf(v.producer).Indices { // TVM forgets elements that the consumer does not read, as of one row
		if at := tir.SubstExpr(v.in[d], v.sub); !v.an.CanProveEqual(at, x) {
			inside = tir.And(inside, tir.EQ(at, x))
		}
	}
	pred := v.an.Simplify(tir.SubstExpr(inside, v.sub))
	if tir.IsTrue(pred) {
		return r
	}
	if c, ok := b.Body.(*tir.IfThenElse); ok && c.Else == nil {
		if !tir.Equal(pred, v.an.Simplify(c.Cond)) {
			pred = v.an.Simplify(tir.And(pred, c.Cond))
			b = b.WithBody(c.Then)
		}
	}
	outer := v.an.Simplify(tir.SubstExpr(pred, bindings(r)))
	if !tir.IsTrue(r.Predicate) {
		outer = tir.And(r.Predicate, outer) // TVM drops the producer's own predicate here
	}
	return r.WithBlock(b).WithPredicate(outer)
}
