package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// forLoop prints a loop; two or more plain nested loops print as one T.grid.
func (p *printer) forLoop(s *tir.For) {
	var vars []*tir.Var
	var extents []tir.Expr
	inner := s
	for plainLoop(inner) && !usesAny(inner.Extent, vars) {
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
		leave := p.frame()
		at := len(p.buf)
		p.exprList(extents, "(", ")")
		list := string(p.buf[at:])
		p.buf = p.buf[:at]
		for i, v := range vars {
			if i > 0 {
				p.str(", ")
			}
			p.str(p.define(v, v.Name))
			p.extents[v] = extents[i]
		}
		p.str(" in T.grid" + list + ":")
		p.end()
		p.indent++
		p.body(inner.Body)
		p.indent--
		leave()
		return
	}
	p.begin(s)
	at := len(p.buf)
	p.loopRange(s)
	text := string(p.buf[at:])
	p.buf = p.buf[:at]
	leave := p.frame()
	p.str("for " + p.define(s.LoopVar, s.LoopVar.Name) + " in " + text + ":")
	if tir.IsConst(s.Min, 0) {
		p.extents[s.LoopVar] = s.Extent
	}
	p.end()
	p.indent++
	p.body(s.Body)
	p.indent--
	leave()
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
	name := "range"
	switch {
	case s.Kind == tir.ThreadBinding:
		name = "T.thread_binding"
	case s.Kind != tir.Serial:
		name = "T." + s.Kind.String()
	case s.Annotations.Len() > 0 || s.Step != nil:
		name = "T.serial"
	}
	p.str(name + "(")
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
