package sch

import (
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// SplitPadding splits a block that pads as DecomposePadding does, but stores each element once: of the constant only what lies around the values, in two
// blocks along each axis that is padded, in front of and behind them. It returns these blocks. It is no primitive of TVM's. The block must have
// loops of its own over each axis that is padded, and all that is padded a constant extent.
func (s *State) SplitPadding(b *Block) (*State, []*Block, error) {
	at, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	loops := ownLoops(at)
	if len(loops) == 0 {
		return nil, nil, s.fail("NotPaddedError", "The block {0} has no loops over its axes, or others in them, so that no loop pads", at.Block())
	}
	return s.decomposePadding(b, &Loop{b.fn, loops[0].LoopVar}, (*padding).border)
}

// ownLoops are the innermost loops around a block that hold nothing else and that each bind an axis.
func ownLoops(at site) []*tir.For {
	loops, r := at.loops(), at.Realize()
	from := len(loops)
	for from > 0 && plainNest(loops[from-1:]) {
		l := loops[from-1]
		k := slices.IndexFunc(r.Values, func(e tir.Expr) bool { return e == tir.Expr(l.LoopVar) })
		others := slices.ContainsFunc(r.Values, func(e tir.Expr) bool {
			return e != tir.Expr(l.LoopVar) && arith.UsesVar(e, func(v *tir.Var) bool { return v == l.LoopVar })
		})
		if k < 0 || others {
			break
		}
		from--
	}
	return loops[from:]
}

// border makes the blocks that store the constant around the values.
func (p *padding) border(loops []*tir.For) ([]*tir.Block, tir.Stmt, error) {
	b := p.at.Block()
	if arith.UsesVar(p.at.Realize().Predicate, func(v *tir.Var) bool { return loopOf(loops, v) != nil }) {
		return nil, nil, p.s.fail("NotPaddedError", "The block {0} runs under a condition on the loops that pad", b)
	}
	inside := arith.NewAnalyzer()
	for i, v := range p.at.Realize().Values {
		if l, ok := v.(*tir.Var); ok {
			inside.BindRange(l, p.region[i])
		}
	}
	if !inside.CanProve(p.pred) {
		return nil, nil, p.s.fail("NotPaddedError", "The block {0} stores values elsewhere than in one part along each axis", b)
	}
	names := namesOf(p.at.f)
	var blocks []*tir.Block
	var nests []tir.Stmt
	box := make([]*tir.Range, len(b.IterVars)) // axes before one have the extent of the values there, those behind it all of theirs
	for i, v := range p.at.Realize().Values {
		if l := loopBinding(loops, v); l != nil {
			box[i] = rangeOf(l)
		}
	}
	for i, iv := range b.IterVars {
		d, own := box[i], p.region[i]
		if d == nil {
			if !p.an.CanProveEqual(own.Extent, iv.Dom.Extent) {
				return nil, nil, p.s.fail("NotPaddedError", "The block {0} pads "+iv.Var.Name+", which no loop of its own goes over", b)
			}
			continue
		}
		end := p.an.Simplify(tir.Add(own.Min, own.Extent))
		for _, part := range []*tir.Range{
			{Min: d.Min, Extent: p.an.Simplify(tir.Sub(own.Min, d.Min))},
			{Min: end, Extent: p.an.Simplify(tir.Sub(tir.Add(d.Min, d.Extent), end))},
		} {
			n, ok := tir.AsInt(part.Extent)
			if !ok {
				return nil, nil, p.s.fail("NotPaddedError", "The block {0} pads "+iv.Var.Name+" by an extent that is not constant", b)
			}
			if n > 0 {
				box[i] = part
				k, nest := p.boxed(names.fresh(b.Name+"_border"), box, loops)
				blocks, nests = append(blocks, k), append(nests, nest)
			}
		}
		box[i] = own
	}
	return blocks, tir.Seq(nests...), nil
}

// loopBinding is that of some loops of which e is the variable, nil if there is none.
func loopBinding(loops []*tir.For, e tir.Expr) *tir.For {
	if v, ok := e.(*tir.Var); ok {
		return loopOf(loops, v)
	}
	return nil
}

// boxed makes a block that stores the constant in a part of the domain, with loops of its own.
func (p *padding) boxed(name string, box []*tir.Range, loops []*tir.For) (*tir.Block, tir.Stmt) {
	b, r := p.at.Block(), p.at.Realize()
	out := &tir.Block{Base: b.Base, Name: name}
	sub, turns, vars := map[*tir.Var]tir.Expr{}, map[*tir.Var]tir.Expr{}, map[*tir.Var]*tir.Var{}
	values := make([]tir.Expr, len(box))
	for i, iv := range b.IterVars {
		if loopBinding(loops, r.Values[i]) == nil {
			v := *iv.Var
			out.IterVars = append(out.IterVars, &tir.IterVar{Base: iv.Base, Dom: iv.Dom, Var: &v})
			sub[iv.Var], values[i] = &v, r.Values[i]
			continue
		}
		v, l := *iv.Var, *r.Values[i].(*tir.Var)
		out.IterVars = append(out.IterVars, &tir.IterVar{Base: iv.Base, Dom: &tir.Range{Min: tir.Const(v.DType(), 0), Extent: box[i].Extent}, Var: &v})
		sub[iv.Var] = tir.Add(&v, box[i].Min)
		old := r.Values[i].(*tir.Var)
		values[i], vars[old], turns[old] = &l, &l, tir.CastTo(l.DType(), box[i].Extent)
	}
	an := arith.NewAnalyzer()
	for _, iv := range out.IterVars {
		an.BindRange(iv.Var, iv.Dom)
	}
	now := func(e tir.Expr) tir.Expr { return an.Simplify(tir.SubstExpr(e, sub)) }
	out.Writes = p.regions(b.Writes, now)
	out.Body = p.store.WithValue(p.pad).WithIndices(mapExprs(p.store.Indices, now))
	var nest tir.Stmt = &tir.BlockRealize{Base: r.Base, Values: values, Predicate: r.Predicate, Block: out}
	for i := len(loops) - 1; i >= 0; i-- {
		l := loops[i]
		nest = &tir.For{Base: l.Base, LoopVar: vars[l.LoopVar], Min: tir.Const(l.LoopVar.DType(), 0), Extent: turns[l.LoopVar], Body: nest}
	}
	return out, nest
}
