package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// How many float32 values are added one after the other. Each addition may round in the same
// direction: 2^20 times 0.1 comes out 1 % too large. What is longer, and what may be longer
// because its extent is symbolic, is summed in float64. Products get a higher limit: their own
// rounding errors make those of the sum random, and models have products of a few thousand
// terms whose loops stay plain this way.
const (
	longestSum     = 1024
	longestProduct = 8192
)

// accumulator is the element type in which terms of type d are added or multiplied over axes,
// and the one place that decides it: that of dtype.DType.Accumulator, and float64 for more
// than longest terms of float32.
func accumulator(d dtype.DType, longest int64, axes ...*tir.IterVar) dtype.DType {
	if d = d.Accumulator(); d != dtype.Float32T {
		return d
	}
	n := int64(1)
	for _, a := range axes {
		extent, ok := tir.AsInt(a.Dom.Extent)
		if !ok || extent > longest {
			return dtype.Float64T
		}
		if n *= max(extent, 1); n > longest {
			return dtype.Float64T
		}
	}
	return d
}

// sum adds e over axes in its accumulator type, which is that of the result.
func sum(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	e = wide(e)
	return te.Sum(tir.CastTo(accumulator(e.DType(), longestSum, axes...), e), axes...)
}

// prod is sum for a product.
func prod(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	e = wide(e)
	return te.Prod(tir.CastTo(accumulator(e.DType(), longestSum, axes...), e), axes...)
}

// dot is sum for terms that are products.
func dot(e tir.Expr, axes ...*tir.IterVar) tir.Expr {
	return te.Sum(tir.CastTo(accumulator(e.DType(), longestProduct, axes...), e), axes...)
}

// factorType is the type in which factors of products are multiplied and added where the result
// has type d. Bytes are computed in 32 bits, which gives the same bits in the end: vectors have
// no multiplication of bytes.
func factorType(d dtype.DType) dtype.DType {
	if d.IsInteger() && d.Bits == 8 {
		d.Bits = 32
	}
	return d.Accumulator()
}

// termsOfRun keeps a sum right to a millionth: see tir.AttrSumRuns.
const termsOfRun = 64

// inRuns annotates computations of sum and dot with tir.AttrSumRuns where they add float32 in
// float64.
func inRuns() te.Option {
	return te.AttrWhere(tir.AttrSumRuns, int64(termsOfRun), func(e tir.Expr) bool {
		r, ok := e.(*tir.Reduce)
		if !ok || len(r.Source) != 1 || r.DType() != dtype.Float64T {
			return false
		}
		c, widened := r.Source[0].(*tir.Cast)
		b, ok := r.Combiner.Result[0].(*tir.Binary)
		return widened && ok && b.Op == tir.OpAdd && c.Value.DType() == dtype.Float32T
	})
}

// wide converts e to the type in which elements of its type are computed with where the
// result is rounded once at the end.
func wide(e tir.Expr) tir.Expr { return tir.CastTo(e.DType().Accumulator(), e) }

// converted is x with its elements as type d; x itself where they are of that type.
func converted(x *te.Tensor, d dtype.DType, opts ...te.Option) *te.Tensor {
	if x.DType == d {
		return x
	}
	return te.Compute("T_cast", x.Shape, func(i []tir.Expr) tir.Expr { return tir.CastTo(d, x.At(i...)) }, opts...)
}
