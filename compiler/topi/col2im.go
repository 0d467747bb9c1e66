package topi

import (
	"fmt"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// Col2imOpts are the extents of a transposed convolution of images.
type Col2imOpts struct {
	// Size is that of the images that go in, Kernel that of the windows, Out that of the result: rows and columns.
	Size, Kernel, Out [2]int64
	// Strides are how far apart windows are, Before how many rows and columns are cut off in front.
	Strides, Before [2]int64
	Features        int64
}

// Col2im adds up what a transposed convolution makes of each pixel. x has the shape (batch, rows·columns, windowRows·windowColumns·features): for each pixel what it adds to a window of
// the result. The result has the shape (batch, features, rows, columns).
func Col2im(x *te.Tensor, o Col2imOpts) (*te.Tensor, error) {
	if x.NDim() != 3 || o.Strides[0] < 1 || o.Strides[1] < 1 {
		return nil, fmt.Errorf("col2im of a tensor of %d dimensions with strides %v, expected three and at least 1", x.NDim(), o.Strides)
	}
	n := tir.Int
	var steps []*tir.IterVar // those of windows that reach one place of the result
	for d, name := range []string{"ry", "rx"} {
		steps = append(steps, te.ReduceAxis(name, n((o.Kernel[d]+o.Strides[d]-1)/o.Strides[d])))
	}
	sums := te.Compute("col2im", []tir.Expr{x.Shape[0], n(o.Out[0]), n(o.Out[1]), n(o.Features)}, func(i []tir.Expr) tir.Expr {
		var inside, pixel, tap []tir.Expr
		for d, step := range steps {
			at := tir.Add(i[1+d], n(o.Before[d]))
			p := tir.Sub(tir.FloorDiv(at, n(o.Strides[d])), step.Var)
			t := tir.Add(tir.FloorMod(at, n(o.Strides[d])), tir.Mul(step.Var, n(o.Strides[d])))
			pixel, tap = append(pixel, p), append(tap, t)
			inside = append(inside, tir.GE(p, n(0)), tir.LT(p, n(o.Size[d])), tir.LT(t, n(o.Kernel[d])))
		}
		of := tir.Add(tir.Mul(tir.Add(tir.Mul(tap[0], n(o.Kernel[1])), tap[1]), n(o.Features)), i[3])
		value := x.At(i[0], tir.Add(tir.Mul(pixel[0], n(o.Size[1])), pixel[1]), of)
		return te.Sum(tir.IfThenElseExpr(all(inside), value, tir.Const(x.DType, 0)), steps...)
	}, te.AxisPrefix("i"))
	return te.Compute("images", []tir.Expr{x.Shape[0], n(o.Features), n(o.Out[0]), n(o.Out[1])}, func(i []tir.Expr) tir.Expr {
		return sums.At(i[0], i[2], i[3], i[1])
	}), nil
}
