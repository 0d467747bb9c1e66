package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) tirStmt(s *stmt) {
	switch s.kind {
	case sExpr:
		b.tirExprStmt(s)
	case sAssign:
		b.tirAssign(s)
	case sAugAssign:
		value := b.binary(&node{kind: nBinary, at: s.at, end: s.value.end, kids: []*node{s.targets[0], s.value}}, s.op.String(), b.eval(s.targets[0]), b.eval(s.value))
		b.tirStore(s, s.targets[0], value)
	case sAnnAssign:
		b.tirLet(s)
	case sReturn:
		if s.value == nil {
			b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Base: b.stmtBase(s), Type: tir.Int32(0).Type, Op: tir.OpRet, Args: []tir.Expr{tir.Int32(0)}}})
			return
		}
		v := b.expr(s.value)
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Base: b.span(s.value), Type: v.DType(), Op: tir.OpRet, Args: []tir.Expr{v}}})
	case sIf:
		b.tirIf(s)
	case sFor:
		b.tirFor(s)
	case sWhile:
		b.emit(&tir.While{Base: b.stmtBase(s), Cond: b.expr(s.value), Body: b.tirBody(s.body)})
	case sWith:
		b.tirWith(s, 0)
	case sAssert:
		b.tirAssert(s)
	case sBreak, sContinue:
		op := tir.OpBreakLoop
		if s.kind == sContinue {
			op = tir.OpContinueLoop
		}
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Base: b.stmtBase(s), Type: tir.Int32(0).Type, Op: op}})
	case sPass, sImport:
	case sDef:
		if kind, _ := b.decorator(s); kind == "macro" || kind == "inline" {
			b.env.define(s.name, newMacro(s))
			return
		}
		b.d.add(s.at, s.end, "a loop-level function cannot hold another function", "make it a function of the module and call it as cls."+s.name)
	default:
		b.d.add(s.at, s.end, "this statement cannot stand in a loop-level function", "")
	}
}

func (b *builder) tirExprStmt(s *stmt) {
	if s.value.kind == nString || s.value.kind == nConst { // a docstring, or ...
		return
	}
	switch v := b.eval(s.value).(type) {
	case *frame:
		b.enterFrame(s, v)
	case *list, *dict, nil, string:
	case fresh:
	case *tir.Buffer, *tir.BufferRegion:
		b.fail(s.value, "", "this statement has no effect")
	default:
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: b.toExpr(v, s.value)})
	}
}

func setStmtSpan(s tir.Stmt, base ir.Base) {
	switch x := s.(type) {
	case *tir.Evaluate:
		x.Base = base
	case *tir.BufferStore:
		x.Base = base
	}
}

func (b *builder) tirStore(s *stmt, t *node, v any) {
	if t.kind != nIndex {
		b.fail(t, "", "expected an element of a buffer, such as A[i], on the left")
	}
	buf, ok := b.eval(t.kids[0]).(*tir.Buffer)
	if !ok {
		b.fail(t.kids[0], "", "only buffers can be stored to")
	}
	indices := b.indices(buf, b.indexParts(t), t)
	st := &tir.BufferStore{Base: b.stmtBase(s), Buffer: buf, Indices: indices}
	value := b.exprOf(v, buf.DType, s.value)
	if d, want := value.DType(), storeType(st); d != want && !d.IsVoid() && !d.IsHandle() && !want.IsHandle() {
		if d.Lanes == 1 && want.Lanes > 1 {
			value = &tir.Broadcast{Base: b.span(s.value), Value: tir.CastTo(want.Elem(), value), Lanes: int(want.Lanes)}
		} else if d.Lanes == want.Lanes {
			value = tir.CastTo(want, value)
			setSpan(value, b.span(s.value))
		}
	}
	st.Value = value
	b.emit(st)
}

func (b *builder) tirIf(s *stmt) {
	cond := b.eval(s.value)
	if t, ok := cond.(bool); ok {
		list := s.body
		if !t {
			list = s.orelse
		}
		for _, x := range list {
			b.tirStmt(x)
		}
		return
	}
	test := b.toExpr(cond, s.value)
	if d := test.DType(); d.IsInteger() && !d.IsBool() { // as in Python
		test = tir.BinaryAt(b.span(s.value), tir.OpNE, test, tir.Const(d, 0))
	}
	out := &tir.IfThenElse{Base: b.stmtBase(s), Cond: test, Then: b.tirBody(s.body)}
	if len(s.orelse) > 0 {
		out.Else = b.tirBody(s.orelse)
	}
	b.emit(out)
}

func (b *builder) tirAssert(s *stmt) {
	cond := b.expr(s.value)
	var msg tir.Expr = &tir.StringImm{Value: ""}
	if s.ann != nil {
		v := b.eval(s.ann)
		if l, ok := v.(*list); ok && len(l.items) == 2 { // ("RuntimeError", ["message", ...])
			text := ""
			if parts, ok := l.items[1].(*list); ok {
				for _, p := range parts.items {
					if t, ok := p.(string); ok {
						text += t
					}
				}
			} else if t, ok := l.items[1].(string); ok {
				text = t
			}
			v = text
		}
		msg = b.toExpr(v, s.ann)
	}
	base := b.stmtBase(s)
	b.scoped(func(body tir.Stmt) tir.Stmt { return &tir.AssertStmt{Base: base, Cond: cond, Message: msg, Body: body} })
}
