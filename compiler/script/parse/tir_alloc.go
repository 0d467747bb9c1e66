package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

func (b *builder) allocate(n *syntax.Node) *frame {
	base := b.span(n)
	a := b.bind(n, "extents", "dtype", "scope", "condition", "annotations")
	b.need(n, a, 2, "extents", "dtype")
	s := &tir.Allocate{Base: base, Type: b.dtypeOf(a[1]), Extents: b.exprs(a[0]), Condition: tir.Bool(true)}
	scope := ""
	if a[2] != nil {
		if scope = b.strOf(a[2], "the memory scope"); scope == "global" {
			scope = ""
		}
	}
	if a[3] != nil {
		if v := b.eval(a[3]); v != nil {
			s.Condition = b.toExpr(v, a[3])
		}
	}
	if a[4] != nil {
		s.Annotations = b.attrDict(a[4])
	}
	s.Var = &tir.Var{Base: base, Type: &ir.PointerType{Elem: &ir.PrimType{DType: s.Type}, Scope: scope}}
	return &frame{def: fresh{s.Var}, wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
}

func (b *builder) allocateConst(n *syntax.Node) *frame {
	base := b.span(n)
	a := b.bind(n, "data", "dtype", "extents", "annotations")
	b.need(n, a, 3, "data", "dtype", "extents")
	s := &tir.AllocateConst{Base: base, Type: b.dtypeOf(a[1]), Extents: b.exprs(a[2])}
	shape := make([]int64, len(s.Extents))
	for i, e := range s.Extents {
		v, ok := tir.AsInt(e)
		if !ok {
			b.fail(a[2], "", "the extents of a constant must be numbers")
		}
		shape[i] = v
	}
	if key, ok := b.metadataKey(a[0]); ok {
		s.Data = b.blob(key, s.Type, shape, a[0])
	} else {
		data, _, err := denseData(b.eval(a[0]), s.Type)
		if err == nil {
			s.Data, err = ir.NewBlob(s.Type, shape, data)
		}
		if err != nil {
			b.fail(a[0], "", "%v", err)
		}
	}
	if a[3] != nil {
		s.Annotations = b.attrDict(a[3])
	}
	s.Var = &tir.Var{Base: base, Type: &ir.PointerType{Elem: &ir.PrimType{DType: s.Type}}}
	return &frame{def: fresh{s.Var}, wrap: func(body tir.Stmt) tir.Stmt { s.Body = body; return s }}
}

func (b *builder) realize(n *syntax.Node) *frame {
	base := b.span(n)
	a := b.bind(n, "buffer_slice", "storage_scope", "condition")
	b.need(n, a, 1, "buffer_slice")
	r := b.toRegion(b.eval(a[0]), a[0])
	s := &tir.BufferRealize{Base: base, Buffer: r.Buffer, Bounds: r.Region, Condition: tir.Bool(true)}
	if a[2] != nil {
		s.Condition = b.expr(a[2])
	}
	var attr ir.Node
	scope := ""
	if a[1] != nil {
		scope = b.strOf(a[1], "the memory scope")
	}
	if scope != "" && scope != r.Buffer.Scope() {
		attr = r.Buffer
	}
	return &frame{wrap: func(body tir.Stmt) tir.Stmt {
		s.Body = body
		if attr != nil {
			return &tir.AttrStmt{Base: base, Node: attr, Key: "realize_scope", Value: &tir.StringImm{Value: scope}, Body: s}
		}
		return s
	}}
}
