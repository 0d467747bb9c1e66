package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

func int64Out(shape ...tir.Expr) te.Out { return te.Out{DType: dtype.Int64T, Shape: shape} }

// NonZero returns the places of the elements of x that are not zero, in order, and how many there are: a row of indices for each axis, of which so many
// columns count.
func NonZero(x *te.Tensor) (places, count *te.Tensor) {
	all := product(x.Shape)
	outs := []te.Out{int64Out(tir.Int(int64(x.NDim())), all), int64Out(tir.Int(1))}
	ts := te.Extern("nonzero", outs, []*te.Tensor{x}, func(in, out []*tir.Buffer) tir.Stmt {
		rows := newLoops("i", x.Shape)
		found := tir.Load(out[1], tir.Int(0))
		var note []tir.Stmt
		for k, i := range rows.vars {
			note = append(note, tir.Store(out[0], tir.CastTo(dtype.Int64T, i), tir.Int(int64(k)), found))
		}
		note = append(note, tir.Store(out[1], tir.Add(found, tir.Int(1)), tir.Int(0)))
		var is tir.Expr = tir.Load(in[0], rows.vars...)
		if !x.DType.IsBool() {
			is = tir.NE(is, constantOf(x.DType, 0))
		}
		return tir.Seq(tir.Store(out[1], tir.Int(0), tir.Int(0)), rows.wrap(&tir.IfThenElse{Cond: is, Then: tir.Seq(note...)}))
	})
	return ts[0], ts[1]
}

// Columns are the first n columns of a matrix.
func Columns(x *te.Tensor, n tir.Expr) *te.Tensor {
	return te.Compute("columns", []tir.Expr{x.Shape[0], n}, func(i []tir.Expr) tir.Expr { return x.At(i...) })
}
