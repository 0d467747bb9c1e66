package onnx

import (
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// linearScores are x (rows, features) times coefficients (count, features), plus intercepts if there are any.
func (n *node) linearScores(x relax.Expr, dims []tir.Expr, count int, coefficients, intercepts []float32) relax.Expr {
	features := n.width(dims)
	n.sameLength("coefficients", len(coefficients), count*int(features))
	w := n.float32s([]int64{int64(count), features}, coefficients)
	y := n.emit("relax.matmul", args(x, n.emit("relax.permute_dims", args(w), "axes", []int64{1, 0})))
	if len(intercepts) == 0 {
		return y
	}
	n.sameLength("intercepts", len(intercepts), count)
	return n.emit("relax.add", args(y, n.float32s([]int64{int64(count)}, intercepts)))
}

func linearRegressor(n *node) {
	x, dims := n.float32Table()
	k := n.int("targets", 1)
	coefficients := n.floatList("coefficients")
	if k < 1 || k > int64(len(coefficients)) {
		n.fail("attribute \"targets\" is %d for %d coefficients", k, len(coefficients))
	}
	y := n.linearScores(x, dims, int(k), coefficients, n.floatList("intercepts"))
	if transform := n.postTransform(); k > 1 || transform == "PROBIT" { // one target has no other transform
		y = n.transformed(y, transform)
	}
	n.set(0, y)
}

// linearClassifier has a score for each class, or one that stands for both of two.
func linearClassifier(n *node) {
	x, dims := n.float32Table()
	l := n.classLabels("classlabels_ints")
	coefficients, intercepts := n.floatList("coefficients"), n.floatList("intercepts")
	count := len(intercepts)
	if count == 0 {
		if count = l.count; count == 2 && int64(len(coefficients)) == n.width(dims) {
			count = 1
		}
	}
	if count != l.count && (count != 1 || l.count != 2) {
		n.fail("there are %d scores for %d classes", count, l.count)
	}
	y := n.linearScores(x, dims, count, coefficients, intercepts)
	transform := n.postTransform()
	if count == 1 {
		no, yes := l.pair()
		n.either(y, 0, no, yes)
		switch {
		case transform == "PROBIT" && l.count == 1:
			y = n.transformed(y, transform)
		case l.count == 2:
			y = n.second(y, true, transform)
		}
		n.set(1, y)
		return
	}
	n.best(l, y)
	n.set(1, n.transformed(y, transform))
}
