package relaypass

import (
	"math"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// windowForms are those of convolutions in blocks of channels, of poolings, of images, and of paddings.
func windowForms() map[string]relaxForm {
	return map[string]relaxForm{
		"nn.contrib_conv2d_NCHWc":           blockedConv,
		"nn.contrib_depthwise_conv2d_NCHWc": blockedConv,
		"nn.global_avg_pool2d":              globalPool("mean"),
		"nn.global_max_pool2d":              globalPool("max"),
		"nn.adaptive_max_pool1d":            (*site).adaptiveMaxPool,
		"nn.adaptive_max_pool2d":            (*site).adaptiveMaxPool,
		"nn.adaptive_max_pool3d":            (*site).adaptiveMaxPool,
		"nn.upsampling":                     (*site).upsampling,
		"image.resize2d": func(s *site, c *relax.Call) relax.Expr {
			return resize(s, c, c.Attrs.Str("method", "linear"), c.Attrs.Str("coordinate_transformation_mode", ""), c.Attrs.Str("rounding_method", ""))
		},
		"nn.pad":        (*site).pad,
		"nn.mirror_pad": (*site).mirrorPad,
	}
}

// inLayout brings a tensor from one layout into another.
func inLayout(e relax.Expr, from, to layout) (relax.Expr, error) {
	if from.Equal(to) {
		return e, nil
	}
	m, err := tensorlayout.IndexMap(from, to)
	if err != nil {
		return nil, err
	}
	return op.LayoutTransform(e, m), nil
}

// blockedConv is conv2d with the layouts that the call has.
func blockedConv(_ *site, c *relax.Call) relax.Expr {
	var attrs []any
	for _, a := range op.Lookup("relax.nn.conv2d").Attrs {
		if v, ok := c.Attrs.Get(a.Name); ok && v != "" {
			attrs = append(attrs, a.Name, v)
		}
	}
	if c.Attrs.Str("out_layout", "") == "" {
		attrs = append(attrs, "out_layout", c.Attrs.Str("data_layout", ""))
	}
	return named("nn.conv2d", c.Args, attrs...)
}

// spatialAxes are the places of H and W, and of what else is neither batch nor channels, in the layout of a call.
func (s *site) spatialAxes(c *relax.Call) []int64 {
	l := layoutOf(c.Attrs.Str("layout", ""))
	t := s.tensor(c.Args[0])
	if l == nil || t == nil || len(l) != t.NDim {
		return nil
	}
	var out []int64
	for i, a := range l {
		if a.Letter != 'N' && a.Letter != 'C' {
			if a.Factor != 0 {
				return nil
			}
			out = append(out, int64(i))
		}
	}
	return out
}

func globalPool(reduce string) relaxForm {
	return func(s *site, c *relax.Call) relax.Expr {
		axes := s.spatialAxes(c)
		if axes == nil {
			return s.declined("the layout or the rank of the data is not known")
		}
		return op.Reduce(reduce, c.Args[0], axes, true)
	}
}

// adaptiveMaxPool takes the maxima of windows of the same size, which are those where the extents divide, or of the whole.
func (s *site) adaptiveMaxPool(c *relax.Call) relax.Expr {
	axes, d, r := s.spatialAxes(c), s.extents(c.Args[0]), s.result()
	if axes == nil || d == nil || r == nil {
		return s.declined("the layout or a shape is not known")
	}
	to, _ := r.Dims()
	shape, over := []tir.Expr{}, []int64{}
	for i := range d {
		n, known := tir.AsInt(d[i])
		m, _ := tir.AsInt(to[i])
		switch {
		case s.ctx.Equal(d[i], to[i]) == relax.True:
			shape = append(shape, d[i])
		case tir.IsConst(to[i], 1):
			over = append(over, int64(len(shape)))
			shape = append(shape, d[i])
		case known && m > 0 && n%m == 0:
			over = append(over, int64(len(shape)+1))
			shape = append(shape, tir.Int(m), tir.Int(n/m))
		default:
			return s.declined("the windows are not all of the same size")
		}
	}
	if len(over) == 0 {
		return c.Args[0]
	}
	x := op.Reduce("max", op.Reshape(c.Args[0], shape...), over, false)
	return op.Reshape(x, to...)
}

func (s *site) upsampling(c *relax.Call) relax.Expr {
	method, ok := map[string]string{"nearest_neighbor": "nearest_neighbor", "bilinear": "linear", "bicubic": "cubic"}[c.Attrs.Str("method", "")]
	if !ok {
		return s.declined("the method is none of nearest_neighbor, bilinear, bicubic")
	}
	mode, rounding := "asymmetric", "floor"
	if c.Attrs.Bool("align_corners", false) {
		mode, rounding = "align_corners", "round"
	}
	return resize(s, c, method, mode, rounding)
}

// resize is that of Relax to the extents of the result.
func resize(s *site, c *relax.Call, method, mode, rounding string) relax.Expr {
	axes, r := s.spatialAxes(c), s.result()
	if len(axes) != 2 || r == nil {
		return s.declined("the layout or the shape of the result is not known")
	}
	d, _ := r.Dims()
	attrs := []any{
		"layout", c.Attrs.Str("layout", ""), "method", method, "coordinate_transformation_mode", mode, "rounding_method", rounding,
		"cubic_alpha", c.Attrs.Float("cubic_alpha", -0.5), "cubic_exclude", c.Attrs.Int("cubic_exclude", 0),
		"extrapolation_value", c.Attrs.Float("extrapolation_value", 0), "out_dtype", c.Attrs.DType("out_dtype"),
	}
	if roi, ok := c.Attrs.Get("roi"); ok {
		if list, ok := roi.([]ir.Value); ok && len(list) == 4 {
			attrs = append(attrs, "roi", list)
		}
	}
	return named("image.resize2d", []relax.Expr{c.Args[0], &relax.ShapeExpr{Values: []tir.Expr{d[axes[0]], d[axes[1]]}}}, attrs...)
}

// pad is that of Relax. A value that is no constant, or that Relax's attribute cannot hold, is put where a padded tensor of ones has none.
func (s *site) pad(c *relax.Call) relax.Expr {
	widths, mode := c.Attrs.Ints("pad_width"), c.Attrs.Str("pad_mode", "constant")
	t := s.tensor(c.Args[0])
	if t == nil || t.DType.IsVoid() || len(widths) != 2*t.NDim {
		return s.declined("the rank or the element type of the data is not known")
	}
	for _, w := range widths {
		if w < 0 {
			return s.declined("a width is negative")
		}
	}
	switch mode {
	case "constant":
	case "edge", "reflect":
		return s.mirrored(c.Args[0], widths, mode)
	default:
		return s.declined("the mode is none of constant, edge, reflect")
	}
	if v, ok := s.number(c.Args[1]); ok && (v == 0 || t.DType.IsFloat() && !math.IsNaN(v) && !math.IsInf(v, 0)) {
		return op.Pad(c.Args[0], widths, mode, v)
	}
	d := s.extents(c.Args[0])
	if d == nil {
		return s.declined("the shape of the data is not known")
	}
	ones := named("ones", []relax.Expr{&relax.ShapeExpr{Values: d}}, "dtype", t.DType)
	inside := named("not_equal", []relax.Expr{op.Pad(ones, widths, mode, 0), named("zeros", []relax.Expr{&relax.ShapeExpr{Values: []tir.Expr{}}}, "dtype", t.DType)})
	return op.Where(inside, op.Pad(c.Args[0], widths, mode, 0), c.Args[1])
}

func (s *site) mirrorPad(c *relax.Call) relax.Expr {
	mode := strings.ToLower(c.Attrs.Str("mode", ""))
	if mode != "symmetric" && mode != "reflect" {
		return s.declined("the mode is neither SYMMETRIC nor REFLECT")
	}
	return s.mirrored(c.Args[0], c.Attrs.Ints("pad_width"), mode)
}

// mirrored pads with what the data has near its ends: each axis is taken at the indices that the mode gives.
func (s *site) mirrored(x relax.Expr, widths []int64, mode string) relax.Expr {
	d := s.extents(x)
	if d == nil || len(widths) != 2*len(d) {
		return s.declined("the shape of the data is not known")
	}
	for axis := range d {
		lo, hi := widths[2*axis], widths[2*axis+1]
		if lo == 0 && hi == 0 {
			continue
		}
		n, ok := tir.AsInt(d[axis])
		limit := n
		if mode == "reflect" {
			limit = n - 1
		} else if mode == "edge" {
			limit = maxPadding
		}
		if !ok || n < 1 || lo < 0 || hi < 0 || lo > limit || hi > limit || n+lo+hi > maxPadding {
			return s.declined("an extent is not known or too small for the padding")
		}
		at := make([]int64, 0, n+lo+hi)
		for i := -lo; i < n+hi; i++ {
			at = append(at, mirroredIndex(i, n, mode))
		}
		x = op.Take(x, &relax.Constant{Data: ir.Int64Blob([]int64{int64(len(at))}, at...)}, int64(axis))
	}
	return x
}

// maxPadding bounds the extent of an axis whose indices are written out.
const maxPadding = 1 << 20

// mirroredIndex is which of n elements stands at i, which lies less than n before or behind them unless the mode is edge.
func mirroredIndex(i, n int64, mode string) int64 {
	switch {
	case i >= 0 && i < n:
		return i
	case mode == "edge":
		return min(max(i, 0), n-1)
	case mode == "symmetric" && i < 0:
		return -i - 1
	case mode == "symmetric":
		return 2*n - 1 - i
	case i < 0:
		return -i
	}
	return 2*n - 2 - i
}
