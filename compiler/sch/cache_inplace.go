package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// CacheInplace has a block that reads and writes a buffer work on a copy in a memory scope, which is filled right before the block and copied back
// right behind it (TVM's cache_inplace). It returns the two blocks that copy.
func (s *State) CacheInplace(b *Block, index int, scope string) (*State, []*Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, nil, err
	}
	block := at.Block()
	r, err := s.nthRegion(block, index, readSide)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, false)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkReadersCovered(root, r.Buffer); err != nil {
		return nil, nil, err
	}
	w := regionOf(block.Writes, r.Buffer)
	if w == nil {
		return nil, nil, s.fail("NotReadWriteError", "The target block {0} does not both read & write target buffer {1}.", block, r.Buffer)
	}
	if err := s.checkOnlyLoops(at, root); err != nil {
		return nil, nil, err
	}
	an := arith.NewAnalyzer()
	for _, iv := range block.IterVars {
		an.BindRange(iv.Var, iv.Dom)
	}
	for i, x := range w.Region { // what the block leaves of it must come from the copy
		y := r.Region[i]
		if !an.CanProve(tir.And(tir.GE(x.Min, y.Min), tir.LE(tir.Add(x.Min, x.Extent), tir.Add(y.Min, y.Extent)))) {
			return nil, nil, s.fail("NotReadWriteError", "The target block {0} writes elements of buffer {1} that it does not read, so that its copy may hold others there.", block, r.Buffer)
		}
	}
	if l := s.idle(at, at.loops(), an); l != nil {
		return nil, nil, s.fail("IdleLoopError", "The loop {0}, over which block {1} reduces, may have no iteration, so that its initial value would not be copied", l, block)
	}
	cache := withScope(r.Buffer, scope)
	stage := func(at site, region *tir.BufferRegion, from, to *tir.Buffer) *cacheStage {
		root, _ := at.scope()
		c := &cacheStage{root: root, from: from, to: to, pred: at.Realize().Predicate, region: substRegion(region, bindings(at.Realize()))}
		c.beside(at)
		return c
	}
	before := stage(at, r, r.Buffer, cache)
	before.copyBlock(scope, true, true)
	rd := &redirect{old: r.Buffer, now: cache, writes: true}
	rd.same()
	rd.enter = func(x *tir.Block, under bool) (rewrite, below bool) {
		here := x == block || under
		return here, here
	}
	out, first := before.rewrite(s, rd, cache).refer(at.fn, before.block)
	if at, err = out.block(b); err != nil {
		return nil, nil, err
	}
	after := stage(at, w, cache, r.Buffer)
	after.copyBlock(scope, true, false)
	after.pos++
	none := &redirect{old: r.Buffer, now: r.Buffer, enter: func(*tir.Block, bool) (bool, bool) { return false, false }}
	out, second := after.rewrite(out, none, nil).refer(at.fn, after.block)
	return out, []*Block{first, second}, nil
}

// beside puts the copy where a block stands: into the innermost loop around it, or the scope.
func (c *cacheStage) beside(at site) {
	for i := len(at.path) - 3; i >= 0; i-- { // above what runs the block
		switch x := at.path[i].(type) {
		case *tir.SeqStmt:
			c.pos = slices.Index(x.Seq, at.path[i+1])
		case *tir.For, *tir.Block:
			c.loc = x
			return
		}
	}
}
