package topi

import (
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvTranspose is the gradient of Conv with respect to its data: each element of the input,
// multiplied by the kernel, is added to the result at the multiples of the strides. Axis I of
// the weights is that of the input channels, O that of the output channels of a group.
//
// TVM puts zeros between the elements of the input (data_dilate) and around them (data_pad), and
// convolves that with the kernel back to front. It takes the layouts NCW and IOW and the like and
// no dilation; what it does not take, and what is tuned, is computed by phases.
func ConvTranspose(x, w *te.Tensor, o ConvOpts) (*te.Tensor, error) {
	c, err := newConv("_transpose", x, w, o)
	if err != nil {
		return nil, err
	}
	c.channels = tir.FloorDiv(c.w.Shape[c.kpos[1]], tir.Int(c.Groups))
	c.features = tir.Mul(c.w.Shape[c.kpos[0]], tir.Int(c.Groups))
	plain := strings.HasPrefix(c.Data, "NC") && c.Result == c.Data && strings.HasPrefix(c.Kernel, "IO")
	for _, d := range c.Dilation {
		plain = plain && d == 1
	}
	if !plain {
		return convTransposePhases(c), nil
	}
	return te.Better(c.dilated(), func() []*te.Tensor { return []*te.Tensor{convTransposePhases(c)} }), nil
}

var dilatedNames = [4][]string{1: {"w"}, 2: {"h", "w"}, 3: {"d", "h", "w"}}

// dilated is the convolution of the input with zeros between its elements.
func (c *conv) dilated() *te.Tensor {
	zero := tir.Const(c.x.DType, 0)
	shape := append([]tir.Expr{}, c.x.Shape...)
	for k, s := range c.Strides {
		shape[2+k] = simple(tir.Add(tir.Mul(tir.Sub(shape[2+k], tir.Int(1)), tir.Int(s)), tir.Int(1)))
	}
	spread := te.Compute("data_dilate", shape, func(i []tir.Expr) tir.Expr {
		at := append([]tir.Expr{}, i...)
		var inside []tir.Expr
		for k, s := range c.Strides {
			if s == 1 {
				continue
			}
			at[2+k] = tir.FloorDiv(i[2+k], tir.Int(s))
			inside = append(inside, tir.EQ(tir.FloorMod(i[2+k], tir.Int(s)), tir.Int(0)))
		}
		if len(inside) == 0 {
			return c.x.At(at...)
		}
		return tir.IfThenElseExpr(all(inside), c.x.At(at...), zero)
	}, te.AxisPrefix("i"))
	before, after := []tir.Expr{tir.Int(0), tir.Int(0)}, []tir.Expr{tir.Int(0), tir.Int(0)}
	for k, n := range c.kernel {
		before = append(before, tir.Sub(tir.Sub(n, tir.Int(1)), tir.Int(c.Before[k])))
		after = append(after, tir.Sub(tir.Sub(n, tir.Int(1)), tir.Int(c.After[k]-c.OutputPadding[k])))
	}
	padded := padExprs(spread, before, after, zero, "data_pad")
	back := func(i []tir.Expr) tir.Expr {
		at := []tir.Expr{i[1], i[0]}
		for k, n := range c.kernel {
			at = append(at, tir.Sub(tir.Sub(n, tir.Int(1)), i[2+k]))
		}
		return c.w.At(at...)
	}
	name := "kernel_transform"
	if c.n == 1 {
		name = "kernel"
	}
	kernel := te.Compute(name, append([]tir.Expr{c.w.Shape[1], c.x.Shape[1]}, c.kernel...), back, te.AxisNames(append([]string{"o", "i"}, dilatedNames[c.n]...)...))
	return c.slide(padded, kernel)
}

// slide convolves padded data with a kernel whose output channels come first.
func (c *conv) slide(padded, kernel *te.Tensor) *te.Tensor {
	channels := tir.FloorDiv(c.x.Shape[1], tir.Int(c.Groups))
	axes := []*tir.IterVar{te.ReduceAxis("dc", channels)}
	shape := []tir.Expr{c.x.Shape[0], c.features}
	for k, n := range c.kernel {
		axes = append(axes, te.ReduceAxis("d"+dilatedNames[c.n][k], n))
		shape = append(shape, simple(tir.Add(tir.Sub(padded.Shape[2+k], n), tir.Int(1))))
	}
	perGroup := c.w.Shape[1]
	return te.Compute("compute", shape, func(i []tir.Expr) tir.Expr {
		from, to := tir.Expr(axes[0].Var), i[1]
		if c.Groups > 1 {
			from = tir.Add(tir.Mul(tir.FloorDiv(i[1], perGroup), channels), axes[0].Var)
			to = tir.FloorMod(i[1], perGroup)
		}
		in, k := []tir.Expr{i[0], from}, []tir.Expr{to, from}
		for d, a := range axes[1:] {
			in, k = append(in, tir.Add(i[2+d], a.Var)), append(k, a.Var)
		}
		return te.Sum(tir.Mul(tir.CastTo(c.Out, padded.At(in...)), tir.CastTo(c.Out, kernel.At(k...))), axes...)
	}, te.AxisNames(append([]string{"b", "c"}, dilatedNames[c.n]...)...))
}
