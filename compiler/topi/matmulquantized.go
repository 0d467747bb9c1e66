package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// QuantizedWeights is a matrix of depth rows and so many columns, whose elements are (data - zero) scale, in blocks of n columns, each with its rows behind each other.
type QuantizedWeights struct {
	// Data has the shape (columns/n, depth, n), of integers of 8 bits. With Halves it has (columns/n, depth/2, n), of int8 whose lower and upper four bits are numbers from -8 to 7 of two rows.
	Data   *te.Tensor
	Halves bool
	// Zero and Scale are float32 scalars, or tensors of shape (columns/n, blocks, n), where a block is Rows rows.
	Zero, Scale Operand
	Rows        int64
}

// PackQuantized brings weights into the form of QuantizedWeights.Data: at(row, column) is an element, and less is taken off all.
func PackQuantized(depth, columns, n int64, halves bool, less int64, at func(row, column tir.Expr) tir.Expr) *te.Tensor {
	column := func(i []tir.Expr) tir.Expr { return tir.Add(tir.Mul(i[0], tir.Int(n)), i[2]) }
	moved := func(e tir.Expr) tir.Expr { return tir.Sub(tir.CastTo(dtype.Int32T, e), tir.Const(dtype.Int32T, less)) }
	if !halves {
		return te.Compute("packed", []tir.Expr{tir.Int(columns / n), tir.Int(depth), tir.Int(n)}, func(i []tir.Expr) tir.Expr {
			if less == 0 {
				return at(i[1], column(i))
			}
			return tir.CastTo(dtype.Int8T, moved(at(i[1], column(i))))
		}, te.AxisPrefix("i"))
	}
	return te.Compute("packed", []tir.Expr{tir.Int(columns / n), tir.Int(depth / 2), tir.Int(n)}, func(i []tir.Expr) tir.Expr {
		half := func(k int64) tir.Expr { return moved(at(tir.Add(tir.Mul(i[1], tir.Int(2)), tir.Int(k)), column(i))) }
		low := tir.NewCall(tir.OpBitwiseAnd, half(0), tir.Const(dtype.Int32T, 15))
		return tir.CastTo(dtype.Int8T, tir.NewCall(tir.OpBitwiseOr, low, tir.NewCall(tir.OpShiftLeft, half(1), tir.Const(dtype.Int32T, 4))))
	}, te.AxisPrefix("i"))
}

// MatmulQuantized is the product of a, float32, whose last axis is summed over, and weights whose elements are computed where they are used.
// The result has the other axes of a, and the columns.
func MatmulQuantized(a *te.Tensor, w QuantizedWeights) (*te.Tensor, error) {
	if a.NDim() == 0 || w.Data.NDim() != 3 {
		return nil, fmt.Errorf("matmul of tensors of %d and %d dimensions, expected at least one and three", a.NDim(), w.Data.NDim())
	}
	depth := a.Shape[a.NDim()-1]
	return MatmulBlocked(a, te.Compute("weights", []tir.Expr{w.Data.Shape[0], depth, w.Data.Shape[2]}, func(i []tir.Expr) tir.Expr {
		of := func(o Operand) tir.Expr {
			if o.Tensor == nil {
				return o.Scalar
			}
			return o.Tensor.At(i[0], tir.FloorDiv(i[1], tir.Int(w.Rows)), i[2])
		}
		x := tir.CastTo(dtype.Float32T, w.element(i))
		if z, ok := w.Zero.Scalar.(*tir.FloatImm); !ok || z.Value != 0 {
			x = tir.Sub(x, of(w.Zero))
		}
		return tir.Mul(x, of(w.Scale))
	}, te.AxisPrefix("i")), MatmulOpts{})
}

// element is an integer of the weights. Of a byte, shifts keep the upper half, or the lower one behind one to the left.
func (w QuantizedWeights) element(i []tir.Expr) tir.Expr {
	if !w.Halves {
		return w.Data.At(i...)
	}
	odd := tir.CastTo(dtype.Int32T, tir.FloorMod(i[1], tir.Int(2)))
	by := func(even, change int64) tir.Expr {
		return tir.Add(tir.Mul(odd, tir.Const(dtype.Int32T, change)), tir.Const(dtype.Int32T, even))
	}
	x := tir.CastTo(dtype.Int32T, w.Data.At(i[0], tir.FloorDiv(i[1], tir.Int(2)), i[2]))
	return tir.NewCall(tir.OpShiftRight, tir.NewCall(tir.OpShiftLeft, x, by(28, -28)), by(28, -24))
}
