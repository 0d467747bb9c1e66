package op

import (
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// gradSoftmax: (g - sum(g z)) z along the axis.
func gradSoftmax(g *GradientContext) []relax.Expr {
	axis := []int64{g.Call.Attrs.Int("axis", -1)}
	return []relax.Expr{Multiply(Subtract(g.Grad, Reduce("sum", Multiply(g.Grad, g.Result), axis, true)), g.Result)}
}

// gradLogSoftmax: g - sum(g) exp z along the axis.
func gradLogSoftmax(g *GradientContext) []relax.Expr {
	axis := []int64{g.Call.Attrs.Int("axis", -1)}
	e := Unary("exp", g.Result)
	return []relax.Expr{Subtract(g.Grad, Multiply(Reduce("sum", g.Grad, axis, true), e))}
}

// gradCrossEntropy: -g y, -g x, divided by the number of rows where there are several.
func gradCrossEntropy(g *GradientContext) []relax.Expr {
	grad, d := g.Grad, g.shape(0)
	if len(d) > 1 {
		rows, ok := tir.AsInt(d[0])
		if !ok {
			g.Fail("the batch %s is symbolic; it needs a number: bind it with BindSymbolicVars", relax.FormatPrim(d[0]))
			return g.none()
		}
		grad = Divide(grad, g.number(float64(rows)))
	}
	minus := func(i int) relax.Expr { return Multiply(Unary("negative", grad), g.Call.Args[i]) }
	return []relax.Expr{minus(1), minus(0)}
}

// gradNLLLoss differentiates by the predictions, which nll_loss_backward does.
func gradNLLLoss(g *GradientContext) []relax.Expr {
	out := g.none()
	attrs := ir.NewAttrs("reduction", g.Call.Attrs.Str("reduction", "mean"), "ignore_index", g.Call.Attrs.Int("ignore_index", -100))
	out[0] = build("relax.grad.nll_loss_backward", attrs, append([]relax.Expr{g.Grad}, g.Call.Args...)...)
	return out
}

// gradPool2D leaves pooling to max_pool2d_backward and avg_pool2d_backward.
func gradPool2D(kind string) GradientFunc {
	return func(g *GradientContext) []relax.Expr {
		return []relax.Expr{build("relax.grad."+kind+"_pool2d_backward", g.Call.Attrs, g.Grad, g.Call.Args[0])}
	}
}

// gradConv2D: the data gets the transposed convolution of g with the weights, the weights the convolution of the data with g, in which batch and channels
// change places, and strides and dilation. It takes NCHW and OIHW.
func gradConv2D(g *GradientContext) []relax.Expr {
	a := g.Call.Attrs
	for _, x := range [][2]string{{"data_layout", "NCHW"}, {"kernel_layout", "OIHW"}, {"out_layout", "NCHW"}} {
		if got := a.Str(x[0], x[1]); got != x[1] && got != "" {
			g.Fail("the %s is %s; it takes %s: run ConvertLayout", x[0], got, x[1])
			return g.none()
		}
	}
	data, weight := g.static(0), g.static(1)
	out, ok := g.bb.Context().SInfoOf(g.Result).(*relax.TensorStructInfo)
	if !ok || g.err != nil {
		return g.none()
	}
	result, ok := out.StaticDims()
	if !ok {
		g.Fail("the shape of the result, %s, is not known", relax.FormatSInfo(out))
		return g.none()
	}
	pads, strides, dilation, groups := a.Ints("padding"), a.Ints("strides"), a.Ints("dilation"), a.Int("groups", 1)
	if len(data) != 4 || len(weight) != 4 || len(result) != 4 || len(pads) != 4 || len(strides) != 2 || len(dilation) != 2 || groups < 1 {
		g.Fail("it takes two spatial axes, four paddings, two strides and two dilations")
		return g.none()
	}
	var missing, found [2]int64 // rows that the transposed convolution lacks; extents of the gradient of the weights
	for i := range 2 {
		pad := pads[i] + pads[i+2]
		missing[i] = data[i+2] - ((result[i+2]-1)*strides[i] - pad + (weight[i+2]-1)*dilation[i] + 1)
		found[i] = (data[i+2]-(result[i+2]-1)*strides[i]-1+pad)/dilation[i] + 1
	}
	dtype, _ := a.Get("out_dtype")
	dx := build("relax.nn.conv2d_transpose", ir.NewAttrs("strides", strides, "padding", pads, "output_padding", missing[:], "dilation", dilation,
		"groups", groups, "data_layout", "NCHW", "kernel_layout", "IOHW", "out_layout", "NCHW", "out_dtype", dtype), g.Grad, g.Call.Args[1])
	x := g.Call.Args[0]
	if groups != 1 { // the channels of a group become one batch
		n, c := data[0], data[1]/groups
		x = Reshape(x, relax.Ints([]int64{n, groups, c, data[2], data[3]})...)
		x = PermuteDims(x, 1, 0, 2, 3, 4)
		x = Reshape(x, relax.Ints([]int64{n * groups, c, data[2], data[3]})...)
	}
	var dw relax.Expr = build("relax.nn.conv2d", ir.NewAttrs("strides", dilation, "padding", pads, "dilation", strides, "groups", groups,
		"data_layout", "CNHW", "kernel_layout", "IOHW", "out_layout", "CNHW", "out_dtype", dtype), x, g.Grad)
	if found[0] > weight[2] || found[1] > weight[3] {
		zero := tir.Int(0)
		dw = StridedSlice(dw, []int64{0, 1, 2, 3}, []tir.Expr{zero, zero, zero, zero}, relax.Ints(weight), nil)
	}
	return []relax.Expr{dx, dw}
}
