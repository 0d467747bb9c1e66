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
	count := n.vectorLength(i, what)
	n.wantDType(i, "int32 or int64", dtype.DType.IsInt)
	return n.extentsOf(n.expr(i), count)
}

// wideExtents is what operand 1 makes of the given extents when they are broadcast to it. Where it is data and holds a 1, that is the extent itself.
func (n *node) wideExtents(from []tir.Expr) []tir.Expr {
	if !n.has(1) || n.known(1) != nil {
		return n.shapeOperand(1, "the shape")
	}
	count := n.vectorLength(1, "the shape")
	n.wantDType(1, "int32 or int64", dtype.DType.IsInt)
	if count == 0 {
		return nil
	}
	own := make([]tir.Expr, count)
	for i := range own {
		if own[i] = tir.Int(1); i >= count-len(from) {
			own[i] = from[len(from)-count+i]
		}
	}
	x, one := n.expr(1), n.constant(n.dtype(1), 1)
	mine := n.as(n.tensor(&value{known: vector(dtype.Int64T, own)}), n.dtype(1))
	return n.extentsOf(n.emit("relax.where", args(n.emit("relax.equal", args(x, one)), mine, x)), count)
}

// vectorLength is how many extents operand i holds, which is a vector that depends on data.
func (n *node) vectorLength(i int, what string) int {
	dims := n.dims(i)
	count := int64(-1)
	if len(dims) == 1 {
		count, _ = tir.AsInt(dims[0])
	}
	if _, constant := relax.StaticInts(dims); !constant || count < 0 || count > maxRank {
		n.fail("%s (input %d, %q) depends on data and has shape %s, expected at most %d numbers, whose count is known", what, i, n.pb.Inputs[i], relax.FormatDims(dims), maxRank)
	}
	return int(count)
}

// maxRank bounds the dimensions of a tensor whose shape is data.
const maxRank = 16

// extentsOf reads an integer vector as extents.
func (n *node) extentsOf(x relax.Expr, count int) []tir.Expr {
	x = n.as(x, dtype.Int64T)
	out := make([]tir.Expr, count)
	for k := range out {
		out[k] = n.g.symbols.extent(n.base)
	}
	_, err := n.g.bb.EmitMatchCast(n.emit("relax.tensor_to_shape", args(x)), relax.ShapeOf(out...), n.g.names.fresh(n.base+"_cast"))
	n.check(err)
	return out
}

// reshapeByData gives operand 0, which has the given extents, a shape that is data: how many extents there are is known, and what they are shows at run
// time. A 0 copies an extent, unless allowzero is 1, and -1 is what is left over.
func (n *node) reshapeByData(dims []tir.Expr) {
	count := n.vectorLength(1, "the shape")
	n.wantDType(1, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	if count == 0 {
		n.reshapeResult(n.expr(0), []tir.Expr{})
		return
	}
	shape := n.expr(1)
	zero, one, free := n.integers([]int64{}, []int64{0}), n.integers([]int64{}, []int64{1}), n.integers([]int64{}, []int64{-1})
	if !n.bool("allowzero", false) {
		own := make([]tir.Expr, count) // behind the extents of the input there is nothing to copy: the elements do not fit then
		for i := range own {
			if own[i] = tir.Int(0); i < len(dims) {
				own[i] = dims[i]
			}
		}
		shape = n.emit("relax.where", args(n.emit("relax.equal", args(shape, zero)), n.tensor(&value{known: vector(dtype.Int64T, own)}), shape))
	}
	left := n.emit("relax.equal", args(shape, free))
	rest := n.emit("relax.prod", args(n.emit("relax.where", args(left, one, shape))), "axis", []int64{0}, "keepdims", false)
	total := n.tensor(&value{known: scalar(dtype.Int64T, product(dims))})
	rest = n.emit("relax.floor_divide", args(total, n.emit("relax.maximum", args(rest, one))))
	shape = n.emit("relax.where", args(left, rest, shape))
	extents := n.extentsOf(shape, count)
	n.fitting(shape, product(dims))
	n.result("relax.reshape", args(n.expr(0), shapeExpr(extents)))
}

// fitting makes a run end where an integer vector is no shape of so many elements. The product is one of float64, which does not wrap.
func (n *node) fitting(shape relax.Expr, total tir.Expr) {
	wide, whole := dtype.Float64T, dtype.Int64T
	one := []tir.Expr{tir.Int(1)}
	elements := n.emit("relax.prod", args(n.emit("relax.astype", args(shape), "dtype", wide)), "axis", []int64{0}, "keepdims", true)
	elements = n.emit("relax.astype", args(n.emit("relax.minimum", args(elements, n.constant(wide, 1<<62)))), "dtype", whole)
	least := n.emit("relax.minimum", args(n.emit("relax.min", args(shape), "axis", []int64{0}, "keepdims", true), n.integers([]int64{1}, []int64{0})))
	pair := n.emit("relax.concat", args(tuple(args(n.reshape(elements, one), n.reshape(least, one)))), "axis", int64(0))
	_, err := n.g.bb.EmitMatchCast(n.emit("relax.tensor_to_shape", args(pair)), relax.ShapeOf(total, tir.Int(0)), n.g.names.fresh(n.base+"_fits"))
	n.check(err)
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
	// The quotient rounded up: minus that of the negative distance rounded down.
	var count relax.Expr
	if d.IsFloat() {
		way := n.emit("relax.subtract", args(ends[1], start))
		count = n.as(n.emit("relax.ceil", args(n.emit("relax.divide", args(n.as(way, dtype.Float64T), n.as(delta, dtype.Float64T))))), dtype.Int64T)
	} else {
		back := n.emit("relax.subtract", args(n.as(start, dtype.Int64T), n.as(ends[1], dtype.Int64T)))
		count = n.emit("relax.negative", args(n.emit("relax.floor_divide", args(back, n.as(delta, dtype.Int64T)))))
	}
	count = n.emit("relax.maximum", args(count, n.integers([]int64{}, []int64{0})))
	extent := n.extentsOf(n.reshape(count, []tir.Expr{tir.Int(1)}), 1)[0]
	w := d
	if d.IsFloat() { // halves are rounded once
		w = d.Accumulator()
	}
	steps := n.emit("relax.multiply", args(n.as(n.counting(0, extent), w), n.as(delta, w)))
	n.set(0, n.as(n.emit("relax.add", args(steps, n.as(start, w))), d))
}
