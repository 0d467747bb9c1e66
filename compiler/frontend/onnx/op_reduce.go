package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// reduceRows are the reductions over axes.
func reduceRows() []operator {
	row := func(name string, convert func(*node)) operator {
		return operator{
			name: name, minIn: 1, maxIn: 2, attrs: []string{"axes", "keepdims", "noop_with_empty_axes"}, convert: convert,
		}
	}
	arg := func(name, relaxName string) operator {
		return operator{
			name: name, minIn: 1, maxIn: 1, attrs: []string{"axis", "keepdims", "select_last_index"},
			convert: func(n *node) { argReduce(n, relaxName) },
		}
	}
	square := func(n *node, x relax.Expr) relax.Expr { return n.emit("relax.multiply", args(x, x)) }
	absolute := func(n *node, x relax.Expr) relax.Expr { return n.emit("relax.abs", args(x)) }
	folds := func(row operator, fold func(*node, []*known) *known) operator {
		row.fold = fold
		return row
	}
	number := func(v int64) func(dtype.DType) tir.Expr {
		return func(d dtype.DType) tir.Expr { return tir.Const(d, v) }
	}
	none := func(dtype.DType) tir.Expr { return nil }
	return []operator{
		row("ReduceMean", func(n *node) { n.reduce("mean", nil, "") }),
		folds(row("ReduceSum", func(n *node) { n.reduce("sum", nil, "") }), foldReduce(tir.Add, number(0))),
		folds(row("ReduceMax", func(n *node) { n.reduce("max", nil, "") }), foldReduce(tir.Max, none)),
		folds(row("ReduceMin", func(n *node) { n.reduce("min", nil, "") }), foldReduce(tir.Min, none)),
		folds(row("ReduceProd", func(n *node) { n.reduce("prod", nil, "") }), foldReduce(tir.Mul, number(1))),
		row("ReduceL1", func(n *node) { n.reduce("sum", absolute, "") }),
		row("ReduceL2", func(n *node) { n.reduce("sum", square, "relax.sqrt") }),
		row("ReduceSumSquare", func(n *node) { n.reduce("sum", square, "") }),
		row("ReduceLogSum", func(n *node) { n.reduce("sum", nil, "relax.log") }),
		row("ReduceLogSumExp", reduceLogSumExp),
		arg("ArgMax", "relax.argmax"), arg("ArgMin", "relax.argmin"),
	}
}

// reduceAxes returns the axes as an attribute's value, nil for all. Older operator sets
// give them as an attribute, newer ones as an operand; none means all, or with
// noop_with_empty_axes that nothing is reduced.
func (n *node) reduceAxes() (axes any, noop bool) {
	list := n.ints("axes")
	if n.has(1) {
		list = n.intsOperand(1, "axes")
	}
	if len(list) == 0 {
		return nil, n.bool("noop_with_empty_axes", false)
	}
	out := make([]int64, len(list))
	for i, a := range n.axes(list, n.rank(0)) {
		out[i] = int64(a)
	}
	return out, false
}

// reduce applies before to the operand, reduces, and applies the operator called after; nil and
// "" leave it at the reduction.
func (n *node) reduce(name string, before func(*node, relax.Expr) relax.Expr, after string) {
	n.wantDType(0, "a number", func(d dtype.DType) bool { return d.IsFloat() || d.IsInteger() || d.IsBool() })
	axes, noop := n.reduceAxes()
	kv := []any{"axis", axes, "keepdims", n.bool("keepdims", true)}
	if before == nil && after == "" {
		if noop {
			n.set(0, n.expr(0))
			return
		}
		n.result("relax."+name, args(n.expr(0)), kv...)
		return
	}
	d := n.dtype(0)
	x := n.widened(n.expr(0), d)
	if before != nil {
		x = before(n, x)
	}
	switch {
	case noop && after == "":
		n.set(0, n.rounded(x, d))
	case noop:
		n.roundedResult(d, after, args(x))
	case after == "":
		n.roundedResult(d, "relax."+name, args(x), kv...)
	default:
		n.roundedResult(d, after, args(n.emit("relax."+name, args(x), kv...)))
	}
}

// reduceLogSumExp takes the maximum out before the exponential, which then cannot overflow,
// unless it is infinite (or NaN, which the elements have too).
func reduceLogSumExp(n *node) {
	d := n.dtype(0)
	n.floats(0)
	axes, noop := n.reduceAxes()
	if noop {
		n.setValue(0, n.value(0))
		return
	}
	x := n.widened(n.expr(0), d)
	top := n.emit("relax.max", args(x), "axis", axes, "keepdims", true)
	top = n.emit("relax.where", args(n.emit("relax.isfinite", args(top)), top, n.constant(d.Accumulator(), 0)))
	e := n.emit("relax.exp", args(n.emit("relax.subtract", args(x, top))))
	s := n.emit("relax.log", args(n.emit("relax.sum", args(e), "axis", axes, "keepdims", true)))
	if n.bool("keepdims", true) {
		n.roundedResult(d, "relax.add", args(s, top))
		return
	}
	n.roundedResult(d, "relax.squeeze", args(n.emit("relax.add", args(s, top))), "axis", axes)
}

func argReduce(n *node, name string) {
	axis := int64(n.axis(n.int("axis", 0), n.rank(0)))
	if dims := n.dims(0); tir.IsConst(dims[axis], 0) && !tir.IsConst(product(slices.Delete(slices.Clone(dims), int(axis), int(axis)+1)), 0) {
		n.fail("axis %d has no element whose index could be taken", axis)
	}
	keep := n.bool("keepdims", true)
	if !n.bool("select_last_index", false) {
		n.result(name, args(n.expr(0)), "axis", axis, "keepdims", keep)
		return
	}
	// The last of equal elements is the first of the reversed axis, counted from its end.
	last := scalar(dtype.Int64T, tir.Sub(n.dims(0)[axis], tir.Int(1)))
	x := n.emit("relax.flip", args(n.expr(0)), "axis", axis)
	i := n.emit(name, args(x), "axis", axis, "keepdims", keep)
	n.result("relax.subtract", args(n.tensor(&value{known: last}), i))
}
