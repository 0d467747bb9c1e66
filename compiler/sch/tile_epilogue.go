package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// Epilogue returns the blocks that TileReduction can compute where it writes the results of a reduction: the only consumer of its results, the only
// consumer of that, and so on. Each depends on the one element that the block before it writes at its own iteration variables.
func (s *State) Epilogue(b *Block) []*tir.Block {
	at, err := s.block(b)
	if err != nil {
		return nil
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil
	}
	return s.epilogueOf(at, root)
}

// epilogueOf returns the blocks of the epilogue of a reduction. It is asked for twice: to plan a tile, and to check the plan.
func (s *State) epilogueOf(at, root site) []*tir.Block {
	last := &s.facts.epilogue
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	if last.of != at.Block() || last.root != root.Block() {
		last.of, last.root, last.list = at.Block(), root.Block(), findEpilogue(at, root)
	}
	return last.list
}

// findEpilogue derives the blocks of an epilogue from their scope.
func findEpilogue(at, root site) []*tir.Block {
	q, ok := root.Block().Body.(*tir.SeqStmt)
	if !ok || !original(at) {
		return nil
	}
	d := depsOf(root.Block())
	readers := map[*tir.Buffer][]*tir.Block{}
	for _, r := range d.blocks {
		reads, writes := declared(r.Block)
		for _, x := range withHidden(r.Block, reads, writes, locals(root.Block())) {
			readers[x.Buffer] = append(readers[x.Buffer], r.Block)
		}
	}
	place := func(p site) int { return slices.Index(q.Seq, nestSite(p).stmt()) }
	var out []*tir.Block
	for p := at; ; {
		st := p.Block().Body.(*tir.BufferStore)
		r := readers[st.Buffer]
		if p.Block() == at.Block() {
			r = slices.DeleteFunc(slices.Clone(r), func(b *tir.Block) bool { return b == p.Block() })
		}
		if len(r) != 1 || len(d.writers[st.Buffer]) != 1 || !slices.Contains(root.Block().AllocBuffers, st.Buffer) {
			return out
		}
		c := siteIn(root, q, r[0])
		if c == nil || place(*c) < 0 || place(at) < 0 || !pointwise(*c) || matches(c.Block(), st) == nil || len(out) == 0 && !writesAll(at.Block()) {
			return out
		}
		// What it reads besides must have been written before the reduction runs, and what it writes may be used only before that or after itself.
		for _, x := range c.Block().Reads {
			for _, w := range d.writers[x.Buffer] {
				if w != p.Block() && !placedBefore(root, q, w, place(at)) {
					return out
				}
			}
		}
		for _, w := range c.Block().Writes {
			for _, u := range append(slices.Clone(d.writers[w.Buffer]), readers[w.Buffer]...) {
				if u == c.Block() {
					continue
				}
				x := siteIn(root, q, u)
				if x == nil || place(*x) >= place(at) && place(*x) <= place(*c) {
					return out
				}
			}
		}
		p, out = *c, append(out, c.Block())
	}
}

// siteIn returns where a child block stands in a scope whose body is a sequence.
func siteIn(root site, q *tir.SeqStmt, b *tir.Block) *site {
	at, ok := site{root.fn, root.f, root.path}, false
	for _, x := range q.Seq {
		if path := find(x, func(y tir.Stmt) bool { return y == tir.Stmt(b) }, nil); path != nil {
			at.path, ok = append(append(slices.Clone(root.path), q), path...), true
			break
		}
	}
	if !ok {
		return nil
	}
	return &at
}

// placedBefore reports whether a child block stands in a statement of the scope before the n-th.
func placedBefore(root site, q *tir.SeqStmt, b *tir.Block, n int) bool {
	for _, x := range q.Seq[:n] {
		if find(x, func(y tir.Stmt) bool { return y == tir.Stmt(b) }, nil) != nil {
			return true
		}
	}
	return false
}

// pointwise reports whether a block stores one element for each point of its domain, without reducing, and does not read what it writes.
func pointwise(at site) bool {
	b := at.Block()
	st, ok := b.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil || b.Init != nil || len(b.MatchBuffers)+len(b.AllocBuffers) > 0 || !original(at) || regionOf(b.Reads, st.Buffer) != nil {
		return false
	}
	return !slices.ContainsFunc(b.IterVars, func(iv *tir.IterVar) bool { return iv.Kind != tir.DataPar })
}

