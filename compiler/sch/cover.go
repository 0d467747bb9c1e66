package sch

import (
	"slices"
	"sync"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// facts remembers which blocks find all that they read covered by what others wrote. All states that come from one another share it: nodes
// never change, so what holds of them holds for ever.
type facts struct {
	mu     sync.Mutex
	covers map[inScope]covered
	parts  map[tir.Stmt]*partFacts
	// deps are those that were asked for last.
	deps struct {
		of   tir.Stmt
		list *scopeDeps
	}
	// staged are the functions whose root block was a stage pipeline once.
	staged map[string]bool
	// epilogue is that which was asked for last.
	epilogue struct {
		of, root *tir.Block
		list     []*tir.Block
	}
}

// maxFacts bounds what is remembered.
const maxFacts = 1 << 14

// inScope is a block in the part of its scope's body that it stands in.
type inScope struct {
	block *tir.Block
	part  tir.Stmt
}

type covered struct {
	by []inScope
	ok bool
}

// nested is a child block of a scope with the loops around it there, outermost first.
type nested struct {
	inScope
	realize *tir.BlockRealize
	loops   []*tir.For
}

// childrenOf returns the child blocks of a block with their loops.
func childrenOf(scope *tir.Block) map[*tir.Block]nested {
	out := map[*tir.Block]nested{}
	parts := []tir.Stmt{scope.Body}
	if q, ok := scope.Body.(*tir.SeqStmt); ok {
		parts = q.Seq
	}
	var loops []*tir.For
	for _, part := range parts {
		var below func(tir.Stmt)
		below = func(x tir.Stmt) {
			switch x := x.(type) {
			case *tir.BlockRealize:
				out[x.Block] = nested{inScope{x.Block, part}, x, slices.Clone(loops)}
				return
			case *tir.For:
				loops = append(loops, x)
				below(x.Body)
				loops = loops[:len(loops)-1]
				return
			}
			children(x, below)
		}
		below(part)
	}
	return out
}

// stagePipeline reports whether the child blocks of a block only read what others wrote before, all of it (TVM's flag of that name).
func (s *State) stagePipeline(root site) bool {
	d := s.deps(root.Block())
	for _, r := range d.blocks {
		for _, x := range d.byDst[r.Block] {
			if x.kind == writeAfterRead {
				return false
			}
		}
	}
	if s.wasStaged(root) {
		return true
	}
	kids := childrenOf(root.Block())
	for _, r := range d.blocks {
		if !s.regionCover(root, d, kids, r.Block) {
			return false
		}
	}
	s.noteStaged(root)
	return true
}

// wasStaged reports whether a scope that a rule schedules is known to be a stage pipeline: it was one, and primitives keep what blocks find.
func (s *State) wasStaged(root site) bool {
	if !s.rules || len(root.path) > 2 {
		return false
	}
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	return s.facts.staged[root.fn]
}

func (s *State) noteStaged(root site) {
	if !s.rules || len(root.path) > 2 {
		return
	}
	s.facts.mu.Lock()
	defer s.facts.mu.Unlock()
	if s.facts.staged == nil {
		s.facts.staged = map[string]bool{}
	}
	s.facts.staged[root.fn] = true
}

// regionCover reports whether what a block reads of what others in its scope write was written by them in the same iteration of the loops that
// they share.
func (s *State) regionCover(root site, d *scopeDeps, kids map[*tir.Block]nested, b *tir.Block) bool {
	to := kids[b]
	var from []nested
	var by []inScope
	for _, x := range d.byDst[b] {
		if x.kind == readAfterWrite {
			from = append(from, kids[x.src])
			by = append(by, kids[x.src].inScope)
		}
	}
	if len(from) == 0 {
		return true
	}
	s.facts.mu.Lock()
	known, ok := s.facts.covers[to.inScope]
	s.facts.mu.Unlock()
	if ok && slices.Equal(known.by, by) {
		return known.ok
	}
	for i, p := range from {
		if s.rules { // where parts of sums have no first step, their init will run
			from[i].realize = p.realize.WithPredicate(ofResults(p.realize, p.loops))
		}
	}
	ok = covers(root, to, from)
	s.facts.mu.Lock()
	if s.facts.covers == nil || len(s.facts.covers) > maxFacts {
		s.facts.covers = map[inScope]covered{}
	}
	s.facts.covers[to.inScope] = covered{by, ok}
	s.facts.mu.Unlock()
	return ok
}

func covers(root site, to nested, from []nested) bool {
	if allCovered(to, from) {
		return true
	}
	an := arith.NewAnalyzer()
	bound := map[*tir.For]bool{}
	above := append(slices.Clone(allLoops(root)), to.loops...)
	byDepth := map[int][]nested{}
	for _, p := range from {
		k := 0
		for k < len(p.loops) && k < len(to.loops) && p.loops[k] == to.loops[k] {
			k++
		}
		byDepth[k] = append(byDepth[k], p)
		for _, l := range p.loops {
			if !bound[l] {
				bound[l] = true
				an.BindRange(l.LoopVar, rangeOf(l))
			}
		}
	}
	for _, l := range above {
		if !bound[l] {
			bound[l] = true
			an.BindRange(l.LoopVar, rangeOf(l))
		}
	}
	outer := allLoops(root)
	in, _ := declared(to.block)
	reads := substRegions(in, bindings(to.realize))
	for _, p := range from {
		if undeclared(p.block) {
			return false // it may write less than all
		}
	}
	for k, producers := range byDepth {
		written := map[*tir.Buffer][][]arith.IntSet{}
		for _, p := range producers {
			for _, w := range substRegions(p.block.Writes, bindings(p.realize)) {
				dom := relaxed(p.loops[k:], append(slices.Clone(outer), p.loops[:k]...), w.Buffer)
				sets, ok := arith.EstimateRegionLowerBound(w.Region, dom, p.realize.Predicate, an)
				if !ok {
					sets = make([]arith.IntSet, len(w.Region))
					for i := range sets {
						sets[i] = arith.Nothing()
					}
				}
				written[w.Buffer] = append(written[w.Buffer], sets)
			}
		}
		for _, r := range reads {
			if len(written[r.Buffer]) == 0 {
				continue
			}
			dom := relaxed(to.loops[k:], append(slices.Clone(outer), to.loops[:k]...), r.Buffer)
			consumed := arith.EstimateRegionUpperBound(r.Region, dom, to.realize.Predicate, an)
			if !producerCovers(r.Buffer.Shape, arith.UnionRegionLowerBound(written[r.Buffer]), consumed, an) {
				return false
			}
		}
	}
	return true
}

// allCovered reports whether all that a block reads of what others write are buffers that one of these writes as a whole before: the case of most
// blocks, which needs no analysis.
func allCovered(to nested, from []nested) bool {
	in, _ := declared(to.block)
	whole, part := map[*tir.Buffer]bool{}, map[*tir.Buffer]bool{}
	for _, p := range from {
		if undeclared(p.block) {
			return false
		}
		for _, w := range p.block.Writes {
			if p.part != to.part && fills(p, w) {
				whole[w.Buffer] = true
			} else {
				part[w.Buffer] = true
			}
		}
	}
	for _, r := range in {
		if part[r.Buffer] && !whole[r.Buffer] {
			return false
		}
	}
	return true
}

// fills reports whether a block writes all of a buffer: its element at variables that are bound to different loops over the axes of the buffer.
func fills(p nested, w *tir.BufferRegion) bool {
	if !tir.IsTrue(p.realize.Predicate) {
		return false
	}
	used := map[*tir.For]bool{}
	for k, x := range w.Region {
		if !tir.IsConst(x.Extent, 1) {
			return false
		}
		n := w.Buffer.Shape[k]
		i := slices.IndexFunc(p.block.IterVars, func(iv *tir.IterVar) bool { return x.Min == tir.Expr(iv.Var) })
		if i < 0 {
			if tir.IsConst(x.Min, 0) && tir.IsConst(n, 1) {
				continue
			}
			return false
		}
		v, _ := p.realize.Values[i].(*tir.Var)
		l := loopOf(p.loops, v)
		if l == nil || used[l] || !tir.IsConst(l.Min, 0) || l.Step != nil || !tir.Equal(l.Extent, n) {
			return false
		}
		used[l] = true
	}
	return true
}

// allLoops returns all loops around a site, those outside of its scope too, outermost first.
func allLoops(p site) []*tir.For {
	var out []*tir.For
	for _, x := range p.path[:len(p.path)-1] {
		if l, ok := x.(*tir.For); ok {
			out = append(out, l)
		}
	}
	return out
}

// relaxed returns the ranges of loops, and of those loops outside of them that are threads which share the memory of a buffer.
func relaxed(loops, outer []*tir.For, b *tir.Buffer) map[*tir.Var]*tir.Range {
	dom := ranges(loops)
	scope := b.Scope()
	if scope == "" || scope == "global" {
		return dom
	}
	for _, l := range outer {
		if l.Kind == tir.ThreadBinding && l.Thread != nil && sharedAmong(scope, l.Thread.ThreadTag) {
			dom[l.LoopVar] = rangeOf(l)
		}
	}
	return dom
}

// producerCovers reports whether the written sets hold the read ones within the buffer.
func producerCovers(shape []tir.Expr, produced, consumed []arith.IntSet, an *arith.Analyzer) bool {
	for i, n := range shape {
		if produced[i].Empty {
			return false
		}
		if consumed[i].Empty {
			continue
		}
		whole := arith.FromMinExtent(tir.Const(n.DType(), 0), n)
		p := arith.Intersect(simplifiedSet(produced[i], an), whole)
		c := arith.Intersect(simplifiedSet(consumed[i], an), whole)
		if p.Empty || c.Empty {
			if c.Empty {
				continue
			}
			return false
		}
		if p.Min == nil || p.Max == nil || c.Min == nil || c.Max == nil {
			return false
		}
		if !notPositive(tir.Sub(an.Simplify(p.Min), an.Simplify(c.Min)), an, splitsOfBounds) || !notPositive(tir.Sub(an.Simplify(c.Max), an.Simplify(p.Max)), an, splitsOfBounds) {
			return false
		}
	}
	return true
}

func simplifiedSet(x arith.IntSet, an *arith.Analyzer) arith.IntSet {
	if x.Min != nil {
		x.Min = an.CanonicalSimplify(x.Min)
	}
	if x.Max != nil {
		x.Max = an.CanonicalSimplify(x.Max)
	}
	return x
}
