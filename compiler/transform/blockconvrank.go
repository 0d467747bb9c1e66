package transform

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// broadcasting are the operators of two images, or of one and a number for each channel, that models have behind convolutions.
var broadcasting = map[string]bool{
	"relax.add": true, "relax.divide": true, "relax.maximum": true, "relax.minimum": true, "relax.multiply": true, "relax.power": true, "relax.subtract": true,
}

// imageRank is the number of axes of images.
const imageRank = 4

// withImageRank gives constants that broadcast to images all axes, (C, 1, 1) becomes (1, C, 1, 1): a layout that splits an axis needs it in all operands.
func withImageRank(c *pass.Context, f *relax.Function, k *constantValues) (*relax.Function, error) {
	m := newMutator(c, c.Step().Input, ruleBlockConv)
	m.Call = func(call *relax.Call) relax.Expr {
		if !broadcasting[opName(call)] {
			return call
		}
		for i, a := range call.Args {
			t, ok := relax.SInfoOf(a).(*relax.TensorStructInfo)
			other, also := relax.SInfoOf(call.Args[1-i]).(*relax.TensorStructInfo)
			if !ok || !also || other.NDim != imageRank || !k.has(a) {
				continue
			}
			dims, known := t.StaticDims()
			if !known || len(dims) == 0 || len(dims) >= imageRank {
				continue
			}
			shape := make([]tir.Expr, imageRank)
			for j := range shape {
				shape[j] = tir.Int(1)
				if at := j - imageRank + len(dims); at >= 0 {
					shape[j] = tir.Int(dims[at])
				}
			}
			args := []relax.Expr{call.Args[0], call.Args[1]}
			args[i] = m.Emit(op.Reshape(a, shape...), "")
			return call.WithArgs(args)
		}
		return call
	}
	return m.Function(f)
}
