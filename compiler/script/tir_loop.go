package script

import (
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// forLoop prints a loop; two or more plain nested loops print as one T.grid.
func (p *printer) forLoop(s *tir.For) {
	vars, extents := p.loopVars[:0], p.loopExtents[:0]
	inner := s
	for p.sugar && plainLoop(inner) && !usesAny(inner.Extent, vars) {
		vars = append(vars, inner.LoopVar)
		extents = append(extents, inner.Extent)
		next, ok := inner.Body.(*tir.For)
		if !ok || !plainLoop(next) || usesAny(next.Extent, vars) {
			break
		}
		inner = next
	}
	p.begin(s)
	p.str("for ")
	// The range is written before the variables have names, so that it cannot refer to them.
	mark, at := p.enter(), len(p.buf)
	grid := len(vars) > 1
	if grid {
		p.call("grid", extents...)
	} else {
		inner = s
		p.loopRange(s)
		if vars, extents = append(vars[:0], s.LoopVar), extents[:0]; tir.IsConst(s.Min, 0) {
			extents = append(extents, s.Extent)
		}
	}
	mid := len(p.buf)
	list(p, vars, func(v *tir.Var) { p.def(v) })
	for i, e := range extents {
		p.extents.Put(vars[i], e)
	}
	p.loopVars, p.loopExtents = vars, extents // a loop in the body may take the memory
	p.str(" in ")
	p.moveFront(at, mid)
	p.str(":")
	p.end()
	p.indent++
	p.body(inner.Body)
	p.indent--
	p.leave(mark)
}

func plainLoop(s *tir.For) bool {
	return s.Kind == tir.Serial && tir.IsConst(s.Min, 0) && s.Annotations.Len() == 0 && s.Thread == nil && s.Step == nil
}

func usesAny(e tir.Expr, vars []*tir.Var) bool {
	if len(vars) == 0 {
		return false
	}
	if _, ok := e.(*tir.IntImm); ok {
		return false
	}
	return contains(e, func(n ir.Node) bool {
		v, ok := n.(*tir.Var)
		return ok && slices.Contains(vars, v)
	})
}

func (p *printer) loopRange(s *tir.For) {
	switch {
	case s.Kind == tir.ThreadBinding:
		p.t("thread_binding(")
	case s.Kind != tir.Serial:
		p.t(s.Kind.String() + "(")
	case s.Annotations.Len() > 0 || s.Step != nil:
		p.t("serial(")
	default:
		p.str("range(")
	}
	if !tir.IsConst(s.Min, 0) {
		p.expr(s.Min, 0)
		p.str(", ")
		p.sum(s.Min, s.Extent, 0)
	} else {
		p.expr(s.Extent, 0)
	}
	if s.Thread != nil {
		p.str(", thread=")
		p.quote(s.Thread.ThreadTag)
	}
	p.annotations(s.Annotations)
	if s.Step != nil {
		p.str(", step=")
		p.expr(s.Step, 0)
	}
	p.str(")")
}
