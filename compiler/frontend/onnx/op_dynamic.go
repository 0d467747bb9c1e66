package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// dynamicRows are the operators whose results have as many elements as are found.
func dynamicRows() []operator {
	return []operator{
		{name: "NonZero", minIn: 1, maxIn: 1, convert: nonZero, fold: foldNonZero},
		{name: "Unique", minIn: 1, maxIn: 1, attrs: []string{"axis", "sorted"}, convert: unique},
		{name: "NonMaxSuppression", minIn: 2, maxIn: 5, attrs: []string{"center_point_box"}, convert: nonMaxSuppression},
	}
}

// flag is an argument that is a truth value.
func flag(v bool) relax.Expr {
	return &relax.PrimValue{Value: tir.Bool(v)}
}

// places are those of the elements of x that are not zero, a row for each axis.
func (n *node) places(x relax.Expr, rank int) relax.Expr {
	return n.matchCast(n.emit("relax.nonzero", args(x)), []tir.Expr{tir.Int(int64(rank)), n.g.symbols.extent(n.base)})
}

func nonZero(n *node) {
	if n.rank(0) == 0 {
		n.fail("input 0 is a scalar, expected one dimension or more")
	}
	n.set(0, n.places(n.expr(0), n.rank(0)))
}

func foldNonZero(_ *node, in []*known) *known {
	vs, ok := in[0].ints()
	if !ok || len(in[0].shape) == 0 {
		return nil
	}
	rank := len(in[0].shape)
	rows := make([][]tir.Expr, rank)
	for i, v := range vs {
		if v == 0 {
			continue
		}
		rest := int64(i)
		for k := rank - 1; k >= 0; k-- {
			rows[k] = append(rows[k], tir.Int(rest%in[0].shape[k]))
			rest /= in[0].shape[k]
		}
	}
	out := &known{dtype: dtype.Int64T, shape: []int64{int64(rank), int64(len(rows[0]))}, elems: []tir.Expr{}}
	for _, row := range rows {
		out.elems = append(out.elems, row...)
	}
	return out
}

// compressByData picks the elements along an axis of x at which a condition holds that depends on data.
func (n *node) compressByData(x relax.Expr, axis int, extent tir.Expr) {
	n.wantDType(1, "bool", dtype.DType.IsBool)
	n.ranked(1, 1, 1)
	cond := n.expr(1)
	ctx := &relax.InferContext{Prover: n.g.prover}
	if ctx.Equal(n.dims(1)[0], extent) != relax.True { // those beyond the axis do not count
		cond = n.part(cond, 0, tir.Int(0), extent)
	}
	at := n.places(cond, 1)
	dims, _ := relax.SInfoOf(at).(*relax.TensorStructInfo).Dims()
	n.result("relax.take", args(x, n.reshape(at, dims[1:])), "axis", int64(axis))
}

func unique(n *node) {
	dims := n.dims(0)
	list := args(n.expr(0), flag(n.bool("sorted", true)), flag(n.wants(1)), flag(n.wants(2)), flag(n.wants(3)))
	var all tir.Expr
	found := n.g.symbols.extent(n.base)
	shape := []tir.Expr{found}
	if n.pb.Attribute("axis") != nil {
		axis := n.axis(n.int("axis", 0), len(dims))
		list = append(list, &relax.PrimValue{Value: tir.Int(int64(axis))})
		all = dims[axis]
		shape = append([]tir.Expr{}, dims...)
		shape[axis] = found
	} else {
		all = product(dims)
	}
	y := n.emit("relax.unique", list)
	shapes := [][]tir.Expr{shape, {found}, {all}, {found}}
	at := 0
	for i, s := range shapes {
		if i > 0 && !n.wants(i) {
			continue
		}
		x := y
		if _, tuple := relax.SInfoOf(y).(*relax.TupleStructInfo); tuple {
			x = n.bind(&relax.TupleGetItem{Base: ir.Base{Origin: n.origin}, Tuple: y, Index: at}, n.base, false)
		}
		at++
		n.set(i, n.matchCast(x, s))
	}
}

// nonMaxSuppression yields rows of batch, class and box. A limit that is left out is 0, a threshold of scores that is left out below all.
func nonMaxSuppression(n *node) {
	n.floats(0)
	n.floats(1)
	n.ranked(1, 3, 3)
	if sides := n.ranked(0, 3, 3)[2]; !n.equal(sides, tir.Int(4)) {
		n.fail("boxes (input 0) have %s numbers each, expected 4", relax.FormatPrim(sides))
	}
	boxes, d := n.expr(0), n.dtype(0)
	if n.bool("center_point_box", false) {
		middle, size := n.part(boxes, 2, tir.Int(0), tir.Int(2)), n.part(boxes, 2, tir.Int(2), tir.Int(4))
		half := n.emit("relax.multiply", args(size, n.constant(d, .5)))
		boxes = n.emit("relax.concat", args(tuple(args(n.emit("relax.subtract", args(middle, half)), n.emit("relax.add", args(middle, half))))), "axis", int64(2))
	}
	number := func(i int, def relax.Expr) relax.Expr {
		if !n.has(i) {
			return def
		}
		if dims := n.dims(i); len(dims) > 1 || len(dims) == 1 && !tir.IsConst(dims[0], 1) {
			n.fail("input %d (%q) has shape %s, expected one element", i, n.pb.Inputs[i], relax.FormatDims(dims))
		}
		return n.reshape(n.expr(i), nil)
	}
	if n.has(2) {
		n.wantDType(2, "int64", func(d dtype.DType) bool { return d == dtype.Int64T })
	}
	limit, iou := number(2, n.integers([]int64{}, []int64{0})), number(3, n.constant(dtype.Float32T, 0))
	least := number(4, n.constant(dtype.Float32T, math.Inf(-1)))
	y := n.emit("relax.vision.all_class_non_max_suppression", args(boxes, n.expr(1), limit, iou, least), "output_format", "onnx")
	field := func(i int) relax.Expr {
		return n.bind(&relax.TupleGetItem{Base: ir.Base{Origin: n.origin}, Tuple: y, Index: i}, n.base, false)
	}
	rows, count := field(0), field(1)
	vec := func(vs ...int64) relax.Expr { return n.integers([]int64{int64(len(vs))}, vs) }
	end := n.emit("relax.concat", args(tuple(args(n.reshape(count, []tir.Expr{tir.Int(1)}), vec(3)))), "axis", int64(0))
	z := n.emit("relax.dynamic_strided_slice", args(rows, vec(0, 0), end, vec(1, 1)))
	n.set(0, n.matchCast(z, []tir.Expr{n.g.symbols.extent(n.base), tir.Int(3)}))
}
