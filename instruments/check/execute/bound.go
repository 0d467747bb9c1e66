package execute

import (
	"github.com/irscope/irscope/compiler/relax/graphrun"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/tensor"
)

// bound returns fn with the symbolic dimensions of its buffers replaced by what its arguments say: what it computes on them is the same, and the
// extents of its loops are known.
func bound(fn *tir.PrimFunc, args []graphrun.Value) *tir.PrimFunc {
	sub := map[*tir.Var]tir.Expr{}
	for i, p := range fn.Params {
		b := fn.BufferOf(p)
		if b == nil || i >= len(args) {
			continue
		}
		t, ok := args[i].(*tensor.Tensor)
		if !ok || len(t.Shape) != len(b.Shape) {
			continue
		}
		for dim, e := range b.Shape {
			if v, ok := e.(*tir.Var); ok {
				sub[v] = tir.Const(v.DType(), t.Shape[dim])
			}
		}
	}
	if len(sub) == 0 {
		return fn
	}
	return fn.WithBody(tir.SubstStmt(fn.Body, sub))
}
