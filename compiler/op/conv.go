package op

import (
	"strconv"

	"github.com/irscope/irscope/compiler/ir"
	"github.com/irscope/irscope/compiler/relax"
	"github.com/irscope/irscope/compiler/tensorlayout"
	"github.com/irscope/irscope/compiler/tir"
)

// convAttrs are the attributes of convolutions of n spatial axes; kernel is the default
// layout of the weights.
func convAttrs(n int, kernel string, transposed bool) []Attr {
	data := "NC" + spatialLetters[n]
	attrs := []Attr{
		{Name: "strides", Type: IntsAttr, Default: ints(repeat(1, n)...), Doc: "The step of the window along each spatial axis."},
		{Name: "padding", Type: IntsAttr, Default: ints(repeat(0, 2*n)...), Doc: "Zeros added at the start of each spatial axis, then at the end of each."},
	}
	if transposed {
		attrs = append(attrs, Attr{Name: "output_padding", Type: IntsAttr, Default: ints(repeat(0, n)...), Doc: "Extent added at the end of each spatial axis of the result."})
	}
	return append(attrs,
		Attr{Name: "dilation", Type: IntsAttr, Default: ints(repeat(1, n)...), Doc: "The step between elements of the window."},
		Attr{Name: "groups", Type: IntAttr, Default: int64(1), Doc: "The number of groups that the channels are split into."},
		Attr{Name: "data_layout", Type: StringAttr, Default: data, Doc: "The layout of the input."},
		Attr{Name: "kernel_layout", Type: StringAttr, Default: kernel, Doc: "The layout of the weights."},
		Attr{Name: "out_layout", Type: StringAttr, Default: data, Doc: "The layout of the result."},
		outDType())
}

func convOps() []*Op {
	var ops []*Op
	for n := 1; n <= 3; n++ {
		kind := strconv.Itoa(n) + "d"
		ops = append(ops,
			&Op{
				Name: "relax.nn.conv" + kind, Args: convArgs(), Attrs: convAttrs(n, "OI"+spatialLetters[n], false),
				Infer:   func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferConv(c, n) },
				Pattern: OutEWiseFusable, complete: completeWindow(n, "data_layout"),
				Doc: "The convolution (correlation) of " + strconv.Itoa(n) + " spatial axes.",
			},
			&Op{
				Name: "relax.nn.conv" + kind + "_transpose", Args: convArgs(), Attrs: convAttrs(n, "IO"+spatialLetters[n], true),
				Infer:   func(_ *relax.Call, c *InferContext) (relax.StructInfo, error) { return inferConvTranspose(c, n) },
				Pattern: OutEWiseFusable, complete: completeWindow(n, "data_layout"),
				Doc: "The transposed convolution of " + strconv.Itoa(n) + " spatial axes.",
			})
	}
	return ops
}

func convArgs() []Arg {
	return []Arg{{Name: "data", Doc: "The input tensor."}, {Name: "weight", Doc: "The weights."}}
}

// ints returns a list attribute.
func ints(xs ...int64) ir.Value { return ir.Normalize(xs) }

// completeWindow writes strides, dilation and padding out for n spatial axes, and lets the
// result have the input's layout if none is given.
func completeWindow(n int, layout string) func(*ir.Attrs) *ir.Attrs {
	return func(a *ir.Attrs) *ir.Attrs {
		for _, name := range []string{"strides", "dilation", "pool_size", "output_padding"} {
			if v := a.Ints(name); len(v) == 1 && n > 1 {
				a = a.With(name, repeat(v[0], n))
			}
		}
		switch p := a.Ints("padding"); {
		case len(p) == 1:
			a = a.With("padding", repeat(p[0], 2*n))
		case len(p) == n && n > 0:
			a = a.With("padding", append(append([]int64{}, p...), p...))
		}
		if l := a.Str(layout, ""); l != "" && a.Str("out_layout", "") == "" {
			a = a.With("out_layout", l)
		}
		return a
	}
}

// convShapes holds what both kinds of convolution read from a call.
type convShapes struct {
	ts           []*relax.TensorStructInfo
	data, weight map[byte]tir.Expr   // nil if not known
	out          tensorlayout.Layout // of the result
	strides      []int64
	dilation     []int64
	lo, hi       []int64
	groups       int64
}

