package sch

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/arith/region"
	"github.com/irscope/irscope/compiler/tir"
)

// FuseBlockIters replaces iteration variables first to last of a block, all of one kind, by one variable over all their values, and their loops by one
// loop. It is no primitive of TVM's, and does what transform_block_layout does for the map that flattens these variables, also where extents are
// symbolic. The loops of the block must be as they were created.
func (s *State) FuseBlockIters(b *Block, first, last int) (*State, error) {
	at, err := s.originalBlock(b, first, last)
	if err != nil {
		return nil, err
	}
	group := at.Block().IterVars[first : last+1]
	name, extent := "", tir.Expr(nil)
	for _, iv := range group {
		if iv.Kind != group[0].Kind {
			return nil, fmt.Errorf("variable %s of block %s is %s, and %s is %s", group[0].Var.Name, at.Block().Name, group[0].Kind, iv.Var.Name, iv.Kind)
		}
		if extent == nil {
			name, extent = iv.Var.Name, iv.Dom.Extent
			continue
		}
		name, extent = name+"_"+iv.Var.Name, tir.Mul(extent, iv.Dom.Extent)
	}
	// The variables may be of several types: the widest one holds all values.
	v := tir.NewVar(name, extent.DType())
	sub := map[*tir.Var]tir.Expr{}
	rest := tir.Expr(v)
	for k := len(group) - 1; k > 0; k-- {
		sub[group[k].Var] = tir.CastTo(group[k].Var.DType(), tir.FloorMod(rest, group[k].Dom.Extent))
		rest = tir.FloorDiv(rest, group[k].Dom.Extent)
	}
	sub[group[0].Var] = tir.CastTo(group[0].Var.DType(), rest)
	iv := &tir.IterVar{Base: group[0].Base, Dom: &tir.Range{Min: tir.Const(v.DType(), 0), Extent: extent}, Var: v, Kind: group[0].Kind}
	return s.renumber(at, first, last, []*tir.IterVar{iv}, sub), nil
}

// SplitBlockIter replaces an iteration variable of a block by two: one over the quotients by factor, which must divide its extent, and one over the
// remainders. It is no primitive of TVM's, but a case of transform_block_layout.
func (s *State) SplitBlockIter(b *Block, k int, factor int64) (*State, error) {
	at, err := s.originalBlock(b, k, k)
	if err != nil {
		return nil, err
	}
	iv := at.Block().IterVars[k]
	n, ok := tir.AsInt(iv.Dom.Extent)
	if !ok || factor < 1 || n%factor != 0 {
		return nil, fmt.Errorf("the extent of variable %s of block %s is not a multiple of %d", iv.Var.Name, at.Block().Name, factor)
	}
	d := iv.Var.DType()
	two := make([]*tir.IterVar, 2)
	for i, e := range []int64{n / factor, factor} {
		two[i] = &tir.IterVar{
			Base: iv.Base, Dom: &tir.Range{Min: tir.Const(d, 0), Extent: tir.Const(d, e)},
			Var: tir.NewVar(fmt.Sprintf("%s_%d", iv.Var.Name, i), d), Kind: iv.Kind,
		}
	}
	whole := tir.Add(tir.Mul(two[0].Var, tir.Const(d, factor)), two[1].Var)
	return s.renumber(at, k, k, two, map[*tir.Var]tir.Expr{iv.Var: whole}), nil
}

// originalBlock returns where a block with variables first to last stands whose loops are as they were created.
func (s *State) originalBlock(b *Block, first, last int) (site, error) {
	at, err := s.block(b)
	if err != nil {
		return site{}, err
	}
	if _, err := s.scopeRoot(at, false); err != nil {
		return site{}, err
	}
	if n := len(at.Block().IterVars); first < 0 || last >= n || first > last {
		return site{}, fmt.Errorf("block %s has %d variables, and no variables %d to %d", at.Block().Name, n, first, last)
	}
	return at, s.checkOriginal(at)
}

