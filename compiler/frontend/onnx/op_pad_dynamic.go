package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// padByExtents pads axes by what is computed from symbolic dimensions, or data, for the starts of all axes, then for the ends. Only constants may be negative.
func (n *node) padByExtents(axes []int, pads []tir.Expr, mode string) {
	dims := append([]tir.Expr{}, n.dims(0)...)
	x, pads := n.cutByPads(axes, pads, dims)
	d := n.dtype(0)
	fill := n.splat(d, nil, 0)
	if n.has(2) {
		n.sameDType(0, 2)
		for _, e := range n.dims(2) {
			if !tir.IsConst(e, 1) {
				n.fail("constant_value (input 2) has shape %s, expected one element", relax.FormatDims(n.dims(2)))
			}
		}
		fill = n.reshape(n.expr(2), nil)
	}
	for i, a := range axes {
		lo, hi := tir.CastTo(dtype.Int64T, pads[i]), tir.CastTo(dtype.Int64T, pads[i+len(axes)])
		if tir.IsConst(lo, 0) && tir.IsConst(hi, 0) {
			continue
		}
		if mode != "constant" {
			x = n.emit("relax.take", args(x, n.padIndices(dims[a], lo, hi, mode)), "axis", int64(a))
			dims[a] = tir.Add(tir.Add(lo, dims[a]), hi)
			continue
		}
		side := func(extent tir.Expr) relax.Expr {
			shape := append([]tir.Expr{}, dims...)
			shape[a] = extent
			n.check(checkElements(shape))
			return n.emit("relax.broadcast_to", args(fill, shapeExpr(shape)))
		}
		parts := args(x)
		if !tir.IsConst(lo, 0) {
			parts = args(side(lo), x)
		}
		if !tir.IsConst(hi, 0) {
			parts = append(parts, side(hi))
		}
		x = n.emit("relax.concat", args(tuple(parts)), "axis", int64(a))
		dims[a] = tir.Add(tir.Add(lo, dims[a]), hi)
	}
	n.checkTerms(dims)
	n.set(0, x)
}

// cutByPads takes away what pads below 0 say, in place of which there are zeros in the pads that it returns; dims become those that are left.
func (n *node) cutByPads(axes []int, pads, dims []tir.Expr) (relax.Expr, []tir.Expr) {
	var cut sliceOperands
	pads = append([]tir.Expr{}, pads...)
	for i, a := range axes {
		var away [2]int64
		for side := range away {
			if v, ok := tir.AsInt(pads[i+side*len(axes)]); ok && v < 0 {
				away[side], pads[i+side*len(axes)] = -v, tir.Int(0)
			}
		}
		if away == [2]int64{} {
			continue
		}
		if e, ok := tir.AsInt(dims[a]); away[0] > math.MaxInt32 || away[1] > math.MaxInt32 || ok && e < away[0]+away[1] {
			n.fail("the pads of axis %d take away %d and %d elements, which extent %s does not allow", a, away[0], away[1], relax.FormatPrim(dims[a]))
		}
		cut.add(a, tir.Int(away[0]), tir.Sub(dims[a], tir.Int(away[1])), 1)
		dims[a] = tir.Sub(dims[a], tir.Int(away[0]+away[1]))
	}
	if cut.axes == nil {
		return n.expr(0), pads
	}
	return n.emit("relax.strided_slice", cut.of(n.expr(0))), pads
}

