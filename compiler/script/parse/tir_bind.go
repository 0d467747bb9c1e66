package parse

import (
	"reflect"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func (b *builder) tirAssign(s *syntax.Stmt) {
	t := s.Targets[0]
	if t.Kind == syntax.Index {
		b.tirStore(s, t, b.eval(s.Value))
		return
	}
	v := b.eval(s.Value)
	for _, t := range s.Targets {
		b.tirBind(s, t, v, true)
	}
}

// tirBind gives the name t to v. With let, a value becomes a variable.
func (b *builder) tirBind(s *syntax.Stmt, t *syntax.Node, v any, let bool) {
	switch t.Kind {
	case syntax.Name:
		if let {
			b.unused(t, v)
		}
	case syntax.Tuple, syntax.List:
		l, ok := v.(*list)
		if !ok || len(l.items) != len(t.Kids) {
			b.fail(t, "", "expected a tuple of %d values, got %s", len(t.Kids), describe(v))
		}
		for i, k := range t.Kids {
			b.tirBind(s, k, l.items[i], let)
		}
		return
	default:
		b.fail(t, "", "expected a name or an element of a buffer on the left")
	}
	switch x := v.(type) {
	case *frame:
		if x.def == nil {
			b.fail(s.Value, "", "this defines nothing that could be named")
		}
		b.named(t, x.def)
		b.enterFrame(s, x)
	case fresh, *tir.Buffer, *tir.IterVar, *list, *dict, *tir.BufferRegion, namespace, *ir.GlobalVar, *tir.Range, *tir.IndexMap, *tir.CommReducer:
		b.weigh(v, t)
		b.named(t, v)
		if f, ok := v.(fresh); ok {
			if _, declares := b.calledType(s.Value); declares {
				b.tf.declared[f.v] = true
			}
		}
	case metaVar, string, nil, moduleRef: // cls = Module
		b.env.define(t.Text, v)
	default:
		e := b.toExpr(v, s.Value)
		nv := b.variable(t, e.DType())
		if e.DType().IsVoid() {
			nv.Type = ir.VoidType()
		}
		b.letIn(s, nv, e)
	}
}

// unused checks that no other value has the name t in the same scope, as TVM's reader does.
func (b *builder) unused(t *syntax.Node, v any) {
	old, ok := b.env.definedSince(b.tf.frame, t.Text)
	if _, failed := old.(poison); !ok || failed {
		return
	}
	if f, isFresh := v.(fresh); isFresh {
		v = f.v
	}
	if r := reflect.ValueOf(v); !r.IsValid() || !r.Comparable() || v != old {
		b.fail(t, "give this one another name", "%s is already defined in this scope", t.Text)
	}
}

// letIn binds a variable that takes its name from the text in what follows.
func (b *builder) letIn(s *syntax.Stmt, v *tir.Var, e tir.Expr) {
	b.env.define(v.Name, v)
	base := b.stmtBase(s)
	b.scoped(func(body tir.Stmt) tir.Stmt { return &tir.LetStmt{Base: base, Var: v, Value: e, Body: body} })
}

// named defines a name and gives it to what has none yet.
func (b *builder) named(t *syntax.Node, v any) {
	switch x := v.(type) {
	case fresh:
		if x.v.Name == "" {
			x.v.Name, x.v.Base = t.Text, b.span(t)
		}
		if iv := b.tf.threads[x.v]; iv != nil {
			b.env.define(t.Text, iv)
			return
		}
		b.env.define(t.Text, x.v)
		return
	case *tir.Buffer:
		if x.Name == "" {
			x.Name, x.Base = t.Text, b.span(t)
			if x.Data.Name == "" {
				x.Data.Name = t.Text
			}
		}
	case *tir.IterVar:
		if x.Var.Name == "" {
			x.Var.Name = t.Text
		}
	case *tir.Var:
		if x.Name == "" {
			x.Name = t.Text
		}
	}
	b.env.define(t.Text, v)
}

func (b *builder) tirLet(s *syntax.Stmt) {
	t := s.Targets[0]
	if t.Kind != syntax.Name {
		b.fail(t, "", "expected a name before the annotation")
	}
	if s.Value == nil {
		b.unused(t, s)
		b.env.define(t.Text, &tir.Var{Base: b.span(t), Name: t.Text, Type: b.typeOf(s.Ann)})
		return
	}
	v := b.eval(s.Value)
	switch v.(type) {
	case *frame, fresh, *tir.Buffer, *tir.IterVar:
		b.tirBind(s, t, v, true)
		return
	}
	if path, ok := b.path(s.Ann); ok && path == "T.let" {
		b.tirBind(s, t, v, true)
		return
	}
	b.unused(t, v)
	typ := b.typeOf(s.Ann)
	e := b.exprOf(v, ir.TypeDType(typ), s.Value)
	b.letIn(s, &tir.Var{Base: b.span(t), Name: t.Text, Type: typ, Size: b.isSize(s.Ann)}, e)
}

// isSize reports whether an annotation is that of an extent: T.int64(is_size_var=True).
func (b *builder) isSize(ann *syntax.Node) bool {
	if ann == nil || ann.Kind != syntax.Call || len(ann.Keywords()) == 0 {
		return false
	}
	v, ok := b.eval(ann).(fresh)
	return ok && v.v.Size
}

// calledType returns the type that n calls, as T.int32() does, and whether it calls one.
func (b *builder) calledType(n *syntax.Node) (dtype.DType, bool) {
	if n == nil || n.Kind != syntax.Call {
		return dtype.Void, false
	}
	path, _ := b.path(n.Kids[0])
	name, ok := strings.CutPrefix(path, "T.")
	if !ok {
		return dtype.Void, false
	}
	return dtypeName(name)
}
