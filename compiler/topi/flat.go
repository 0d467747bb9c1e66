package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// TVM's computations by statements read and write tensors as they lie in memory.

// product is the number of elements of a box of the given extents.
func product(shape []tir.Expr) tir.Expr {
	n := tir.Expr(tir.Int(1))
	for _, d := range shape {
		n = tir.Mul(n, d)
	}
	return n
}

// flatIndex is the index of the element at position p of b, which lies inside.
func flatIndex(b *tir.Buffer, p tir.Expr) []tir.Expr {
	at := make([]tir.Expr, len(b.Shape))
	for k := len(b.Shape) - 1; k > 0; k-- {
		at[k] = tir.FloorMod(p, b.Shape[k])
		p = tir.FloorDiv(p, b.Shape[k])
	}
	if len(at) > 0 {
		at[0] = p
	}
	return at
}

// flat reads the element at position p of b.
func flat(b *tir.Buffer, p tir.Expr) tir.Expr { return tir.Load(b, flatIndex(b, p)...) }

// copyFlat copies the elements of src, which has the extents of dst, in a loop over v.
func copyFlat(name string, v *tir.Var, dst, src *tir.Buffer, kind tir.ForKind) tir.Stmt {
	return &tir.For{
		LoopVar: v, Min: tir.Int(0), Extent: product(dst.Shape), Kind: kind,
		Body: tir.Store(dst, flat(src, v), flatIndex(dst, v)...),
	}
}

// externFlat is a computation by statements of a tensor like x.
func externFlat(name string, x *te.Tensor, ins []*te.Tensor, body func(in, out []*tir.Buffer) tir.Stmt) *te.Tensor {
	return te.Extern(name, []te.Out{{DType: x.DType, Shape: x.Shape}}, ins, body, te.Offsets())[0]
}
