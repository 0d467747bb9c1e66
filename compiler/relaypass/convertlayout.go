package relaypass

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/pass"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// ConvertLayout brings operators into the layouts that are asked for, and what comes after them along.
var ConvertLayout = &pass.Pass{
	Name: "relay.ConvertLayout", Level: 3, Kind: pass.Function, Required: []string{inferType, "relay.CanonicalizeOps"},
	Doc: "Brings the operators of desired_layouts into the layouts that are asked for, by layout_transform. Others take what they are given, as far as their rules go; what has no rule gets the layout that it had.",
	Options: []pass.Option{
		{Name: "desired_layouts", Default: &ir.Attrs{}, Doc: `layouts of data and weights by Relay's name of the operator, e.g. {"nn.conv2d": ["NHWC", "default"]}; "default" are the weights that go with the data`},
	},
	Run: pass.EachRelax(func(c *pass.Context, _ *ir.GlobalVar, f *relax.Function) (*relax.Function, error) {
		desired, err := desiredLayouts(c.Arg("desired_layouts").(*ir.Attrs))
		if err != nil || len(desired) == 0 {
			return f, err
		}
		return rewriteLayouts(c, f, func(call *relax.Call, types []*relax.TensorStructInfo) (*altered, error) {
			list := desired[relayName(call)]
			if list == nil {
				return nil, nil
			}
			return converted(call, types, list)
		})
	}),
}

// relayName is Relay's name of the operator that is called.
func relayName(call *relax.Call) string {
	o, ok := call.Op.(*ir.Op)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(o.Name, "relax."), op.RelayPrefix)
}

// layoutConverters are the operators whose layout can be asked for, with the number of layouts that are asked for, and the weights that go with the layouts of the data.
var layoutConverters = map[string]struct {
	layouts int
	weights map[string]string
}{
	"nn.conv2d":                 {2, map[string]string{"NCHW": "OIHW", "NHWC": "HWIO", "HWNC": "HWOI"}},
	"qnn.conv2d":                {2, map[string]string{"NCHW": "OIHW", "NHWC": "HWIO"}},
	"nn.deformable_conv2d":      {2, map[string]string{"NCHW": "OIHW", "NHWC": "HWIO"}},
	"nn.conv2d_transpose":       {2, map[string]string{"NCHW": "IOHW", "NHWC": "HWIO"}},
	"qnn.conv2d_transpose":      {2, map[string]string{"NCHW": "IOHW", "NHWC": "HWIO"}},
	"nn.conv3d":                 {2, map[string]string{"NCDHW": "OIDHW", "NDHWC": "DHWIO"}},
	"nn.conv3d_transpose":       {2, map[string]string{"NCDHW": "IODHW", "NDHWC": "DHWOI"}},
	"nn.conv2d_backward_weight": {2, nil},
	"vision.roi_align":          {2, map[string]string{"NCHW": "default", "NHWC": "default"}},
	"vision.roi_pool":           {2, map[string]string{"NCHW": "default", "NHWC": "default"}},
	"nn.max_pool2d":             {1, nil},
	"nn.avg_pool2d":             {1, nil},
	"nn.global_max_pool2d":      {1, nil},
	"nn.global_avg_pool2d":      {1, nil},
	"qnn.avg_pool2d":            {1, nil},
	"image.resize2d":            {1, nil},
}

// desiredLayouts reads the option.
func desiredLayouts(arg *ir.Attrs) (map[string][]string, error) {
	out := map[string][]string{}
	for i := range arg.Len() {
		name, v := arg.At(i)
		values, ok := v.([]ir.Value)
		list := make([]string, len(values))
		for j, x := range values {
			s, isString := x.(string)
			list[j], ok = s, ok && isString
		}
		if !ok {
			return nil, fmt.Errorf(`desired_layouts: the value of %s is %v, want a list of layouts such as ["NHWC", "default"]`, name, v)
		}
		short := strings.TrimPrefix(strings.TrimPrefix(name, "relax."), op.RelayPrefix)
		how, known := layoutConverters[short]
		if !known {
			return nil, fmt.Errorf("desired_layouts: %s is no operator whose layout can be asked for, want a convolution, a pooling, image.resize2d or vision.roi_* by Relay's name, such as nn.conv2d", name)
		}
		if len(list) != how.layouts {
			return nil, fmt.Errorf("desired_layouts: %s has %d layouts, want %d: that of the data%s", name, len(list), how.layouts, map[int]string{2: " and that of the weights"}[how.layouts])
		}
		for j, s := range list {
			if s == "default" && j > 0 && (how.weights[list[0]] != "") {
				continue
			}
			if l, err := tensorlayout.Parse(s); err != nil || len(l) == 0 {
				return nil, fmt.Errorf("desired_layouts: %s: layout %q is none that is known here (the data has no default; weights have one for %s)", name, s, strings.Join(slices.Sorted(maps.Keys(how.weights)), ", "))
			}
		}
		out[short] = list
	}
	return out, nil
}