// writesAll reports whether a block, over its domain, stores to each element of a buffer: it stores to as many different ones as there are.
func writesAll(b *tir.Block) bool {
	st, ok := b.Body.(*tir.BufferStore)
	if !ok || st.Predicate != nil || len(st.Buffer.Strides) > 0 {
		return false
	}
	doms := map[*tir.Var]*tir.Range{}
	an := arith.NewAnalyzer()
	points, size := tir.Expr(tir.Int(1)), tir.Expr(tir.Int(1))
	for _, iv := range b.IterVars {
		an.BindRange(iv.Var, iv.Dom)
		if iv.Kind == tir.DataPar {
			doms[iv.Var] = iv.Dom
			points = tir.Mul(points, tir.CastTo(points.DType(), iv.Dom.Extent))
		}
	}
	for _, n := range st.Buffer.Shape {
		size = tir.Mul(size, tir.CastTo(size.DType(), n))
	}
	if !an.CanProveEqual(points, size) {
		return false
	}
	injective := func(list []tir.Expr) bool {
		return len(arith.DetectIterMap(list, doms, tir.Bool(true), arith.Bijective, an, true).Indices) > 0
	}
	if an.CanProveEqual(size, tir.Int(1)) {
		return true
	}
	return injective(st.Indices) || injective([]tir.Expr{an.Simplify(FlatIndex(st.Buffer, st.Indices))})
}

// matches maps the iteration variables of a consumer to the indices of a store, nil if the block does not read that buffer at exactly its iteration
// variables.
func matches(b *tir.Block, st *tir.BufferStore) map[*tir.Var]tir.Expr {
	var sub map[*tir.Var]tir.Expr
	doms := domains(b)
	for _, l := range Loads(b.Body.(*tir.BufferStore).Value, nil) {
		if l.Buffer != st.Buffer {
			continue
		}
		if sub != nil || l.Predicate != nil {
			return nil // it reads two elements
		}
		sub = map[*tir.Var]tir.Expr{}
		for k, ix := range l.Indices {
			v, isVar := ix.(*tir.Var)
			switch {
			case !isVar && tir.IsConst(ix, 0) && tir.IsConst(st.Buffer.Shape[k], 1):
			case !isVar, doms[v] == nil, sub[v] != nil, !tir.IsConst(doms[v].Min, 0), !arith.Equal(doms[v].Extent, st.Buffer.Shape[k]):
				return nil
			default:
				sub[v] = st.Indices[k]
			}
		}
	}
	if sub == nil {
		return nil
	}
	for _, iv := range b.IterVars {
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

// folded is the store of a consumer where the element that it depends on is stored.
func folded(consumer *tir.Block, st *tir.BufferStore) *tir.BufferStore {
	own := consumer.Body.(*tir.BufferStore)
	sub := matches(consumer, st)
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		switch x := e.(type) {
		case *tir.BufferLoad:
			if x.Buffer == st.Buffer {
				return st.Value
			}
		case *tir.Var:
			if y := sub[x]; y != nil {
				return y
			}
			return e
		}
		return m.MapExpr(e)
	}
	return &tir.BufferStore{Base: own.Base, Buffer: own.Buffer, Value: m.Expr(own.Value), Indices: mapExprs(own.Indices, m.Expr)}
}

// checkEpilogue finds the blocks that are to be computed where results are written.
func (t *tiler) checkEpilogue(root site, blocks []*Block) error {
	if len(blocks) == 0 {
		return nil
	}
	can := t.s.epilogueOf(t.at, root)
	for k, b := range blocks {
		at, err := t.s.block(b)
		if err != nil {
			return err
		}
		if k >= len(can) || can[k] != at.Block() {
			return t.s.fail("NotEpilogueError", "The block {1} cannot be computed where block {0} writes its results", t.b, at.Block())
		}
		t.epilogue = append(t.epilogue, at)
	}
	return nil
}

// merged returns the origin of what a block does that takes in others.
func (s *State) merged(into ir.OriginID, of ...ir.OriginID) ir.OriginID {
	for _, o := range of {
		if s.origins != nil && o != 0 && o != into {
			into = s.origins(o, into)
		}
	}
	return into
}
