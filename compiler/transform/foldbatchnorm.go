package transform

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
)

// FoldBatchnormToConv2D multiplies the weights of a convolution by what a batch normalization does to its result.
var FoldBatchnormToConv2D = &pass.Pass{
	Name: "FoldBatchnormToConv2D", Kind: pass.Function,
	Doc: "Replaces conv2d with constant weights and a batch_norm with constant parameters behind it by a conv2d with other weights and an addition, as for inference. The weights are computed by operators, which can be folded.",
	Run: pass.EachRelax(beforeInplace(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
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
			std := op.Unary("sqrt", op.Add(s.found[variance], floatConst(channels.DType, norm.Attrs.Float("epsilon", 1e-5))))
			scale := relax.Expr(op.Divide(floatConst(channels.DType, 1), std))
			if norm.Attrs.Bool("scale", true) {
				scale = op.Divide(s.found[gamma], std)
			}
			shift := relax.Expr(op.Multiply(s.found[mean], scale))
			if norm.Attrs.Bool("center", true) {
				shift = op.Subtract(s.found[beta], shift)
			} else {
				shift = op.Unary("negative", shift)
			}
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
