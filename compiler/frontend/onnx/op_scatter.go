package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// scatterRows are the operators that write at indices, and other rearrangements by index.
func scatterRows() []operator {
	return []operator{
		{name: "ScatterElements", minIn: 3, maxIn: 3, attrs: []string{"axis", "reduction"}, convert: scatterElements},
		{name: "Scatter", minIn: 3, maxIn: 3, attrs: []string{"axis"}, convert: scatterElements},
		{name: "ScatterND", minIn: 3, maxIn: 3, attrs: []string{"reduction"}, convert: scatterND},
		{name: "OneHot", minIn: 3, maxIn: 3, attrs: []string{"axis"}, convert: oneHot},
		{name: "Trilu", minIn: 1, maxIn: 2, attrs: []string{"upper"}, convert: trilu},
		{name: "TensorScatter", minIn: 2, maxIn: 3, attrs: []string{"axis", "mode"}, convert: tensorScatter},
		{name: "CumSum", minIn: 2, maxIn: 2, attrs: []string{"exclusive", "reverse"}, convert: func(n *node) { n.running("relax.cumsum") }},
		{name: "CumProd", minIn: 2, maxIn: 2, attrs: []string{"exclusive", "reverse"}, convert: func(n *node) { n.running("relax.cumprod") }},
	}
}

// reduction spells the attribute as relax does; a Scatter without one overwrites.
func (n *node) reduction() string {
	r := n.str("reduction", "none", "none", "add", "mul", "max", "min")
	if r == "none" {
		return "update"
	}
	return r
}

func scatterElements(n *node) {
	dims := n.dims(0)
	axis := n.axis(n.int("axis", 0), len(dims))
	n.sameDType(0, 2)
	if n.rank(1) != len(dims) || n.rank(2) != len(dims) {
		n.fail("indices and updates have %d and %d dimensions, expected %d like the data", n.rank(1), n.rank(2), len(dims))
	}
	n.result("relax.scatter_elements", args(n.expr(0), n.indices(dims[axis]), n.expr(2)),
		"axis", int64(axis), "reduction", n.reduction())
}

func scatterND(n *node) {
	n.sameDType(0, 2)
	n.result("relax.scatter_nd", args(n.expr(0), n.tuples(0), n.expr(2)), "reduction", n.reduction())
}

// oneHot writes an axis of the given depth with one value at the index and another
// elsewhere. Negative indices count from the end.
func oneHot(n *node) {
	if k := n.known(1); k == nil || len(k.elems) == 1 && !isNumber(k.elems[0]) || n.known(2) == nil {
		n.oneHotByData()
		return
	}
	depth := n.scalarOperand(1, "depth")
	if depth < 1 || depth > math.MaxInt32 {
		n.fail("depth is %g, expected 1 or more", depth)
	}
	values := n.known(2)
	if values == nil || len(values.elems) != 2 {
		n.fail("the values (input 2) must be a constant of two elements, off and on")
	}
	x, d := n.expr(0), n.dtype(0)
	if d.IsFloat() {
		d = dtype.Int64T
		x = n.emit("relax.astype", args(x), "dtype", d)
	}
	if d.IsInt() {
		below := n.emit("relax.less", args(x, n.constant(d, 0)))
		x = n.emit("relax.where", args(below, n.emit("relax.add", args(x, n.constant(d, depth))), x))
	}
	axis := int64(n.axis(n.int("axis", -1), n.rank(0)+1))
	n.result("relax.one_hot", args(x, &relax.PrimValue{Value: values.elems[1]}, &relax.PrimValue{Value: values.elems[0]}),
		"depth", int64(depth), "axis", axis)
}

func trilu(n *node) {
	n.ranked(0, 2, anyRank)
	if known := n.known(1); n.has(1) && (known == nil || len(known.elems) == 1 && !isNumber(known.elems[0])) {
		n.triangleByData(n.bool("upper", true))
		return
	}
	k := 0.0
	if n.has(1) {
		k = n.scalarOperand(1, "k")
	}
	name := "relax.tril"
	if n.bool("upper", true) {
		name = "relax.triu"
	}
	k = max(min(k, math.MaxInt32), -math.MaxInt32)
	n.result(name, args(n.expr(0), &relax.PrimValue{Value: tir.Int(int64(k))}))
}

// running accumulates along an axis; backwards it does so on the reversed axis.
func (n *node) running(name string) {
	a := n.scalarOperand(1, "axis")
	if a != math.Trunc(a) || math.Abs(a) > 64 {
		n.fail("axis is %g, expected a whole number from -64 to 64", a)
	}
	axis := int64(n.axis(int64(a), n.rank(0)))
	exclusive := n.bool("exclusive", false)
	if !n.bool("reverse", false) {
		n.result(name, args(n.expr(0)), "axis", axis, "exclusive", exclusive)
		return
	}
	x := n.emit("relax.flip", args(n.expr(0)), "axis", axis)
	x = n.emit(name, args(x), "axis", axis, "exclusive", exclusive)
	n.result("relax.flip", args(x), "axis", axis)
}

// tensorScatter writes to a cache, for each sequence of the batch at its own place along an axis, 0 if there are none; behind the end it goes on at the
// start if the mode is circular.
func tensorScatter(n *node) {
	n.sameDType(0, 1)
	cache, update := n.dims(0), n.dims(1)
	if len(cache) != len(update) || len(cache) < 2 {
		n.fail("past_cache (input 0) and update (input 1) have %d and %d dimensions, expected the same, at least 2", len(cache), len(update))
	}
	axis := n.axis(n.int("axis", -2), len(cache))
	if axis == 0 {
		n.fail("attribute \"axis\" names axis 0, which is the batch")
	}
	along, across := make([]tir.Expr, len(cache)), make([]tir.Expr, len(cache))
	for i := range cache {
		along[i], across[i] = tir.Int(1), tir.Int(1)
		if i != axis && !n.equal(cache[i], update[i]) {
			n.fail("past_cache (input 0) and update (input 1) have shapes %s and %s, expected the same but for axis %d", relax.FormatDims(cache), relax.FormatDims(update), axis)
		}
	}
	along[axis], across[0] = update[axis], cache[0]
	at := n.reshape(n.counting(0, update[axis]), along)
	if n.has(2) {
		n.wantDType(2, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
		at = n.emit("relax.add", args(at, n.reshape(n.expr(2), across)))
	}
	if n.str("mode", "linear", "linear", "circular") == "circular" {
		at = n.emit("relax.floor_mod", args(at, n.tensor(&value{known: scalar(dtype.Int64T, cache[axis])})))
	}
	at = n.emit("relax.broadcast_to", args(at, shapeExpr(update)))
	n.result("relax.scatter_elements", args(n.expr(0), at, n.expr(1)), "axis", int64(axis), "reduction", "update")
}
