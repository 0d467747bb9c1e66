package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
)

// rule makes the results of a kernel.
type rule func(k *kernel) ([]*te.Tensor, error)

// one is a rule for operators with one result whose kernel cannot fail.
func one(f func(k *kernel) *te.Tensor) rule {
	return func(k *kernel) ([]*te.Tensor, error) { return []*te.Tensor{f(k)}, nil }
}

// list returns t as the results of a rule.
func list(t *te.Tensor, err error) ([]*te.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return []*te.Tensor{t}, nil
}

// legalizeRule returns the rule of an operator, nil if it has none.
func legalizeRule(name string) rule {
	short, ok := strings.CutPrefix(name, "relax.")
	if !ok {
		return fastRule(name)
	}
	bare := strings.TrimPrefix(short, "nn.")
	switch {
	case topi.IsUnary(bare):
		return func(k *kernel) ([]*te.Tensor, error) { return list(topi.Unary(bare, k.tensor(0))) }
	case topi.IsBinary(short):
		return func(k *kernel) ([]*te.Tensor, error) {
			// A constant on the left is part of the kernel only where there is none on the right.
			left := k.operand
			if k.immediate(1) != nil {
				left = k.value
			}
			return list(topi.Binary(short, left(0), k.operand(1)))
		}
	}
	for _, table := range []func(string) rule{reductionRule, shapeRule, indexRule, createRule, nnRule, windowRule, quantizeRule, lossRule, advancedRule, visionRule} {
		if r := table(short); r != nil {
			return r
		}
	}
	return nil
}

func reductionRule(name string) rule {
	switch name {
	case "sum", "prod", "max", "min", "mean", "variance", "std":
		return func(k *kernel) ([]*te.Tensor, error) {
			x := k.tensor(0)
			return list(topi.Reduce(name, x, k.axes("axis", x.NDim()), k.bool("keepdims")))
		}
	case "argmax", "argmin":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, given := k.axis("axis", x.NDim())
			if !given {
				axis = -1
			}
			return topi.ArgReduce(x, axis, k.bool("keepdims"), name == "argmin", false, k.out(0).DType)
		})
	case "cumsum", "cumprod":
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, given := k.axis("axis", x.NDim())
			if !given {
				x, axis = topi.Reshape(x, k.shape(0)), 0
			}
			return topi.Scan(name, x, axis, k.out(0).DType, k.bool("exclusive"))
		})
	}
	return nil
}
