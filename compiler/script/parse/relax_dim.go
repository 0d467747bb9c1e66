package parse

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// dimList turns the value of a shape into extents of type int64.
func (b *builder) dimList(v any, n *syntax.Node) []tir.Expr {
	switch x := v.(type) {
	case *relax.ShapeExpr:
		return x.Values
	case *list:
		out := make([]tir.Expr, len(x.items))
		for i, it := range x.items {
			out[i] = b.dim(it, part(n, i, len(x.items)))
		}
		return out
	case *relax.ShapeStructInfo:
		return x.Values
	}
	if i, ok := v.(int64); ok {
		b.fail(n, fmt.Sprintf("write (%d,)", i), "expected a shape, got a number")
	}
	b.fail(n, "shapes are written as (2, 3)", "expected a shape, got %s", describe(v))
	return nil
}

// dim turns a value into an extent.
func (b *builder) dim(v any, n *syntax.Node) tir.Expr {
	var e tir.Expr
	if text, ok := v.(string); ok {
		e = b.symbolicValue(text, n)
	} else {
		e = b.symbol(v, n)
	}
	if !e.DType().IsInteger() {
		b.fail(n, "", "an extent must be an integer, got %s", describe(e))
	}
	if d := e.DType(); d != dtype.Int64T {
		b.fail(n, "declare the variables in it as T.int64(), or convert them by T.Cast", "the extents of tensors and shapes have type int64, got %s", d)
	}
	return e
}

// symbolicValue reads a string as an expression over symbolic variables, and defines those that
// are new.
func (b *builder) symbolicValue(text string, n *syntax.Node) tir.Expr {
	if syntax.IsIdentifier(text) {
		if v, ok := b.env.lookup(text); ok {
			return b.symbol(v, n)
		}
		v := &tir.Var{Base: b.span(n), Name: text, Type: &ir.PrimType{DType: dtype.Int64T}}
		b.env.define(text, v)
		return v
	}
	tree, errs := syntax.ParseExpr(b.d.Name, text)
	if tree == nil {
		b.fail(n, "", "%q is not an extent: %s", text, errs.List[0].Message)
	}
	b.relocate(tree, n)
	defer func(src string, i dtype.DType) { b.src, b.intType = src, i }(b.src, b.intType)
	b.intType = dtype.Int64T
	return b.symbol(b.eval(tree), n)
}

// symbol turns a value into an expression over symbolic variables; integers are int64.
func (b *builder) symbol(v any, n *syntax.Node) tir.Expr {
	if i, ok := v.(int64); ok {
		return newOf(&b.nodes.ints, tir.IntImm{Base: b.span(n), Type: dtype.Int64T, Value: i})
	}
	return b.toExpr(v, n)
}

// relocate gives the nodes of an expression in a string the place of the string, and defines
// the variables that are new.
func (b *builder) relocate(tree, n *syntax.Node) {
	if tree == nil {
		return
	}
	if tree.Kind == syntax.Name {
		if _, ok := b.env.lookup(tree.Text); !ok && tree.Text != "T" {
			b.env.define(tree.Text, &tir.Var{Base: b.span(n), Name: tree.Text, Type: &ir.PrimType{DType: dtype.Int64T}})
		}
	}
	if tree.Kind == syntax.Attr && tree.Kids[0].Kind == syntax.Name {
		// The dotted name is cut out of the text, which is another one here.
		path := tree.Kids[0].Text + "." + tree.Text
		if path[:2] == "T." {
			*tree = *syntax.NewValue(tree.At, tree.End, namespace{path})
		}
	}
	tree.At, tree.End = n.At, n.End
	for _, k := range tree.Kids {
		b.relocate(k, n)
	}
}
