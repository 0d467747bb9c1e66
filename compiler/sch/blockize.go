package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// Blockize makes a block of a loop: what stands in it becomes a block inside, whose variables are those of the loops from there on (TVM's blockize).
func (s *State) Blockize(l *Loop, preserveUnit bool) (*State, *Block, error) {
	at, err := s.loop(l)
	if err != nil {
		return nil, nil, err
	}
	realize, became, err := s.blockized(at, arith.NewAnalyzer(), preserveUnit)
	if err != nil {
		return nil, nil, err
	}
	out, ref := s.replace(at, realize, became).refer(l.fn, realize.Block)
	return out, ref, nil
}

// blockized returns what takes the place of a loop.
func (s *State) blockized(at site, an *arith.Analyzer, preserveUnit bool) (*tir.BlockRealize, reuse, error) {
	loop := at.For()
	list := realizes(loop)
	if len(list) != 1 {
		return nil, nil, s.fail("NonSingleChildBlockError", "The loop {0} is required to have only one child block", loop)
	}
	block := list[0].Block
	inner, _ := s.below(at, block)
	if err := s.checkAloneIn(inner, loop); err != nil {
		return nil, nil, err
	}
	d, err := s.divide(inner, loop, an, preserveUnit)
	if err != nil {
		return nil, nil, err
	}
	outerVars, outerValues := d.outer(nil)
	parts := d.inner(outerVars, preserveUnit)
	became := reuse{}
	sub := substSimplified(block, parts.sub, an, became)
	reduces := false
	for _, iv := range outerVars {
		reduces = reduces || iv.Kind == tir.CommReduce
	}
	in := parts.realize(sub, d.innerPred, sub.Init != nil && reduces)
	became[block] = in.Block
	outer := &tir.Block{
		IterVars: outerVars, Reads: relaxRegions(sub.Reads, parts.vars), Writes: relaxRegions(sub.Writes, parts.vars), Name: sub.Name + "_o",
		Body: nestOf(d.loops, in, nil),
	}
	if sub.Init != nil {
		if outer.Init, err = s.initOf(sub, in, d.loops); err != nil {
			return nil, nil, err
		}
	}
	return &tir.BlockRealize{Values: outerValues, Predicate: d.outerPred, Block: outer}, became, nil
}

// nestOf puts a statement into loops, which begin with the outermost; extents uses sub.
func nestOf(loops []*tir.For, body tir.Stmt, sub map[*tir.Var]tir.Expr) tir.Stmt {
	for i := len(loops) - 1; i >= 0; i-- {
		l := *loops[i]
		l.Body = body
		if sub != nil {
			l.Min, l.Extent = tir.SubstExpr(l.Min, sub), tir.SubstExpr(l.Extent, sub)
		}
		body = &l
	}
	return body
}

// relaxRegions returns what a block accesses in all iterations of variables.
func relaxRegions(list []*tir.BufferRegion, vars []*tir.IterVar) []*tir.BufferRegion {
	dom := map[*tir.Var]arith.IntSet{}
	for _, iv := range vars {
		dom[iv.Var] = arith.SetOfRange(iv.Dom)
	}
	out := make([]*tir.BufferRegion, len(list))
	for i, r := range list {
		full := tir.FullRegion(r.Buffer)
		region := make([]*tir.Range, len(r.Region))
		for k, x := range arith.EvalSetRegion(r.Region, dom) {
			region[k] = x.CoverRange(full.Region[k])
		}
		out[i] = &tir.BufferRegion{Buffer: r.Buffer, Region: region}
	}
	return out
}

// substSimplified replaces variables in a block and simplifies what changed.
func substSimplified(b *tir.Block, sub map[*tir.Var]tir.Expr, an *arith.Analyzer, became reuse) *tir.Block {
	m := &tir.Mapper{}
	m.Expr = func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok {
			if by := sub[v]; by != nil {
				return tir.CastTo(v.DType(), by)
			}
			return e
		}
		if out := m.MapExpr(e); out != e {
			return an.Simplify(out)
		}
		return e
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		out := m.MapStmt(x)
		if k, ok := x.(*tir.Block); ok && out != x {
			became[k] = out.(*tir.Block)
		}
		return out
	}
	return m.Stmt(b.WithIterVars(nil)).(*tir.Block)
}

