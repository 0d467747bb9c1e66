package relaypass

import (
	"slices"
	"strings"
	"sync"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
)

// layoutQuery asks a rule in which layouts a call takes its operands.
type layoutQuery struct {
	call   *relax.Call
	name   string // of the operator
	attrs  *ir.Attrs
	counts []int // of the operands of each argument: -1 for a tensor, 0 for what is none
	types  []*relax.TensorStructInfo
	// old are the layouts of the operands in the module, nil where not known; new, where not nil, those that they are in now.
	old, new []layout
	keep     bool // the layout is asked for
}

// layoutAnswer are the layouts of operands and results, and the attributes that go with them.
type layoutAnswer struct {
	in, out []layout
	attrs   *ir.Attrs
	tuple   bool // the only result is a field of a tuple
}

func (a layoutAnswer) known() bool {
	return !slices.ContainsFunc(a.in, isUnknown) && !slices.ContainsFunc(a.out, isUnknown)
}

func isUnknown(l layout) bool { return l == nil }

// layoutRuleFunc is a rule; it returns false where the operator cannot be followed. Rules follow FInferCorrectLayout of TVM's operators, but keep what they
// would get wrong.
type layoutRuleFunc func(q *layoutQuery) (layoutAnswer, bool)

// layoutRules are the rules by the name of the operator.
var layoutRules = sync.OnceValue(func() map[string]layoutRuleFunc {
	out := map[string]layoutRuleFunc{}
	add := func(rule layoutRuleFunc, prefix, names string) {
		for n := range strings.FieldsSeq(names) {
			out[prefix+n] = rule
		}
	}
	for _, prefix := range []string{"relax.", "relay."} {
		add(elementwiseLayout, prefix, "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp floor isfinite isinf isnan log log2 log10 logical_not negative round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc fast_exp fast_erf fast_tanh zeros_like ones_like copy clip fixed_point_multiply nn.relu nn.leaky_relu nn.leakyrelu astype cast_like annotation.stop_fusion annotation.checkpoint annotation.cast_hint annotation.compiler_begin annotation.compiler_end on_device device_copy")
		add(broadcastLayout, prefix, "add subtract multiply divide floor_divide trunc_divide mod floor_mod trunc_mod power maximum minimum left_shift right_shift bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor equal not_equal less less_equal greater greater_equal")
		add(windowLayout, prefix, "nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose nn.contrib_conv2d_NCHWc nn.contrib_depthwise_conv2d_NCHWc nn.conv2d_backward_weight")
		add(poolLayout, prefix, "nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d nn.adaptive_max_pool1d nn.adaptive_max_pool2d nn.adaptive_max_pool3d nn.global_avg_pool2d nn.global_max_pool2d")
		add(reduceLayout, prefix, "sum mean max min prod all any variance argmax argmin")
		add(squeezeLayout, prefix, "squeeze")
		add(transposeLayout, prefix, "permute_dims")
		add(splitLayout, prefix, "split")
		add(concatLayout, prefix, "concat")
		add(sliceLayout, prefix, "strided_slice")
		add(padLayout, prefix, "nn.pad")
		add(preluLayout, prefix, "nn.prelu")
		add(denseLayout, prefix, "matmul nn.matmul nn.dense")
		add(axisLayout(5, "C C"), prefix, "nn.batch_norm")
		add(axisLayout(3, ""), prefix, "nn.layer_norm nn.instance_norm")
	}
	add(l2Layout, "relay.", "nn.l2_normalize")
	add(topkLayout, "relay.", "topk")
	add(dropoutLayout, "relay.", "nn.dropout")
	add(deformableLayout, "relay.", "nn.deformable_conv2d")
	add(upsamplingLayout, "relay.", "nn.upsampling")
	add(resizeLayout, "relay.", "image.resize2d")
	add(roiLayout, "relay.", "vision.roi_align vision.roi_pool")
	add(sliceLikeLayout, "relay.", "slice_like")
	add(quantized(windowLayout, 2, "C"), "relay.", "qnn.conv2d qnn.conv2d_transpose")
	add(quantized(poolLayout, 1, "C"), "relay.", "qnn.avg_pool2d")
	add(quantized(denseLayout, 2, "N"), "relay.", "qnn.dense")
	add(quantized(broadcastLayout, 2, "C"), "relay.", "qnn.add qnn.subtract qnn.mul")
	add(quantized(concatLayout, 0, "C"), "relay.", "qnn.concatenate")
	add(requantizeLayout, "relay.", "qnn.requantize")
	return out
})

// repeated is a layout n times.
func repeated(l layout, n int) []layout {
	out := make([]layout, n)
	for i := range out {
		out[i] = l
	}
	return out
}

// first is the layout of the first operand: what it is now, else what it was.
func (q *layoutQuery) first() layout {
	if q.new != nil {
		return q.new[0]
	}
	return q.old[0]
}

func (q *layoutQuery) answer(in, out []layout) (layoutAnswer, bool) {
	return layoutAnswer{in: in, out: out, attrs: q.attrs}, true
}

// elementwiseLayout takes any layout, that of the first operand.
func elementwiseLayout(q *layoutQuery) (layoutAnswer, bool) {
	l := q.first()
	if q.new == nil {
		for _, o := range q.old {
			if o != nil {
				l = o
				break
			}
		}
	}
	return q.answer(repeated(l, len(q.old)), []layout{l})
}

func dropoutLayout(q *layoutQuery) (layoutAnswer, bool) {
	return q.answer([]layout{q.first()}, repeated(q.first(), 2))
}

