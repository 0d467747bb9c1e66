package script

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// body prints s as the last statement of its frame: scopes need no "with".
func (p *printer) body(s tir.Stmt) {
	if s == nil {
		p.rawLine("pass")
	} else {
		p.statement(s, true)
	}
}

// nested prints the body of a compound statement in a frame of its own.
func (p *printer) nested(s tir.Stmt) {
	mark := p.enter()
	p.indent++
	p.body(s)
	p.indent--
	p.leave(mark)
}

// statement prints s. Where it is not last in its frame, a scope that extends over its body
// is written with "with".
func (p *printer) statement(s tir.Stmt, last bool) {
	p.open(s)
	p.statementText(s, last)
	p.shut()
}

func (p *printer) statementText(s tir.Stmt, last bool) {
	switch s := s.(type) {
	case *tir.SeqStmt:
		for i, x := range s.Seq {
			p.statement(x, last && i == len(s.Seq)-1)
		}
	case *tir.Evaluate:
		p.begin(s)
		if c, ok := s.Value.(*tir.Call); ok && p.returns(c) {
			p.str("return ")
			p.expr(c.Args[0], 0)
		} else if ok {
			p.tirCall(c)
		} else {
			p.call("evaluate", s.Value)
		}
		p.end()
	case *tir.BufferStore:
		p.store(s)
	case *tir.For:
		p.forLoop(s)
	case *tir.While:
		p.begin(s)
		p.str("while ")
		p.expr(s.Cond, 0)
		p.str(":")
		p.end()
		p.nested(s.Body)
	case *tir.IfThenElse:
		p.ifStmt(s, "if ")
	case *tir.BlockRealize:
		p.blockRealize(s)
	case *tir.Block:
		p.blockRealize(&tir.BlockRealize{Block: s, Predicate: tir.Bool(true)})
	case *tir.LetStmt:
		p.letStmt(s, last)
	case *tir.AttrStmt:
		p.attrStmt(s, last)
	case *tir.AssertStmt:
		p.assertStmt(s, last)
	case *tir.BufferRealize:
		p.named(s.Buffer)
		p.scope(s, last, s.Body, false, func() { p.realize(s, s.Buffer.Scope()) }, nil)
	case *tir.Allocate:
		p.allocate(s, last)
	case *tir.AllocateConst:
		p.scope(s, last, s.Body, true, func() {
			p.t("allocate_const(")
			p.metaTensor(s.Data)
			p.thenQuoted(s.Type.String())
			p.str(", ")
			p.exprList(s.Extents, "[", "]")
			p.annotations(s.Annotations)
			p.str(")")
		}, s.Var)
	case *tir.DeclBuffer:
		p.scope(s, last, s.Body, true, func() { p.bufferDecl("decl_buffer", s.Buffer, true) }, s.Buffer)
	default:
		panic(fmt.Sprintf("script: unknown statement %T", s))
	}
}

// returns reports whether c is printed as a return statement.
func (p *printer) returns(c *tir.Call) bool {
	return p.opts.TVM && p.sugar && c.Op == tir.OpRet && len(c.Args) == 1 && c.Type == c.Args[0].DType()
}

func (p *printer) annotations(a *ir.Attrs) {
	if a.Len() > 0 {
		p.str(", annotations=")
		p.attrs(a)
	}
}

func (p *printer) store(s *tir.BufferStore) {
	p.begin(s)
	p.use(s.Buffer)
	if s.Predicate != nil {
		p.str(".vstore(")
		p.exprList(s.Indices, "[", "]")
		p.then(s.Value)
		p.str(", predicate=")
		p.expr(s.Predicate, 0)
		p.str(")")
	} else {
		p.indices(s.Indices)
		p.str(" = ")
		p.expr(s.Value, 0)
	}
	p.end()
}

func (p *printer) ifStmt(s *tir.IfThenElse, word string) {
	p.begin(s)
	p.str(word)
	p.expr(s.Cond, 0)
	p.str(":")
	p.end()
	p.nested(s.Then)
	if s.Else == nil {
		return
	}
	if e, ok := s.Else.(*tir.IfThenElse); ok {
		p.ifStmt(e, "elif ")
		return
	}
	p.rawLine("else:")
	p.nested(s.Else)
}

func sameExprs(a, b []tir.Expr) bool {
	return slices.EqualFunc(a, b, func(x, y tir.Expr) bool {
		i, iok := x.(*tir.IntImm)
		k, kok := y.(*tir.IntImm)
		return x == y || iok && kok && i.Value == k.Value && i.Type == k.Type
	})
}
