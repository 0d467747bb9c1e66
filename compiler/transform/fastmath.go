package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/topi"
)

// FastMathTransform makes kernels of polynomials for functions that are expensive.
var FastMathTransform = &pass.Pass{
	Name: "FastMathTransform", Kind: pass.Module,
	Doc: "Replaces exp, erf, tanh and softmax with kernels that approximate them by polynomials, to about five digits in float32; other element types are computed as before. What becomes of NaN is not said. It runs before LegalizeOps.",
	Run: func(c *pass.Context, m *ir.Module) (*ir.Module, error) {
		return lowerPicked(c, "FastMathTransform", m, nil, func(vb *relax.VarBinding) *lowered {
			name := opName(vb.Value)
			short := strings.TrimPrefix(name, "relax.")
			if short == "nn.softmax" {
				return &lowered{hint: "fast_softmax", why: "approximate softmax", rule: fastRule("relay.nn.fast_softmax")}
			}
			if fastUnary[short] == nil || short == name {
				return nil
			}
			return &lowered{hint: "fast_" + short, why: "approximate " + short, rule: fastRule("relay.fast_" + short)}
		})
	},
}

// fastUnary are the approximations of operators.
var fastUnary = map[string]func(*te.Tensor) *te.Tensor{"exp": topi.FastExp, "erf": topi.FastErf, "tanh": topi.FastTanh}

// fastRule returns the rule of an operator of Relay that approximates, nil for others.
func fastRule(name string) rule {
	if name == "relay.nn.fast_softmax" {
		return one(func(k *kernel) *te.Tensor {
			x := k.tensor(0)
			axis, _ := k.axis("axis", x.NDim())
			return topi.FastSoftmax(x, axis)
		})
	}
	short, ok := strings.CutPrefix(name, "relay.fast_")
	if f := fastUnary[short]; ok && f != nil {
		return one(func(k *kernel) *te.Tensor { return f(k.tensor(0)) })
	}
	return nil
}
