package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// MatmulOpts refines Matmul.
type MatmulOpts struct {
	// TransposeA and TransposeB say that the last two axes of a factor of at least two
	// dimensions are swapped; the kernel reads it as it lies in memory.
	TransposeA, TransposeB bool
	// Out is the element type of the result and of its terms; Void is that of a.
	Out dtype.DType
	// Words says that the elements of both factors are words of four bytes each, along the axis that is summed over: the products are those of the bytes. An int32 has bytes
	// with signs, a uint32 without; the sum is an int32, modulo 2^32.
	Words bool
}

// result is the type of the sums of products with a left factor.
func (o MatmulOpts) result(a *te.Tensor) dtype.DType {
	switch {
	case o.Words:
		return dtype.Int32T
	case o.Out.IsVoid():
		return a.DType
	}
	return o.Out
}

// product is a term of the sum.
func (o MatmulOpts) product(x, y tir.Expr, out dtype.DType) tir.Expr {
	if o.Words {
		return wordProduct(x, y)
	}
	return tir.Mul(tir.CastTo(out, x), tir.CastTo(out, y))
}

// Matmul is the matrix product over the last two axes with the others broadcast. A factor
// of one dimension is a row on the left and a column on the right.
func Matmul(a, b *te.Tensor, opts MatmulOpts) (*te.Tensor, error) {
	if a.NDim() == 0 || b.NDim() == 0 {
		return nil, fmt.Errorf("matmul needs tensors of at least one dimension")
	}
	out := opts.result(a)
	left, right := newFactor(a, opts.TransposeA, true), newFactor(b, opts.TransposeB, false)
	outer, err := BroadcastShape(left.outer, right.outer)
	if err != nil {
		return nil, err
	}
	shape := append([]tir.Expr{}, outer...)
	if a.NDim() > 1 {
		shape = append(shape, left.free)
	}
	if b.NDim() > 1 {
		shape = append(shape, right.free)
	}
	name := "matmul"
	if opts.TransposeA || opts.TransposeB {
		name = map[bool]string{true: "T", false: "N"}[opts.TransposeA] + map[bool]string{true: "T", false: "N"}[opts.TransposeB] + "_matmul"
	}
	k := te.ReduceAxis("k", left.sum)
	left.t, right.t = a, b
	return te.Compute(name, shape, func(i []tir.Expr) tir.Expr {
		row, col := tir.Expr(nil), tir.Expr(nil)
		rest := i[len(outer):]
		if a.NDim() > 1 {
			row, rest = rest[0], rest[1:]
		}
		if b.NDim() > 1 {
			col = rest[0]
		}
		x := left.at(i[:len(outer)], outer, row, k.Var)
		y := right.at(i[:len(outer)], outer, col, k.Var)
		return te.Sum(opts.product(x, y, out), k)
	}, te.AxisPrefix("i")), nil
}

// factor is one side of a matrix product.
type factor struct {
	t         *te.Tensor // in the type of the factors
	outer     []tir.Expr
	free, sum tir.Expr // extents of the axis that stays (nil for a vector) and of the one that is summed over
	sumLast   bool
}

func newFactor(t *te.Tensor, transposed, left bool) *factor {
	n := t.NDim()
	if n == 1 {
		return &factor{sum: t.Shape[0]}
	}
	f := &factor{outer: t.Shape[:n-2], sumLast: left != transposed}
	f.free, f.sum = t.Shape[n-1], t.Shape[n-2]
	if f.sumLast {
		f.free, f.sum = f.sum, f.free
	}
	return f
}

func (f *factor) at(i, outer []tir.Expr, free, sum tir.Expr) tir.Expr {
	if f.free == nil {
		return f.t.At(sum)
	}
	idx := broadcastIndex(f.outer, i, outer)
	if f.sumLast {
		return f.t.At(append(idx, free, sum)...)
	}
	return f.t.At(append(idx, sum, free)...)
}
