package onnx

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// treeClassifier computes the scores of classes and the label of the best one. Where there are two classes, and leaves vote for one of them alone, its score
// stands for both.
func treeClassifier(n *node) {
	x, dims, features := n.treeInput()
	l := n.classLabels("classlabels_int64s")
	b, wide := n.oldTrees("class", features)
	b.setTargets(n, int64(l.count), "class_ids")
	base, wideBase := n.numberList("base_values")
	if c := len(base); c != 0 && c != l.count && (l.count != 2 || c != 1) {
		n.fail("attribute \"base_values\" has %d elements for %d classes", c, l.count)
	}
	floats := n.treeType(wide || wideBase)
	s := b.count(n, n.as(x, floats), floats, features, "relax.sum")
	c := &treeClasses{node: n, labels: l, scores: s, base: base, transform: n.postTransform(), rows: dims[0]}
	if l.count == 2 {
		c.two(b.votes)
		return
	}
	y := s.sum
	if len(base) > 0 {
		y = n.emit("relax.add", args(y, n.numbers(floats, []int64{int64(len(base))}, func(i int) float64 { return base[i] })))
	}
	if l.count == 1 {
		no, yes := l.pair()
		n.either(y, 0, no, yes)
		if c.transform == "PROBIT" {
			y = n.transformed(y, c.transform)
		}
		n.put(1, y, dtype.Float32T)
		return
	}
	voted := y
	if len(base) == 0 { // a class without votes is not the best one, though others have scores below 0
		voted = s.where(n, y, n.constant(floats, math.Inf(-1)))
	}
	n.best(l, voted)
	n.put(1, n.transformed(y, c.transform), dtype.Float32T)
}

// treeClasses are the scores of two classes.
type treeClasses struct {
	*node
	labels    labels
	scores    *scores
	base      []float64
	transform string
	rows      tir.Expr
}

// two follows ONNX Runtime: a row has one score if no leaf votes for the second class, or two.
func (c *treeClasses) two(votes []vote) {
	s := c.scores
	first, last := c.column(0), c.column(1)
	one := func(x relax.Expr) relax.Expr { // one score stands for both
		return c.second(x, c.probability(votes), c.transform)
	}
	both := func(x, y relax.Expr) relax.Expr {
		return c.transformed(c.emit("relax.concat", args(tuple(args(x, y))), "axis", int64(1)), c.transform)
	}
	add := func(x relax.Expr, i int) relax.Expr {
		return c.emit("relax.add", args(x, c.constant(s.floats, c.base[i])))
	}
	voted := func(x relax.Expr) relax.Expr { // 0 where no leaf votes for the first class
		return c.whereVoted(0, x, c.constant(s.floats, 0))
	}
	negative := func(x relax.Expr) relax.Expr { return c.emit("relax.negative", args(x)) }

	// What is computed where no leaf votes for the second class, and where one does: the scores, and the one that the label is chosen by.
	type result struct{ scores, decides relax.Expr }
	var without, with func() result
	switch len(c.base) {
	case 0:
		without = func() result { return result{one(first), first} }
		with = func() result { return result{both(first, last), last} }
	case 1:
		without = func() result { x := add(first, 0); return result{one(x), voted(x)} }
		with = func() result { return result{both(voted(add(first, 0)), last), last} }
	default:
		without = func() result { x := add(first, 0); return result{both(voted(x), last), voted(x)} }
		with = func() result { x := add(first, 1); return result{both(voted(negative(x)), x), x} }
	}
	var y result
	switch {
	case s.always[1]:
		y = with()
	case s.never[1]:
		y = without()
	default:
		a, b := without(), with()
		y.scores, y.decides = c.whereVoted(1, b.scores, a.scores), c.whereVoted(1, b.decides, a.decides)
	}
	no, yes := int64(0), int64(1)
	limit := 0.0
	if oneTarget(votes) {
		no, yes = c.labels.pair()
		if positive(votes) {
			limit = 0.5
		}
	}
	c.either(y.decides, limit, no, yes)
	c.put(1, y.scores, dtype.Float32T)
}

// probability reports whether one score is a probability: it is the sum of votes for one class, of which none is negative.
func (c *treeClasses) probability(votes []vote) bool {
	return oneTarget(votes) && positive(votes) && c.transform != "LOGISTIC"
}

func oneTarget(votes []vote) bool {
	return len(votes) > 0 && !slices.ContainsFunc(votes, func(v vote) bool { return v.target != votes[0].target })
}

func positive(votes []vote) bool {
	return !slices.ContainsFunc(votes, func(v vote) bool { return v.weight < 0 })
}

// column is the score of one class.
func (c *treeClasses) column(i int64) relax.Expr {
	return c.emit("relax.take", args(c.scores.sum, c.int64s([]int64{i})), "axis", int64(1))
}

// whereVoted is x where a leaf votes for a class, and other elsewhere.
func (c *treeClasses) whereVoted(class int64, x, other relax.Expr) relax.Expr {
	switch s := c.scores; {
	case s.always[class]:
		return x
	case s.never[class]:
		return c.emit("relax.zeros_like", args(x))
	default:
		any := c.emit("relax.take", args(s.any, c.int64s([]int64{class})), "axis", int64(1))
		return c.emit("relax.where", args(any, x, other))
	}
}
