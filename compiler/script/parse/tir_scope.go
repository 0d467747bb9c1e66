package parse

import (
	"strings"

	"github.com/irscope/irscope/compiler/script/syntax"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/tir"
)

// scopeCall evaluates the calls of T that open scopes or describe the block or function that
// they stand in; ok is false for others.
func (b *builder) scopeCall(name string, n *syntax.Node) (v any, ok bool) {
	switch name {
	case "block", "sblock":
		return b.block(n), true
	case "init":
		return &frame{kind: "init"}, true
	case "grid":
		return b.grid(n), true
	case "serial":
		return b.loopRange(n, tir.Serial), true
	case "parallel":
		return b.loopRange(n, tir.Parallel), true
	case "vectorized":
		return b.loopRange(n, tir.Vectorized), true
	case "unroll", "unrolled":
		return b.loopRange(n, tir.Unrolled), true
	case "thread_binding":
		return b.loopRange(n, tir.ThreadBinding), true
	case "axis.spatial", "axis.S":
		return b.axis(n, tir.DataPar), true
	case "axis.reduce", "axis.R":
		return b.axis(n, tir.CommReduce), true
	case "axis.scan":
		return b.axis(n, tir.Ordered), true
	case "axis.opaque":
		return b.axis(n, tir.Opaque), true
	case "axis.remap":
		return b.remap(n), true
	case "Buffer", "buffer", "buffer_decl", "alloc_buffer", "sblock_alloc_buffer", "decl_buffer", "match_buffer":
		return b.bufferCall("T."+name, n), true
	}
	if f := b.scopeFrame(name, n); f != nil {
		return f, true
	}
	return nil, false
}

// done is the frame of a call that has had its effect.
var done = &frame{kind: "done"}

func (b *builder) scopeFrame(name string, n *syntax.Node) *frame {
	base := b.span(n)
	switch name {
	case "func_attr":
		a := b.bind(n, "attrs")
		b.need(n, a, 1, "attrs")
		attrs := b.attrDict(a[0])
		for i := range attrs.Len() {
			key, v := attrs.At(i)
			b.tf.attrs = b.tf.attrs.With(olderName(key), v)
		}
		return done
	case "reads", "writes":
		h := b.top(n)
		list := b.regions(n)
		if name == "reads" {
			h.realize.Block.Reads, h.reads = append(h.realize.Block.Reads, list...), true
		} else {
			h.realize.Block.Writes, h.writes = append(h.realize.Block.Writes, list...), true
		}
		return done
	case "where":
		a := b.bind(n, "predicate")
		b.need(n, a, 1, "predicate")
		b.top(n).realize.Predicate = b.expr(a[0])
		return done
	case "block_attr", "sblock_attr":
		a := b.bind(n, "attrs")
		b.need(n, a, 1, "attrs")
		h := b.top(n)
		attrs := b.attrDict(a[0])
		for i := range attrs.Len() {
			h.realize.Block.Annotations = h.realize.Block.Annotations.With(attrs.At(i))
		}
		return done
	case "evaluate":
		a := b.bind(n, "value")
		b.need(n, a, 1, "value")
		return &frame{stmt: &tir.Evaluate{Base: base, Value: b.expr(a[0])}}
	case "buffer_store":
		a := b.bind(n, "buffer", "value", "indices", "predicate")
		b.need(n, a, 3, "buffer", "value", "indices")
		buf, ok := b.eval(a[0]).(*tir.Buffer)
		if !ok {
			b.fail(a[0], "", "expected a buffer")
		}
		st := &tir.BufferStore{Base: base, Buffer: buf, Value: b.exprOf(b.eval(a[1]), buf.DType, a[1]), Indices: b.exprs(a[2])}
		b.checkRank(buf, len(st.Indices), n)
		if a[3] != nil {
			st.Predicate = b.expr(a[3])
		}
		return &frame{stmt: st}
	case "attr":
		return b.attrFrame(n)
	case "launch_thread":
		return b.launchThread(n)
	case "allocate":
		return b.allocate(n)
	case "allocate_const":
		return b.allocateConst(n)
	case "realize":
		return b.realize(n)
	case "Assert":
		a := b.bind(n, "condition", "message")
		b.need(n, a, 2, "condition", "message")
		cond, msg := b.expr(a[0]), b.expr(a[1])
		return &frame{wrap: func(body tir.Stmt) tir.Stmt { return &tir.AssertStmt{Base: base, Cond: cond, Message: msg, Body: body} }}
	case "LetStmt", "let", "Bind", "bind":
		return b.letFrame(n)
	case "While", "If", "Then", "Else":
		b.fail(n, "", "write the statement in Python's form")
	}
	return nil
}

