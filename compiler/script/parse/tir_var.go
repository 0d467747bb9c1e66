package parse

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/script/syntax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// newVar evaluates T.int32() and the like: a variable that takes the name it is assigned to.
func (b *builder) newVar(d dtype.DType, n *syntax.Node) any {
	v := &tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: d}}
	for _, kw := range n.Keywords() {
		if kw.Name == "is_size_var" {
			v.Size = b.flag(kw.Value)
		}
	}
	return fresh{v}
}

// handle evaluates T.handle("float32", "scope").
func (b *builder) handle(n *syntax.Node) any {
	a := b.bind(n, "dtype", "storage_scope", "is_size_var")
	v := &tir.Var{Base: b.span(n), Type: &ir.PrimType{DType: dtype.HandleT}}
	if a[0] == nil || b.eval(a[0]) == nil {
		return fresh{v}
	}
	scope := ""
	if a[1] != nil {
		if scope = b.strOf(a[1], "the memory scope"); scope == "global" {
			scope = ""
		}
	}
	v.Type = &ir.PointerType{Elem: &ir.PrimType{DType: b.dtypeOf(a[0])}, Scope: scope}
	return fresh{v}
}
