package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// toRelax turns a value into a graph-level expression.
func (b *builder) toRelax(v any, n *syntax.Node) relax.Expr {
	switch x := v.(type) {
	case relax.Expr:
		return x
	case constantRef:
		return b.missing(x, nil)
	case int64:
		return &relax.PrimValue{Base: b.span(n), Value: b.literal(dtype.Int64T, x, n)}
	case float64:
		return &relax.PrimValue{Base: b.span(n), Value: b.literal(dtype.Float64T, x, n)}
	case bool:
		return &relax.PrimValue{Base: b.span(n), Value: tir.Bool(x)}
	case string:
		return &relax.StringImm{Base: b.span(n), Value: x}
	case dtype.DType:
		return &relax.DataTypeImm{Base: b.span(n), Value: x}
	case tir.Expr:
		return &relax.PrimValue{Base: b.span(n), Value: x}
	case fresh:
		return &relax.PrimValue{Base: b.span(n), Value: x.v}
	case *list:
		t := &relax.Tuple{Base: b.span(n), Fields: make([]relax.Expr, len(x.items))}
		for i, it := range x.items {
			t.Fields[i] = b.toRelax(it, part(n, i, len(x.items)))
		}
		return t
	case tensorField:
		if x.name == "shape" {
			return b.callOp(n, "relax.shape_of", x.of).(relax.Expr)
		}
	case poison:
		panic(failure{})
	case *matchCast:
		b.fail(n, "bind it to a name first", "R.match_cast cannot be an argument")
	}
	b.fail(n, "", "expected a graph-level value, got %s", describe(v))
	return nil
}

// toArgument turns a value into an argument of the given kind.
func (b *builder) toArgument(v any, kind op.ArgKind, name string, n *syntax.Node) relax.Expr {
	if s, ok := v.(string); ok && kind == op.AnyValue && name == "dtype" {
		return b.toArgument(s, op.DType, name, n)
	}
	switch kind {
	case op.Shape:
		switch x := v.(type) {
		case *list:
			return &relax.ShapeExpr{Base: b.span(n), Values: b.dimList(x, n)}
		case int64:
			return &relax.ShapeExpr{Base: b.span(n), Values: []tir.Expr{b.dim(x, n)}}
		case *relax.Tuple:
			if len(x.Fields) == 0 {
				return &relax.ShapeExpr{Base: b.span(n)}
			}
		}
	case op.DType:
		if s, ok := v.(string); ok {
			d := b.parseType(s, n)
			return &relax.DataTypeImm{Base: b.span(n), Value: d}
		}
	case op.Tuple, op.Tensors:
		switch x := v.(type) {
		case *list, *relax.Tuple:
		case nil:
			return &relax.Tuple{Base: b.span(n)}
		case relax.Expr:
			// A value that is no tuple stands for a tuple of it.
			if kind == op.Tuple {
				if _, tuple := b.infoOf(x).(*relax.TupleStructInfo); !tuple {
					return &relax.Tuple{Base: b.span(n), Fields: []relax.Expr{x}}
				}
			}
		}
	case op.Callee:
		if s, ok := v.(string); ok {
			return &relax.ExternFunc{Base: b.span(n), Symbol: s}
		}
	case op.AnyValue:
		if v == nil {
			return &relax.Tuple{Base: b.span(n)}
		}
		if l, ok := v.(*list); ok && name == "shape" {
			return &relax.ShapeExpr{Base: b.span(n), Values: b.dimList(l, n)}
		}
	}
	return b.toRelax(v, n)
}

func (b *builder) infoOf(e relax.Expr) relax.StructInfo { return b.blockBuilder().Context().SInfoOf(e) }

