package transform

import (
	"fmt"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
)

// DecomposeOpsForTraining replaces normalizations by what they do in training.
var DecomposeOpsForTraining = &pass.Pass{
	Name: "DecomposeOpsForTraining", Kind: pass.Function,
	Doc:     "Replaces batch_norm by arithmetic on the mean and variance of its input, and moves the moving ones towards these; replaces layer_norm by arithmetic too. The result is that of training, not of inference.",
	Options: []pass.Option{{Name: "func_name", Default: "", Doc: "the only function to work on; empty is all"}},
	Run: pass.EachRelax(func(c *pass.Context, gv *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		if name := c.Arg("func_name").(string); name != "" && name != gv.Name {
			return f, nil
		}
		mu := newMutator(c, c.Step().Input, "decompose for training")
		mu.Call = func(call *relax.Call) relax.Expr {
			name := opName(call)
			if name != "relax.nn.batch_norm" && name != "relax.nn.layer_norm" {
				return call
			}
			t, ok := relax.SInfoOf(call.Args[0]).(*relax.TensorStructInfo)
			if !ok || t.NDim < 0 || t.DType.IsVoid() {
				mu.Fail(fmt.Errorf("%s of a tensor of unknown rank or element type: %s", name, relax.FormatSInfo(relax.SInfoOf(call.Args[0]))))
				return call
			}
			if name == "relax.nn.layer_norm" {
				return layerNormTraining(call, t)
			}
			return batchNormTraining(mu, call, t)
		}
		return mu.Function(f)
	}),
}

// normalized returns (x - mean) / sqrt(variance + epsilon).
func normalized(call *relax.Call, t *relax.TensorStructInfo, mean, variance relax.Expr) relax.Expr {
	centered := op.Subtract(call.Args[0], mean)
	return op.Divide(centered, op.Unary("sqrt", op.Add(variance, floatConst(t.DType, call.Attrs.Float("epsilon", 1e-5)))))
}

// batchNormTraining returns the normalized input and the moving mean and variance, which take the share momentum of those of the input.
func batchNormTraining(mu *relax.ExprMutator, call *relax.Call, t *relax.TensorStructInfo) relax.Expr {
	axis := call.Attrs.Int("axis", 1)
	if axis < 0 {
		axis += int64(t.NDim)
	}
	var axes []int64
	for i := range int64(t.NDim) {
		if i != axis {
			axes = append(axes, i)
		}
	}
	x, gamma, beta := call.Args[0], call.Args[1], call.Args[2]
	mean := mu.Emit(op.Reduce("mean", x, axes, false), "")
	variance := mu.Emit(op.Reduce("variance", x, axes, false), "")
	out := normalized(call, t, op.ExpandDims(mean, axes...), op.ExpandDims(variance, axes...))
	if call.Attrs.Bool("scale", true) {
		out = op.Multiply(out, op.ExpandDims(gamma, axes...))
	}
	if call.Attrs.Bool("center", true) {
		out = op.Add(out, op.ExpandDims(beta, axes...))
	}
	result := mu.Emit(&relax.Tuple{Fields: []relax.Expr{out, mean, variance}}, "")
	momentum := call.Attrs.Float("momentum", 0.1)
	moved := func(moving, now relax.Expr) relax.Expr {
		return op.Add(op.Multiply(floatConst(t.DType, 1-momentum), moving), op.Multiply(floatConst(t.DType, momentum), now))
	}
	return &relax.Tuple{Base: call.Base, Fields: []relax.Expr{&relax.TupleGetItem{Tuple: result, Index: 0}, moved(call.Args[3], mean), moved(call.Args[4], variance)}}
}

func layerNormTraining(call *relax.Call, t *relax.TensorStructInfo) relax.Expr {
	x, axes := call.Args[0], call.Attrs.Ints("axes")
	out := normalized(call, t, op.Reduce("mean", x, axes, true), op.Reduce("variance", x, axes, true))
	if call.Attrs.Bool("scale", true) {
		out = op.Multiply(out, call.Args[1])
	}
	if call.Attrs.Bool("center", true) {
		out = op.Add(out, call.Args[2])
	}
	return out
}