func (b *builder) letFrame(n *syntax.Node) *frame {
	base := b.span(n)
	a := b.bind(n, "value", "type_annotation", "var")
	b.need(n, a, 1, "value")
	if a[2] != nil && a[2].Kind == syntax.Name {
		if _, known := b.env.lookup(a[2].Text); !known {
			b.env.define(a[2].Text, &tir.Var{Base: b.span(a[2]), Name: a[2].Text, Type: &ir.PrimType{DType: b.expr(a[0]).DType()}})
		}
	}
	var v *tir.Var
	if a[2] != nil {
		switch x := b.eval(a[2]).(type) {
		case *tir.Var:
			v = x
		case fresh:
			v = x.v
		}
	}
	if v == nil {
		var t ir.Type
		if a[1] != nil {
			t = b.typeOf(a[1])
		} else {
			t = &ir.PrimType{DType: b.expr(a[0]).DType()}
		}
		v = &tir.Var{Base: base, Type: t, Size: b.isSize(a[1])}
	}
	e := b.exprOf(b.eval(a[0]), v.DType(), a[0])
	return &frame{def: v, wrap: func(body tir.Stmt) tir.Stmt { return &tir.LetStmt{Base: base, Var: v, Value: e, Body: body} }}
}

func (b *builder) attrFrame(n *syntax.Node) *frame {
	base := b.span(n)
	a := b.bind(n, "node", "attr_key", "value")
	b.need(n, a, 3, "node", "attr_key", "value")
	var target ir.Node
	switch x := b.eval(a[0]).(type) {
	case int64, nil:
	case fresh:
		target = x.v
	case ir.Node:
		target = x
	case string:
		target = &tir.StringImm{Base: b.span(a[0]), Value: x}
	case *dict:
		target = &tir.StringImm{Base: b.span(a[0]), Value: dictText(x)}
	default:
		b.fail(a[0], "", "an attribute cannot be on %s", describe(x))
	}
	key, value := b.strOf(a[1], "the key"), b.expr(a[2])
	return &frame{wrap: func(body tir.Stmt) tir.Stmt {
		return &tir.AttrStmt{Base: base, Node: target, Key: key, Value: value, Body: body}
	}}
}

func (b *builder) launchThread(n *syntax.Node) *frame {
	base := b.span(n)
	a := b.bind(n, "thread", "extent")
	b.need(n, a, 2, "thread", "extent")
	ext := b.expr(a[1])
	iv := &tir.IterVar{Base: base, Kind: tir.ThreadIndex, Dom: &tir.Range{Min: tir.Const(ext.DType(), 0), Extent: ext}}
	switch x := b.eval(a[0]).(type) {
	case string:
		iv.ThreadTag = x
		iv.Var = &tir.Var{Base: base, Type: &ir.PrimType{DType: ext.DType()}}
	case *tir.IterVar:
		iv.ThreadTag, iv.Var = x.ThreadTag, x.Var
	case fresh: // of T.env_thread
		env := b.tf.threads[x.v]
		if env == nil {
			b.fail(a[0], "", "expected a thread, got a variable")
		}
		iv.ThreadTag, iv.Var = env.ThreadTag, env.Var
	default:
		b.fail(a[0], `it is a name such as "threadIdx.x", or a variable of T.env_thread`, "expected a thread, got %s", describe(x))
	}
	key := "thread_extent"
	if iv.ThreadTag == "vthread" || strings.HasPrefix(iv.ThreadTag, "vthread.") {
		key = "virtual_thread"
	}
	b.tf.loops[iv.Var] = iv.Dom
	return &frame{def: fresh{iv.Var}, wrap: func(body tir.Stmt) tir.Stmt {
		return &tir.AttrStmt{Base: base, Node: iv, Key: key, Value: ext, Body: body}
	}}
}
