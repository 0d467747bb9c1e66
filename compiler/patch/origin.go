package patch

import (
	"cmp"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// inherit gives an edited function the origins of the one that it replaces: variables and
// buffers come from what those of the same name came from, a PrimFunc as a whole from what
// the old one came from. What the edit adds has none.
func inherit(old, edited ir.Function) ir.Function {
	switch edited := edited.(type) {
	case *relax.Function:
		if was, ok := old.(*relax.Function); ok {
			return inheritGraph(was, edited)
		}
	case *tir.PrimFunc:
		if was, ok := old.(*tir.PrimFunc); ok {
			return inheritLoops(was, edited)
		}
	}
	return edited
}

func inheritGraph(was, edited *relax.Function) ir.Function {
	of := map[string]ir.OriginID{}
	for _, p := range was.Params {
		of[p.Name] = p.Origin
	}
	relax.EachBinding(was.Body, func(_ *relax.BindingBlock, b relax.Binding) {
		of[b.Bound().Name] = cmp.Or(b.Meta().Origin, b.BoundValue().Meta().Origin)
	})
	own := func(v *relax.Var, id ir.OriginID) ir.OriginID { return cmp.Or(id, of[v.Name]) }
	m := &relax.Mapper{}
	m.Renew(func(v *relax.Var) *relax.Var { return ir.WithOrigin(v, own(v, v.Origin)) })
	m.Binding = func(b relax.Binding) relax.Binding {
		b = m.MapBinding(b)
		return ir.WithOrigin(b, own(b.Bound(), b.Meta().Origin))
	}
	out := m.MapFunction(edited)
	return ir.WithOrigin(out, cmp.Or(out.Origin, was.Origin))
}

func inheritLoops(was, edited *tir.PrimFunc) ir.Function {
	of := map[string]ir.OriginID{}
	for _, b := range was.Buffers {
		if b != nil {
			of[b.Name] = b.Origin
		}
	}
	ir.Walk(was.Body, func(n ir.Node) bool {
		if b, ok := n.(*tir.Buffer); ok {
			of[b.Name] = cmp.Or(of[b.Name], b.Origin)
		}
		return true
	})
	renewed := map[*tir.Buffer]*tir.Buffer{}
	m := &tir.Mapper{}
	m.Buffer = func(b *tir.Buffer) *tir.Buffer {
		if renewed[b] == nil {
			renewed[b] = ir.WithOrigin(b, cmp.Or(b.Origin, of[b.Name]))
		}
		return renewed[b]
	}
	m.Expr = tir.Memo(func(e tir.Expr) tir.Expr { return m.MapExpr(e) })
	m.Stmt = func(s tir.Stmt) tir.Stmt {
		s = m.MapStmt(s)
		return ir.WithOrigin(s, cmp.Or(s.Meta().Origin, was.Origin))
	}
	return m.MapFunc(ir.WithOrigin(edited, cmp.Or(edited.Origin, was.Origin)))
}
