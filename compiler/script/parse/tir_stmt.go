package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// stmtList collects the statements of a frame. A scope without "with" takes in all that
// follows: it starts a new segment.
type stmtList struct {
	done []segment
	cur  []tir.Stmt
}

type segment struct {
	before []tir.Stmt
	wrap   func(tir.Stmt) tir.Stmt
}

func (b *builder) emit(s tir.Stmt) { b.tf.cur.cur = append(b.tf.cur.cur, s) }

// scoped makes the rest of the frame the body of a scope.
func (b *builder) scoped(wrap func(tir.Stmt) tir.Stmt) {
	l := b.tf.cur
	l.done = append(l.done, segment{l.cur, wrap})
	l.cur = nil
}

// tirBody builds the statements of a frame.
func (b *builder) tirBody(stmts []*stmt) tir.Stmt {
	mark, outer := b.env.mark(), b.tf.cur
	l := &stmtList{}
	b.tf.cur = l
	for _, s := range stmts {
		if !b.guard(s, func() { b.tirStmt(s) }) {
			b.tf.cur = l
			b.poison(s)
		}
	}
	b.tf.cur = outer
	b.env.release(mark)
	body := sequence(l.cur)
	for i := len(l.done) - 1; i >= 0; i-- {
		seg := &l.done[i]
		body = sequence(append(seg.before, seg.wrap(body)))
	}
	return body
}

// sequence runs statements in order, those that do nothing included: the text has them.
func sequence(list []tir.Stmt) tir.Stmt {
	var flat []tir.Stmt
	for _, s := range list {
		if q, ok := s.(*tir.SeqStmt); ok {
			flat = append(flat, q.Seq...)
		} else {
			flat = append(flat, s)
		}
	}
	switch len(flat) {
	case 0:
		return tir.NoOp()
	case 1:
		return flat[0]
	}
	return &tir.SeqStmt{Seq: flat}
}

// poison defines what a statement that failed would have defined, so that its uses are not
// reported as well.
func (b *builder) poison(s *stmt) {
	var names func(n *node)
	names = func(n *node) {
		switch n.kind {
		case nName:
			if _, ok := b.env.lookup(n.s); !ok || s.kind != sFor {
				b.env.define(n.s, poison{})
			}
		case nTuple, nList, nStar:
			for _, k := range n.kids {
				names(k)
			}
		}
	}
	for _, t := range s.targets {
		names(t)
	}
	for _, it := range s.items {
		if it.as != nil {
			names(it.as)
		}
	}
}

