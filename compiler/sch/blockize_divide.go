package sch

import (
	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/tir"
)

// division is a block taken apart into one over the loops outside of a place and one over those inside.
type division struct {
	realize              *tir.BlockRealize
	loops                []*tir.For // those inside, outermost first
	all                  []*tir.For // and those outside before them
	parts                []arith.Division
	outerPred, innerPred tir.Expr
	an                   *arith.Analyzer
}

// divide takes a block apart at a loop around it, which is the first of the inner ones.
func (s *State) divide(at site, first *tir.For, an *arith.Analyzer, preserveUnit bool) (*division, error) {
	loops := at.loops()
	k := 0
	for k < len(loops) && loops[k] != first {
		k++
	}
	return s.divideAt(at, k, an, preserveUnit)
}

// divideAt takes a block apart behind the first k loops around it.
func (s *State) divideAt(at site, k int, an *arith.Analyzer, preserveUnit bool) (*division, error) {
	loops := at.loops()
	d := &division{realize: at.Realize(), loops: loops[k:], all: loops, an: an}
	sub := map[*tir.Var]bool{}
	for _, l := range loops[k:] {
		sub[l.LoopVar] = true
	}
	d.parts, d.outerPred, d.innerPred = arith.SubspaceDivide(d.realize.Values, ranges(loops), sub, d.realize.Predicate, arith.Surjective, an, !preserveUnit)
	if len(d.parts) > 0 || d.plain(sub) {
		return d, nil
	}
	var top tir.Stmt = at.Block()
	if len(d.loops) > 0 {
		top = d.loops[0]
	}
	return nil, s.fail("SubspaceNotDivisibleError", "The bindings of the inner block {0} can not be blockized by the loops starting at {1}.", at.Block(), top)
}

// plain divides bindings each of which uses loops of one side only, which need not be affine.
func (d *division) plain(sub map[*tir.Var]bool) bool {
	if !tir.IsTrue(d.realize.Predicate) {
		return false
	}
	for i, iv := range d.realize.Block.IterVars {
		if !tir.IsConst(iv.Dom.Min, 0) {
			return false
		}
		e := d.realize.Values[i]
		inner, outer := false, false
		used := map[*tir.Var]bool{}
		varsOf(e, used)
		for v := range used {
			inner, outer = inner || sub[v], outer || !sub[v]
		}
		unit := &arith.IterMark{Expr: tir.Const(iv.Dom.Extent.DType(), 0), Extent: tir.Const(iv.Dom.Extent.DType(), 1)}
		mark := &arith.IterMark{Expr: e, Extent: iv.Dom.Extent}
		switch {
		case inner && outer:
			return false
		case inner:
			d.parts = append(d.parts, arith.Division{Outer: unit, Inner: mark})
		case outer || !tir.IsConst(e, 0):
			d.parts = append(d.parts, arith.Division{Outer: mark, Inner: unit})
		default:
			d.parts = append(d.parts, arith.Division{Outer: unit, Inner: unit})
		}
	}
	d.outerPred, d.innerPred = tir.Bool(true), tir.Bool(true)
	return true
}

// source is what a mark counts.
func (d *division) source(m *arith.IterMark) tir.Expr {
	if m.Var != nil {
		return m.Var
	}
	return m.ExprOf(d.an)
}

// counted is source from 0 on, which is what a variable over the extent of the mark is bound to, and the offset that was taken off.
func (d *division) counted(m *arith.IterMark) (value, offset tir.Expr) {
	if m.Var == nil && m.Sum != nil && !tir.IsConst(m.Sum.Base, 0) && !tir.IsConst(m.Extent, 1) {
		return d.an.Simplify(tir.Sub(d.source(m), m.Sum.Base)), m.Sum.Base
	}
	return d.source(m), nil
}

// only is the value of a mark of extent 1, which is 0 but for an offset: that of any iteration.
func (d *division) only(m *arith.IterMark) tir.Expr {
	first := map[*tir.Var]tir.Expr{}
	for _, l := range d.all {
		first[l.LoopVar] = l.Min
	}
	return tir.CastTo(m.Extent.DType(), d.an.Simplify(tir.SubstExpr(d.source(m), first)))
}

// outer returns the variables of the outer block and what they are bound to. reused are those that another block already gave; nil makes new ones.
func (d *division) outer(reused []*tir.IterVar) (ivs []*tir.IterVar, values []tir.Expr) {
	for i, iv := range d.realize.Block.IterVars {
		value, _ := d.counted(d.parts[i].Outer)
		values = append(values, value)
		if reused == nil {
			n := d.parts[i].Outer.Extent
			ivs = append(ivs, &tir.IterVar{
				Base: iv.Base, Dom: &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n},
				Var: &tir.Var{Base: iv.Var.Base, Name: iv.Var.Name + "_o", Type: tir.NewVar("", n.DType()).Type}, Kind: iv.Kind,
			})
		}
	}
	if reused != nil {
		ivs = reused
	}
	return ivs, values
}

// innerPart is what the inner block is over.
type innerPart struct {
	vars   []*tir.IterVar
	values []tir.Expr
	sub    map[*tir.Var]tir.Expr // the variables of the block before
}

// inner returns what the inner block is over, and binds its variables.
func (d *division) inner(outer []*tir.IterVar, preserveUnit bool) *innerPart {
	p := &innerPart{sub: map[*tir.Var]tir.Expr{}}
	for i, iv := range d.realize.Block.IterVars {
		m := d.parts[i]
		_, before := d.counted(m.Outer)
		if tir.IsConst(m.Inner.Extent, 1) {
			p.sub[iv.Var] = shifted(outer[i].Var, before)
			if tir.IsConst(m.Outer.Extent, 1) && !preserveUnit {
				p.sub[iv.Var] = d.only(m.Outer)
			}
			if c := d.only(m.Inner); !tir.IsConst(c, 0) {
				p.sub[iv.Var] = tir.Add(p.sub[iv.Var], c)
			}
			continue
		}
		n := m.Inner.Extent
		v := &tir.IterVar{
			Base: iv.Base, Dom: &tir.Range{Min: tir.Const(n.DType(), 0), Extent: n},
			Var: &tir.Var{Base: iv.Var.Base, Name: iv.Var.Name + "_i", Type: tir.NewVar("", n.DType()).Type}, Kind: iv.Kind,
		}
		d.an.BindRange(v.Var, v.Dom)
		value, within := d.counted(m.Inner)
		p.vars, p.values = append(p.vars, v), append(p.values, value)
		p.sub[iv.Var] = shifted(v.Var, within)
		if !tir.IsConst(m.Outer.Extent, 1) {
			p.sub[iv.Var] = tir.Add(tir.Mul(shifted(outer[i].Var, before), n), p.sub[iv.Var])
		}
	}
	return p
}

// shifted adds an offset, which may be nil.
func shifted(v *tir.Var, offset tir.Expr) tir.Expr {
	if offset == nil {
		return v
	}
	return tir.Add(v, tir.CastTo(v.DType(), offset))
}

// realize runs the inner block. If updates is set, it goes on with a reduction: it also reads what it writes.
func (p *innerPart) realize(b *tir.Block, pred tir.Expr, updates bool) *tir.BlockRealize {
	in := b.WithIterVars(p.vars).WithInit(nil)
	if updates {
		in = in.WithReads(append(append([]*tir.BufferRegion(nil), b.Writes...), b.Reads...))
	}
	return &tir.BlockRealize{Base: b.Base, Values: p.values, Predicate: pred, Block: in}
}
