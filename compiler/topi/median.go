package topi

import (
	"fmt"
	"slices"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// Median is the lower of the two elements in the middle, as PyTorch has it, over axes, all of them for nil; shape is that of the result, in which the
// axes are left out or 1. It returns the index of the element among those of the reduced axes too.
func Median(x *te.Tensor, axes []int, shape []tir.Expr) (values, indices *te.Tensor, err error) {
	order, kept := []int{}, []tir.Expr{}
	for k := range x.Shape {
		if len(axes) > 0 && !slices.Contains(axes, k) {
			order, kept = append(order, k), append(kept, x.Shape[k])
		}
	}
	count := tir.Expr(tir.Int(1))
	for k := range x.Shape {
		if !slices.Contains(order, k) {
			count = tir.Mul(count, x.Shape[k])
		}
	}
	if n, known := tir.AsInt(count); known && n == 0 {
		return nil, nil, fmt.Errorf("there is no median of nothing")
	}
	for k := range x.Shape {
		if len(order) < len(x.Shape) && !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	rows := Reshape(PermuteDims(x, order), append(kept[:len(kept):len(kept)], count))
	middle := tir.FloorDiv(tir.Sub(count, tir.Int(1)), tir.Int(2))
	sorted, at := Sort(rows, SortOpts{Axis: len(kept), Keep: tir.Add(tir.Max(middle, tir.Int(0)), tir.Int(1)), Indices: dtype.Int64T})
	pick := func(t *te.Tensor) *te.Tensor {
		out := te.Compute("median", kept, func(i []tir.Expr) tir.Expr { return t.At(append(i[:len(i):len(i)], tir.Max(middle, tir.Int(0)))...) })
		return Reshape(out, shape)
	}
	return pick(sorted), pick(at), nil
}
