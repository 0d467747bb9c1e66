package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// microsoftPositionRows are what is added to products of queries and keys for how far apart they are.
func microsoftPositionRows() []operator {
	return []operator{
		{name: "RelativePositionBias", minIn: 3, maxIn: 3, attrs: []string{"is_bidirectional", "max_distance"}, convert: relativeBias},
		{name: "GatedRelativePositionBias", minIn: 6, maxIn: 7, attrs: []string{"num_heads"}, convert: gatedBias},
	}
}

// relativeBias takes rows of a table, of buckets by heads, for the distances of each key from each query: buckets of one distance each for the first half, and of
// growing ranges up to the largest distance for the second. Of keys to the right, where they count, the buckets are others. The result is (1, heads, queries, keys).
func relativeBias(n *node) {
	table := n.ranked(0, 2, 2)
	buckets, ok := tir.AsInt(table[0])
	both, most := n.bool("is_bidirectional", false), n.int("max_distance", 0)
	if both {
		buckets /= 2
	}
	exact := buckets / 2
	if !ok || exact < 1 || most <= exact {
		n.fail("attribute \"max_distance\" is %d for %s buckets, expected constants, and more than the buckets of one distance each", most, relax.FormatPrim(table[0]))
	}
	length := func(i int) tir.Expr {
		e := n.extentsOperand(i, "the length")
		if len(e) != 1 {
			n.fail("the length (input %d) has %d elements, expected one", i, len(e))
		}
		return tir.CastTo(dtype.Int64T, e[0])
	}
	queries, keys, one := length(1), length(2), tir.Int(1)
	whole := func(v int64) relax.Expr { return n.integers([]int64{}, []int64{v}) }
	at := func(name string, a, b relax.Expr) relax.Expr { return n.emit("relax."+name, args(a, b)) }
	distance := at("subtract", n.reshape(n.counting(0, keys), []tir.Expr{one, keys}), n.reshape(n.counting(0, queries), []tir.Expr{queries, one}))
	far := n.emit("relax.negative", args(distance))
	if both {
		far = n.emit("relax.abs", args(distance))
	}
	far = at("maximum", far, whole(0))
	// The bucket of a larger distance, computed as for all: a distance of 0 counts as 1 there.
	f := func(v float64) relax.Expr { return n.constant(dtype.Float32T, v) }
	log := n.emit("relax.log", args(at("divide", n.as(at("maximum", far, whole(1)), dtype.Float32T), f(float64(exact)))))
	log = at("multiply", at("divide", log, f(float64(float32(math.Log(float64(most)/float64(exact)))))), f(float64(buckets-exact)))
	wide := at("minimum", at("add", n.as(log, dtype.Int64T), whole(exact)), whole(buckets-1))
	bucket := n.emit("relax.where", args(at("less", far, whole(exact)), far, wide))
	if both {
		bucket = at("add", bucket, n.emit("relax.where", args(at("greater", distance, whole(0)), whole(buckets), whole(0))))
	}
	rows := n.emit("relax.take", args(n.expr(0), bucket), "axis", int64(0))
	n.result("relax.expand_dims", args(n.emit("relax.permute_dims", args(rows), "axes", []int64{2, 0, 1})), "axis", []int64{0})
}

// gatedBias multiplies a bias, (1, heads, length, length), for each query by u * (r * eco - 1) + 2, where u and r are sigmoids of sums of halves of what weights make of the query.
func gatedBias(n *node) {
	if n.has(6) {
		n.fail("the offsets of tokens (input 6) are given: sequences without what is between them are not supported")
	}
	in, heads := n.ranked(0, 3, 3), n.int("num_heads", 0)
	if heads < 1 {
		n.fail("attribute \"num_heads\" is %d, expected 1 or more", heads)
	}
	size, gates := n.divided(in[2], heads, 2), n.static(3, 1)
	if gates%2 != 0 {
		n.fail("the weights (input 3) have %d columns, expected an even number", gates)
	}
	at := func(name string, a, b relax.Expr) relax.Expr { return n.emit("relax."+name, args(a, b)) }
	query := n.reshape(at("add", n.floats(0), n.expr(1)), []tir.Expr{in[0], in[1], tir.Int(heads), size})
	query = n.emit("relax.permute_dims", args(query), "axes", []int64{0, 2, 1, 3})
	gate := at("add", at("matmul", query, n.expr(3)), n.expr(4))
	gate = n.reshape(gate, []tir.Expr{in[0], tir.Int(heads), in[1], tir.Int(2), tir.Int(gates / 2)})
	gate = n.emit("relax.sigmoid", args(n.emit("relax.sum", args(gate), "axis", []int64{4}, "keepdims", false)))
	half := func(i int64) relax.Expr { return n.part(gate, 3, tir.Int(i), tir.Int(i+1)) }
	number := func(v float64) relax.Expr { return n.constant(n.dtype(0), v) }
	by := at("add", at("multiply", half(0), at("subtract", at("multiply", half(1), n.expr(5)), number(1))), number(2))
	n.result("relax.multiply", args(by, n.expr(2)))
}
