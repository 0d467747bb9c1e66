package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/te"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
	"github.com/irscope/irscope/compiler/topi"
)

// windowRule returns the rules of convolutions, poolings and resizing.
func windowRule(name string) rule {
	switch {
	case strings.HasPrefix(name, "nn.conv"):
		return convolution(strings.HasSuffix(name, "_transpose"))
	case strings.HasPrefix(name, "nn.max_pool"):
		return pooling("max")
	case strings.HasPrefix(name, "nn.avg_pool"):
		return pooling("avg")
	case strings.HasPrefix(name, "nn.adaptive_avg_pool"):
		return func(k *kernel) ([]*te.Tensor, error) {
			x := k.tensor(0)
			result := k.layout("out_layout", "layout")
			if k.err != nil {
				return nil, k.err
			}
			size := spatial(result, k.shape(0))
			return list(topi.WithoutParts([]*te.Tensor{x}, []string{k.str("layout")}, result, func(xs []*te.Tensor, in []string, out string) (*te.Tensor, error) {
				return topi.AdaptiveAvgPool(xs[0], size, in[0], out)
			}))
		}
	case name == "image.resize2d", name == "image.resize3d":
		return resize
	}
	return nil
}

// layout returns the layout name, that of other where it is empty.
func (k *kernel) layout(name, other string) string {
	if s := k.str(name); s != "" {
		return s
	}
	return k.str(other)
}

// spatial returns the extents of the axes that are neither N nor C, in the order D, H, W.
func spatial(layout string, shape []tir.Expr) []tir.Expr {
	l, err := tensorlayout.Parse(layout)
	if err != nil || len(l) != len(shape) {
		return nil
	}
	letters := ""
	for _, r := range "DHW" {
		if strings.ContainsRune(layout, r) {
			letters += string(r)
		}
	}
	return l.Extents(letters, shape)
}

// halves splits a padding into what is added before and after each axis.
func halves(list []int64) (before, after []int64) {
	n := len(list) / 2
	return list[:n], list[n:]
}

func convolution(transposed bool) rule {
	return func(k *kernel) ([]*te.Tensor, error) {
		x, w := k.tensor(0), k.tensor(1)
		if k.err != nil {
			return nil, k.err
		}
		o := topi.ConvOpts{Strides: k.ints("strides"), Dilation: k.ints("dilation"), Groups: k.int("groups"), Out: k.out(0).DType}
		o.Before, o.After = halves(k.ints("padding"))
		conv := topi.Conv
		if transposed {
			o.OutputPadding = k.ints("output_padding")
			conv = topi.ConvTranspose
		}
		layouts := []string{k.str("data_layout"), k.str("kernel_layout")}
		if !transposed {
			o.Data, o.Kernel, o.Result = layouts[0], layouts[1], k.layout("out_layout", "data_layout")
			if out, ok, err := topi.ConvBlocked(x, w, o); ok || err != nil {
				return list(out, err)
			}
		}
		return list(topi.WithoutParts([]*te.Tensor{x, w}, layouts, k.layout("out_layout", "data_layout"), func(xs []*te.Tensor, in []string, out string) (*te.Tensor, error) {
			o.Data, o.Kernel, o.Result = in[0], in[1], out
			return conv(xs[0], xs[1], o)
		}))
	}
}

func pooling(kind string) rule {
	return func(k *kernel) ([]*te.Tensor, error) {
		x := k.tensor(0)
		if k.err != nil {
			return nil, k.err
		}
		o := topi.PoolOpts{
			Size: k.ints("pool_size"), Strides: k.ints("strides"), Dilation: k.ints("dilation"), CeilMode: k.bool("ceil_mode"),
			CountIncludePad: k.bool("count_include_pad"),
		}
		o.Before, o.After = halves(k.ints("padding"))
		layout, result := k.str("layout"), k.layout("out_layout", "layout")
		if layout == result && topi.SplitsChannels(layout) {
			o.Layout = layout
			return list(topi.Pool(kind, x, o))
		}
		return list(topi.WithoutParts([]*te.Tensor{x}, []string{layout}, result, func(xs []*te.Tensor, in []string, out string) (*te.Tensor, error) {
			o.Layout, o.Result = in[0], out
			return topi.Pool(kind, xs[0], o)
		}))
	}
}

func resize(k *kernel) ([]*te.Tensor, error) {
	x := k.tensor(0)
	layout := k.str("layout")
	size := spatial(layout, k.shape(0))
	if k.err != nil {
		return nil, k.err
	}
	if len(size) < 2 {
		return nil, skipf("its layout %q has no axes H and W", layout)
	}
	o := topi.ResizeOpts{
		Method: k.str("method"), Coordinate: k.str("coordinate_transformation_mode"), Rounding: k.str("rounding_method"),
		CubicAlpha: k.float("cubic_alpha"), CubicExclude: k.int("cubic_exclude") != 0, ROI: k.floats("roi"),
		Extrapolation: k.float("extrapolation_value"), Out: k.out(0).DType,
	}
	if topi.SplitsChannels(layout) {
		o.Layout = layout
		return list(topi.Resize(x, size, o))
	}
	return list(topi.WithoutParts([]*te.Tensor{x}, []string{layout}, layout, func(xs []*te.Tensor, in []string, _ string) (*te.Tensor, error) {
		o.Layout = in[0]
		return topi.Resize(xs[0], size, o)
	}))
}
