package relaypass

import (
	"math"
	"slices"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/op"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/relax/dpl"
	"github.com/irscope/irscope/runtime/dtype"
)

// A message says that a value may be scaled along axes: before it is taken (forward), or instead of being scaled afterwards (backward).
// After FScaleAxisForwardPrep and FScaleAxisBackwardPrep of TVM v0.18's src/relay/transforms/fold_scale_axis.cc.
type message struct {
	axes     []int
	positive bool // the scale must be positive: an operator on the way is linear only then
	divides  bool // something is divided by the scale
}

// scaling is what both directions know of a function.
type scaling struct{ site }

// newScaling sees through the names of the graph of f.
func newScaling(s site, f *relax.Function) *scaling {
	s.bound = dpl.Bindings{}
	relax.EachBinding(f.Body, func(b *relax.BindingBlock, x relax.Binding) {
		if b.Dataflow {
			s.bound[x.Bound()] = x.BoundValue()
		}
	})
	return &scaling{s}
}

// floats returns the element type that values share, ok false where they have not one of floats: with integers, products wrap and
// quotients are cut off.
func (s *scaling) floats(list ...relax.Expr) bool {
	var dt dtype.DType
	for i, e := range list {
		t := s.tensor(e)
		if t == nil || !t.DType.IsFloat() || i > 0 && t.DType != dt {
			return false
		}
		dt = t.DType
	}
	return true
}

// window is a convolution as the rules see it.
type window struct {
	data, kernel, out []byte // the letters of the layouts
	depthwise         bool
}

// window returns what is to be known of a convolution, nil for other calls and for those of groups or of mixed layouts.
func (s *scaling) window(c *relax.Call) *window {
	if s.call(c, "relax.nn.conv2d", "relay.nn.conv2d", "relax.nn.conv3d", "relay.nn.conv3d") == nil || !s.floats(c.Args[0], c.Args[1], c) {
		return nil
	}
	w := &window{data: letters(c.Attrs.Str("data_layout", "")), kernel: letters(c.Attrs.Str("kernel_layout", "")), out: letters(c.Attrs.Str("out_layout", ""))}
	if len(w.out) == 0 {
		w.out = w.data
	}
	dims, ok := s.dims(c.Args[1])
	if !ok || len(dims) != len(w.kernel) {
		return nil
	}
	extent := func(letter byte) int64 {
		n := int64(1)
		for i, l := range w.kernel {
			if l|0x20 == letter|0x20 {
				n *= dims[i]
			}
		}
		return n
	}
	groups := c.Attrs.Int("groups", 1)
	w.depthwise = extent('O') == groups && extent('I') == 1
	if groups != 1 && !w.depthwise || at(w.kernel, 'O') < 0 || at(w.kernel, 'I') < 0 {
		return nil
	}
	return w
}

// channels are the axes of the channels in a layout of the data or of the result, nil where it and the kernel are not split alike.
func (w *window) channels(layout []byte) []int {
	axes := []int{at(layout, 'C')}
	small, o, i := at(layout, 'c'), at(w.kernel, 'o'), at(w.kernel, 'i')
	if axes[0] < 0 || (small >= 0) != (o >= 0) || (small >= 0) != (i >= 0) {
		return nil
	}
	if small >= 0 {
		axes = append(axes, small)
	}
	return axes
}

// letters are those of a layout, without the factors.
func letters(layout string) []byte {
	return slices.DeleteFunc([]byte(layout), func(b byte) bool { return b >= '0' && b <= '9' })
}

func at(layout []byte, letter byte) int { return slices.Index(layout, letter) }

// matches reports whether a tensor broadcasts to another only along axes: it has their extents there, and 1 elsewhere.
func (s *scaling) matches(data, bias relax.Expr, axes []int) bool {
	d, ok := s.dims(data)
	b, ok2 := s.dims(bias)
	if !ok || !ok2 || len(b) > len(d) || len(axes) == 0 {
		return false
	}
	base := len(d) - len(b)
	for i := range d {
		switch named := slices.Contains(axes, i); {
		case named && (i < base || b[i-base] != d[i]):
			return false
		case !named && i >= base && b[i-base] != 1:
			return false
		}
	}
	return true
}

// squeezed is a tensor that matches along axes without its other axes; a scalar is repeated along them. It is nil if it does not match.
func (s *scaling) squeezed(data, bias relax.Expr, axes []int) relax.Expr {
	d, ok := s.dims(data)
	b, ok2 := s.dims(bias)
	if !ok || !ok2 || len(axes) == 0 {
		return nil
	}
	if len(b) == 0 {
		list := make([]int64, len(axes))
		for i := range list {
			list[i] = int64(i)
		}
		out := relax.Expr(op.ExpandDims(bias, list...))
		for i, a := range axes {
			out = callOf("relax.repeat", ir.NewAttrs("repeats", d[a], "axis", int64(i)), out)
		}
		return out
	}
	if !s.matches(data, bias, axes) {
		return nil
	}
	var gone []int64
	for i := range b {
		if !slices.Contains(axes, len(d)-len(b)+i) {
			gone = append(gone, int64(i))
		}
	}
	if gone == nil {
		return bias
	}
	return op.Squeeze(bias, gone...)
}

// spread gives a scale the axes that it has in a tensor.
func (s *scaling) spread(scale relax.Expr, like relax.Expr, axes []int) relax.Expr {
	d, _ := s.dims(like)
	if len(axes) == 1 {
		return alongAxis(scale, axes[0], len(d))
	}
	shape := make([]int64, len(d))
	for i := range shape {
		shape[i] = 1
		if slices.Contains(axes, i) {
			shape[i] = d[i]
		}
	}
	return op.Reshape(scale, relax.Ints(shape)...)
}

// scaledWeight is the weight of a convolution times a scale along its channels: those of the result (letter O), or of the data (I).
func (s *scaling) scaledWeight(weight, scale relax.Expr, w *window, letter byte) relax.Expr {
	axes := []int{at(w.kernel, letter)}
	if small := at(w.kernel, letter|0x20); small >= 0 {
		axes = append(axes, small)
	}
	return op.Multiply(weight, s.spread(scale, weight, axes))
}

// allows reports whether a scale is of the kind that a message asks for.
func (s *scaling) allows(m *message, scale relax.Expr) bool {
	if !m.positive && !m.divides {
		return true
	}
	k := s.constant(scale)
	if k == nil {
		if c := s.call(scale, "relax.squeeze", "relax.expand_dims", "relax.repeat", "relax.reshape", "relay.reshape", "relax.permute_dims"); c != nil {
			return s.allows(m, c.Args[0])
		}
		return false
	}
	n := k.Data.NumElements()
	if k.Data.IsSplat() {
		n = min(n, 1)
	}
	for i := range n {
		v, ok := element(k.Data, i)
		if !ok || m.positive && !(v > 0) || m.divides && v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return false
		}
	}
	return true
}
