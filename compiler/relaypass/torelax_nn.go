package relaypass

import (
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/runtime/dtype"
)

// nnForms are those of products, biases and normalizations.
func nnForms() map[string]relaxForm {
	return map[string]relaxForm{
		"nn.dense": func(s *site, c *relax.Call) relax.Expr {
			return op.Matmul(c.Args[0], op.PermuteDims(c.Args[1], 1, 0), c.Attrs.DType("out_dtype"))
		},
		"nn.matmul":       func(_ *site, c *relax.Call) relax.Expr { return product(c, 1, 0) },
		"nn.batch_matmul": func(_ *site, c *relax.Call) relax.Expr { return product(c, 0, 2, 1) },
		"nn.bias_add": func(s *site, c *relax.Call) relax.Expr {
			t := s.tensor(c.Args[0])
			if t == nil {
				return s.declined("the rank of the data is not known")
			}
			axis, ok := axisOf(c.Attrs.Int("axis", 1), t.NDim)
			if !ok {
				return s.declined("the data has no such axis")
			}
			return op.Add(c.Args[0], alongAxis(c.Args[1], axis, t.NDim))
		},
		"nn.l2_normalize":  func(s *site, c *relax.Call) relax.Expr { return s.l2Normalize(c) },
		"nn.lrn":           (*site).lrn,
		"nn.layer_norm":    normalization("nn.layer_norm"),
		"nn.instance_norm": normalization("nn.instance_norm"),
		"nn.group_norm":    normalization("nn.group_norm"),
		"nn.dropout": func(_ *site, c *relax.Call) relax.Expr { // in inference it keeps everything
			return &relax.Tuple{Fields: []relax.Expr{c.Args[0], named("ones_like", c.Args[:1])}}
		},
	}
}

// product multiplies matrices, transposed by axes where the attributes say so.
func product(c *relax.Call, axes ...int64) relax.Expr {
	a, b := c.Args[0], c.Args[1]
	if c.Attrs.Bool("transpose_a", false) {
		a = op.PermuteDims(a, axes...)
	}
	if c.Attrs.Bool("transpose_b", false) {
		b = op.PermuteDims(b, axes...)
	}
	return op.Matmul(a, b, c.Attrs.DType("out_dtype"))
}

// normalization is that of Relax with the axes that Relay leaves unsaid: all but those of the batch and the channels.
func normalization(name string) relaxForm {
	return func(s *site, c *relax.Call) relax.Expr {
		t := s.tensor(c.Args[0])
		if t == nil {
			return s.declined("the rank of the data is not known")
		}
		axis, ok := axisOf(c.Attrs.Int("axis", 1), t.NDim)
		if !ok {
			return s.declined("the data has no such axis")
		}
		attrs := []any{"epsilon", c.Attrs.Float("epsilon", 1e-5), "center", c.Attrs.Bool("center", true), "scale", c.Attrs.Bool("scale", true)}
		if name == "nn.layer_norm" {
			return named(name, c.Args, append(attrs, "axes", values([]int64{int64(axis)}))...)
		}
		var axes []int64
		for i := 1; i < t.NDim; i++ {
			if i != axis {
				axes = append(axes, int64(i))
			}
		}
		if axis == 0 || len(axes) == 0 && name == "nn.instance_norm" {
			return s.declined("there is no axis beside those of the batch and the channels")
		}
		attrs = append(attrs, "channel_axis", int64(axis), "axes", values(axes))
		if name == "nn.group_norm" {
			attrs = append(attrs, "num_groups", c.Attrs.Int("num_groups", 0))
		}
		return named(name, c.Args, attrs...)
	}
}

// lrn divides by a power of the mean of the squares in a window along an axis, which ends with the data: x / (bias + alpha / size * sum)^beta.
func (s *site) lrn(c *relax.Call) relax.Expr {
	x, t := c.Args[0], s.tensor(c.Args[0])
	d := s.extents(x)
	if d == nil || !floats(t.DType) {
		return s.declined("the shape is not known, or the elements are no floats")
	}
	axis, ok := axisOf(c.Attrs.Int("axis", 1), len(d))
	size := c.Attrs.Int("size", 5)
	if !ok || size < 1 || size > 64 {
		return s.declined("the data has no such axis, or the window has no size from 1 to 64")
	}
	widths := make([]int64, 2*len(d))
	widths[2*axis], widths[2*axis+1] = size/2, size/2
	padded := op.Pad(op.Multiply(x, x), widths, "constant", 0)
	var sum relax.Expr
	for k := range size {
		part := op.StridedSlice(padded, []int64{int64(axis)}, relax.Ints([]int64{k}), []tir.Expr{tir.Add(d[axis], tir.Int(k))}, nil)
		if sum == nil {
			sum = part
		} else {
			sum = op.Add(sum, part)
		}
	}
	mean := op.Divide(op.Multiply(scalar(t.DType, c.Attrs.Float("alpha", 1e-4)), sum), scalar(t.DType, float64(size)))
	base := op.Add(scalar(t.DType, c.Attrs.Float("bias", 2)), mean)
	return op.Divide(x, op.Binary("power", base, scalar(t.DType, c.Attrs.Float("beta", 0.75))))
}

// floats reports whether constants of an element type can hold fractions.
func floats(dt dtype.DType) bool { return dt == dtype.Float32T || dt == dtype.Float64T }
