package onnx

import (
	"slices"

	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/runtime/dtype"
)

// lossRows are the losses. Their operands are scores of shape (N, C, ...), labels of shape (N, ...), and weights of the classes.
func lossRows() []operator {
	row := func(name string, convert func(*node)) operator {
		return operator{name: name, minIn: 2, maxIn: 3, attrs: []string{"ignore_index", "reduction"}, convert: convert}
	}
	return []operator{
		row("NegativeLogLikelihoodLoss", func(n *node) { n.likelihood(n.floats(0)) }),
		row("SoftmaxCrossEntropyLoss", func(n *node) {
			p := n.emit("relax.nn.log_softmax", args(n.floats(0)), "axis", int64(n.axis(1, n.rank(0))))
			n.likelihood(p)
			n.set(1, p)
		}),
	}
}

// likelihood makes the negative log likelihood of the labels the first result, for the logarithms of the probabilities. Where no label is ignored, none
// is the number that Relax ignores.
func (n *node) likelihood(p relax.Expr) {
	n.sameDType(0, 2)
	n.wantDType(1, "an integer", dtype.DType.IsInt)
	scores, labels := n.dims(0), n.dims(1)
	fits := len(scores) >= 2 && len(labels) == len(scores)-1
	if !fits || !slices.EqualFunc(labels, slices.Concat(scores[:1], scores[2:]), n.equal) {
		n.fail("scores (input 0) and labels (input 1) have shapes %s and %s, expected the same but for axis 1 of the scores", relax.FormatDims(scores), relax.FormatDims(labels))
	}
	as := args(p, n.expr(1))
	if n.has(2) {
		as = append(as, n.expr(2))
	}
	n.result("relax.nn.nll_loss", as, "reduction", n.str("reduction", "mean", "none", "mean", "sum"), "ignore_index", n.int("ignore_index", -100))
}
