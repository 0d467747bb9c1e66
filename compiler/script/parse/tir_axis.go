package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// axis evaluates T.axis.spatial(dom, binding) and its kin.
func (b *builder) axis(n *syntax.Node, kind tir.IterKind) any {
	a := b.bind(n, "dom", "binding", "dtype")
	b.need(n, a, 1, "dom")
	var dom *tir.Range
	switch v := b.eval(a[0]).(type) {
	case *list:
		if len(v.items) != 2 {
			b.fail(a[0], "", "a domain is an extent, or a tuple of start and end")
		}
		lo, hi := b.pairOf(v.items[0], v.items[1], &syntax.Node{At: a[0].At, End: a[0].End, Kids: []*syntax.Node{a[0], a[0]}})
		dom = &tir.Range{Min: lo, Extent: b.extent(lo, hi)}
	case *tir.Range:
		dom = v
	default:
		e := b.toExpr(v, a[0])
		dom = &tir.Range{Min: tir.Const(e.DType(), 0), Extent: e}
	}
	d := dom.Extent.DType()
	if a[2] != nil {
		if t := b.dtypeOf(a[2]); t.Bits > d.Bits {
			d = t
		}
	}
	h := b.top(n)
	iv := &tir.IterVar{Base: b.span(n), Dom: dom, Var: &tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: d}}, Kind: kind}
	h.realize.Block.IterVars = append(h.realize.Block.IterVars, iv)
	if a[1] != nil {
		if v := b.eval(a[1]); v != nil {
			h.realize.Values = append(h.realize.Values, b.axisValue(v, d, a[1]))
		}
	}
	return fresh{iv.Var}
}

// axisValue is the value that an axis of type d is bound to; a constant takes this type.
func (b *builder) axisValue(v any, d dtype.DType, n *syntax.Node) tir.Expr {
	e := b.toExpr(v, n)
	if i, ok := e.(*tir.IntImm); ok && i.Type != d {
		return &tir.IntImm{Base: i.Base, Type: d, Value: i.Value}
	}
	return e
}

// remap evaluates T.axis.remap("SR", [i, j]).
func (b *builder) remap(n *syntax.Node) any {
	a := b.bind(n, "kinds", "bindings", "dtype")
	b.need(n, a, 2, "kinds", "bindings")
	kinds := b.strOf(a[0], "the kinds of the axes")
	values := b.exprs(a[1])
	if len(kinds) != len(values) {
		b.fail(a[0], "write S or R for each", "%q is the kinds of %d axes, but there are %d bindings", kinds, len(kinds), len(values))
	}
	h := b.top(n)
	out := &list{tuple: true}
	for i, e := range values {
		v, ok := e.(*tir.Var)
		dom := b.tf.loops[v]
		if !ok || dom == nil {
			at := a[1]
			if len(a[1].Kids) == len(values) {
				at = a[1].Kids[i]
			}
			b.fail(at, "bind other values with T.axis.spatial(extent, value)", "T.axis.remap takes loop variables")
		}
		kind := tir.DataPar
		switch kinds[i] {
		case 'S':
		case 'R':
			kind = tir.CommReduce
		case 'O':
			kind = tir.Opaque
		default:
			b.fail(a[0], `S is spatial and R a reduction`, "unknown kind of axis %q", kinds[i:i+1])
		}
		iv := &tir.IterVar{Base: b.span(n), Dom: &tir.Range{Min: dom.Min, Extent: dom.Extent}, Var: &tir.Var{Base: b.span(n), Type: v.Type}, Kind: kind}
		h.realize.Block.IterVars = append(h.realize.Block.IterVars, iv)
		h.realize.Values = append(h.realize.Values, v)
		out.items = append(out.items, fresh{iv.Var})
	}
	if len(out.items) == 1 {
		return out.items[0]
	}
	return out
}