// converted is a call in the layouts that are asked for.
func converted(call *relax.Call, types []*relax.TensorStructInfo, list []string) (*altered, error) {
	name := call.Op.(*ir.Op).Name
	attrs := call.Attrs
	key := "layout"
	if attrs.Has("data_layout") {
		key = "data_layout"
	}
	if len(list) == 1 || key == "layout" {
		attrs = withLayout(attrs, key, list[0])
		if len(list) == 1 && attrs.Has("out_layout") {
			attrs = attrs.With("out_layout", list[0])
		}
		return &altered{op: name, attrs: attrs, keep: true}, nil
	}
	short := relayName(call)
	data, weights := list[0], list[1]
	if l := layoutOf(data); short == "nn.conv2d" && l.Blocked() {
		if t := types[0]; !channelsDivide(t, attrs.Str(key, ""), l) {
			return nil, nil
		}
		name = op.RelayPrefix + "nn.contrib_conv2d_NCHWc"
	}
	if weights == "default" {
		weights = layoutConverters[short].weights[data]
		if data == "NHWC" && strings.HasSuffix(short, "nn.conv2d") && depthwise(types, attrs) {
			weights = "HWOI"
		}
	}
	attrs = withLayout(attrs, key, data).With("kernel_layout", weights)
	if short == "nn.conv2d_backward_weight" { // weights are its result
		attrs = attrs.With("kernel_layout", data).With("out_layout", weights)
	}
	if name != call.Op.(*ir.Op).Name {
		attrs = blockedAttrs(attrs, call, types)
	}
	return &altered{op: name, attrs: attrs, keep: true}, nil
}

// blockedAttrs are those of a convolution of blocks, which says its window as Relay does.
func blockedAttrs(attrs *ir.Attrs, call *relax.Call, types []*relax.TensorStructInfo) *ir.Attrs {
	l := layoutOf(call.Attrs.Str("kernel_layout", ""))
	d, ok := types[1].StaticDims()
	if !ok || len(l) != len(d) || l.Blocked() {
		return attrs.With("channels", nil).With("kernel_size", nil)
	}
	return attrs.With("channels", d[l.Pos('O')]).With("kernel_size", []int64{d[l.Pos('H')], d[l.Pos('W')]})
}

// channelsDivide reports whether the channels of data can be split as in l.
func channelsDivide(t *relax.TensorStructInfo, from string, l layout) bool {
	d, ok := t.Dims()
	old := layoutOf(from)
	if !ok || len(old) != len(d) || old.Blocked() {
		return false
	}
	n, ok := tir.AsInt(d[old.Pos('C')])
	return ok && n%l.Factor('C') == 0
}

// depthwise reports whether each channel of a convolution has a kernel of its own.
func depthwise(types []*relax.TensorStructInfo, attrs *ir.Attrs) bool {
	extent := func(t *relax.TensorStructInfo, layout string, letter byte) int64 {
		d, ok := t.StaticDims()
		l := layoutOf(layout)
		if !ok || len(l) != len(d) || l.Blocked() || l.Pos(letter) < 0 {
			return -1
		}
		return d[l.Pos(letter)]
	}
	n := attrs.Int("groups", 1)
	return extent(types[0], attrs.Str("data_layout", ""), 'C') == n && extent(types[1], attrs.Str("kernel_layout", ""), 'O') == n
}
