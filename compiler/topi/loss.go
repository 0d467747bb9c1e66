package topi

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// CrossEntropyWithLogits is minus the sum of x y, divided by the number of rows where there is
// more than one dimension.
func CrossEntropyWithLogits(x, y *te.Tensor) *te.Tensor {
	out := totalOf(mul(T(x), T(y)))
	out = mul(T(out), number(out, -1))
	if x.NDim() > 1 {
		out = div(T(out), Operand{Scalar: tir.CastTo(out.DType, x.Shape[0])})
	}
	return out
}

// totalOf is the sum of all elements of x; x itself where it has one.
func totalOf(x *te.Tensor) *te.Tensor {
	if x.NDim() == 0 {
		return x
	}
	return newReduction(x, nil, false).compute(x.Name+"_red", te.Sum, same)
}

// classOf is the index into predictions (N, C, ...) of the class c of the target at index i.
func classOf(c tir.Expr, i []tir.Expr) []tir.Expr {
	if len(i) == 0 {
		return []tir.Expr{c}
	}
	return with(i, 1, c)
}

// NLLLoss is the negative log likelihood of the targets (N, ...), classes from 0 to C-1 of
// predictions (N, C, ...), each multiplied by the weight of its class: minus the prediction, and
// 0 for the class ignore. It is reduced by "sum" or by "mean", the sum over that of the weights,
// or not ("none"). Without a batch predictions are (C) and targets a scalar. nil for weights are
// ones.
func NLLLoss(predictions, targets, weights *te.Tensor, reduction string, ignore int64) *te.Tensor {
	weights = classWeights(predictions, weights)
	zero := tir.Const(predictions.DType, 0)
	unless := func(i []tir.Expr, f func(c tir.Expr) tir.Expr) *tir.Select {
		c := targets.At(i...)
		return &tir.Select{Cond: tir.NE(c, tir.Const(c.DType(), ignore)), True: f(tir.CastTo(weights.Shape[0].DType(), c)), False: zero}
	}
	losses := te.Compute("nll_loss", targets.Shape, func(i []tir.Expr) tir.Expr {
		return unless(i, func(c tir.Expr) tir.Expr {
			return tir.Mul(tir.Sub(zero, predictions.At(classOf(c, i)...)), weights.At(c))
		})
	})
	switch reduction {
	case "sum":
		return totalOf(losses)
	case "mean":
		counted := te.Compute("nll_loss", targets.Shape, func(i []tir.Expr) tir.Expr {
			return unless(i, func(c tir.Expr) tir.Expr { return weights.At(c) })
		})
		return div(T(totalOf(losses)), T(totalOf(counted)))
	}
	return losses
}

// classWeights is weights, or ones for the classes of predictions.
func classWeights(predictions, weights *te.Tensor) *te.Tensor {
	if weights != nil {
		return weights
	}
	classes := predictions.Shape[min(1, predictions.NDim()-1)]
	one := Operand{Scalar: tir.Const(predictions.DType, 1)}
	return Full(one, predictions.DType, []tir.Expr{classes})
}

// NLLLossBackward is the gradient of NLLLoss with respect to predictions, where grad is that of
// the loss.
func NLLLossBackward(grad, predictions, targets, weights *te.Tensor, reduction string, ignore int64) *te.Tensor {
	weights = classWeights(predictions, weights)
	if ignore >= 0 {
		old := weights
		weights = te.Compute("weights_new", old.Shape, func(i []tir.Expr) tir.Expr {
			return &tir.Select{Cond: tir.EQ(i[0], tir.Const(i[0].DType(), ignore)), True: tir.Const(old.DType, 0), False: old.At(i...)}
		}, te.AxisNames("i"))
	}
	all := te.Compute("all_weights", targets.Shape, func(i []tir.Expr) tir.Expr {
		return weights.At(tir.CastTo(weights.Shape[0].DType(), targets.At(i...)))
	}, te.AxisPrefix("i"))
	switch reduction {
	case "sum":
		grad = BroadcastTo(grad, targets.Shape)
	case "mean":
		spread := BroadcastTo(grad, targets.Shape)
		grad = div(T(spread), T(totalOf(all)))
	}
	return te.Compute("pred_grad", predictions.Shape, func(i []tir.Expr) tir.Expr {
		at, class := i, i[0]
		if len(i) == 1 {
			at = nil
		} else {
			at, class = without(i, 1), i[1]
		}
		e := tir.Mul(tir.Mul(all.At(at...), num(all.At(at...), -1)), grad.At(at...))
		hit := tir.EQ(class, tir.CastTo(class.DType(), targets.At(at...)))
		return &tir.Select{Cond: hit, True: e, False: tir.Const(predictions.DType, 0)}
	}, te.AxisPrefix("i"))
}
