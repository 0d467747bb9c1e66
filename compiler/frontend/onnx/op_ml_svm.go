package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// svmKernels are how a row is compared with a support vector.
var svmKernels = []string{"LINEAR", "POLY", "RBF", "SIGMOID"}

// svmKernel compares the rows of x (rows, features) with each of so many vectors: (rows, vectors).
func (n *node) svmKernel(x relax.Expr, dims []tir.Expr, vectors int) relax.Expr {
	features := n.width(dims)
	list := n.floatList("support_vectors")
	n.sameLength("support_vectors", len(list), vectors*int(features))
	kind := n.str("kernel_type", "LINEAR", svmKernels...)
	params := n.floatList("kernel_params")
	if len(params) == 0 {
		params = []float32{0, 0, 0}
	}
	n.sameLength("kernel_params", len(params), 3)
	number := func(i int) relax.Expr { return n.constant(dtype.Float32T, float64(params[i])) }
	if kind == "RBF" {
		each := n.reshape(x, []tir.Expr{dims[0], tir.Int(1), dims[1]})
		d := n.emit("relax.subtract", args(each, n.float32s([]int64{1, int64(vectors), features}, list)))
		sum := n.emit("relax.sum", args(n.emit("relax.multiply", args(d, d))), "axis", []int64{2}, "keepdims", false)
		return n.emit("relax.exp", args(n.emit("relax.multiply", args(sum, n.constant(dtype.Float32T, -float64(params[0]))))))
	}
	w := n.emit("relax.permute_dims", args(n.float32s([]int64{int64(vectors), features}, list)), "axes", []int64{1, 0})
	y := n.emit("relax.matmul", args(x, w))
	if kind == "LINEAR" {
		return y
	}
	y = n.emit("relax.add", args(n.emit("relax.multiply", args(y, number(0))), number(1)))
	if kind == "SIGMOID" {
		return n.emit("relax.tanh", args(y))
	}
	switch params[2] {
	case 2:
		return n.emit("relax.multiply", args(y, y))
	case 3:
		return n.emit("relax.multiply", args(n.emit("relax.multiply", args(y, y)), y))
	}
	return n.emit("relax.power", args(y, number(2)))
}

// rho are the constants that are added to scores, of which there must be at least so many.
func (n *node) rho(least int) []float32 {
	out := n.floatList("rho")
	if len(out) < least {
		n.fail("attribute \"rho\" has %d elements, expected %d", len(out), least)
	}
	return out[:least]
}

func svmRegressor(n *node) {
	x, dims := n.float32Table()
	vectors := n.int("n_supports", 0)
	coefficients, rho := n.floatList("coefficients"), n.rho(1)
	if n.postTransform() == "PROBIT" {
		n.fail("attribute \"post_transform\" is \"PROBIT\", which is not supported here")
	}
	if vectors < 0 || vectors > int64(len(coefficients)) {
		n.fail("attribute \"n_supports\" is %d for %d coefficients", vectors, len(coefficients))
	}
	if vectors > 0 {
		x = n.svmKernel(x, dims, int(vectors))
		dims = []tir.Expr{dims[0], tir.Int(vectors)}
	}
	y := n.linearScores(x, dims, 1, coefficients, rho)
	if !n.bool("one_class", false) {
		n.set(0, y)
		return
	}
	one := func(v float64) relax.Expr { return n.constant(dtype.Float32T, v) }
	n.result("relax.where", args(n.emit("relax.greater", args(y, one(0))), one(1), one(-1)))
}

// svmClassifier has a score for each class if there are no support vectors. With them it has one for each pair of classes, of which each is a vote for one of the
// two, and from which probabilities of the classes are made if the attributes prob_a and prob_b are given.
func svmClassifier(n *node) {
	x, dims := n.float32Table()
	l := n.classLabels("classlabels_ints")
	counts := n.ints("vectors_per_class")
	vectors := int64(0)
	for _, c := range counts {
		if c < 0 || c > maxTreeNodes {
			n.fail("attribute \"vectors_per_class\" has the element %d", c)
		}
		vectors += c
	}
	if vectors == 0 {
		n.svmLinear(x, dims, l)
		return
	}
	if len(counts) != l.count || l.count < 2 || vectors > maxTreeNodes {
		n.fail("attribute \"vectors_per_class\" has %d elements for %d classes, expected one for each of two or more, and at most %d vectors", len(counts), l.count, maxTreeNodes)
	}
	s := &svm{node: n, labels: l, rows: dims[0], vectors: vectors, transform: n.postTransform()}
	s.pairs(n.svmKernel(x, dims, int(vectors)), counts)
	s.vote()
	s.results()
}

