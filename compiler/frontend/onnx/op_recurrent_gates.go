package onnx

import (
	"maps"
	"slices"

	"github.com/irscope/irscope/compiler/frontend/onnx/onnxpb"
)

// recurrentActivation is an activation of a recurrent network, under the name that Relax gives it, with its parameters.
type recurrentActivation struct {
	name        string
	alpha, beta float64
}

// listedActivations are those that ONNX lists, with what their parameters are by default, 0 for those that they do not have.
func listedActivations() map[string]recurrentActivation {
	return map[string]recurrentActivation{
		"Affine": {"affine", 1, 0}, "Elu": {"elu", 1, 0}, "HardSigmoid": {"hard_sigmoid", .2, .5}, "LeakyRelu": {"leaky_relu", .01, 0},
		"Relu": {"relu", 0, 0}, "ScaledTanh": {"scaled_tanh", 1, 1}, "Sigmoid": {"sigmoid", 0, 0}, "Softplus": {"softplus", 0, 0},
		"Softsign": {"softsign", 0, 0}, "Tanh": {"tanh", 0, 0}, "ThresholdedRelu": {"thresholded_relu", 1, 0},
	}
}

// readActivations returns the activations of all directions. The lists of parameters hold those of the activations that have any, in order; what is
// missing at their ends is the default.
func (c *recurrent) readActivations(def []string) (out []recurrentActivation) {
	names := slices.Repeat(def, len(c.reverse))
	if a := c.attr("activations", onnxpb.AttrStrings); a != nil {
		if len(a.Strings) != len(names) {
			c.fail("attribute \"activations\" has %d names, expected %d: %d for each direction", len(a.Strings), len(names), len(def))
		}
		for i, s := range a.Strings {
			names[i] = string(s)
		}
	}
	parameters := func(attr string) func(def float64, has bool) float64 {
		var list []float32
		if a := c.attr(attr, onnxpb.AttrFloats); a != nil {
			list = a.Floats
		}
		return func(def float64, has bool) float64 {
			if !has || len(list) == 0 {
				return def
			}
			v := list[0]
			list = list[1:]
			return float64(v)
		}
	}
	alpha, beta := parameters("activation_alpha"), parameters("activation_beta")
	listed := listedActivations()
	for _, name := range names {
		f, ok := listed[name]
		if !ok {
			c.fail("activation %q is not supported; %s are", name, quoteList(slices.Sorted(maps.Keys(listed))))
		}
		f.alpha = alpha(f.alpha, f.alpha != 0)
		f.beta = beta(f.beta, f.beta != 0 || name == "Affine")
		out = append(out, f)
	}
	return out
}
