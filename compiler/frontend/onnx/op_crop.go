package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
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
	target := n.intsOperand(1, "shape")
	axes := allAxes(len(dims))
	if list := n.ints("axes"); list != nil {
		axes = n.axes(list, len(dims))
	}
	if len(target) != len(axes) {
		n.fail("shape (input 1) has %d extents for %d axes, expected one for each", len(target), len(axes))
	}
	x, width, padded := n.expr(0), make([]int64, 2*len(dims)), false
	for i, a := range axes {
		have, ok := tir.AsInt(dims[a])
		switch want := target[i]; {
		case !ok:
			n.fail("axis %d has the symbolic extent %s, expected a constant", a, relax.FormatPrim(dims[a]))
		case want < 0:
			n.fail("shape (input 1) is %v, expected extents of 0 or more", target)
		case want < have:
			lo := (have - want) / 2
			x = n.part(x, a, tir.Int(lo), tir.Int(lo+want))
		case want > have:
			lo := (want - have) / 2
			width[2*a], width[2*a+1], padded = lo, want-have-lo, true
		}
	}
	if !padded {
		n.set(0, x)
		return
	}
	n.result("relax.nn.pad", args(x), "pad_width", width, "pad_mode", "constant", "pad_value", 0.0)
}
