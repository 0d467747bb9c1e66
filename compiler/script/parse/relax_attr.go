package parse

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
)

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
	case "struct_info", "struct_info_":
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