func (b *builder) tirStmt(s *stmt) {
	switch s.kind {
	case sExpr:
		b.tirExprStmt(s)
	case sAssign:
		b.tirAssign(s)
	case sAugAssign:
		value := b.binary(&node{kind: nBinary, at: s.at, end: s.value.end, kids: []*node{s.targets[0], s.value}}, s.op, b.eval(s.targets[0]), b.eval(s.value))
		b.tirStore(s, s.targets[0], value)
	case sAnnAssign:
		b.tirLet(s)
	case sReturn:
		if s.value == nil {
			b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Type: tir.Int32(0).Type, Op: tir.OpRet, Args: []tir.Expr{tir.Int32(0)}}})
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
		b.emit(&tir.Evaluate{Base: b.stmtBase(s), Value: &tir.Call{Type: tir.Int32(0).Type, Op: op}})
	case sPass, sImport:
	case sDef:
		if kind, _ := b.decorator(s); kind == "macro" || kind == "inline" {
			b.env.define(s.name, &macro{s})
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

// enterFrame adds a frame that is used without "with".
func (b *builder) enterFrame(s *stmt, f *frame) {
	switch {
	case f.stmt != nil:
		setStmtSpan(f.stmt, b.stmtBase(s))
		b.emit(f.stmt)
	case f.wrap != nil:
		b.scoped(f.wrap)
	case f.kind == "done":
	default:
		b.fail(s.value, "", `this needs "with" before it`)
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

func (b *builder) tirAssign(s *stmt) {
	t := s.targets[0]
	if t.kind == nIndex {
		b.tirStore(s, t, b.eval(s.value))
		return
	}
	v := b.eval(s.value)
	for _, t := range s.targets {
		b.tirBind(s, t, v, true)
	}
}

// tirBind gives the name t to v. With let, a value becomes a variable.
func (b *builder) tirBind(s *stmt, t *node, v any, let bool) {
	switch t.kind {
	case nName:
	case nTuple, nList:
		l, ok := v.(*list)
		if !ok || len(l.items) != len(t.kids) {
			b.fail(t, "", "expected a tuple of %d values, got %s", len(t.kids), describe(v))
		}
		for i, k := range t.kids {
			b.tirBind(s, k, l.items[i], let)
		}
		return
	default:
		b.fail(t, "", "expected a name or an element of a buffer on the left")
	}
	switch x := v.(type) {
	case *frame:
		if x.def == nil {
			b.fail(s.value, "", "this defines nothing that could be named")
		}
		b.named(t, x.def)
		b.enterFrame(s, x)
	case fresh, *tir.Buffer, *tir.IterVar, *list, *dict, *tir.BufferRegion, namespace, *ir.GlobalVar, *tir.Range, *tir.IndexMap, *tir.CommReducer:
		b.named(t, v)
	case metaVar:
		b.env.define(t.s, v.(metaVar))
	case string, nil:
		b.env.define(t.s, v)
	default:
		e := b.toExpr(v, s.value)
		nv := &tir.Var{Base: b.span(t), Name: t.s, Type: &ir.PrimType{DType: e.DType()}}
		b.env.define(t.s, nv)
		base := b.stmtBase(s)
		b.scoped(func(body tir.Stmt) tir.Stmt { return &tir.LetStmt{Base: base, Var: nv, Value: e, Body: body} })
	}
}

// named defines a name and gives it to what has none yet.
func (b *builder) named(t *node, v any) {
	switch x := v.(type) {
	case fresh:
		if x.v.Name == "" {
			x.v.Name, x.v.Base = t.s, b.span(t)
		}
		if iv := b.tf.threads[x.v]; iv != nil {
			b.env.define(t.s, iv)
			return
		}
		b.env.define(t.s, x.v)
		return
	case *tir.Buffer:
		if x.Name == "" {
			x.Name, x.Base = t.s, b.span(t)
			if x.Data.Name == "" {
				x.Data.Name = t.s
			}
		}
	case *tir.IterVar:
		if x.Var.Name == "" {
			x.Var.Name = t.s
		}
	case *tir.Var:
		if x.Name == "" {
			x.Name = t.s
		}
	}
	b.env.define(t.s, v)
}

func (b *builder) tirStore(s *stmt, t *node, v any) {
	if t.kind != nIndex {
		b.fail(t, "", "expected an element of a buffer, such as A[i], on the left")
	}
	buf, ok := b.eval(t.kids[0]).(*tir.Buffer)
	if !ok {
		b.fail(t.kids[0], "", "only buffers can be stored to")
	}
	indices := b.indices(buf, indexParts(t), t)
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

func (b *builder) tirLet(s *stmt) {
	t := s.targets[0]
	if t.kind != nName {
		b.fail(t, "", "expected a name before the annotation")
	}
	if s.value == nil {
		b.env.define(t.s, &tir.Var{Base: b.span(t), Name: t.s, Type: b.typeOf(s.ann)})
		return
	}
	v := b.eval(s.value)
	switch v.(type) {
	case *frame, fresh, *tir.Buffer, *tir.IterVar:
		b.tirBind(s, t, v, true)
		return
	}
	if path, ok := b.path(s.ann); ok && path == "T.let" {
		b.tirBind(s, t, v, true)
		return
	}
	typ := b.typeOf(s.ann)
	e := b.exprOf(v, ir.TypeDType(typ), s.value)
	nv := &tir.Var{Base: b.span(t), Name: t.s, Type: typ}
	b.env.define(t.s, nv)
	base := b.stmtBase(s)
	b.scoped(func(body tir.Stmt) tir.Stmt { return &tir.LetStmt{Base: base, Var: nv, Value: e, Body: body} })
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
	out := &tir.IfThenElse{Base: b.stmtBase(s), Cond: b.toExpr(cond, s.value), Then: b.tirBody(s.body)}
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

// tirWith enters item i of a "with" and those behind it.
func (b *builder) tirWith(s *stmt, i int) {
	if i == len(s.items) {
		b.emit(b.tirBody(s.body))
		return
	}
	it := s.items[i]
	v := b.eval(it.value)
	f, ok := v.(*frame)
	if !ok {
		b.fail(it.value, "", `expected a scope such as T.block() after "with", got %s`, describe(v))
	}
	body := s.body
	if i+1 < len(s.items) {
		inner := *s
		inner.items = s.items[i+1:]
		body = []*stmt{&inner}
	}
	switch f.kind {
	case "block":
		b.blockBody(s, f.block, it.as, body)
	case "init":
		b.initBody(it.value, body)
	default:
		if f.wrap == nil {
			b.fail(it.value, "", "this is a statement, not a scope")
		}
		mark := b.env.mark()
		if it.as != nil {
			switch it.as.kind {
			case nName:
				b.named(it.as, f.def)
			default:
				b.tirBind(s, it.as, f.def, false)
			}
		}
		body := b.tirBody(body)
		b.env.release(mark)
		b.emit(f.wrap(body))
	}
}
