package transform

import (
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
)

// quantizeRule returns the rules of quantization.
func quantizeRule(name string) rule {
	var f func(x *te.Tensor, scale, zero topi.Operand, axis int, k *kernel) *te.Tensor
	switch name {
	case "quantize":
		f = func(x *te.Tensor, scale, zero topi.Operand, axis int, k *kernel) *te.Tensor {
			return topi.Quantize(x, scale, zero, axis, k.out(0).DType)
		}
	case "dequantize":
		f = func(x *te.Tensor, scale, zero topi.Operand, axis int, k *kernel) *te.Tensor {
			return topi.Dequantize(x, scale, zero, axis, k.out(0).DType)
		}
	default:
		return nil
	}
	return one(func(k *kernel) *te.Tensor {
		x := k.tensor(0)
		axis, _ := k.axis("axis", x.NDim())
		return f(x, k.operand(1), k.operand(2), axis, k)
	})
}

// lossRule returns the rules of losses and of their gradients.
func lossRule(name string) rule {
	// optional returns argument i, nil where it is left out.
	optional := func(k *kernel, i int) *te.Tensor {
		if k.has(i) {
			return k.tensor(i)
		}
		return nil
	}
	switch name {
	case "nn.cross_entropy_with_logits":
		return one(func(k *kernel) *te.Tensor { return topi.CrossEntropyWithLogits(k.tensor(0), k.tensor(1)) })
	case "nn.nll_loss":
		return one(func(k *kernel) *te.Tensor {
			return topi.NLLLoss(k.tensor(0), k.tensor(1), optional(k, 2), k.str("reduction"), k.int("ignore_index"))
		})
	case "grad.nll_loss_backward":
		return one(func(k *kernel) *te.Tensor {
			return topi.NLLLossBackward(k.tensor(0), k.tensor(1), k.tensor(2), optional(k, 3), k.str("reduction"), k.int("ignore_index"))
		})
	}
	return nil
}
