package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// BlockizeBlocks makes one block around blocks that follow each other below the innermost loop or block that they share (TVM's blockize of a list).
func (s *State) BlockizeBlocks(blocks []*Block, preserveUnit bool) (*State, *Block, error) {
	if len(blocks) < 2 {
		return nil, nil, fmt.Errorf("target: expected a loop or at least two blocks, got %d", len(blocks))
	}
	var sites []site
	for _, b := range blocks {
		at, err := s.block(b)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range sites {
			if p.stmt() == at.stmt() {
				return nil, nil, fmt.Errorf("target: block %s is given twice", at.Block().Name)
			}
			if p.fn != at.fn {
				return nil, nil, fmt.Errorf("target: the blocks stand in different functions, %s and %s", p.fn, at.fn)
			}
		}
		sites = append(sites, at)
	}
	top := commonAncestor(sites)
	lca, _ := s.below(rootSite(sites[0]), top)
	seq, from, to, err := s.stretch(sites, lca)
	if err != nil {
		return nil, nil, err
	}
	an := arith.NewAnalyzer()
	became := reuse{}
	var outerVars []*tir.IterVar
	var outerValues []tir.Expr
	var outerPred tir.Expr
	var reads, writes []*tir.BufferRegion
	name := "outer_"
	bodies := make([]tir.Stmt, to-from)
	place := map[tir.Stmt]int{}
	for i := from; i < to; i++ {
		visit(seq.Seq[i], func(x tir.Stmt) bool {
			if _, ok := x.(*tir.Block); ok {
				place[x] = i - from
			}
			return true
		})
	}
	loopVars := map[*tir.Var]tir.Expr{}
	for _, at := range sites {
		block := at.Block()
		k := 0
		for i, l := range at.loops() {
			if tir.Stmt(l) == top {
				k = i + 1
			}
		}
		d, err := s.divideAt(at, k, an, preserveUnit)
		if err != nil {
			return nil, nil, err
		}
		ivs, values := d.outer(outerVars)
		if outerVars == nil {
			outerVars, outerValues, outerPred = ivs, values, d.outerPred
		} else if err := s.checkSameOuter(d, outerVars, outerValues, outerPred, values); err != nil {
			return nil, nil, err
		}
		for i, e := range outerValues {
			if v, ok := e.(*tir.Var); ok {
				loopVars[v] = outerVars[i].Var
			}
		}
		parts := d.inner(outerVars, preserveUnit)
		for _, iv := range parts.vars {
			iv.Dom = &tir.Range{Min: tir.SubstExpr(iv.Dom.Min, loopVars), Extent: tir.SubstExpr(iv.Dom.Extent, loopVars)}
		}
		sub := substSimplified(block, parts.sub, an, became)
		if sub.Init != nil {
			for i, iv := range block.IterVars { // the outer variables have the kinds of the first block
				if iv.Kind == tir.CommReduce && !tir.IsConst(outerVars[i].Dom.Extent, 1) {
					return nil, nil, s.fail("OuterReductionError", "The block {0} is a reduction over loops outside of the new block, which is only possible for a single block", block)
				}
			}
		}
		reads = append(reads, relaxRegions(sub.Reads, parts.vars)...)
		writes = append(writes, relaxRegions(sub.Writes, parts.vars)...)
		name += sub.Name + "_"
		in := parts.realize(sub, d.innerPred, false)
		if sub.Init != nil {
			in = in.WithBlock(in.Block.WithInit(sub.Init))
		}
		became[block] = in.Block
		bodies[place[block]] = nestOf(d.loops, in, loopVars)
	}
	used := map[*tir.Var]bool{}
	for _, x := range bodies {
		varsOf(x, used)
	}
	around := lca.loops()
	if l, ok := lca.stmt().(*tir.For); ok {
		around = append(around, l)
	}
	for _, l := range around { // blocks without variables may use them
		if len(outerVars) > 0 && used[l.LoopVar] {
			return nil, nil, fmt.Errorf("target: the blocks use the loop over %s, which no variable of the new block stands for", l.LoopVar.Name)
		}
	}
	outer := &tir.Block{IterVars: outerVars, Reads: unionRegions(reads), Writes: unionRegions(writes), Name: name, Body: tir.Seq(bodies...)}
	realize := &tir.BlockRealize{Values: outerValues, Predicate: outerPred, Block: outer}
	list := append([]tir.Stmt(nil), seq.Seq[:from]...)
	body := tir.Seq(append(append(list, realize), seq.Seq[to:]...)...)
	out, ref := s.replace(lca, swap(seq, body).MapStmt(lca.stmt()), became).refer(lca.fn, outer)
	return out, ref, nil
}

