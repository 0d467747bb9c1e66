package transform

import (
	"strings"

	"github.com/irscope/irscope/compiler/te"
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
			return list(topi.AdaptiveAvgPool(x, spatial(result, k.shape(0)), k.str("layout"), result))
		}
	case name == "image.resize2d":
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
	var out []tir.Expr
	for _, r := range "DHW" {
		if p := strings.IndexRune(layout, r); p >= 0 && p < len(shape) {
			out = append(out, shape[p])
		}
	}
	return out
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
		o := topi.ConvOpts{
			Strides: k.ints("strides"), Dilation: k.ints("dilation"), Groups: k.int("groups"),
			Data: k.str("data_layout"), Kernel: k.str("kernel_layout"), Result: k.str("out_layout"), Out: k.out(0).DType,
		}
		o.Before, o.After = halves(k.ints("padding"))
		if transposed {
			o.OutputPadding = k.ints("output_padding")
			return list(topi.ConvTranspose(x, w, o))
		}
		return list(topi.Conv(x, w, o))
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
			CountIncludePad: k.bool("count_include_pad"), Layout: k.str("layout"), Result: k.str("out_layout"),
		}
		o.Before, o.After = halves(k.ints("padding"))
		return list(topi.Pool(kind, x, o))
	}
}

func resize(k *kernel) ([]*te.Tensor, error) {
	x := k.tensor(0)
	layout := k.str("layout")
	size := spatial(layout, k.shape(0))
	if k.err != nil {
		return nil, k.err
	}
	o := topi.ResizeOpts{
		Layout: layout, Method: k.str("method"), Coordinate: k.str("coordinate_transformation_mode"), Rounding: k.str("rounding_method"),
		CubicAlpha: k.float("cubic_alpha"), CubicExclude: k.int("cubic_exclude") != 0, ROI: k.floats("roi"),
		Extrapolation: k.float("extrapolation_value"), Out: k.out(0).DType,
	}
	return list(topi.Resize2D(x, size[0], size[1], o))
}