func (c *InferContext) convShapes(n int) (*convShapes, error) {
	letters := "NC" + spatialLetters[n]
	dataLayout, err := c.layout("data_layout", letters)
	if err != nil {
		return nil, err
	}
	kernelLayout, err := c.layout("kernel_layout", "OI"+spatialLetters[n])
	if err != nil {
		return nil, err
	}
	s := &convShapes{out: dataLayout}
	if c.Str("out_layout") != "" {
		if s.out, err = c.layout("out_layout", letters); err != nil {
			return nil, err
		}
	}
	data, dataDims, err := c.layoutDims(0, dataLayout)
	if err != nil {
		return nil, err
	}
	weight, weightDims, err := c.layoutDims(1, kernelLayout)
	if err != nil {
		return nil, err
	}
	s.ts, s.data, s.weight = []*relax.TensorStructInfo{data, weight}, dataDims, weightDims
	if c.DType("out_dtype").IsVoid() && !data.DType.IsVoid() && !weight.DType.IsVoid() && data.DType != weight.DType {
		return nil, c.argErr(1, weight.DType.String(), "elements of type %s, like those of data, or the attribute out_dtype", data.DType)
	}
	if s.strides, err = c.positiveInts("strides", n); err != nil {
		return nil, err
	}
	if s.dilation, err = c.positiveInts("dilation", n); err != nil {
		return nil, err
	}
	if s.lo, s.hi, err = c.pads(n); err != nil {
		return nil, err
	}
	if s.groups, _ = c.Int("groups"); s.groups <= 0 || s.groups > maxStep {
		return nil, c.attrErr("groups", strconv.FormatInt(s.groups, 10), "a number above zero")
	}
	return s, nil
}

func inferConv(c *InferContext, n int) (relax.StructInfo, error) {
	s, err := c.convShapes(n)
	if err != nil {
		return nil, err
	}
	dt := c.resultDType(s.ts)
	if s.data == nil || s.weight == nil {
		return rankOf(dt, len(s.out), s.ts...), nil
	}
	in := c.Simplify(tir.Mul(s.weight['I'], tir.Int(s.groups)))
	if c.differ(s.data['C'], in) {
		return nil, c.argErr(1, describe(s.ts[1]), "channels that with %d groups give the %s channels of data, whose shape is %s",
			s.groups, relax.FormatPrim(s.data['C']), describe(s.ts[0]))
	}
	if err := c.divides("weight", s.weight['O'], s.groups); err != nil {
		return nil, err
	}
	out := map[byte]tir.Expr{'N': s.data['N'], 'C': s.weight['O']}
	for i := range n {
		l := spatialLetters[n][i]
		if out[l], err = c.windows(0, l, s.data[l], s.weight[l], s.lo[i]+s.hi[i], s.strides[i], s.dilation[i], false); err != nil {
			return nil, err
		}
	}
	return tensorOf(dt, c.permuteTo(s.out, out), s.ts...), nil
}

// divides checks that the channels of the weights can be split into groups.
func (c *InferContext) divides(what string, channels tir.Expr, groups int64) error {
	if v, ok := tir.AsInt(channels); ok && v%groups != 0 {
		return c.attrErr("groups", strconv.FormatInt(groups, 10), "a divisor of the %d channels of %s", v, what)
	}
	return nil
}

func inferConvTranspose(c *InferContext, n int) (relax.StructInfo, error) {
	s, err := c.convShapes(n)
	if err != nil {
		return nil, err
	}
	extra, err := c.fixedInts("output_padding", n)
	if err != nil {
		return nil, err
	}
	for i, e := range extra {
		if e < 0 || (e >= s.strides[i] && e >= s.dilation[i]) {
			return nil, c.attrErr("output_padding", formatInts(extra), "numbers below the stride or the dilation")
		}
	}
	dt := c.resultDType(s.ts)
	if s.data == nil || s.weight == nil {
		return rankOf(dt, len(s.out), s.ts...), nil
	}
	if c.differ(s.data['C'], s.weight['I']) {
		return nil, c.argErr(1, describe(s.ts[1]), "the %s channels of data as extent of axis I", relax.FormatPrim(s.data['C']))
	}
	if err := c.divides("data", s.data['C'], s.groups); err != nil {
		return nil, err
	}
	out := map[byte]tir.Expr{'N': s.data['N'], 'C': c.Simplify(tir.Mul(s.weight['O'], tir.Int(s.groups)))}
	for i := range n {
		l := spatialLetters[n][i]
		span := tir.Mul(tir.Int(s.dilation[i]), tir.Sub(s.weight[l], tir.Int(1)))
		ext := tir.Add(tir.Mul(tir.Sub(s.data[l], tir.Int(1)), tir.Int(s.strides[i])), span)
		out[l] = c.Simplify(tir.Add(ext, tir.Int(1+extra[i]-s.lo[i]-s.hi[i])))
	}
	return tensorOf(dt, c.permuteTo(s.out, out), s.ts...), nil
}