// broadcastLayout brings the operand with fewer axes where the other one is.
func broadcastLayout(q *layoutQuery) (layoutAnswer, bool) {
	if len(q.old) != 2 {
		return layoutAnswer{}, false
	}
	in := slices.Clone(q.old)
	large := 0
	if q.types[1].NDim > q.types[0].NDim {
		large = 1
	}
	result := large
	switch {
	case in[0] == nil && in[1] == nil:
		return layoutAnswer{}, false
	case in[0] == nil || in[1] == nil:
		known := 0
		if in[0] == nil {
			known = 1
		}
		n := q.types[known].NDim - q.types[1-known].NDim
		if n < 0 || n > len(in[known]) {
			return layoutAnswer{}, false
		}
		in[1-known] = whole(in[known][n:])
		result = known
	}
	if q.new == nil {
		return q.answer(in, []layout{in[result]})
	}
	out := q.new[large]
	wide := 0
	if q.new[1].Rank() > q.new[0].Rank() {
		wide = 1
	}
	to := transformedLike(in[1-wide], in[wide], q.new[wide])
	if to == nil {
		return layoutAnswer{}, false
	}
	shape, _ := q.types[1-wide].Dims()
	in[1-wide] = whole(withFactors(to, in[1-wide], shape))
	in[wide] = q.new[wide]
	return q.answer(in, []layout{out})
}

// windowLayout is what a convolution says: others follow it.
func windowLayout(q *layoutQuery) (layoutAnswer, bool) {
	data := layoutOf(q.attrs.Str("data_layout", ""))
	out := data
	if s := q.attrs.Str("out_layout", ""); s != "" {
		out = layoutOf(s)
	}
	return q.answer([]layout{data, layoutOf(q.attrs.Str("kernel_layout", ""))}, []layout{out})
}

func deformableLayout(q *layoutQuery) (layoutAnswer, bool) {
	a, ok := windowLayout(q)
	a.in = []layout{a.in[0], a.in[0], a.in[1]}
	return a, ok
}

// poolLayout follows its operand, if its own layout is not asked for.
func poolLayout(q *layoutQuery) (layoutAnswer, bool) {
	l := layoutOf(q.attrs.Str("layout", ""))
	if q.new != nil && !q.keep {
		to := q.new[0]
		if l == nil || to.Letters() == "" || to.Rank() != l.Rank() || to.Blocked() && splitBeyond(to, "C") {
			return layoutAnswer{}, false
		}
		q.attrs = withLayout(q.attrs, "layout", to.String())
		l = to
	}
	return q.answer([]layout{l}, []layout{l})
}

// splitBeyond reports whether an axis is split that is not one of letters.
func splitBeyond(l layout, letters string) bool {
	return slices.ContainsFunc(l, func(a tensorlayout.Axis) bool { return a.Factor > 0 && strings.IndexByte(letters, a.Letter) < 0 })
}

// withLayout sets the layout of what an operator reads, and that of what it writes, where it is the same.
func withLayout(attrs *ir.Attrs, key, to string) *ir.Attrs {
	from := attrs.Str(key, "")
	if from == to {
		return attrs
	}
	if out := attrs.Str("out_layout", ""); out != "" && out == from {
		attrs = attrs.With("out_layout", to)
	}
	return attrs.With(key, to)
}

// preluLayout keeps the data as it was; slopes are those of channels.
func preluLayout(q *layoutQuery) (layoutAnswer, bool) {
	return q.answer([]layout{q.old[0], layoutOf("C")}, []layout{q.old[0]})
}

func denseLayout(q *layoutQuery) (layoutAnswer, bool) {
	if q.types[0].NDim != 2 || q.types[1].NDim != 2 {
		return layoutAnswer{}, false
	}
	return q.answer(repeated(layoutOf("NC"), 2), []layout{layoutOf("NC")})
}

// upsamplingLayout follows its operand where the spatial axes stay where they are.
func upsamplingLayout(q *layoutQuery) (layoutAnswer, bool) {
	l := layoutOf(q.attrs.Str("layout", ""))
	if q.new != nil && l != nil {
		to := q.new[0]
		same := to.Rank() == l.Rank() && !splitBeyond(to, "NC")
		for _, a := range []byte("DHW") {
			same = same && to.Pos(a) == l.Pos(a)
		}
		if same {
			q.attrs, l = q.attrs.With("layout", to.String()), to
		}
	}
	return q.answer([]layout{l}, []layout{l})
}

// resizeLayout follows its operand to layouts in which no axis is split.
func resizeLayout(q *layoutQuery) (layoutAnswer, bool) {
	l := layoutOf(q.attrs.Str("layout", ""))
	if q.new != nil && l.Equal(q.old[0]) && len(q.new[0]) == len(l) && !q.keep {
		l = q.new[0]
		q.attrs = q.attrs.With("layout", l.String())
	}
	return q.answer([]layout{l}, []layout{l})
}

// roiLayout is what the operator says. Regions are rows of five numbers.
func roiLayout(q *layoutQuery) (layoutAnswer, bool) {
	l := layoutOf(q.attrs.Str("layout", ""))
	rows := layoutOf("NR")
	if q.old[1] != nil {
		rows = q.old[1]
	}
	return q.answer([]layout{l, rows}, []layout{l})
}

// quantized is a rule for the first n operands, of those of the first argument if n is 0; scales and zero points have the layout beside.
func quantized(rule layoutRuleFunc, n int, beside string) layoutRuleFunc {
	return func(q *layoutQuery) (layoutAnswer, bool) {
		k := n
		if k == 0 {
			k = q.counts[0]
		}
		if k <= 0 || k > len(q.old) {
			return layoutAnswer{}, false
		}
		of := *q
		of.old, of.types = q.old[:k], q.types[:k]
		if q.new != nil {
			of.new = q.new[:k]
		}
		a, ok := rule(&of)
		a.in = append(slices.Clone(a.in), repeated(layoutOf(beside), len(q.old)-k)...)
		return a, ok
	}
}
