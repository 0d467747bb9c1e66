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
	case "astype":
		return method{x, n.Text}
	}
	names := []string{"shape", "strides", "dtype", "ndim", "byte_offset", "elem_offset", "struct_info", "astype"}
	help := "it has shape, dtype, ndim, strides, struct_info and astype"
	if best := near(n.Text, names); best != "" {
		help = "did you mean ." + best + "?"
	}
	b.fail(n, help, "a graph-level value has no attribute %q", n.Text)
	return nil
}

// inspect reads a field of the header of a tensor. One that is known now is a constant.
func (b *builder) inspect(n *syntax.Node, field string, args ...relax.Expr) any {
	vals := make([]any, len(args))
	for i, a := range args {
		vals[i] = a
	}
	e, ok := b.opCall(n, "relax.inspect.tensor_"+field, vals, nil).(*relax.Call)
	if !ok {
		return e
	}
	info, err := op.Table().InferCall(e, b.blockBuilder().Context())
	if err != nil {
		b.fail(n, "", "%v", err)
	}
	if p, ok := info.(*relax.PrimStructInfo); ok && p.Value != nil {
		return &relax.PrimValue{Base: e.Base, Value: p.Value}
	}
	return e
}
