package parse

import (
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) tirStmt(s *syntax.Stmt) {
	switch s.Kind {
	case syntax.ExprStmt:
		b.tirExprStmt(s)
	case syntax.Assign:
		b.tirAssign(s)
	case syntax.AugAssign:
		value := b.binary(&syntax.Node{Kind: syntax.Binary, At: s.At, End: s.Value.End, Kids: []*syntax.Node{s.Targets[0], s.Value}}, s.Op, b.eval(s.Targets[0]), b.eval(s.Value))
		b.tirStore(s, s.Targets[0], value)
	case syntax.AnnAssign:
		b.tirLet(s)
	case syntax.Return:
		base, v := b.stmtBase(s), tir.Expr(tir.Int32(0))
		if s.Value != nil {
			base, v = b.span(s.Value), b.expr(s.Value)
		}
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Base: base, Type: v.DType(), Op: tir.OpRet, Args: []tir.Expr{v}}})
	case syntax.If:
		b.tirIf(s)
	case syntax.For:
		b.tirFor(s)
	case syntax.While:
		b.emit(&tir.While{Base: b.stmtBase(s), Cond: b.expr(s.Value), Body: b.tirBody(s.Body)})
	case syntax.With:
		b.tirWith(s, 0)
	case syntax.Assert:
		b.tirAssert(s)
	case syntax.Break, syntax.Continue:
		op := tir.OpBreakLoop
		if s.Kind == syntax.Continue {
			op = tir.OpContinueLoop
		}
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Base: b.stmtBase(s), Type: tir.Int32(0).Type, Op: op}})
	case syntax.Pass, syntax.Import:
	case syntax.Def:
		if s.Role == "macro" || s.Role == "inline" {
			b.env.define(s.Name, newMacro(s))
			return
		}
		b.d.Add(s.At, s.End, "a PrimFunc cannot hold another function", "make it a function of the module and call it as cls."+s.Name)
	default:
		b.d.Add(s.At, s.End, "this statement cannot stand in a PrimFunc", "")
	}
}

func (b *builder) tirExprStmt(s *syntax.Stmt) {
	if s.Value.Kind == syntax.String || s.Value.Kind == syntax.Const { // a docstring, or ...
		return
	}
	switch v := b.eval(s.Value).(type) {
	case *frame:
		b.enterFrame(s, v)
	case *list, *dict, nil, string:
	case fresh:
	case *tir.Buffer, *tir.BufferRegion:
		b.fail(s.Value, "", "this statement has no effect")
	default:
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: b.toExpr(v, s.Value)})
	}
}

func (b *builder) tirStore(s *syntax.Stmt, t *syntax.Node, v any) {
	if t.Kind != syntax.Index {
		b.fail(t, "", "expected an element of a buffer, such as A[i], on the left")
	}
	buf, ok := b.eval(t.Kids[0]).(*tir.Buffer)
	if !ok {
		b.fail(t.Kids[0], "", "only buffers can be stored to")
	}
	indices := b.indices(buf, b.indexParts(t), t)
	st := &tir.BufferStore{Base: b.stmtBase(s), Buffer: buf, Indices: indices}
	value := b.exprOf(v, buf.DType, s.Value)
	if d, want := value.DType(), storeType(st); d != want && !d.IsVoid() && !d.IsHandle() && !want.IsHandle() {
		if d.Lanes == 1 && want.Lanes > 1 {
			value = &tir.Broadcast{Base: b.span(s.Value), Value: tir.CastTo(want.Elem(), value), Lanes: int(want.Lanes), Scalable: want.Scalable}
		} else if d.Lanes == want.Lanes {
			value = tir.CastTo(want, value)
			setSpan(value, b.span(s.Value))
		}
	}
	st.Value = value
	b.emit(st)
}

func (b *builder) tirIf(s *syntax.Stmt) {
	cond := b.eval(s.Value)
	if t, ok := cond.(bool); ok {
		list := s.Body
		if !t {
			list = s.Orelse
		}
		for _, x := range list {
			b.tirStmt(x)
		}
		return
	}
	test := b.toExpr(cond, s.Value)
	if d := test.DType(); d.IsInteger() && !d.IsBool() { // as in Python
		test = tir.BinaryAt(b.span(s.Value), tir.OpNE, test, tir.Const(d, 0))
	}
	out := &tir.IfThenElse{Base: b.stmtBase(s), Cond: test, Then: b.tirBody(s.Body)}
	if len(s.Orelse) > 0 {
		out.Else = b.tirBody(s.Orelse)
	}
	b.emit(out)
}

func (b *builder) tirAssert(s *syntax.Stmt) {
	cond := b.expr(s.Value)
	var msg tir.Expr = &tir.StringImm{Value: ""}
	if s.Ann != nil {
		v := b.eval(s.Ann)
		if l, ok := v.(*list); ok && len(l.items) == 2 { // ("RuntimeError", ["message", ...])
			parts, ok := l.items[1].(*list)
			if !ok {
				parts = &list{items: l.items[1:]}
			}
			text := ""
			for _, p := range parts.items {
				if t, ok := p.(string); ok {
					text += t
				}
			}
			v = text
		}
		msg = b.toExpr(v, s.Ann)
	}
	base := b.stmtBase(s)
	b.scoped(func(body tir.Stmt) tir.Stmt { return &tir.AssertStmt{Base: base, Cond: cond, Message: msg, Body: body} })
}
