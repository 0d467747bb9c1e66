package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
)

// attr evaluates value.name.
func (b *builder) attr(n *syntax.Node) any {
	if path, ok := b.path(n); ok {
		return namespace{path}
	}
	v := b.eval(n.Kids[0])
	switch x := v.(type) {
	case moduleRef:
		return b.globalVar(n.Text, n)
	case fresh:
		return b.varAttr(x.v, n)
	case *tir.Buffer:
		return b.bufferAttr(x, n)
	case *tir.IterVar:
		switch n.Text {
		case "var":
			return x.Var
		case "dom":
			return x.Dom
		}
		return b.varAttr(x.Var, n)
	case *tir.Range:
		switch n.Text {
		case "min":
			return x.Min
		case "extent":
			return x.Extent
		}
	case tir.Expr:
		return b.varAttr(x, n)
	case relax.Expr:
		return b.graphAttr(x, n)
	case tensorField:
		if x.name == "dtype" {
			switch n.Text {
			case "type_code":
				return b.inspect(n, "dtype_code", x.of)
			case "bits", "lanes":
				return b.inspect(n, "dtype_"+n.Text, x.of)
			}
		}
		b.fail(n, "", "the %s of a tensor has no attribute %q", x.name, n.Text)
	case *relax.TensorStructInfo:
		switch n.Text {
		case "shape":
			return x.Shape
		case "dtype":
			return x.DType.String()
		}
	}
	b.fail(n, "", "%s has no attribute %q", describe(v), n.Text)
	return nil
}

func (b *builder) varAttr(e tir.Expr, n *syntax.Node) any {
	switch n.Text {
	case "dtype", "ty":
		return e.DType().String()
	case "value":
		if v, ok := tir.AsInt(e); ok {
			return v
		}
	}
	if m := b.methodOf("Expr.", e, n.Text); m != nil {
		return m
	}
	b.fail(n, "", "an expression has no attribute %q", n.Text)
	return nil
}

func (b *builder) bufferAttr(x *tir.Buffer, n *syntax.Node) any {
	switch n.Text {
	case "ty": // the type of a buffer after v0.23, which has its shape and offset
		return x
	case "data":
		return x.Data
	case "shape":
		return listOf(x.Shape)
	case "strides":
		return listOf(x.Strides)
	case "dtype":
		return x.DType.String()
	case "elem_offset", "byte_offset":
		var at tir.Expr = &tir.IntImm{Type: b.intType}
		if x.ElemOffset != nil {
			at = x.ElemOffset
		}
		if n.Text == "byte_offset" && x.ElemOffset != nil {
			at = tir.Mul(at, tir.Const(at.DType(), int64(x.DType.Bytes())))
		}
		return at
	}
	if m := b.methodOf("Buffer.", x, n.Text); m != nil {
		return m
	}
	known := []string{"data", "shape", "strides", "dtype", "elem_offset", "vload", "vstore", "access_ptr", "scope"}
	b.fail(n, did(n.Text, known, ".", ""), "a buffer has no attribute %q", n.Text)
	return nil
}

// methodOf returns a method of a kind of value ("Buffer.") by its name, nil if there is none.
func (b *builder) methodOf(kind string, recv any, name string) any {
	if s := b.table[kind+name]; s != nil {
		return method{recv, s}
	}
	return nil
}

// index evaluates value[indices].
func (b *builder) index(n *syntax.Node) any {
	if n.Kids[0].Kind == syntax.Index {
		if path, ok := b.path(n.Kids[0].Kids[0]); ok && path == "metadata" {
			return b.constant(n)
		}
	}
	if path, ok := b.path(n.Kids[0]); ok {
		return b.subscripted(path, n)
	}
	v := b.eval(n.Kids[0])
	switch x := v.(type) {
	case *tir.Buffer:
		return b.access(x, n)
	case *list:
		if i, ok := asInt(b.eval(n.Kids[1])); ok {
			if i < 0 {
				i += int64(len(x.items))
			}
			if i >= 0 && i < int64(len(x.items)) {
				return x.items[i]
			}
		}
		b.fail(n, "", "the index is outside of %s", describe(x))
	case moduleRef:
		return b.globalVar(b.toString(b.eval(n.Kids[1]), n.Kids[1], "the name of a function"), n)
	case relax.Expr:
		return &relax.TupleGetItem{Base: b.span(n), Tuple: x, Index: int(b.toInt(b.eval(n.Kids[1]), n.Kids[1], "the number of a field"))}
	case *dict:
		key := b.eval(n.Kids[1])
		for i, k := range x.keys {
			if k == key {
				return x.vals[i]
			}
		}
	case tensorField:
		if field := map[string]string{"shape": "shape_i", "strides": "stride_i"}[x.name]; field != "" {
			return b.inspect(n, field, x.of, b.toRelax(b.eval(n.Kids[1]), n.Kids[1]))
		}
	case *tir.BufferRegion:
		b.fail(n, "", "a region of a buffer cannot be indexed")
	}
	b.fail(n, "", "%s cannot be indexed", describe(v))
	return nil
}

// subscripted evaluates T.Buffer[...], T.let[...] and the like, as older and newer dialects
// write annotations.
func (b *builder) subscripted(path string, n *syntax.Node) any {
	switch path {
	case "T.let", "T.Tuple":
		return b.eval(n.Kids[1])
	case "T.Buffer":
		call := &syntax.Node{Kind: syntax.Call, At: n.At, End: n.End, Kids: append([]*syntax.Node{n.Kids[0]}, b.indexParts(n)...)}
		return b.eval(call)
	case "T.Ptr", "T.ptr":
		d := b.toType(b.eval(n.Kids[1]), n.Kids[1])
		return fresh{&tir.Var{Base: b.span(n), Type: &ir.PointerType{Elem: &ir.PrimType{DType: d}}}}
	}
	b.fail(n, "", "%s cannot be indexed", path)
	return nil
}
