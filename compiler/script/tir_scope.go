package script

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// scope prints a statement whose head is visible in body. def, if not nil, is the variable or
// buffer that the head defines: "def = head" or "with head as def:".
func (p *printer) scope(s tir.Stmt, last bool, body tir.Stmt, binds bool, head func(), def ir.Node) {
	data := func() {
		if v, ok := def.(*tir.Var); ok {
			p.views(v)
		}
	}
	if last {
		p.begin(s)
		if binds {
			// The head is written before the name exists, so that it cannot refer to it.
			at := len(p.buf)
			head()
			mid := len(p.buf)
			p.def(def)
			if let, ok := s.(*tir.LetStmt); ok {
				p.str(": ")
				p.typeOf(let.Var)
			}
			p.str(" = ")
			p.moveFront(at, mid)
		} else {
			head()
		}
		p.end()
		data()
		p.body(body)
		return
	}
	mark := p.enter()
	p.begin(s)
	p.str("with ")
	head()
	if binds {
		p.str(" as ")
		p.def(def)
	}
	p.str(":")
	p.end()
	p.indent++
	data()
	p.body(body)
	p.indent--
	p.leave(mark)
}

func (p *printer) allocate(s *tir.Allocate, last bool) {
	d, ok := s.Body.(*tir.DeclBuffer)
	if ok && p.sugar && d.Buffer.Data == s.Var && d.Buffer.DType == s.Type && tir.IsTrue(s.Condition) && s.Annotations.Len() == 0 &&
		sameExprs(d.Buffer.Shape, s.Extents) && len(p.undeclared[s.Var]) == 0 {
		p.scope(s, last, d.Body, true, func() { p.bufferDecl("decl_buffer", d.Buffer, false) }, d.Buffer)
		return
	}
	p.scope(s, last, s.Body, true, func() {
		p.t("allocate(")
		p.exprList(s.Extents, "[", "]")
		p.thenQuoted(s.Type.String())
		p.str(", ")
		scope := "global"
		if t, ok := s.Var.Type.(*ir.PointerType); ok && t.Scope != "" {
			scope = t.Scope
		}
		p.quote(scope)
		if !tir.IsTrue(s.Condition) {
			p.then(s.Condition)
		}
		p.annotations(s.Annotations)
		p.str(")")
	}, s.Var)
}

func (p *printer) letStmt(s *tir.LetStmt, last bool) {
	used := p.names.ofVar(s.Var) != "" || len(p.undeclared[s.Var]) > 0 && p.dataOwner(s.Var, nil) != ""
	if used { // before, by itself or as the data of a buffer
		p.scope(s, false, s.Body, false, func() {
			p.t("LetStmt(")
			p.expr(s.Value, 0)
			p.str(", var=")
			p.open(s.Var)
			p.pointer(s.Var, nil)
			p.shut()
			p.str(")")
		}, nil)
		return
	}
	p.scope(s, last, s.Body, true, func() {
		if last { // x: type = value
			p.expr(s.Value, 0)
			return
		}
		p.t("LetStmt(")
		p.expr(s.Value, 0)
		if t, ok := s.Var.Type.(*ir.PrimType); !ok || t.DType != s.Value.DType() || s.Var.Size {
			p.str(", type_annotation=")
			p.typeOf(s.Var)
		}
		p.str(")")
	}, s.Var)
}

func (p *printer) attrStmt(s *tir.AttrStmt, last bool) {
	if iv, ok := s.Node.(*tir.IterVar); ok && (s.Key == "thread_extent" || s.Key == "virtual_thread") {
		p.scope(s, last, s.Body, true, func() {
			p.t("launch_thread(")
			if d := iv.Var.DType(); d != s.Value.DType() {
				p.t("env_thread(")
				p.quote(iv.ThreadTag)
				p.thenQuoted(d.String())
				p.str(")")
			} else {
				p.quote(iv.ThreadTag)
			}
			p.then(s.Value)
			p.str(")")
		}, iv.Var)
		return
	}
	if r, scope := realizeIn(s); r != nil && p.sugar {
		p.named(r.Buffer)
		p.scope(s, last, r.Body, false, func() { p.realize(r, scope) }, nil)
		return
	}
	p.named(s.Node)
	p.scope(s, last, s.Body, false, func() {
		p.t("attr(")
		p.attrNode(s.Node)
		p.thenQuoted(s.Key)
		p.then(s.Value)
		p.str(")")
	}, nil)
}

// realizeIn returns the BufferRealize that T.realize writes together with s, an attribute that gives
// the buffer another scope than its own, and that scope; nil if s is another attribute.
func realizeIn(s *tir.AttrStmt) (*tir.BufferRealize, string) {
	r, ok := s.Body.(*tir.BufferRealize)
	scope, isStr := s.Value.(*tir.StringImm)
	if !ok || !isStr || s.Key != "realize_scope" || s.Node != ir.Node(r.Buffer) || scope.Value == "" || scope.Value == r.Buffer.Scope() {
		return nil, ""
	}
	return r, scope.Value
}

// realize prints T.realize.
func (p *printer) realize(s *tir.BufferRealize, scope string) {
	p.t("realize(")
	p.define(s.Buffer, s.Buffer.Name)
	p.regionOf(s.Buffer, s.Bounds)
	p.thenQuoted(scope)
	if !tir.IsTrue(s.Condition) {
		p.then(s.Condition)
	}
	p.str(")")
}

// named declares the buffers that are realized, or that an attribute around that is attached to, before
// the statement that brings them into scope.
func (p *printer) named(n ir.Node) {
	switch n := n.(type) {
	case *tir.Buffer:
		if p.names.ofBuffer(n) == "" && !p.declaredLater(n) {
			p.bufferLine("Buffer", n, false)
		}
	case *tir.Array:
		for _, item := range n.Items {
			p.named(item)
		}
	}
}

// attrNode prints what an attribute is attached to.
func (p *printer) attrNode(n ir.Node) {
	switch n := n.(type) {
	case nil:
		p.str("0")
	case *tir.Buffer:
		p.use(n)
	case *tir.IterVar:
		p.tracked(n, p.name(n.Var))
	case tir.Expr:
		p.expr(n, 0)
	case *tir.Array:
		p.open(n)
		p.str("[")
		list(p, n.Items, p.attrNode)
		p.str("]")
		p.shut()
	default:
		p.value(n)
	}
}

func (p *printer) assertStmt(s *tir.AssertStmt, last bool) {
	if last {
		p.begin(s)
		p.str("assert ")
		p.expr(s.Cond, 0)
		p.then(s.Message)
		p.end()
		if !tir.IsNoOp(s.Body) {
			p.body(s.Body)
		}
		return
	}
	p.scope(s, last, s.Body, false, func() { p.call("Assert", s.Cond, s.Message) }, nil)
}