// renumber puts other iteration variables, with loops, in the place of some.
func (s *State) renumber(at site, first, last int, iters []*tir.IterVar, sub map[*tir.Var]tir.Expr) *State {
	old, loops := at.Block(), at.loops()
	list := slices.Clone(loops[:first])
	for _, iv := range iters {
		d := iv.Var.DType()
		list = append(list, &tir.For{Base: old.Base, LoopVar: tir.NewVar(iv.Var.Name+"_l", d), Min: tir.Const(d, 0), Extent: iv.Dom.Extent})
	}
	list = append(list, loops[last+1:]...)
	b := *old
	b.IterVars = slices.Concat(old.IterVars[:first], iters, old.IterVars[last+1:])
	var values []tir.Expr
	an := arith.NewAnalyzer()
	for k, l := range list {
		values = append(values, l.LoopVar)
		an.BindRange(b.IterVars[k].Var, b.IterVars[k].Dom)
	}
	if b.Init != nil {
		b.Init = simplifiedIndices(tir.SubstStmt(b.Init, sub), an.Simplify)
	}
	b.Body = simplifiedIndices(tir.SubstStmt(b.Body, sub), an.Simplify)
	b.Reads, b.Writes, _ = region.OfBlock(&b, nil)
	var now tir.Stmt = at.Realize().WithValues(values).WithBlock(&b)
	for k := len(list) - 1; k >= 0; k-- {
		now = around(list[k], now)
	}
	return s.replace(nestSite(at), now, reuse{old: &b})
}

// SimplifyIndices simplifies the indices at which a block that holds no others accesses buffers with what is known of its variables, as the remainder
// of a variable that is smaller than the divisor, and takes low terms out of remainders. It is no primitive of TVM's, whose transform_layout leaves what is no iteration map as it is.
func (s *State) SimplifyIndices(b *Block) (*State, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, err
	}
	old := at.Block()
	if len(realizes(old)) > 0 || len(old.MatchBuffers) > 0 {
		return nil, s.fail("NotLeafError", "The block {0} holds other blocks or views of buffers", old)
	}
	an := arith.NewAnalyzer()
	for _, iv := range old.IterVars {
		an.BindRange(iv.Var, iv.Dom)
	}
	simple := func(e tir.Expr) tir.Expr { return splitRemainders(an.Simplify(e), an) }
	now := *old
	if now.Init != nil {
		now.Init = simplifiedIndices(now.Init, simple)
	}
	now.Body = simplifiedIndices(now.Body, simple)
	now.Reads, now.Writes = simplifyRegions(old.Reads, simple), simplifyRegions(old.Writes, simple)
	return s.replace(at, &now, nil), nil
}

// simplifyRegions simplifies the bounds of regions.
func simplifyRegions(list []*tir.BufferRegion, simple func(tir.Expr) tir.Expr) []*tir.BufferRegion {
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		region := make([]*tir.Range, len(r.Region))
		for k, x := range r.Region {
			region[k] = &tir.Range{Base: x.Base, Min: simple(x.Min), Extent: simple(x.Extent)}
		}
		out[i] = r.WithRegion(region)
	}
	return out
}

// simplifiedIndices simplifies the indices of accesses.
func simplifiedIndices(st tir.Stmt, simple func(tir.Expr) tir.Expr) tir.Stmt {
	list := func(ix []tir.Expr) []tir.Expr { return mapExprs(ix, simple) }
	return tir.RewriteStmt(st, func(x tir.Stmt) tir.Stmt {
		if x, ok := x.(*tir.BufferStore); ok {
			return x.WithIndices(list(x.Indices))
		}
		return x
	}, func(e tir.Expr) tir.Expr {
		if x, ok := e.(*tir.BufferLoad); ok {
			return &tir.BufferLoad{Base: x.Base, Buffer: x.Buffer, Indices: list(x.Indices), Predicate: x.Predicate}
		}
		return e
	})
}
