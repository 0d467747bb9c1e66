package relay

import (
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/arith"
	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// typeWeights gives parameters that are written without a type the one that the operator they are an operand of asks for, as the type relations of
// TVM do: weights of a convolution or of a dense layer, whose extents the attributes say, and vectors along an axis.
func (b *builder) typeWeights(name string, args []relax.Expr, attrs []attr) {
	open := slices.ContainsFunc(args, func(a relax.Expr) bool { v, ok := a.(*relax.Var); return ok && b.open[v] })
	if !open || len(args) < 2 {
		return
	}
	data, ok := b.ctx.SInfoOf(args[0]).(*relax.TensorStructInfo)
	if !ok || data.DType.IsVoid() {
		return
	}
	d, ok := data.Dims()
	if !ok {
		return
	}
	set := func(i int, dims []tir.Expr) {
		if i >= len(args) || dims == nil {
			return
		}
		for _, n := range dims {
			if _, ok := tir.AsInt(n); !ok {
				return
			}
		}
		if v, ok := args[i].(*relax.Var); ok && b.open[v] {
			v.SInfo = &relax.TensorStructInfo{Shape: &relax.ShapeExpr{Values: dims}, DType: data.DType, NDim: len(dims), VDevice: data.VDevice}
			delete(b.open, v)
		}
	}
	w := window{attrs: map[string]ir.Value{}, name: name}
	for _, a := range attrs {
		w.attrs[a.name] = a.value
	}
	axis := func(def int64) []tir.Expr {
		i := w.number("axis", def)
		if i < 0 {
			i += int64(len(d))
		}
		if i < 0 || i >= int64(len(d)) {
			return nil
		}
		return d[i : i+1]
	}
	switch name {
	case "nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose":
		set(1, w.weights(d))
	case "nn.deformable_conv2d":
		set(1, w.offsets(d))
		set(2, w.weights(d))
	case "nn.dense":
		if units := w.number("units", -1); units >= 0 && len(d) > 0 {
			set(1, []tir.Expr{tir.Int(units), d[len(d)-1]})
		}
	case "nn.bias_add", "nn.prelu":
		set(1, axis(1))
	case "nn.batch_norm", "nn.instance_norm", "nn.group_norm", "nn.layer_norm":
		def := int64(1)
		if name == "nn.layer_norm" {
			def = -1
		}
		for i := 1; i < len(args); i++ {
			set(i, axis(def))
		}
	}
}

// window reads the attributes of a convolution.
type window struct {
	name  string
	attrs map[string]ir.Value
}

func (w window) number(key string, def int64) int64 {
	if n, ok := w.attrs[key].(int64); ok {
		return n
	}
	return def
}

// list returns n numbers, def for those that are not said.
func (w window) list(key string, n int, def int64) []int64 {
	v, _ := convert(w.attrs[key], op.IntsAttr)
	list, _ := v.([]ir.Value)
	out := slices.Repeat([]int64{def}, n)
	for i := range out {
		if len(list) == 1 {
			out[i], _ = list[0].(int64)
		} else if i < len(list) {
			out[i], _ = list[i].(int64)
		}
	}
	return out
}

// layouts are those of the data and the weights.
func (w window) layouts() (data, weights tensorlayout.Layout, spatial string) {
	spatial = map[string]string{"1": "W", "2": "HW", "3": "DHW"}[string(w.name[strings.Index(w.name, "conv")+4])]
	order := "OI"
	if strings.HasSuffix(w.name, "_transpose") {
		order = "IO"
	}
	read := func(key, def string) tensorlayout.Layout {
		if s, ok := w.attrs[key].(string); ok && s != "" {
			def = s
		}
		l, _ := tensorlayout.Parse(def)
		return l
	}
	return read("data_layout", "NC"+spatial), read("kernel_layout", order+spatial), spatial
}

// axes are the extents of data by the letters of its layout, nil where they do not fit.
func (w window) axes(d []tir.Expr) map[byte]tir.Expr {
	data, _, _ := w.layouts()
	if len(data) != len(d) {
		return nil
	}
	out := map[byte]tir.Expr{}
	letters := data.Letters()
	for i, n := range data.Extents(letters, d) {
		out[letters[i]] = arith.SimplifyAlone(n)
	}
	return out
}

// weights is the shape of the weights, nil where the attributes do not say it.
func (w window) weights(d []tir.Expr) []tir.Expr {
	_, kernel, spatial := w.layouts()
	of := w.axes(d)
	channels, groups := w.number("channels", -1), w.number("groups", 1)
	if of['C'] == nil || channels < 0 || groups <= 0 || w.attrs["kernel_size"] == nil {
		return nil
	}
	c, ok := tir.AsInt(of['C'])
	if !ok || c%groups != 0 || channels%groups != 0 {
		return nil
	}
	extents := map[byte]int64{'O': channels, 'I': c / groups}
	if strings.HasSuffix(w.name, "_transpose") {
		extents = map[byte]int64{'O': channels / groups, 'I': c}
	}
	for i, n := range w.list("kernel_size", len(spatial), 1) {
		extents[spatial[i]] = n
	}
	letters := kernel.Letters()
	list := make([]tir.Expr, len(letters))
	for i := range letters {
		n, ok := extents[letters[i]]
		if !ok {
			return nil
		}
		list[i] = tir.Int(n)
	}
	if len(letters) != len(extents) {
		return nil
	}
	out := kernel.Shape(letters, list)
	for i := range out {
		out[i] = arith.SimplifyAlone(out[i])
	}
	return out
}

// offsets is the shape of the offsets of a deformable convolution: two for each place of the window and each group, where its result is.
func (w window) offsets(d []tir.Expr) []tir.Expr {
	data, _, spatial := w.layouts()
	of := w.axes(d)
	if of == nil || data.Blocked() || w.attrs["kernel_size"] == nil {
		return nil
	}
	size, steps, gaps := w.list("kernel_size", 2, 1), w.list("strides", 2, 1), w.list("dilation", 2, 1)
	pad := w.list("padding", 4, 0)
	if v, _ := convert(w.attrs["padding"], op.IntsAttr); v != nil {
		if list, ok := v.([]ir.Value); ok && len(list) == 2 {
			pad[2], pad[3] = pad[0], pad[1]
		}
	}
	out := make([]tir.Expr, len(data))
	for i, a := range data {
		switch a.Letter {
		case 'N':
			out[i] = d[i]
		case 'C':
			out[i] = tir.Int(2 * size[0] * size[1] * w.number("deformable_groups", 1))
		default:
			k := strings.IndexByte(spatial, a.Letter)
			n, ok := tir.AsInt(d[i])
			if k < 0 || !ok || steps[k] <= 0 {
				return nil
			}
			if n += pad[k] + pad[k+2] - gaps[k]*(size[k]-1) - 1; n < 0 {
				return nil
			}
			out[i] = tir.Int(n/steps[k] + 1)
		}
	}
	return out
}