// attribute turns a value into that of an operator's attribute.
func (b *builder) attribute(v any, a *op.Attr, n *syntax.Node) ir.Value {
	switch x := v.(type) {
	case *relax.PrimValue:
		v = x.Value
	case *relax.StringImm:
		v = x.Value
	case *relax.DataTypeImm:
		v = x.Value
	case *relax.Tuple:
		v = listOf(x.Fields)
	case *relax.ShapeExpr:
		v = listOf(x.Values)
	}
	switch a.Type {
	case op.DTypeAttr:
		switch x := v.(type) {
		case string:
			d := b.parseType(x, n)
			return d
		case nil:
			return dtype.Void
		}
	case op.IntsAttr, op.OptIntsAttr:
		if i, ok := asInt(v); ok {
			return []ir.Value{i}
		}
		return b.numbers(v, n)
	case op.IntOrIntsAttr, op.FloatsAttr:
		return b.numbers(v, n)
	case op.IntAttr, op.OptIntAttr:
		if i, ok := asInt(v); ok {
			return i
		}
	case op.BoolAttr:
		if i, ok := asInt(v); ok {
			return i != 0
		}
	case op.FloatAttr, op.OptFloatAttr:
		switch x := v.(type) {
		case int64:
			return float64(x)
		case *tir.FloatImm:
			return x.Value
		case *tir.IntImm:
			return x.Float()
		case string:
			if f, ok := namedFloat(x); ok {
				return f
			}
		}
	case op.NodeAttr:
		if s, ok := v.(string); ok {
			return b.vdevice(s, n)
		}
		if n.Kind == syntax.Lambda {
			return b.indexMap(n, dtype.Int64T)
		}
	}
	return b.attrValue(v, n)
}

// listOf returns nodes as a list of Python.
func listOf[T any](items []T) *list {
	l := &list{tuple: true, items: make([]any, len(items))}
	for i, it := range items {
		l.items[i] = it
	}
	return l
}

// numbers turns the elements of a list into attribute values, constants into numbers.
func (b *builder) numbers(v any, n *syntax.Node) ir.Value {
	l, ok := v.(*list)
	if !ok {
		if i, ok := asInt(v); ok {
			return i
		}
		return b.attrValue(v, n)
	}
	out := make([]ir.Value, len(l.items))
	for i, it := range l.items {
		if p, ok := it.(*relax.PrimValue); ok {
			it = p.Value
		}
		if k, ok := asInt(it); ok {
			out[i] = k
			continue
		}
		if f, ok := it.(*tir.FloatImm); ok {
			out[i] = f.Value
			continue
		}
		out[i] = b.attrValue(it, n)
	}
	return out
}

// tensorField is the shape, the strides or the element type of a graph-level tensor, whose
// parts are read from it at run time.
type tensorField struct {
	of   relax.Expr
	name string
}

// graphAttr evaluates x.name for a graph-level value.
func (b *builder) graphAttr(x relax.Expr, n *syntax.Node) any {
	switch n.Text {
	case "shape", "strides", "dtype":
		return tensorField{x, n.Text}
	case "ndim", "byte_offset", "elem_offset":
		return b.inspect(n, n.Text, x)
	case "struct_info", "struct_info_", "ty":
		if s := b.infoOf(x); s != nil {
			return s
		}
	}
	if m := b.methodOf("Value.", x, n.Text); m != nil {
		return m
	}
	known := []string{"shape", "strides", "dtype", "ndim", "byte_offset", "elem_offset", "struct_info", "astype"}
	help := did(n.Text, known, ".", "it has shape, dtype, ndim, strides, struct_info and astype")
	b.fail(n, help, "a graph-level value has no attribute %q", n.Text)
	return nil
}

// inspect reads a field of the header of a tensor. One that is known now is a constant.
func (b *builder) inspect(n *syntax.Node, field string, args ...any) any {
	e := b.callOp(n, "relax.inspect.tensor_"+field, args...).(*relax.Call)
	info, err := op.Table().InferCall(e, b.blockBuilder().Context())
	if err != nil {
		b.fail(n, "", "%v", err)
	}
	if p, ok := info.(*relax.PrimStructInfo); ok && p.Value != nil {
		return &relax.PrimValue{Base: e.Base, Value: p.Value}
	}
	return e
}