// svmLinear is a classifier with a score for each class.
func (n *node) svmLinear(x relax.Expr, dims []tir.Expr, l labels) {
	coefficients := n.floatList("coefficients")
	y := n.linearScores(x, dims, l.count, coefficients, slices.Repeat(n.rho(1), l.count))
	if transform := n.postTransform(); l.count > 1 || transform == "PROBIT" {
		n.set(1, n.transformed(y, transform))
	} else {
		n.set(1, y)
	}
	if l.count != 2 || len(n.floatList("prob_a")) > 0 || !n.wants(0) {
		n.best(l, y)
		return
	}
	// The second label is that of a score which is high enough, though it be the first one's.
	top := n.emit("relax.max", args(y), "axis", []int64{1}, "keepdims", false)
	limit := "relax.greater"
	at := 0.0
	if !slices.ContainsFunc(coefficients, func(v float32) bool { return !(v >= 0) }) {
		limit, at = "relax.greater_equal", 0.5
	}
	high := n.emit(limit, args(top, n.constant(dtype.Float32T, at)))
	best := n.emit("relax.argmax", args(y), "axis", int64(1), "keepdims", false)
	n.labelsOf(l, n.emit("relax.where", args(high, n.number(dtype.Int64T, 1), best)))
}

// svm is a classifier with support vectors.
type svm struct {
	*node
	labels    labels
	rows      tir.Expr
	vectors   int64
	transform string
	scores    relax.Expr // (rows, pairs)
}

func (s *svm) pairCount() int { return s.labels.count * (s.labels.count - 1) / 2 }

// pairs computes the scores of pairs from the kernel's results (rows, vectors). The coefficients have a row for each class but the own one of a vector.
func (s *svm) pairs(k relax.Expr, counts []int64) {
	classes, v := s.labels.count, s.vectors
	coefficients := s.floatList("coefficients")
	s.sameLength("coefficients", len(coefficients), (classes-1)*int(v))
	s.check(checkElements([]tir.Expr{tir.Int(int64(s.pairCount())), tir.Int(v)}))
	start := make([]int64, classes+1)
	for i, c := range counts {
		start[i+1] = start[i] + c
	}
	w := make([]float32, int64(s.pairCount())*v)
	row := int64(0)
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			to := w[row*v : (row+1)*v]
			copy(to[start[i]:start[i+1]], coefficients[int64(j-1)*v+start[i]:])
			copy(to[start[j]:start[j+1]], coefficients[int64(i)*v+start[j]:])
			row++
		}
	}
	s.scores = s.linearScores(k, []tir.Expr{s.rows, tir.Int(v)}, s.pairCount(), w, s.rho(s.pairCount()))
}

// vote makes the label of the class that has the most votes of pairs the first result: a score above 0 is one for the first class of the pair.
func (s *svm) vote() {
	if !s.wants(0) {
		return
	}
	classes, p := s.labels.count, s.pairCount()
	first := s.emit("relax.astype", args(s.emit("relax.greater", args(s.scores, s.constant(dtype.Float32T, 0)))), "dtype", dtype.Float32T)
	gain := make([]float32, p*classes) // of each class by a vote for the first of a pair and not the second
	base := make([]float32, classes)   // all votes are for the second
	at := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			gain[at*classes+i], gain[at*classes+j] = 1, -1
			base[j]++
			at++
		}
	}
	votes := s.emit("relax.matmul", args(first, s.float32s([]int64{int64(p), int64(classes)}, gain)))
	votes = s.emit("relax.add", args(votes, s.float32s([]int64{int64(classes)}, base)))
	s.best(s.labels, votes)
}

// results computes the second result: scores of pairs, or probabilities of classes.
func (s *svm) results() {
	a, b := s.floatList("prob_a"), s.floatList("prob_b")
	if len(a) > 0 || len(b) > 0 {
		s.sameLength("prob_a", len(a), s.pairCount())
		s.sameLength("prob_b", len(b), s.pairCount())
		s.set(1, s.transformed(s.coupled(s.pairwise(a, b)), s.transform))
		return
	}
	if s.labels.count == 2 {
		s.set(1, s.second(s.scores, s.transform != "NONE", s.transform))
		return
	}
	s.set(1, s.transformed(s.scores, s.transform))
}

// pairwise are the probabilities of the first classes of pairs.
func (s *svm) pairwise(a, b []float32) relax.Expr {
	count := []int64{int64(len(a))}
	y := s.emit("relax.add", args(s.emit("relax.multiply", args(s.scores, s.float32s(count, a))), s.float32s(count, b)))
	y = s.emit("relax.sigmoid", args(s.emit("relax.negative", args(y))))
	return s.emit("relax.clip", args(y, primFloat(dtype.Float32T, 1e-7), primFloat(dtype.Float32T, 1-1e-7)))
}
