package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// sortRows are the operators that order elements.
func sortRows() []operator {
	return []operator{
		{name: "TopK", minIn: 1, maxIn: 2, attrs: []string{"axis", "k", "largest", "sorted"}, convert: topK},
	}
}

// topK takes the largest or smallest elements along an axis. How many is an attribute up to
// operator set 9, and an operand after that. They come in order also where sorted is 0, which
// allows any; of equal elements the first come first.
func topK(n *node) {
	n.wantDType(0, "a number", func(d dtype.DType) bool { return d.IsFloat() || d.IsInteger() })
	dims := n.dims(0)
	axis := n.axis(n.int("axis", -1), len(dims))
	k := n.int("k", -1)
	if n.opset >= 10 {
		ks := n.extentsOperand(1, "k")
		if len(ks) != 1 {
			n.fail("k (input 1) has %d elements, expected one", len(ks))
		}
		var constant bool
		if k, constant = tir.AsInt(ks[0]); !constant {
			n.topByExtent(axis, tir.CastTo(dtype.Int64T, ks[0]))
			return
		}
	}
	extent, sized := tir.AsInt(dims[axis])
	if k < 0 || k > math.MaxInt32 || sized && k > extent {
		n.fail("k is %d, expected 0 to the extent of axis %d, which is %s", k, axis, relax.FormatPrim(dims[axis]))
	}
	if k == 0 { // which the operator of Relax takes for all
		shape := append([]tir.Expr{}, dims...)
		shape[axis] = tir.Int(0)
		n.set(0, n.filled(n.dtype(0), shape, 0))
		n.set(1, n.filled(dtype.Int64T, shape, 0))
		return
	}
	if !sized {
		n.atLeast(dims[axis], k)
	}
	t := n.emit("relax.topk", args(n.expr(0)), "k", k, "axis", int64(axis), "ret_type", "both",
		"largest", n.bool("largest", true), "dtype", dtype.Int64T)
	n.resultField(t, 0)
	if n.wants(1) {
		n.resultField(t, 1)
	}
}
