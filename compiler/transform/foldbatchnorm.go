package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/runtime/dtype"
)

// FoldBatchnormToConv2D multiplies the weights of a convolution by what a batch normalization does to its result.
var FoldBatchnormToConv2D = &pass.Pass{
	Name: "FoldBatchnormToConv2D", Kind: pass.Function,
	Doc: "Replaces conv2d with constant weights and a batch_norm with constant parameters behind it by a conv2d with other weights and an addition, as for inference. The weights are computed by operators, which can be folded.",
	Run: pass.EachRelax(BeforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		x, w := dpl.Wildcard(), dpl.IsConst()
		gamma, beta, mean, variance := dpl.IsConst(), dpl.IsConst(), dpl.IsConst(), dpl.IsConst()
		conv := dpl.Op("relax.nn.conv2d", x, w)
		norm := dpl.Op("relax.nn.batch_norm", conv, gamma, beta, mean, variance)
		return rewriteCalls(c, "fold batch_norm into conv2d", f, dpl.GetItem(norm, 0), func(s *site) relax.Expr {
			conv, norm, channels := s.call(conv), s.call(norm), s.tensor(mean)
			layout := conv.Attrs.Str("kernel_layout", "OIHW")
			switch {
			case channels == nil || s.tensor(w) == nil || channels.DType != s.tensor(w).DType || !channels.DType.IsFloat():
				return s.declined("the parameters have other element types than the weights")
			case norm.Attrs.Int("axis", 1) != 1 || conv.Attrs.Str("out_layout", "NCHW") != "NCHW":
				return s.declined("the channels are not the second axis")
			case layout != "OIHW" && (layout != "IOHW" || conv.Attrs.Int("groups", 1) != 1):
				return s.declined("where the output channels stand in the weights is not known")
			}
			n, ok := channels.Dims()
			if !ok {
				return s.declined("the number of channels is not known")
			}
			scale := normScale(norm, s.found[gamma], s.found[variance], channels.DType)
			shift := normShift(norm, s.found[beta], s.found[mean], scale)
			one := relax.Ints([]int64{1})[0]
			perOutput := op.Reshape(scale, n[0], one, one, one)
			if layout == "IOHW" {
				perOutput = op.Reshape(scale, one, n[0], one, one)
			}
			out := &relax.Call{Base: conv.Base, Op: conv.Op, Args: []relax.Expr{s.found[x], op.Multiply(s.found[w], perOutput)}, Attrs: conv.Attrs}
			return op.Add(out, op.Reshape(shift, one, n[0], one, one))
		})
	})),
}

// normScale is what a batch normalization multiplies its input by, for each channel.
func normScale(norm *relax.Call, gamma, variance relax.Expr, d dtype.DType) relax.Expr {
	std := op.Unary("sqrt", op.Add(variance, floatConst(d, norm.Attrs.Float("epsilon", 1e-5))))
	if norm.Attrs.Bool("scale", true) {
		return op.Divide(gamma, std)
	}
	return op.Divide(floatConst(d, 1), std)
}

// normShift is what a batch normalization adds to its scaled input, for each channel.
func normShift(norm *relax.Call, beta, mean, scale relax.Expr) relax.Expr {
	shift := op.Multiply(mean, scale)
	if norm.Attrs.Bool("center", true) {
		return op.Subtract(beta, shift)
	}
	return op.Unary("negative", shift)
}
