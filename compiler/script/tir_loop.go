package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// forLoop prints a loop; two or more plain nested loops print as one T.grid.
func (p *printer) forLoop(s *tir.For) {
	vars, extents := make([]*tir.Var, 0, 8), make([]tir.Expr, 0, 8)
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
	if len(vars) > 1 {
		p.begin(s)
		p.str("for ")
		mark, at := p.enter(), len(p.buf)
		p.exprList(extents, "(", ")")
		mid := len(p.buf)
		for i, v := range vars {
			if i > 0 {
				p.str(", ")
			}
			p.def(v)
			p.extents[v] = extents[i]
		}
		p.str(" in ")
		p.t("grid")
		p.moveFront(at, mid)
		p.str(":")
		p.end()
		p.indent++
		p.body(inner.Body)
		p.indent--
		p.leave(mark)
		return
	}
	p.begin(s)
	mark, at := p.enter(), len(p.buf)
	p.loopRange(s)
	mid := len(p.buf)
	p.str("for ")
	p.def(s.LoopVar)
	p.str(" in ")
	p.moveFront(at, mid)
	p.str(":")
	if tir.IsConst(s.Min, 0) {
		p.extents[s.LoopVar] = s.Extent
	}
	p.end()
	p.indent++
	p.body(s.Body)
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
	found := false
	ir.Walk(e, func(n ir.Node) bool {
		for _, v := range vars {
			if n == ir.Node(v) {
				found = true
			}
		}
		return !found
	})
	return found
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
		p.expr(tir.Add(s.Min, s.Extent), 0)
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
