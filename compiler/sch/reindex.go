package sch

import (
	"fmt"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// ReIndex has a block access a buffer through a copy whose indices are the variables of the block that stand in the indices of the buffer (TVM's
// reindex). side is "read" or "write".
func (s *State) ReIndex(b *Block, index int, side string) (*State, *Block, error) {
	at, err := s.block(b)
	if err != nil {
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
	indices, err := s.accessIndices(block, r.Buffer)
	if err != nil {
		return nil, nil, err
	}
	an := arith.NewAnalyzer()
	for _, iv := range block.IterVars {
		an.BindRange(iv.Var, iv.Dom)
	}
	covered := map[*tir.Var]bool{}
	target := make([]tir.Expr, len(indices))
	for i, e := range indices {
		if _, ok := e.(*tir.Var); !ok {
			e = an.Simplify(e)
		}
		target[i] = e
		varsOf(e, covered)
	}
	var inner error
	visit(block.Body, func(x tir.Stmt) bool {
		if l, ok := x.(*tir.For); ok && covered[l.LoopVar] {
			inner = s.fail("InvalidBufferAccessError", fmt.Sprintf("The block {0} accesses buffer %s at the variable of loop {1} inside of it: it must access one element, at its own variables", r.Buffer.Name), block, l)
		}
		return inner == nil
	})
	if inner != nil {
		return nil, nil, inner
	}
	if side == readSide {
		if err := s.checkUnguarded(at, root, r.Buffer, target); err != nil {
			return nil, nil, err
		}
		if err := s.checkNotWritten(block, r.Buffer); err != nil {
			return nil, nil, err
		}
	} else if err := s.checkWritesFirst(at, r.Buffer); err != nil {
		return nil, nil, err
	}
	c := &cacheStage{root: root, loc: root.Block(), region: r}
	if c.pos, err = chainPosition(at, root); err != nil {
		return nil, nil, err
	}
	cache := *r.Buffer
	cache.Data = &tir.Var{Base: r.Buffer.Data.Base, Name: r.Buffer.Data.Name + "_reindex", Type: r.Buffer.Data.Type}
	cache.Name, cache.Strides, cache.Shape = r.Buffer.Name+"_reindex", nil, nil
	sub := map[*tir.Var]tir.Expr{}
	var loops []*tir.For
	var ivs []*tir.IterVar
	var values, near, now []tir.Expr
	for _, iv := range block.IterVars {
		if !covered[iv.Var] {
			continue
		}
		d := iv.Var.DType()
		v, ax := tir.NewVar(fmt.Sprintf("v%d", len(ivs)), d), tir.NewVar(fmt.Sprintf("ax%d", len(ivs)), d)
		sub[iv.Var] = v
		ivs = append(ivs, &tir.IterVar{Dom: iv.Dom, Var: v})
		loops = append(loops, &tir.For{LoopVar: ax, Min: iv.Dom.Min, Extent: iv.Dom.Extent})
		values, near, now = append(values, ax), append(near, v), append(now, iv.Var)
		cache.Shape = append(cache.Shape, tir.Add(iv.Dom.Min, iv.Dom.Extent))
	}
	far := make([]tir.Expr, len(target))
	for i, e := range target {
		far[i] = tir.SubstExpr(e, sub)
	}
	if side == writeSide {
		if err := s.checkOnlyWriter(root.Block(), block, r.Buffer); err != nil {
			return nil, nil, err
		}
		full := make([]*tir.Range, len(ivs))
		for i, iv := range ivs {
			full[i] = iv.Dom
		}
		if err := s.checkWritesAll(at, root, at.loops(), r, point(&cache, now), full); err != nil {
			return nil, nil, err
		}
		c.pos++
		c.from, c.to = &cache, r.Buffer
		c.copyOf(c.to.Name+"_reindex", loops, ivs, values, near, far)
	} else {
		c.from, c.to = r.Buffer, &cache
		c.copyOf(c.to.Name+"_reindex", loops, ivs, values, far, near)
	}
	rd := &redirect{old: r.Buffer, now: &cache, writes: true}
	rd.to(now)
	rd.enter = func(x *tir.Block, _ bool) (rewrite, below bool) { return x == block, x == block }
	out, ref := c.rewrite(s, rd, &cache).refer(at.fn, c.block)
	return out, ref, nil
}

// chainPosition returns the place of the chain of loops around a block in the body of the scope.
func chainPosition(at, root site) (int, error) {
	for i := len(at.path) - 2; i >= len(root.path); i-- {
		switch x := at.path[i].(type) {
		case *tir.For, *tir.BlockRealize, *tir.AllocateConst, *tir.DeclBuffer:
		case *tir.SeqStmt:
			if peeled(root.Block().Body) != tir.Stmt(x) {
				return 0, fmt.Errorf("block %s is not the only one in the loops around it", at.Block().Name)
			}
			for k, y := range x.Seq {
				if y == at.path[i+1] {
					return k, nil
				}
			}
		default:
			return 0, fmt.Errorf("block %s stands inside of a %s", at.Block().Name, ir.TypeName(x))
		}
	}
	return 0, nil
}