// stretch returns the sequence below the innermost common statement of blocks, and which of its statements hold them: each one of the blocks, in the
// loops around it, and nothing else.
func (s *State) stretch(sites []site, lca site) (seq *tir.SeqStmt, from, to int, err error) {
	body := tir.Stmt(nil)
	children(lca.stmt(), func(x tir.Stmt) { body = x })
	seq, ok := body.(*tir.SeqStmt)
	if !ok {
		return nil, 0, 0, fmt.Errorf("target: the blocks must not be nested with each other, and stand in one sequence of statements")
	}
	wanted := map[tir.Stmt]bool{}
	for _, at := range sites {
		wanted[at.stmt()] = true
	}
	from = -1
	found := 0
	for i, x := range seq.Seq {
		has := false
		for _, r := range realizes(&tir.Block{Body: x}) {
			has = has || wanted[r.Block]
		}
		if !has {
			continue
		}
		if from < 0 {
			from = i
		} else if i != to {
			return nil, 0, 0, fmt.Errorf("target: the blocks must be consecutive")
		}
		to = i + 1
		for {
			if l, ok := x.(*tir.For); ok {
				x = l.Body
				continue
			}
			break
		}
		r, ok := x.(*tir.BlockRealize)
		if !ok || !wanted[r.Block] {
			return nil, 0, 0, s.fail("NotOnlyChildError", "The loops around a block that is to be in the new one hold more than it: {0}", seq.Seq[i])
		}
		found++
	}
	if found != len(sites) {
		return nil, 0, 0, fmt.Errorf("target: the blocks must not be nested with each other")
	}
	return seq, from, to, nil
}

// checkSameOuter returns an error if two blocks are not over the same loops outside.
func (s *State) checkSameOuter(d *division, ivs []*tir.IterVar, first []tir.Expr, pred tir.Expr, values []tir.Expr) error {
	same := len(ivs) == len(values) && d.an.CanProveEqual(tir.CastTo(tir.Int32(0).Type, pred), tir.CastTo(tir.Int32(0).Type, d.outerPred))
	for i := 0; same && i < len(ivs); i++ {
		same = d.an.CanProveEqual(ivs[i].Dom.Extent, d.parts[i].Outer.Extent) && d.an.CanProveEqual(first[i], values[i])
	}
	if !same {
		return s.fail("DifferentOuterLoopsError", "The block {0} is bound to the loops outside of the new block otherwise than the blocks before it", d.realize.Block)
	}
	return nil
}

// unionRegions joins regions of one buffer.
func unionRegions(list []*tir.BufferRegion) []*tir.BufferRegion {
	var out []*tir.BufferRegion
	for _, r := range list {
		if regionOf(out, r.Buffer) != nil {
			continue
		}
		var all [][]arith.IntSet
		for _, x := range list {
			if x.Buffer == r.Buffer {
				sets := make([]arith.IntSet, len(x.Region))
				for k, y := range x.Region {
					sets[k] = arith.SetOfRange(y)
				}
				all = append(all, sets)
			}
		}
		full := tir.FullRegion(r.Buffer)
		region := make([]*tir.Range, len(r.Region))
		for k, x := range arith.UnionRegion(all) {
			region[k] = x.CoverRange(full.Region[k])
		}
		out = append(out, &tir.BufferRegion{Buffer: r.Buffer, Region: region})
	}
	return out
}
