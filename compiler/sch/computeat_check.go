package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/tir"
)

// checkStillCovers returns an error if a moved block no longer writes all that its consumers read, or all of an output: what it reads of its
// producers does not lead it to all that it writes, as for a block that pads. TVM moves it all the same.
func (s *State) checkStillCovers(out *State, m *mover) error {
	at, ok := out.locate(m.at.fn, func(x tir.Stmt) bool { return x == tir.Stmt(m.at.Block()) })
	if !ok {
		return nil
	}
	if l := repeatsSteps(at); l != nil {
		return s.fail("RepeatedReductionError", "The iterations of the loop {0} would repeat steps of the reduction in block {1}", l, at.Block())
	}
	root, _ := at.scope()
	d, kids := s.deps(root.Block()), childrenOf(root.Block())
	for _, c := range d.consumers(at.Block()) {
		if !out.regionCover(root, d, kids, c) {
			return s.fail("NotRegionCoverError", "The block {0} would not write all that block {1} reads: what it reads of its producers does not lead it there", m.at.Block(), c)
		}
	}
	if isOutput(at.Block(), root.Block()) {
		moved := &mover{at: at}
		if !moved.mayCoverDomain() {
			return s.fail("NotRegionCoverError", "The block {0} would not write all that it does now: what it reads of its producers does not lead it there", m.at.Block())
		}
	}
	return nil
}

// repeatsSteps returns a loop at or below the outermost one that a block reduces over whose iterations repeat steps of the reduction, nil if none does.
func repeatsSteps(at site) *tir.For {
	loops := at.loops()
	for k, l := range loops {
		for i, iv := range at.Block().IterVars {
			if iv.Kind == tir.CommReduce && usesVar(at.Realize().Values[i], l.LoopVar) {
				return repeating(at.Realize(), loops[k:])
			}
		}
	}
	return nil
}

// checkNotIdle returns an error if a loop that the block is moved under may have no iteration, unless a producer runs over it: the block would not run
// then, nor if the producer reduces over it and gives its initial value. TVM moves it all the same.
func (s *State) checkNotIdle(m *mover, producers []*tir.Block) error {
	for _, l := range append(m.to.loops(), m.to.For()) {
		if m.an.CanProve(tir.GT(l.Extent, tir.Const(l.Extent.DType(), 0))) {
			continue
		}
		spatial := false // then the producer has nothing to give, and the block nothing to do
		for _, r := range realizes(m.to.stmt()) {
			for i, iv := range r.Block.IterVars {
				if !slices.Contains(producers, r.Block) || !usesVar(r.Values[i], l.LoopVar) {
					continue
				}
				if iv.Kind == tir.CommReduce {
					return s.fail("IdleLoopError", "The loop {0}, over which block {1} reduces, may have no iteration, so that block {2} would not run", l, r.Block, m.at.Block())
				}
				spatial = true
			}
		}
		if !spatial {
			return s.fail("IdleLoopError", "The loop {0} may have no iteration, so that block {1} would not run", l, m.at.Block())
		}
	}
	return nil
}

// keepsOrder returns an error if the block would run before what it needs, or behind what needs it, outside of the loop. TVM looks inside of the
// loop only.
func (s *State) keepsOrder(m *mover, d *scopeDeps) error {
	first, last := len(d.blocks), -1
	place := map[*tir.Block]int{}
	for i, r := range d.blocks {
		place[r.Block] = i
	}
	for _, r := range realizes(m.to.stmt()) {
		first, last = min(first, place[r.Block]), max(last, place[r.Block])
	}
	b := m.at.Block()
	for _, x := range d.byDst[b] {
		if place[x.src] > last {
			return s.fail("InsertionPointNotFoundError", "The block {0} must run behind block {1}, which stands behind the loop {2}", b, x.src, m.to.stmt())
		}
	}
	for _, x := range d.bySrc[b] {
		if place[x.dst] < first {
			return s.fail("InsertionPointNotFoundError", "The block {0} must run before block {1}, which stands before the loop {2}", b, x.dst, m.to.stmt())
		}
	}
	return nil
}

// keepsElements returns an error if the block would leave a loop in each iteration of which a producer writes the same elements, which the block reads: behind the loop only
// the last ones are left. TVM moves it all the same.
func (s *State) keepsElements(m *mover, d *scopeDeps) error {
	b, stay := m.at.Block(), append(m.to.loops(), m.to.For())
	for _, l := range m.at.loops() {
		if slices.Contains(stay, l) || tir.IsConst(l.Extent, 1) {
			continue
		}
		for _, p := range realizes(l) {
			if !slices.ContainsFunc(d.byDst[b], func(x dep) bool { return x.src == p.Block }) {
				continue
			}
			for _, w := range p.Block.Writes {
				if slices.ContainsFunc(b.Reads, func(r *tir.BufferRegion) bool { return r.Buffer == w.Buffer }) && !moves(p, w, l.LoopVar) {
					return s.fail("InsertionPointNotFoundError", "The block {0} must stay in the loop {1}, in each iteration of which block {2} writes the same elements of "+w.Buffer.Name, b, l, p.Block)
				}
			}
		}
	}
	return nil
}

// moves reports whether what a block writes depends on a loop.
func moves(r *tir.BlockRealize, w *tir.BufferRegion, loop *tir.Var) bool {
	for _, x := range w.Region {
		for i, iv := range r.Block.IterVars {
			if (usesVar(x.Min, iv.Var) || usesVar(x.Extent, iv.Var)) && usesVar(r.Values[i], loop) {
				return true
			}
		}
	}
	return false
}

// statements returns those of a sequence, or x alone.
func statements(x tir.Stmt) []tir.Stmt {
	if q, ok := x.(*tir.SeqStmt); ok {
		return slices.Clone(q.Seq)
	}
	return []tir.Stmt{x}
}
