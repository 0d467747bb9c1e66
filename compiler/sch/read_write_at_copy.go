package sch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// checkRuns returns an error if a block may write nothing in an iteration of the loop, or, as a reduction without steps does, without any iteration.
func (c *copyingAt) checkRuns(a accessAt, inner []*tir.For) error {
	if l := c.s.idle(a.site, append(c.to.loops(), c.to.For()), c.an); l != nil {
		return c.s.fail("IdleLoopError", "The loop {0}, over which block {1} reduces, may have no iteration, so that its initial value would not be copied", l, a.Block())
	}
	for _, l := range inner {
		bound := false
		for _, v := range a.Realize().Values {
			bound = bound || usesVar(v, l.LoopVar)
		}
		if !bound && !c.an.CanProve(tir.GT(l.Extent, tir.Const(l.Extent.DType(), 0))) {
			return c.s.fail("IdleLoopError", "The loop {0} may have no iteration, so that block {1} would not write what is copied from "+c.dst.Name, l, a.Block())
		}
	}
	return nil
}

// idle returns one of loops that may have no iteration and that a block reduces over: the block gives its initial value then, which what is put into
// the loop misses.
func (s *State) idle(at site, loops []*tir.For, an *arith.Analyzer) *tir.For {
	for i, iv := range at.Block().IterVars {
		for _, l := range loops {
			if iv.Kind == tir.CommReduce && usesVar(at.Realize().Values[i], l.LoopVar) && !an.CanProve(tir.GT(l.Extent, tir.Const(l.Extent.DType(), 0))) {
				return l
			}
		}
	}
	return nil
}

// block makes the block that copies: its variables stand for the loops around it that the region depends on.
func (c *copyingAt) block(name string) (*tir.BlockRealize, error) {
	base := c.to.For().Base
	b := &tir.Block{Base: base, Name: name, Annotations: (*ir.Attrs)(nil).With(attrAutoCopy, true)}
	run := &tir.BlockRealize{Base: base, Predicate: tir.Bool(true), Block: b}
	around := append(c.to.loops(), c.to.For())
	sub := map[*tir.Var]tir.Expr{}
	var err error
	own := func(e tir.Expr) tir.Expr {
		for _, v := range inOrder(e) {
			if sub[v] != nil {
				continue
			}
			k := slices.IndexFunc(around, func(l *tir.For) bool { return l.LoopVar == v })
			if k < 0 {
				err = errors.New("the region depends on " + v.Name + ", which is not the variable of a loop around it in the same scope")
				continue
			}
			x := *v
			x.Name = fmt.Sprintf("v%d", len(b.IterVars))
			sub[v] = &x
			b.IterVars, run.Values = append(b.IterVars, &tir.IterVar{Dom: rangeOf(around[k]), Var: &x}), append(run.Values, v)
		}
		return tir.SubstExpr(e, sub)
	}
	region := make([]*tir.Range, len(c.region))
	at := make([]tir.Expr, len(region))
	loops := make([]*tir.For, len(region))
	for i, r := range c.region {
		region[i] = &tir.Range{Min: own(r.Min), Extent: own(r.Extent)}
		d := region[i].Extent.DType()
		v := tir.NewVar(fmt.Sprintf("ax%d", i), d)
		at[i] = tir.Add(region[i].Min, v)
		loops[i] = &tir.For{Base: base, LoopVar: v, Min: tir.Const(d, 0), Extent: region[i].Extent}
	}
	from, to := c.src, c.dst
	if c.side == writeSide {
		from, to = c.dst, c.src
	}
	b.Reads, b.Writes = []*tir.BufferRegion{{Buffer: from, Region: region}}, []*tir.BufferRegion{{Buffer: to, Region: region}}
	b.Body = &tir.BufferStore{Base: base, Buffer: to, Value: tir.Load(from, at...), Indices: at}
	for i := len(loops) - 1; i >= 0; i-- {
		b.Body = loops[i].WithBody(b.Body)
	}
	return run, err
}

// redirected returns the statements of the loop, of which those that the copy is for access the other buffer.
func (c *copyingAt) redirected(became reuse) []tir.Stmt {
	m := &tir.Mapper{Buffer: func(b *tir.Buffer) *tir.Buffer {
		if b == c.src {
			return c.dst
		}
		return b
	}}
	m.Expr = func(e tir.Expr) tir.Expr {
		if e == tir.Expr(c.src.Data) {
			return c.dst.Data
		}
		return m.MapExpr(e)
	}
	m.Stmt = func(x tir.Stmt) tir.Stmt {
		out := m.MapStmt(x)
		if b, ok := x.(*tir.Block); ok && out != x {
			became[b] = out.(*tir.Block)
		}
		return out
	}
	list := statements(c.to.For().Body)
	for i := c.lo; i < c.hi; i++ {
		list[i] = m.Stmt(list[i])
	}
	return list
}
