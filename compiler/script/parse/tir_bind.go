package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

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
		b.weigh(v, t)
		b.named(t, v)
		if f, ok := v.(fresh); ok && b.isType(s.value) {
			b.tf.declared[f.v] = true
		}
	case metaVar:
		b.env.define(t.s, v.(metaVar))
	case string, nil:
		b.env.define(t.s, v)
	default:
		e := b.toExpr(v, s.value)
		nv := &tir.Var{Base: b.span(t), Name: t.s, Type: &ir.PrimType{DType: e.DType()}}
		if e.DType().IsVoid() {
			nv.Type = ir.VoidType()
		}
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
	nv := &tir.Var{Base: b.span(t), Name: t.s, Type: typ, Size: b.isSize(s.ann)}
	b.env.define(t.s, nv)
	base := b.stmtBase(s)
	b.scoped(func(body tir.Stmt) tir.Stmt { return &tir.LetStmt{Base: base, Var: nv, Value: e, Body: body} })
}

// isSize reports whether an annotation is that of an extent: T.int64(is_size_var=True).
func (b *builder) isSize(ann *node) bool {
	if ann == nil || ann.kind != nCall || len(ann.keywords()) == 0 {
		return false
	}
	v, ok := b.eval(ann).(fresh)
	return ok && v.v.Size
}

// isType reports whether n is a call of a type, such as T.int32().
func (b *builder) isType(n *node) bool {
	if n == nil || n.kind != nCall {
		return false
	}
	path, _ := b.path(n.kids[0])
	name, ok := strings.CutPrefix(path, "T.")
	if ok {
		_, ok = dtypeName(name)
	}
	return ok
}
