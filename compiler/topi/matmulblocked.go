package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// MatmulBlocked is the matrix product of a, whose last axis is summed over, and a matrix b of shape (columns/n, sum, n): blocks of n columns each, whose rows lie behind each other.
// The result has the other axes of a, and the columns. Of opts, Words and Out count.
func MatmulBlocked(a, b *te.Tensor, opts MatmulOpts) (*te.Tensor, error) {
	if a.NDim() == 0 || b.NDim() != 3 {
		return nil, fmt.Errorf("matmul of tensors of %d and %d dimensions, expected at least one and three", a.NDim(), b.NDim())
	}
	outer, n := a.Shape[:a.NDim()-1], b.Shape[2]
	shape := append(append([]tir.Expr{}, outer...), tir.Mul(b.Shape[0], n))
	k := te.ReduceAxis("k", a.Shape[len(outer)])
	return te.Compute("matmul", shape, func(i []tir.Expr) tir.Expr {
		column := i[len(outer)]
		x := a.At(append(append([]tir.Expr{}, i[:len(outer)]...), k.Var)...)
		return te.Sum(opts.product(x, b.At(tir.FloorDiv(column, n), k.Var, tir.FloorMod(column, n)), opts.result(a)), k)
	}, te.AxisPrefix("i")), nil
}
