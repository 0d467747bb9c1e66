package relaypass

import (
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tir"
)

// gradientForms are those of operators that derivatives are made of.
func gradientForms() map[string]relaxForm {
	return map[string]relaxForm{
		"strided_set":                  (*site).stridedSet,
		"nn.conv2d_backward_weight":    (*site).backwardWeight,
		"nn.cross_entropy_with_logits": func(_ *site, c *relax.Call) relax.Expr { return named("nn.cross_entropy_with_logits", c.Args) },
		"nn.cross_entropy": func(_ *site, c *relax.Call) relax.Expr {
			return named("nn.cross_entropy_with_logits", []relax.Expr{op.Unary("log", c.Args[0]), c.Args[1]})
		},
	}
}

// stridedSet writes over one axis after the other: over the slice along an axis that itself was written over along the others.
func (s *site) stridedSet(c *relax.Call) relax.Expr {
	d := s.extents(c.Args[0])
	var bounds [3][]int64
	for i := range bounds {
		k := s.constant(c.Args[2+i])
		if k == nil || len(k.Data.Shape()) != 1 || k.Data.Shape()[0] != int64(len(d)) {
			return s.declined("the bounds are no constants, or not one for each axis")
		}
		for j := range d {
			v, ok := element(k.Data, int64(j))
			if !ok {
				return s.declined("the bounds are no constants, or not one for each axis")
			}
			bounds[i] = append(bounds[i], int64(v))
		}
	}
	begin, end, step := bounds[0], bounds[1], bounds[2]
	var axes []int
	for i := range d {
		if step[i] < 1 {
			return s.declined("a step is not positive")
		}
		if n, ok := tir.AsInt(d[i]); !ok || begin[i] != 0 || end[i] != n || step[i] != 1 {
			axes = append(axes, i)
		}
	}
	parts := []relax.Expr{c.Args[0]} // the slices along more and more axes
	for _, i := range axes[:max(len(axes)-1, 0)] {
		parts = append(parts, op.StridedSlice(parts[len(parts)-1], []int64{int64(i)}, relax.Ints([]int64{begin[i]}), relax.Ints([]int64{end[i]}), relax.Ints([]int64{step[i]})))
	}
	out := c.Args[1]
	for k := len(axes) - 1; k >= 0; k-- {
		i := axes[k]
		out = named("slice_scatter", []relax.Expr{parts[k], out, primInt(begin[i]), primInt(end[i]), primInt(step[i])}, "axis", int64(i))
	}
	return out
}

// backwardWeight is the convolution of the data with the adjoint, in which batch and channels change places, and strides and dilation, as in
// compiler/op's gradient of conv2d.
func (s *site) backwardWeight(c *relax.Call) relax.Expr {
	a, out := c.Attrs, s.result()
	if out == nil {
		return nil
	}
	weight, known := out.StaticDims()
	x, grad := s.tensor(c.Args[1]), s.tensor(c.Args[0])
	if !known || x == nil || grad == nil || len(weight) != 4 {
		return s.declined("the shape of the weights is not known")
	}
	layout := func(name, def string) string {
		if l := a.Str(name, ""); l != "" && (name != "kernel_layout" || l != "OIHW") {
			return l
		}
		return def
	}
	data, kernel := layout("kernel_layout", "NCHW"), layout("data_layout", "NCHW")
	to := layout("out_layout", "OIHW")
	xd, ok := x.StaticDims()
	groups := a.Int("groups", 1)
	if !ok || len(xd) != 4 || groups != 1 && data != "NCHW" || len(data) != 4 || len(kernel) != 4 || len(to) != 4 {
		return s.declined("the extents are no numbers, or the layouts are blocked or those of a convolution with groups")
	}
	e := c.Args[1]
	if groups != 1 { // the channels of a group become one batch
		n, ch := xd[0], xd[1]/groups
		e = op.Reshape(e, relax.Ints([]int64{n, groups, ch, xd[2], xd[3]})...)
		e = op.PermuteDims(e, 1, 0, 2, 3, 4)
		e = op.Reshape(e, relax.Ints([]int64{n * groups, ch, xd[2], xd[3]})...)
	}
	swap := strings.NewReplacer("N", "C", "C", "N")
	dtype, _ := a.Get("out_dtype")
	from := callOf("relax.nn.conv2d", ir.NewAttrs("strides", a.Ints("dilation"), "padding", a.Ints("padding"), "dilation", a.Ints("strides"), "groups", groups,
		"data_layout", swap.Replace(data), "kernel_layout", strings.NewReplacer("N", "I", "C", "O").Replace(kernel),
		"out_layout", strings.NewReplacer("O", "C", "I", "N").Replace(to), "out_dtype", dtype), e, c.Args[0])
	// Strides leave rows at the end that no window began at.
	zeros := relax.Ints(make([]int64, 4))
	return op.StridedSlice(from, []int64{0, 1, 2, 3}, zeros, relax.Ints(weight), nil)
}
