package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// part is x from element lo to element hi, which it leaves out, along an axis.
func (n *node) part(x relax.Expr, axis int, lo, hi tir.Expr) relax.Expr {
	return n.emit("relax.strided_slice", partArgs(x, axis, lo, hi))
}

func partArgs(x relax.Expr, axis int, lo, hi tir.Expr) []relax.Expr {
	one := func(e tir.Expr) relax.Expr { return tuple(args(&relax.PrimValue{Value: e})) }
	return args(x, one(tir.Int(int64(axis))), one(lo), one(hi), one(tir.Int(1)))
}

// centerCropPad cuts or pads axes to the given extents; what is odd goes to the end.
func centerCropPad(n *node) {
	dims := n.dims(0)
	target := n.shapeOperand(1, "shape")
	axes := allAxes(len(dims))
	if list := n.ints("axes"); list != nil {
		axes = n.axes(list, len(dims))
	}
	if len(target) != len(axes) {
		n.fail("shape (input 1) has %d extents for %d axes, expected one for each", len(target), len(axes))
	}
	x, padded := n.expr(0), false
	pads := make([]tir.Expr, 2*len(dims))
	for i := range pads {
		pads[i] = tir.Int(0)
	}
	for i, a := range axes {
		want := tir.CastTo(dtype.Int64T, target[i])
		if v, ok := tir.AsInt(want); ok && v < 0 {
			n.fail("shape (input 1) is %s, expected extents of 0 or more", relax.FormatDims(target))
		}
		if sameDims(dims[a:a+1], []tir.Expr{want}) {
			continue
		}
		both := tir.Min(dims[a], want)
		if cut := tir.Sub(dims[a], both); !tir.IsConst(cut, 0) {
			lo := tir.FloorDiv(cut, tir.Int(2))
			x = n.part(x, a, lo, tir.Add(lo, both))
		}
		if lack := tir.Sub(want, both); !tir.IsConst(lack, 0) {
			lo := tir.FloorDiv(lack, tir.Int(2))
			pads[a], pads[len(dims)+a], padded = lo, tir.Sub(lack, lo), true
		}
	}
	if !padded {
		n.set(0, x)
		return
	}
	n.out = n.apply("Pad", []*value{{expr: x}, {known: vector(dtype.Int64T, pads)}})
}
