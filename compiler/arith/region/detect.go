package region

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func (d *detector) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.For:
		d.expr(s.Min)
		d.expr(s.Extent)
		lo := d.dom.eval(s.Min)
		hi := d.dom.eval(tir.Sub(tir.Add(s.Min, s.Extent), tir.Const(s.Min.DType(), 1)))
		span := interval{lo.lo, hi.hi}
		if lo.everything() || hi.everything() {
			span = interval{}
		}
		d.scoped(s.LoopVar, span, func() { d.stmt(s.Body) })
	case *tir.LetStmt:
		d.expr(s.Value)
		d.scoped(s.Var, d.let(s.Value), func() { d.stmt(s.Body) })
	case *tir.BufferStore:
		d.touch(&d.writes, s.Buffer, s.Indices)
		d.expr(s.Value)
		for _, ix := range s.Indices {
			d.expr(ix)
		}
	case *tir.BlockRealize:
		d.realize(s)
	default:
		s.EachChild(func(n ir.Node) {
			switch n := n.(type) {
			case tir.Stmt:
				d.stmt(n)
			case *tir.Buffer:
				d.own[n] = true // declared here
			case *tir.Var: // defined here
			case tir.Expr:
				d.expr(n)
			}
		})
	}
}

func (d *detector) let(e tir.Expr) interval {
	if !e.DType().IsInteger() || e.DType().Lanes > 1 {
		return interval{}
	}
	return d.dom.eval(e)
}

func (d *detector) realize(s *tir.BlockRealize) {
	b := s.Block
	for _, v := range s.Values {
		d.expr(v)
	}
	if s.Predicate != nil {
		d.expr(s.Predicate)
	}
	var saved []interval
	for k := range b.IterVars {
		saved = append(saved, d.dom.eval(s.Values[k]))
	}
	for k, iv := range b.IterVars {
		d.dom[iv.Var] = saved[k]
	}
	for _, r := range b.Reads {
		d.record(&d.reads, r.Buffer, d.relax(r))
	}
	for _, r := range b.Writes {
		d.record(&d.writes, r.Buffer, d.relax(r))
	}
	for _, iv := range b.IterVars {
		delete(d.dom, iv.Var)
	}
}

func (d *detector) expr(e tir.Expr) {
	switch e := e.(type) {
	case *tir.BufferLoad:
		d.touch(&d.reads, e.Buffer, e.Indices)
		for _, ix := range e.Indices {
			d.expr(ix)
		}
		if e.Predicate != nil {
			d.expr(e.Predicate)
		}
	case *tir.Let:
		d.expr(e.Value)
		d.scoped(e.Var, d.let(e.Value), func() { d.expr(e.Body) })
	case *tir.Var:
		if b := d.byData[e]; b != nil && !d.own[b] && !slices.Contains(d.opaque, b) {
			d.opaque = append(d.opaque, b)
		}
	case *tir.Call:
		d.call(e)
	default:
		e.EachChild(func(n ir.Node) {
			if x, ok := n.(tir.Expr); ok {
				d.expr(x)
			}
		})
	}
}

// call treats a pointer with an access mask as the accesses that the mask allows.
func (d *detector) call(e *tir.Call) {
	if c, ok := tir.IsCallTo(e, tir.OpAccessPtr); ok {
		if v, ok := c.Args[1].(*tir.Var); ok && d.byData[v] != nil {
			b := d.byData[v]
			mask, known := tir.AsInt(c.Args[4])
			full := make([]interval, len(b.Shape))
			if !known || mask&1 != 0 {
				d.record(&d.reads, b, full)
			}
			if !known || mask&2 != 0 {
				d.record(&d.writes, b, slices.Clone(full))
			}
			d.expr(c.Args[2])
			return
		}
	}
	for _, a := range e.Args {
		d.expr(a)
	}
}
