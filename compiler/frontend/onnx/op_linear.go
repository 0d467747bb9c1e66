package onnx

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// linearRows are the matrix products.
func linearRows() []operator {
	return []operator{
		{name: "MatMul", minIn: 2, maxIn: 2, convert: func(n *node) {
			n.sameDType(0, 1)
			n.result("relax.matmul", args(n.expr(0), n.expr(1)))
		}},
		{name: "Gemm", minIn: 2, maxIn: 3, attrs: []string{"alpha", "beta", "transA", "transB"}, convert: gemm},
		{name: "Einsum", minIn: 1, maxIn: -1, attrs: []string{"equation"}, convert: einsum},
		{name: "Det", minIn: 1, maxIn: 1, convert: det},
	}
}

// gemm is alpha * A' * B' + beta * C, where C broadcasts to the product.
func gemm(n *node) {
	n.sameDType(0, 1, 2)
	n.ranked(0, 2, 2)
	n.ranked(1, 2, 2)
	if n.opset < 11 {
		n.value(2)
	}
	factor := func(i int, attr string) relax.Expr {
		if n.bool(attr, false) {
			return n.emit("relax.permute_dims", args(n.expr(i)), "axes", []int64{1, 0})
		}
		return n.expr(i)
	}
	alpha, beta := n.float("alpha", 1), n.float("beta", 1)
	factors := args(factor(0, "transA"), factor(1, "transB"))
	hasC := n.has(2) && beta != 0
	if alpha == 1 && !hasC {
		n.result("relax.matmul", factors)
		return
	}
	// The product of halves is rounded when it is scaled and added.
	elem := n.dtype(0)
	d := elem.Accumulator()
	var out []any
	if d != elem {
		out = []any{"out_dtype", d}
	}
	y := n.emit("relax.matmul", factors, out...)
	if alpha != 1 {
		scaled := args(y, n.constant(d, alpha))
		if !hasC {
			n.roundedResult(elem, "relax.multiply", scaled)
			return
		}
		y = n.emit("relax.multiply", scaled)
	}
	if n.rank(2) > 2 {
		n.fail("input 2 has %d dimensions, expected at most 2", n.rank(2))
	}
	c := n.widened(n.expr(2), elem)
	if beta != 1 {
		c = n.emit("relax.multiply", args(c, n.constant(d, beta)))
	}
	n.roundedResult(elem, "relax.add", args(y, c))
}

// einsum passes the equation on with the dimensions behind "..." spelled as capital
// letters that it does not use.
func einsum(n *node) {
	n.wantDType(0, "a number", func(d dtype.DType) bool { return d.IsFloat() || d.IsInteger() })
	var es []relax.Expr
	for i := range n.in {
		es = append(es, n.sameAs(0, i))
	}
	a := n.attr("equation", onnxpb.AttrString)
	if a == nil {
		n.fail("attribute \"equation\" is missing")
	}
	eq := strings.ReplaceAll(string(a.S), " ", "")
	left, right, explicit := strings.Cut(eq, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(es) {
		n.fail("attribute \"equation\" is %q, which has %d operands, but the node has %d", eq, len(terms), len(es))
	}
	ellipsis := ""
	for i, t := range terms {
		hidden := n.rank(i) - len(strings.Replace(t, "...", "", 1))
		if !strings.Contains(t, "...") {
			continue
		}
		if hidden < 0 || hidden > 20 {
			n.fail("attribute \"equation\" is %q, but operand %d has %d dimensions", eq, i, n.rank(i))
		}
		if ellipsis != "" && len(ellipsis) != hidden {
			n.fail("attribute \"equation\" is %q; an ellipsis must stand for as many dimensions in each operand", eq)
		}
		for c := 'A'; len(ellipsis) < hidden && c <= 'Z'; c++ {
			if !strings.ContainsRune(eq, c) {
				ellipsis += string(c)
			}
		}
		if len(ellipsis) < hidden {
			n.fail("attribute \"equation\" is %q, which has too many letters", eq)
		}
		terms[i] = strings.Replace(t, "...", ellipsis, 1)
	}
	for i, t := range terms {
		es[i], terms[i] = n.diagonals(es[i], t)
	}
	if !explicit {
		right = ellipsis + implicit(left)
	}
	subscripts := strings.Join(terms, ",") + "->" + strings.Replace(right, "...", ellipsis, 1)
	n.result("relax.einsum", args(tuple(es)), "subscripts", subscripts)
}

// diagonals is an operand with the axes that letters name, of which only those elements count that have one index along the axes of a letter that
// stands twice. It returns the letters that are left.
func (n *node) diagonals(x relax.Expr, letters string) (relax.Expr, string) {
	dims, _ := relax.SInfoOf(x).(*relax.TensorStructInfo).Dims()
	for q := len(letters) - 1; q > 0 && len(letters) == len(dims); q-- {
		p := strings.IndexByte(letters, letters[q])
		if p == q {
			continue
		}
		if !n.equal(dims[p], dims[q]) {
			n.fail("the letter %q of attribute \"equation\" names axes of extents %s and %s", letters[q], relax.FormatPrim(dims[p]), relax.FormatPrim(dims[q]))
		}
		row := n.reshape(n.counting(0, dims[p]), channelsAt(dims[p], len(dims)-p))
		same := n.emit("relax.equal", args(row, n.reshape(n.counting(0, dims[q]), channelsAt(dims[q], len(dims)-q))))
		x = n.emit("relax.where", args(same, x, n.splat(relax.SInfoOf(x).(*relax.TensorStructInfo).DType, nil, 0)))
		x = n.emit("relax.sum", args(x), "axis", []int64{int64(q)}, "keepdims", false)
		dims, letters = slices.Delete(slices.Clone(dims), q, q+1), letters[:q]+letters[q+1:]
	}
	return x, letters
}

// implicit returns the letters that occur once, in alphabetical order: the result of an
// equation without an arrow.
func implicit(left string) string {
	var once []rune
	for _, c := range left {
		if c != ',' && c != '.' && strings.Count(left, string(c)) == 1 {
			once = append(once, c)
		}
	}
	slices.Sort(once)
	return string(once)
}
