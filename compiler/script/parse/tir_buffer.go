package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// bufferArgs are the parameters that T.Buffer, T.alloc_buffer and T.decl_buffer share.
var bufferArgs = []string{
	"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type", "axis_separators",
}

// newBuffer makes the buffer that bound arguments describe, in the order of bufferArgs.
func (b *builder) newBuffer(n *syntax.Node, a []*syntax.Node) *tir.Buffer {
	shape := b.exprs(a[0])
	dt := b.bufferType
	if a[1] != nil {
		dt = b.dtypeOf(a[1])
	}
	scope := ""
	if a[5] != nil {
		scope = b.strOf(a[5], "the memory scope")
	}
	buf := tir.NewBuffer("", dt, shape, scope)
	buf.Base = b.span(n)
	if a[2] != nil {
		switch v := b.eval(a[2]).(type) {
		case nil:
		case *tir.Var:
			buf.Data = v
		case fresh:
			buf.Data = v.v
		case *tir.Buffer:
			buf.Data = v.Data
		default:
			b.fail(a[2], "", "the data of a buffer must be a pointer, got %s", describe(v))
		}
	}
	buf.Strides = b.strides(a[3])
	if a[4] != nil {
		switch v := b.eval(a[4]).(type) {
		case nil:
		case string:
			buf.ElemOffset = b.sizeName(v, a[4])
		default:
			if e := b.toExpr(v, a[4]); !tir.IsConst(e, 0) {
				buf.ElemOffset = e
			}
		}
	}
	if a[6] != nil {
		if align := b.intOf(a[6], "the alignment"); align > 0 {
			buf.DataAlignment = int(align)
		}
	}
	if a[7] != nil {
		if f := b.intOf(a[7], "the offset factor"); f > 0 {
			buf.OffsetFactor = int(f)
			if a[4] == nil {
				d := b.intType
				if len(shape) > 0 {
					d = shape[0].DType()
				}
				buf.ElemOffset = tir.NewVar("elem_offset", d)
			}
		}
	}
	if a[8] != nil {
		switch kind := b.strOf(a[8], "the kind of buffer"); kind {
		case "auto", "auto_broadcast":
			buf.Kind = tir.BufferAutoBroadcast
		case "", "default":
		default:
			b.fail(a[8], `it is "default" or "auto"`, "unknown kind of buffer %q", kind)
		}
	}
	if a[9] != nil {
		for _, e := range b.exprs(a[9]) {
			v, _ := tir.AsInt(e)
			buf.AxisSeparators = append(buf.AxisSeparators, int(v))
		}
	}
	if b.tf != nil && b.tf.byData[buf.Data] == nil {
		b.tf.byData[buf.Data] = buf
	}
	return buf
}

// strides evaluates strides; a string names a new variable.
func (b *builder) strides(n *syntax.Node) []tir.Expr {
	if n == nil {
		return nil
	}
	l, ok := b.eval(n).(*list)
	if !ok {
		return b.exprs(n)
	}
	var out []tir.Expr
	for _, v := range l.items {
		if s, ok := v.(string); ok {
			out = append(out, b.sizeName(s, n))
			continue
		}
		out = append(out, b.toExpr(v, n))
	}
	return out
}

func (b *builder) sizeName(s string, n *syntax.Node) tir.Expr {
	if v, ok := b.env.lookup(s); ok {
		return b.toExpr(v, n)
	}
	v := &tir.Var{Base: b.span(n), Name: s, Type: &ir.PrimType{DType: b.intType}}
	b.env.define(s, v)
	return v
}

// bufferCall evaluates T.Buffer, T.alloc_buffer, T.decl_buffer and T.match_buffer.
func (b *builder) bufferCall(path string, n *syntax.Node) any {
	if path == "T.match_buffer" {
		return b.matchBuffer(n)
	}
	a := b.bind(n, bufferArgs...)
	b.need(n, a, 1, "shape")
	buf := b.newBuffer(n, a)
	switch path {
	case "T.alloc_buffer", "T.sblock_alloc_buffer":
		switch {
		case len(b.tf.blocks) == 0:
			b.tf.allocs = append(b.tf.allocs, buf)
		default:
			blk := b.top(n).realize.Block
			blk.AllocBuffers = append(blk.AllocBuffers, buf)
		}
		return buf
	case "T.decl_buffer":
		base := b.span(n)
		alloc := a[2] == nil || b.eval(a[2]) == nil
		return &frame{def: buf, wrap: func(body tir.Stmt) tir.Stmt {
			var s tir.Stmt = &tir.DeclBuffer{Base: base, Buffer: buf, Body: body}
			if alloc {
				s = &tir.Allocate{Base: base, Var: buf.Data, Type: buf.DType, Extents: buf.Shape, Condition: tir.Bool(true), Body: s}
			}
			return s
		}}
	}
	return buf
}

func (b *builder) matchBuffer(n *syntax.Node) any {
	a := b.bind(n, append([]string{"param"}, bufferArgs...)...)
	b.need(n, a, 1, "param")
	switch v := b.eval(a[0]).(type) {
	case *tir.BufferRegion, *tir.BufferLoad:
		src := b.toRegion(v, a[0])
		if a[1] == nil {
			l := &list{tuple: true}
			for _, r := range src.Region {
				l.items = append(l.items, r.Extent)
			}
			a[1] = syntax.NewValue(a[0].At, a[0].End, l)
		}
		buf := b.newBuffer(n, a[1:])
		blk := b.top(n).realize.Block
		b.binds(buf)
		blk.MatchBuffers = append(blk.MatchBuffers, &tir.MatchBufferRegion{Base: b.span(n), Buffer: buf, Source: src})
		return buf
	case *tir.Var:
		b.need(n, a, 2, "param", "shape")
		for i, p := range b.tf.fn.Params {
			if p != v {
				continue
			}
			buf := b.newBuffer(n, a[1:])
			b.tf.fn.Buffers[i] = buf
			b.binds(buf)
			return buf
		}
		b.fail(a[0], "", "%s is no parameter of the function", v.Name)
	default:
		b.fail(a[0], "", "expected a parameter of type T.handle or a region of a buffer, got %s", describe(v))
	}
	return nil
}

// binds notes that a matched buffer gives the variables in its shape, strides and offset their
// values.
func (b *builder) binds(buf *tir.Buffer) {
	if len(b.tf.declared) == 0 {
		return
	}
	buf.EachExpr(func(e tir.Expr) {
		ir.Walk(e, func(n ir.Node) bool {
			if v, ok := n.(*tir.Var); ok {
				delete(b.tf.declared, v)
			}
			return true
		})
	})
}
