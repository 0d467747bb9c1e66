package sch

import (
	"fmt"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/script"
	"github.com/irscope/irscope/compiler/tir"
)

// ReindexCacheRead copies the elements of a buffer that a block reads to one whose indices are those that the map makes of the variables of the
// block (TVM's reindex_cache_read).
func (s *State) ReindexCacheRead(b *Block, index int, scope string, m *tir.IndexMap) (*State, *Block, error) {
	return s.reindexCache(b, index, scope, m, readSide)
}

// ReindexCacheWrite has a block write to a buffer whose indices are those that the map makes of its variables, which is copied to the one that it
// wrote (TVM's reindex_cache_write).
func (s *State) ReindexCacheWrite(b *Block, index int, scope string, m *tir.IndexMap) (*State, *Block, error) {
	return s.reindexCache(b, index, scope, m, writeSide)
}

func (s *State) reindexCache(b *Block, index int, scope string, m *tir.IndexMap, side string) (*State, *Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkStorageScope(scope); err != nil {
		return nil, nil, err
	}
	block := at.Block()
	r, err := s.nthRegion(block, index, side)
	if err != nil {
		return nil, nil, err
	}
	root, err := s.scopeRoot(at, true)
	if err != nil {
		return nil, nil, err
	}
	c := &cacheStage{root: root, loc: root.Block(), region: r}
	if side == readSide {
		if err := s.checkNotWritten(block, r.Buffer); err != nil {
			return nil, nil, err
		}
		writer, err := s.onlyWriter(root.Block(), r.Buffer)
		if err != nil {
			return nil, nil, err
		}
		if writer != nil {
			c.detect(writer, map[*tir.Block]bool{block: true})
		}
	} else {
		if err := s.checkOnlyWriter(root.Block(), block, r.Buffer); err != nil {
			return nil, nil, err
		}
		if err := s.checkWritesFirst(at, r.Buffer); err != nil {
			return nil, nil, err
		}
		c.detect(block, s.readersAfter(root.Block(), block))
		if err := s.checkWritesAll(at, root, c.below(at), r, nil, nil); err != nil {
			return nil, nil, err
		}
	}
	for _, x := range r.Region {
		if !tir.IsConst(x.Extent, 1) {
			return nil, nil, s.fail("NotSinglePointAccess", fmt.Sprintf(
				"The buffer region %s accessed inside block {0} is not a single point, which violates the prerequisite of reindex_cache_%s primitive.", r.Buffer.Name, side), block)
		}
	}
	an := arith.NewAnalyzer()
	var vars, extents []tir.Expr
	for _, iv := range block.IterVars {
		// TVM takes all domains to begin at 0, and makes the buffer too small for others.
		vars, extents = append(vars, iv.Var), append(extents, an.Simplify(tir.Add(iv.Dom.Min, iv.Dom.Extent)))
	}
	indices := mapIndices(m, vars, an)
	if side == readSide {
		var points []tir.Expr
		for _, x := range r.Region {
			points = append(points, x.Min)
		}
		if err := s.checkUnguarded(at, root, r.Buffer, points); err != nil {
			return nil, nil, err
		}
	}
	if err := s.checkInjective(block, indices); err != nil {
		return nil, nil, err
	}
	shape, err := mapShape(m, extents, an)
	if err != nil {
		return nil, nil, err
	}
	cache := withScope(r.Buffer, scope)
	cache.Shape, cache.Strides = shape, nil
	if c.from, c.to = r.Buffer, cache; side == writeSide {
		c.from, c.to = cache, r.Buffer
	}
	if err := s.reindexStage(c, at, indices, scope, side); err != nil {
		return nil, nil, err
	}
	rd := &redirect{old: r.Buffer, now: cache, writes: side == writeSide}
	rd.to(indices)
	rd.enter = func(x *tir.Block, under bool) (rewrite, below bool) {
		here := x == block || under && side == writeSide
		return here, here || side == readSide && regionOf(x.Writes, r.Buffer) == nil
	}
	out, ref := c.rewrite(s, rd, cache).refer(at.fn, c.block)
	return out, ref, nil
}

// reindexStage makes the copy over the variables of the block that stand in its indices, and the loops that these are bound to.
func (s *State) reindexStage(c *cacheStage, at site, indices []tir.Expr, scope, side string) error {
	block := at.Block()
	var old []tir.Expr
	inOld, inNew, inValues := map[*tir.Var]bool{}, map[*tir.Var]bool{}, map[*tir.Var]bool{}
	for _, x := range c.region.Region {
		old = append(old, x.Min)
		varsOf(x.Min, inOld)
	}
	for _, e := range indices {
		varsOf(e, inNew)
	}
	sub := map[*tir.Var]tir.Expr{}
	var ivs []*tir.IterVar
	var values []tir.Expr
	for i, iv := range block.IterVars {
		if inOld[iv.Var] != inNew[iv.Var] {
			where, other := indices, old
			if inOld[iv.Var] {
				where, other = old, indices
			}
			return s.fail("ReindexCacheReadWriteNotMatchError", fmt.Sprintf("Error when applying reindex_cache_%s on block {0}, the block itervar %s appears in %s, but not in %s.",
				side, iv.Var.Name, spelled(where), spelled(other)), block)
		}
		if inNew[iv.Var] {
			v := tir.NewVar(iv.Var.Name, iv.Var.DType())
			sub[iv.Var] = v
			ivs = append(ivs, &tir.IterVar{Dom: iv.Dom, Var: v})
			values = append(values, at.Realize().Values[i])
			varsOf(at.Realize().Values[i], inValues)
		}
	}
	loops := c.below(at)
	for i := len(loops) - 1; i >= 0; i-- { // the extent of a loop may depend on those around it
		if l := loops[i]; inValues[l.LoopVar] {
			varsOf(l.Min, inValues)
			varsOf(l.Extent, inValues)
		}
	}
	var copies []*tir.For
	for _, l := range loops {
		if inValues[l.LoopVar] {
			v := tir.NewVar(l.LoopVar.Name, l.LoopVar.DType())
			copies = append(copies, &tir.For{LoopVar: v, Min: tir.SubstExpr(l.Min, sub), Extent: tir.SubstExpr(l.Extent, sub)})
			sub[l.LoopVar] = v
		}
	}
	if !tir.IsTrue(at.Realize().Predicate) { // TVM drops it, so that the copy runs beyond the domain
		for _, l := range loops {
			if !inValues[l.LoopVar] && usesVar(at.Realize().Predicate, l.LoopVar) {
				return fmt.Errorf("the predicate of block %s is about loop %s, over which the copy does not run", block.Name, l.LoopVar.Name)
			}
		}
		c.pred = tir.SubstExpr(at.Realize().Predicate, sub)
	}
	replaced := func(list []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(list))
		for i, e := range list {
			out[i] = tir.SubstExpr(e, sub)
		}
		return out
	}
	src, dst := replaced(old), replaced(indices)
	if side == writeSide {
		src, dst = dst, src
	}
	c.copyOf(c.region.Buffer.Name+"_"+scope, copies, ivs, replaced(values), src, dst)
	return nil
}

func spelled(list []tir.Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = script.Node(e, script.Options{})
	}
	return "[" + strings.Join(out, ", ") + "]"
}
