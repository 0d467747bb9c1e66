package onnx

import (
	"math"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// postTransforms are the names of what may be done with scores at the end, by their numbers in TreeEnsemble.
var postTransforms = []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

func (n *node) postTransform() string {
	return n.str("post_transform", "NONE", postTransforms...)
}

// transformed are scores (rows, columns) after a transform, in their type.
func (n *node) transformed(x relax.Expr, name string) relax.Expr {
	d := relax.SInfoOf(x).(*relax.TensorStructInfo).DType
	switch name {
	case "SOFTMAX":
		return n.emit("relax.nn.softmax", args(x), "axis", int64(-1))
	case "LOGISTIC":
		return n.emit("relax.sigmoid", args(x))
	case "SOFTMAX_ZERO":
		return n.softmaxZero(x, d)
	case "PROBIT": // of float32, in which it has an end
		return n.as(n.probit(n.as(x, dtype.Float32T), dtype.Float32T), d)
	}
	return x
}

// softmaxZero is a softmax of the scores that are not 0; the others stay 0, or what they are times a number.
func (n *node) softmaxZero(x relax.Expr, d dtype.DType) relax.Expr {
	last := []int64{-1}
	top := n.emit("relax.max", args(x), "axis", last, "keepdims", true)
	some := n.emit("relax.greater", args(n.emit("relax.abs", args(x)), n.constant(d, 1e-7)))
	e := n.emit("relax.exp", args(n.emit("relax.subtract", args(x, top))))
	sum := n.emit("relax.sum", args(n.emit("relax.where", args(some, e, n.constant(d, 0)))), "axis", last, "keepdims", true)
	rest := n.emit("relax.multiply", args(x, n.emit("relax.exp", args(n.emit("relax.negative", args(top))))))
	return n.emit("relax.divide", args(n.emit("relax.where", args(some, e, rest)), sum))
}

// probit is the square root of 2 times the inverse of the error function at 2x - 1, by the approximation of Winitzki.
func (n *node) probit(x relax.Expr, d dtype.DType) relax.Expr {
	c := func(v float64) relax.Expr { return n.constant(d, v) }
	do := func(op string, xs ...relax.Expr) relax.Expr { return n.emit("relax."+op, xs) }
	const a = 0.147
	y := do("subtract", do("multiply", x, c(2)), c(1))
	log := do("log", do("multiply", do("subtract", c(1), y), do("add", c(1), y)))
	v := do("add", do("multiply", log, c(.5)), c(2/(3.14159*a)))
	root := do("sqrt", do("subtract", do("multiply", v, v), do("multiply", log, c(1/a))))
	size := do("sqrt", do("subtract", root, v))
	sign := do("where", do("less", y, c(0)), c(-1), c(1))
	return do("multiply", do("multiply", sign, size), c(math.Sqrt2))
}

// second are the scores of both classes by one score (rows, 1): the logistic function of its opposite and itself if that is the transform. Others are not
// taken: the scores are the complement and itself if it is a probability, else its opposite and itself.
func (n *node) second(x relax.Expr, probability bool, transform string) relax.Expr {
	if transform == "PROBIT" {
		n.fail("attribute \"post_transform\" is \"PROBIT\" where one score stands for two classes, which is not supported")
	}
	var other relax.Expr
	if probability && transform != "LOGISTIC" {
		one := n.constant(relax.SInfoOf(x).(*relax.TensorStructInfo).DType, 1)
		other = n.emit("relax.subtract", args(one, x))
	} else {
		other = n.emit("relax.negative", args(x))
	}
	y := n.emit("relax.concat", args(tuple(args(other, x))), "axis", int64(1))
	if transform == "LOGISTIC" {
		return n.emit("relax.sigmoid", args(y))
	}
	return y
}

// labels are the classes of a classifier, of which the labels may be strings.
type labels struct {
	count int
	ints  []int64 // nil if they are strings
}

// classLabels reads the labels of a classifier, and refuses strings where the model uses them.
func (n *node) classLabels(ints string) labels {
	l := labels{ints: n.ints(ints)}
	if l.count = len(l.ints); n.hasStrings("classlabels_strings") {
		if l.count > 0 {
			n.fail("attributes %q and \"classlabels_strings\" are both given", ints)
		}
		l.count = len(n.pb.Attribute("classlabels_strings").Strings)
		if n.wants(0) {
			n.fail("the labels are strings (attribute \"classlabels_strings\"), which are not supported; export the model with integer labels, or use the scores (output 1) alone")
		}
	}
	if l.count == 0 {
		n.fail("has no class labels (attributes %q and \"classlabels_strings\")", ints)
	}
	return l
}

// best makes the label of the highest score (rows, classes) the first result.
func (n *node) best(l labels, x relax.Expr) {
	if n.wants(0) {
		n.labelsOf(l, n.emit("relax.argmax", args(x), "axis", int64(1), "keepdims", false))
	}
}

// labelsOf makes the labels of classes by their numbers the first result.
func (n *node) labelsOf(l labels, at relax.Expr) {
	n.result("relax.take", args(vectorOf(n, dtype.Int64T, l.ints), at), "axis", int64(0))
}

// either makes one of two labels the first result: that of yes where a score (rows, 1) is above a limit.
func (n *node) either(x relax.Expr, limit float64, no, yes int64) {
	if !n.wants(0) {
		return
	}
	t := relax.SInfoOf(x).(*relax.TensorStructInfo)
	dims, _ := t.Dims()
	above := n.emit("relax.greater", args(x, n.constant(t.DType, limit)))
	constant := func(v int64) relax.Expr { return n.tensor(&value{known: scalar(dtype.Int64T, tir.Int(v))}) }
	y := n.emit("relax.where", args(above, constant(yes), constant(no)))
	n.reshapeResult(y, []tir.Expr{dims[0]})
}

// pair are the labels of two classes that one score stands for: 0 and 1 where there are not two of them.
func (l labels) pair() (no, yes int64) {
	if len(l.ints) == 2 {
		return l.ints[0], l.ints[1]
	}
	return 0, 1
}

// put makes x a result, in a type.
func (n *node) put(i int, x relax.Expr, d dtype.DType) { n.set(i, n.as(x, d)) }