// mayBeEmptied reports whether one of the loops decides a reduction variable of a block too, and a reduction may have no steps.
func mayBeEmptied(in *tir.BlockRealize, loops []*tir.For) bool {
	an := arith.NewAnalyzer()
	shared, empty := false, false
	for i, iv := range in.Block.IterVars {
		if iv.Kind != tir.CommReduce {
			continue
		}
		empty = empty || !an.CanProveGreaterEqual(iv.Dom.Extent, 1)
		for _, l := range loops {
			shared = shared || usesVar(in.Values[i], l.LoopVar)
		}
	}
	return shared && empty
}

// initOf returns the init of the outer block: that of the inner one, over those of its variables that it uses.
func (s *State) initOf(b *tir.Block, in *tir.BlockRealize, loops []*tir.For) (tir.Stmt, error) {
	var ivs []*tir.IterVar
	var values []tir.Expr
	sub := map[*tir.Var]tir.Expr{}
	used := map[*tir.Var]bool{}
	varsOf(b.Init, used)
	for i, iv := range in.Block.IterVars {
		if iv.Kind == tir.DataPar && used[iv.Var] {
			v := &tir.Var{Base: iv.Var.Base, Name: iv.Var.Name + "_init", Type: iv.Var.Type}
			sub[iv.Var] = v
			ivs = append(ivs, &tir.IterVar{Base: iv.Base, Dom: iv.Dom, Var: v, Kind: iv.Kind})
			values = append(values, in.Values[i])
		}
	}
	bound := map[*tir.Var]bool{}
	var kept []*tir.For
	for _, l := range loops {
		for _, e := range values {
			if usesVar(e, l.LoopVar) {
				v := *l.LoopVar
				sub[l.LoopVar] = &v
				kept, bound[l.LoopVar] = append(kept, l), true
				break
			}
		}
	}
	if mayBeEmptied(in, kept) {
		// A loop that runs over the result and over nothing would not run: the result has loops of its own.
		if !tir.IsConst(in.Predicate, 1) {
			return nil, s.fail("OpaquePredicateError", "The loops of block {0} run over its result and over a reduction that may be empty, and a predicate bounds them", b)
		}
		kept = nil
		for i, iv := range ivs {
			l := &tir.Var{Base: iv.Base, Name: iv.Var.Name + "_loop", Type: iv.Var.Type}
			kept, values[i], sub[l] = append(kept, &tir.For{LoopVar: l, Min: iv.Dom.Min, Extent: iv.Dom.Extent}), l, l
		}
	}
	pred := tir.Expr(tir.Bool(true))
	for _, c := range tir.Conjuncts(nil, in.Predicate) {
		all, any := true, false
		for _, l := range loops {
			if usesVar(c, l.LoopVar) {
				all, any = all && bound[l.LoopVar], any || bound[l.LoopVar]
			}
		}
		switch {
		case all:
			pred = tir.And(pred, c)
		case any:
			return nil, s.fail("OpaquePredicateError", "The predicate of block {0} bounds its result and the steps of its reduction together", b)
		}
	}
	for k, l := range kept { // the extents may use variables of loops around
		c := *l
		c.LoopVar = sub[l.LoopVar].(*tir.Var)
		c.Min, c.Extent = tir.SubstExpr(l.Min, sub), tir.SubstExpr(l.Extent, sub)
		kept[k] = &c
	}
	realize := &tir.BlockRealize{Values: values, Predicate: pred, Block: &tir.Block{
		IterVars: ivs, Writes: in.Block.Writes, Name: b.Name + "_init", Body: b.Init,
	}}
	return nestOf(kept, tir.SubstStmt(realize, sub), nil), nil
}