// padIndices are those of the elements of an axis that stand in its padded form.
func (n *node) padIndices(extent, lo, hi tir.Expr, mode string) relax.Expr {
	number := func(e tir.Expr) relax.Expr { return n.tensor(&value{known: scalar(dtype.Int64T, e)}) }
	last := number(tir.Sub(extent, tir.Int(1)))
	zero, one := n.integers([]int64{}, []int64{0}), n.integers([]int64{}, []int64{1})
	at := n.emit("relax.subtract", args(n.counting(0, tir.Add(tir.Add(lo, extent), hi)), number(lo)))
	switch mode {
	case "edge":
		return n.emit("relax.maximum", args(n.emit("relax.minimum", args(at, last)), zero))
	case "circular":
		return n.emit("relax.floor_mod", args(at, n.emit("relax.maximum", args(number(extent), one))))
	}
	period := n.emit("relax.add", args(last, last))
	at = n.emit("relax.floor_mod", args(at, n.emit("relax.maximum", args(period, one))))
	return n.emit("relax.minimum", args(at, n.emit("relax.subtract", args(period, at))))
}

// topByExtent is TopK for a k that is computed from symbolic dimensions, or data: the start of all elements in order.
func (n *node) topByExtent(axis int, k tir.Expr) {
	dims := append([]tir.Expr{}, n.dims(0)...)
	t := n.emit("relax.topk", args(n.expr(0)), "k", int64(-1), "axis", int64(axis), "ret_type", "both",
		"largest", n.bool("largest", true), "dtype", dtype.Int64T)
	n.resultField(t, 0)
	n.resultField(t, 1)
	dims[axis] = k
	for i := range 2 {
		n.set(i, n.matchCast(n.part(n.out[i].expr, axis, tir.Int(0), k), dims))
	}
}

// triangleByData is Trilu for a diagonal that is no constant.
func (n *node) triangleByData(upper bool) {
	dims := n.dims(0)
	for _, e := range n.dims(1) {
		if !tir.IsConst(e, 1) {
			n.fail("k (input 1) has shape %s, expected one element", relax.FormatDims(n.dims(1)))
		}
	}
	n.wantDType(1, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	rows, columns := dims[len(dims)-2], dims[len(dims)-1]
	at := n.emit("relax.add", args(n.reshape(n.counting(0, rows), []tir.Expr{rows, tir.Int(1)}), n.reshape(n.expr(1), nil)))
	name := "relax.less_equal"
	if upper {
		name = "relax.greater_equal"
	}
	n.result("relax.where", args(n.emit(name, args(n.counting(0, columns), at)), n.expr(0), n.splat(n.dtype(0), nil, 0)))
}

// oneHotByData is OneHot for a depth or values that are no constants.
func (n *node) oneHotByData() {
	if len(n.dims(2)) != 1 || !n.equal(n.dims(2)[0], tir.Int(2)) {
		n.fail("the values (input 2) have shape %s, expected two elements, off and on", relax.FormatDims(n.dims(2)))
	}
	for _, e := range n.dims(1) {
		if !tir.IsConst(e, 1) {
			n.fail("depth (input 1) has shape %s, expected one element", relax.FormatDims(n.dims(1)))
		}
	}
	var depth tir.Expr
	if k := n.known(1); k != nil && k.dtype.IsInteger() {
		depth = tir.CastTo(dtype.Int64T, k.elems[0])
	} else {
		depth = n.extentsOf(n.reshape(n.expr(1), []tir.Expr{tir.Int(1)}), 1)[0]
	}
	dims := n.dims(0)
	axis := n.axis(n.int("axis", -1), len(dims)+1)
	shape := append(append(append([]tir.Expr{}, dims[:axis]...), tir.Int(1)), dims[axis:]...)
	x := n.reshape(n.as(n.expr(0), dtype.Int64T), shape)
	below := n.emit("relax.less", args(x, n.constant(dtype.Int64T, 0)))
	x = n.emit("relax.where", args(below, n.emit("relax.add", args(x, n.tensor(&value{known: scalar(dtype.Int64T, depth)}))), x))
	places := n.reshape(n.counting(0, depth), channelsAt(depth, len(dims)+1-axis))
	pick := func(i int64) relax.Expr {
		return n.reshape(n.part(n.expr(2), 0, tir.Int(i), tir.Int(i+1)), nil)
	}
	n.result("relax.where", args(n.emit("relax.equal", args(x, places)), pick(1), pick(0)))
}
