package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// extentsOperand returns the elements of operand i, which are extents: those that depend on data become symbols that are known at run time.
func (n *node) extentsOperand(i int, what string) []tir.Expr {
	if !n.has(i) || n.known(i) != nil {
		return n.shapeOperand(i, what)
	}
	dims := n.dims(i)
	count := int64(-1)
	if len(dims) == 1 {
		count, _ = tir.AsInt(dims[0])
	}
	if _, constant := relax.StaticInts(dims); !constant || count < 0 || count > maxRank {
		n.fail("%s (input %d, %q) depends on data and has shape %s, expected at most %d numbers, whose count is known", what, i, n.pb.Inputs[i], relax.FormatDims(dims), maxRank)
	}
	n.wantDType(i, "int32 or int64", dtype.DType.IsInt)
	return n.extentsOf(n.expr(i), int(count))
}

// maxRank bounds the dimensions of a tensor whose shape is data.
const maxRank = 16

// extentsOf reads an integer vector as extents.
func (n *node) extentsOf(x relax.Expr, count int) []tir.Expr {
	if relax.SInfoOf(x).(*relax.TensorStructInfo).DType != dtype.Int64T {
		x = n.emit("relax.astype", args(x), "dtype", dtype.Int64T)
	}
	out := make([]tir.Expr, count)
	for k := range out {
		out[k] = n.g.symbols.extent(n.base)
	}
	_, err := n.g.bb.EmitMatchCast(n.emit("relax.tensor_to_shape", args(x)), relax.ShapeOf(out...), n.g.names.fresh(n.base+"_cast"))
	n.check(err)
	return out
}

// rangeByData counts from start to limit by delta, some of which are data: how many numbers there are shows at run time.
func rangeByData(n *node) {
	d := n.dtype(0)
	if !d.IsInt() && !d.IsFloat() {
		n.fail("element type %s is not supported, expected integers or floating point", d)
	}
	var ends [3]relax.Expr
	for i, what := range []string{"start", "limit", "delta"} {
		for _, e := range n.dims(i) {
			if !tir.IsConst(e, 1) {
				n.fail("%s (input %d) has shape %s, expected one element", what, i, relax.FormatDims(n.dims(i)))
			}
		}
		ends[i] = n.reshape(n.expr(i), nil)
	}
	start, delta := ends[0], ends[2]
	cast := func(x relax.Expr, d dtype.DType) relax.Expr {
		if relax.SInfoOf(x).(*relax.TensorStructInfo).DType == d {
			return x
		}
		return n.emit("relax.astype", args(x), "dtype", d)
	}
	// The quotient rounded up: minus that of the negative distance rounded down.
	var count relax.Expr
	if d.IsFloat() {
		way := n.emit("relax.subtract", args(ends[1], start))
		count = cast(n.emit("relax.ceil", args(n.emit("relax.divide", args(cast(way, dtype.Float64T), cast(delta, dtype.Float64T))))), dtype.Int64T)
	} else {
		back := n.emit("relax.subtract", args(cast(start, dtype.Int64T), cast(ends[1], dtype.Int64T)))
		count = n.emit("relax.negative", args(n.emit("relax.floor_divide", args(back, cast(delta, dtype.Int64T)))))
	}
	count = n.emit("relax.maximum", args(count, n.integers([]int64{}, []int64{0})))
	extent := n.extentsOf(n.reshape(count, []tir.Expr{tir.Int(1)}), 1)[0]
	steps := n.emit("relax.multiply", args(cast(n.counting(0, extent), d), delta))
	n.result("relax.add", args(steps, start))
}
