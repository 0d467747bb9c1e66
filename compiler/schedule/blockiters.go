package schedule

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// FuseIters replaces iteration variables first to last of a block, all of one kind, by one
// variable over all their values, and their loops by one loop. It is TVM's
// transform_block_layout for the map that flattens these variables. The loops of the block
// must be as they were created.
func (s *Schedule) FuseIters(b *Block, first, last int) error {
	const prim = "transform_block_layout"
	if err := s.original(prim, b, first, last); err != nil {
		return err
	}
	group := b.iters[first : last+1]
	name, extent := "", tir.Expr(nil)
	for _, iv := range group {
		if iv.Kind != group[0].Kind {
			return fail(prim, b, nil, "%s is %s, %s is %s", group[0].Var.Name, group[0].Kind, iv.Var.Name, iv.Kind)
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
	s.renumber(b, first, last, []*tir.IterVar{iv}, sub)
	return nil
}

// SplitIter replaces iteration variable k of a block by two: one over the quotients by
// factor, which must divide its extent, and one over the remainders.
func (s *Schedule) SplitIter(b *Block, k int, factor int64) error {
	const prim = "transform_block_layout"
	if err := s.original(prim, b, k, k); err != nil {
		return err
	}
	iv := b.iters[k]
	n, ok := tir.AsInt(iv.Dom.Extent)
	if !ok || factor < 1 || n%factor != 0 {
		return fail(prim, b, nil, "the extent of %s is not a multiple of %d", iv.Var.Name, factor)
	}
	d := iv.Var.DType()
	two := make([]*tir.IterVar, 2)
	for i, e := range []int64{n / factor, factor} {
		two[i] = &tir.IterVar{
			Base: iv.Base, Dom: &tir.Range{Min: tir.Const(d, 0), Extent: tir.Const(d, e)},
			Var: tir.NewVar(iv.Var.Name+"_"+string(rune('0'+i)), d), Kind: iv.Kind,
		}
	}
	whole := tir.Add(tir.Mul(two[0].Var, tir.Const(d, factor)), two[1].Var)
	s.renumber(b, k, k, two, map[*tir.Var]tir.Expr{iv.Var: whole})
	return nil
}

// original checks that each iteration variable of b is bound to a loop of its own that runs
// over its domain.
func (s *Schedule) original(prim string, b *Block, first, last int) error {
	if err := check(prim, b); err != nil {
		return err
	}
	if first < 0 || last >= len(b.iters) || first > last {
		return fail(prim, b, nil, "variables %d to %d of %d", first, last, len(b.iters))
	}
	loops := loopsAbove(b)
	if !single(loops) || len(loops) != len(b.iters) || !tir.IsTrue(b.pred) || b.body == nil {
		return fail(prim, b, nil, "its loops were changed before")
	}
	for k, iv := range b.iters {
		if b.values[k] != tir.Expr(loops[k].v) || !tir.IsConst(iv.Dom.Min, 0) || !arith.Equal(iv.Dom.Extent, loops[k].extent) {
			return fail(prim, b, nil, "%s is not bound to a loop of its own", iv.Var.Name)
		}
	}
	return nil
}

// renumber puts other iteration variables, with loops, in the place of some.
func (s *Schedule) renumber(b *Block, first, last int, iters []*tir.IterVar, sub map[*tir.Var]tir.Expr) {
	loops := loopsAbove(b)
	top := kidOf(b, scopeOf(b))
	list := slices.Clone(loops[:first])
	for _, iv := range iters {
		list = append(list, &Loop{base: b.base, v: tir.NewVar(iv.Var.Name+"_l", iv.Var.DType()), extent: iv.Dom.Extent})
	}
	list = append(list, loops[last+1:]...)
	for _, l := range loops[first : last+1] {
		l.dead = true
	}
	b.iters = slices.Concat(b.iters[:first], iters, b.iters[last+1:])
	b.values = nil
	an := arith.NewAnalyzer()
	for k, l := range list {
		b.values = append(b.values, l.v)
		an.BindRange(b.iters[k].Var, b.iters[k].Dom)
	}
	mark := &raw{stmt: tir.NoOp()}
	replace(top, mark)
	for _, l := range list {
		l.kids = nil
	}
	replace(mark, nest(list, b))
	init := b.init
	if init != nil {
		init = simplified(tir.SubstStmt(init, sub), an)
	}
	s.setBody(b, init, simplified(tir.SubstStmt(b.body, sub), an))
}

// simplified simplifies the indices of accesses.
func simplified(st tir.Stmt, an *arith.Analyzer) tir.Stmt {
	list := func(ix []tir.Expr) []tir.Expr {
		out := make([]tir.Expr, len(ix))
		for k, e := range ix {
			out[k] = an.Simplify(e)
		}
		return out
	}
	return tir.RewriteStmt(st, func(x tir.Stmt) tir.Stmt {
		if x, ok := x.(*tir.BufferStore); ok {
			return &tir.BufferStore{Base: x.Base, Buffer: x.Buffer, Value: x.Value, Indices: list(x.Indices), Predicate: x.Predicate}
		}
		return x
	}, func(e tir.Expr) tir.Expr {
		if x, ok := e.(*tir.BufferLoad); ok {
			return &tir.BufferLoad{Base: x.Base, Buffer: x.Buffer, Indices: list(x.Indices), Predicate: x.Predicate}
		}
		return e
	})
}

// Original reports whether each iteration variable of b is bound to a loop of its own that
// runs over its domain, as in a function that was just created.
func (s *Schedule) Original(b *Block) bool { return s.original("", b, 0, 0) == nil }
