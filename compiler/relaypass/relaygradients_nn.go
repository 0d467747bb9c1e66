package relaypass

import (
	"slices"

	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// nnGradients are the rules of products, windows and losses.
func nnGradients() map[string]relayGradient {
	return map[string]relayGradient{
		"nn.dense": func(d *derivation) []relax.Expr { return gradMatmul(d, false, true) },
		"nn.matmul": func(d *derivation) []relax.Expr {
			return gradMatmul(d, d.call.Attrs.Bool("transpose_a", false), d.call.Attrs.Bool("transpose_b", false))
		},
		"nn.batch_matmul": gradBatchMatmul,
		"matmul":          gradRelaxMatmul,
		"nn.bias_add": func(d *derivation) []relax.Expr {
			t := d.info(d.x(0))
			axis, ok := axisOf(d.call.Attrs.Int("axis", 1), t.NDim)
			if t.NDim < 0 || !ok {
				return d.fail("the data is not known to have the axis of the bias")
			}
			var others []int64
			for i := range t.NDim {
				if i != axis {
					others = append(others, int64(i))
				}
			}
			if others == nil {
				return []relax.Expr{d.g, d.g}
			}
			return []relax.Expr{d.g, op.Reduce("sum", d.g, others, false)}
		},
		"nn.conv2d":                    gradConvolution,
		"nn.max_pool2d":                of(gradPool("max")),
		"nn.avg_pool2d":                of(gradPool("avg")),
		"nn.global_avg_pool2d":         of(gradGlobalPool),
		"nn.cross_entropy":             gradCrossEntropy,
		"nn.cross_entropy_with_logits": gradCrossEntropy,
	}
}

// matmulOf multiplies matrices, transposed where the flags say so.
func matmulOf(a, b relax.Expr, turnA, turnB bool) relax.Expr {
	return callOf("relay.nn.matmul", attrsOf("transpose_a", turnA, "transpose_b", turnB), a, b)
}

// gradMatmul: with a and b as they are multiplied, g bᵀ and aᵀ g. More axes of the data than two are rows.
func gradMatmul(d *derivation, turnA, turnB bool) []relax.Expr {
	a, b, g := d.x(0), d.x(1), d.g
	na, nb := d.info(a).NDim, d.info(b).NDim
	if nb != 2 || na < 2 || na > 2 && turnA {
		return d.fail("the operands are not known to be matrices")
	}
	if na > 2 {
		last := d.extents(a)
		ends := d.extents(b)
		if d.err != nil {
			return none(d)
		}
		k, ok := tir.AsInt(last[na-1])
		n, ok2 := tir.AsInt(ends[0])
		if !turnB {
			n, ok2 = tir.AsInt(ends[1])
		}
		if !ok || !ok2 {
			return d.fail("the extents of the matrices are no numbers")
		}
		a = callOf("relay.reshape", attrsOf("newshape", []int64{-1, k}), a)
		g = callOf("relay.reshape", attrsOf("newshape", []int64{-1, n}), g)
	}
	da := matmulOf(g, b, false, !turnB)
	if turnA {
		da = matmulOf(b, g, turnB, true)
	}
	db := matmulOf(a, g, !turnA, false)
	if turnB {
		db = matmulOf(g, a, true, turnA)
	}
	if na > 2 {
		da = reshapedLike(da, d.x(0))
	}
	return []relax.Expr{da, db}
}

// gradRelaxMatmul is that of Relax's operator, which Relay's products without transpositions are here.
func gradRelaxMatmul(d *derivation) []relax.Expr {
	switch a, b := d.info(d.x(0)).NDim, d.info(d.x(1)).NDim; {
	case a == 3 && b == 3:
		return gradBatchMatmul(d)
	case b == 2 && a >= 2:
		return gradMatmul(d, false, false)
	}
	out, err := op.Gradient(d.call, d.z, d.g, d.bb)
	if err != nil {
		return d.fail("%w", err)
	}
	return out
}

// gradBatchMatmul: as of matrices, added up where one has a batch for all of the other.
func gradBatchMatmul(d *derivation) []relax.Expr {
	a, b := d.x(0), d.x(1)
	turnA, turnB := d.call.Attrs.Bool("transpose_a", false), d.call.Attrs.Bool("transpose_b", false)
	product := func(x, y relax.Expr, turnX, turnY bool) relax.Expr {
		return callOf("relay.nn.batch_matmul", attrsOf("transpose_a", turnX, "transpose_b", turnY), x, y)
	}
	da := product(d.g, b, false, !turnB)
	if turnA {
		da = product(b, d.g, turnB, true)
	}
	db := product(a, d.g, !turnA, false)
	if turnB {
		db = product(d.g, a, true, turnA)
	}
	return []relax.Expr{d.collapsed(da, a), d.collapsed(db, b)}
}

// collapsed adds e up to the shape of an operand if batches of it were repeated.
func (d *derivation) collapsed(e, like relax.Expr) relax.Expr {
	from, to := d.extents(d.z), d.extents(like)
	if d.err == nil && d.bb.Context().Equal(from[0], to[0]) == relax.True {
		return e
	}
	return callOf("relax.collapse_sum_like", nil, e, like)
}

// gradConvolution: the data gets the transposed convolution of the adjoint, the weights what nn.conv2d_backward_weight computes.
func gradConvolution(d *derivation) []relax.Expr {
	a := d.call.Attrs
	for _, x := range [][2]string{{"data_layout", "NCHW"}, {"kernel_layout", "OIHW"}, {"out_layout", "NCHW"}} {
		if got := a.Str(x[0], ""); got != x[1] && got != "" {
			return d.fail("the %s is %s; it takes %s: run relay.ConvertLayout", x[0], got, x[1])
		}
	}
	data, weight, result := d.static(d.x(0)), d.static(d.x(1)), d.static(d.z)
	pads, strides, dilation := a.Ints("padding"), a.Ints("strides"), a.Ints("dilation")
	if d.err != nil {
		return none(d)
	}
	if len(data) != 4 || len(weight) != 4 || len(result) != 4 || len(pads) != 4 || len(strides) != 2 || len(dilation) != 2 {
		return d.fail("it takes four paddings, two strides and two dilations")
	}
	missing := make([]int64, 2) // rows that the transposed convolution lacks
	for i := range missing {
		missing[i] = data[i+2] - ((result[i+2]-1)*strides[i] - pads[i] - pads[i+2] + (weight[i+2]-1)*dilation[i] + 1)
	}
	dtype, _ := a.Get("out_dtype")
	groups := a.Int("groups", 1)
	dx := callOf("relax.nn.conv2d_transpose", attrsOf("strides", strides, "padding", pads, "output_padding", missing, "dilation", dilation, "groups", groups,
		"data_layout", "NCHW", "kernel_layout", "IOHW", "out_layout", "NCHW", "out_dtype", dtype), d.g, d.x(1))
	dw := callOf("relay.nn.conv2d_backward_weight", attrsOf("strides", strides, "padding", pads, "dilation", dilation, "groups", groups,
		"channels", weight[0], "kernel_size", weight[2:], "data_layout", "NCHW", "kernel_layout", "NCHW", "out_layout", "OIHW", "out_dtype", dtype), d.g, d.x(0))
	return []relax.Expr{dx, dw}
}

// gradPool leaves pooling to nn.max_pool2d_grad and nn.avg_pool2d_grad.
func gradPool(kind string) func(d *derivation, x relax.Expr) relax.Expr {
	return func(d *derivation, x relax.Expr) relax.Expr {
		return callOf("relax.grad."+kind+"_pool2d_backward", d.call.Attrs, d.g, x)
	}
}

// gradGlobalPool is that of a pooling of which the window is the image.
func gradGlobalPool(d *derivation, x relax.Expr) relax.Expr {
	dims, layout := d.static(x), d.call.Attrs.Str("layout", "NCHW")
	if d.err != nil || len(dims) != 4 || !slices.Contains([]string{"NCHW", "NHWC"}, layout) {
		d.fail("the layout is %s; it takes NCHW and NHWC", layout)
		return nil
	}
	h, w := layoutOf(layout).Pos('H'), layoutOf(layout).Pos('W')
	return callOf("relax.grad.avg_pool2d_backward", attrsOf("pool_size", []int64{dims[h], dims[w]}, "layout", layout, "out_layout", layout), d.g, x)
}

// gradCrossEntropy: -g y / x and -g ln x, or -g y and -g x of logits, divided by the number of rows.
func gradCrossEntropy(d *derivation) []relax.Expr {
	dims := d.static(d.x(0))
	if d.err != nil || len(dims) == 0 {
		return d.fail("the number of rows is not known")
	}
	x, y := d.x(0), d.x(1)
	g := negative(op.Divide(d.g, d.number(float64(dims[0]))))
	if relayName(d.call) == "nn.cross_entropy" {
		return []relax.Expr{op.Divide(op.Multiply(g, y), x), op.Multiply(g, op.Unary("log", x))}
	}
	return []relax.Expr{op.Multiply(g, y), op.Multiply(g, x)}
}
